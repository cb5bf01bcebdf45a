from libc.stdint cimport int32_t

from agathis._core.points.leaves cimport (
    PointState, point_clusters, point_gain_bound, point_table,
)
from agathis._core.shared.limits cimport tree_limits
from agathis._core.shared.scan cimport scan_clusters, scan_leaf


# A leaf with its own cluster, and some of those that are pending.
cdef struct Some:
    scan_leaf leaf
    scan_clusters clusters
    point_clusters sums
    double* numbers     # both belong to the view
    int32_t* id


# A leaf as the scans see it.
cdef struct View:
    scan_leaf leaf
    point_table table
    point_clusters sums
    point_gain_bound* gain_bound
    double* bound
    double* cross       # with each cluster, once `complete`
    double* reach
    Some some
    bint complete
    bint has_moments
    bint scanned        # whether there is anything to scan,
    bint all            # of all clusters
    bint asked          # whether pending clusters are to be chosen
    double most         # the largest bound
    bint promising      # whether that reaches the best gain
    double rest         # what moves to clusters that are still pending may gain


cdef class Views:
    cdef PointState state
    cdef list tables
    cdef Py_ssize_t count
    cdef tree_limits limits
    cdef scan_clusters clusters
    cdef View* each
    cdef double[::1] workspace       # of what the views point to

    cdef double largest_bound(self, Py_ssize_t j) noexcept
    cdef void complete(self, Py_ssize_t j, Py_ssize_t leaf_index) noexcept
    cdef choose(self, Py_ssize_t j, double floor, bint only_own)
