from libc.stdint cimport int32_t, int64_t, uint8_t

from agathis._core.shared.limits cimport tree_limits
from agathis._core.shared.scan cimport scan_clusters, scan_leaf


cdef extern from "points/points.h" nogil:
    enum:
        POINT_PAD
        CUT_KEPT
        CUT_TARGETS
        CUT_BEST

    ctypedef struct point_table:
        Py_ssize_t width
        const int32_t* first
        int32_t* stop
        double* sum
        double* count
        double* weight
        double* radius
        const int32_t* row
        const double* row_sum
        const double* row_count
        const double* row_weight
        const double* missing
        const double* missing_count
        const double* missing_weight
        const double* total
        double* kept
        int64_t* kept_target
        const int32_t* cut_first
        Py_ssize_t cuts

    ctypedef struct point_clusters:
        const double* sum
        Py_ssize_t lanes
        const double* reach
        double rest
        int own_changed

    ctypedef struct point_samples:
        const double* phi
        const double* weight
        const int32_t* order
        const uint8_t* cut

    ctypedef struct point_split:
        Py_ssize_t count
        Py_ssize_t row
        int missing_left

    ctypedef struct point_gain_bound:
        double top

    ctypedef struct point_option:
        double reach, scatter, furthest

    void point_gain_bound_clear(point_gain_bound* gain_bound)

    void point_gain_bound_add(point_gain_bound* gain_bound, const point_gain_bound* more)

    double point_pending_bound(
        const point_gain_bound* gain_bound, double leaf_weight, double size,
        const point_option* way, double enough)

    void point_look(
        const double* points, const double* weight, Py_ssize_t n, Py_ssize_t width,
        const double* direction, point_option* way)

    size_t point_work(int32_t n_clusters, Py_ssize_t width)

    Py_ssize_t point_splits(const point_table* table, Py_ssize_t f)

    void point_moments(
        const point_table* table, double leaf_weight, Py_ssize_t first, Py_ssize_t n_features)

    void point_scan(
        const scan_leaf* leaf, const scan_clusters* clusters, const point_clusters* sums,
        const point_table* table, Py_ssize_t first, Py_ssize_t n_features, const uint8_t* drawn,
        double* work, double* bound, point_gain_bound* gain_bound)

    double point_refine(
        const scan_leaf* leaf, const scan_clusters* clusters, const point_clusters* sums,
        const point_table* table, Py_ssize_t f, Py_ssize_t b, const point_samples* samples,
        double floor, double* work, point_split* reached)

    ctypedef struct point_grain:
        Py_ssize_t few, parts, most

    Py_ssize_t point_block(Py_ssize_t done, Py_ssize_t n, const point_grain* grain)

    Py_ssize_t point_rows(
        const double* weight, Py_ssize_t done, Py_ssize_t n, Py_ssize_t most)

    Py_ssize_t point_sums(
        const point_samples* samples, Py_ssize_t n, Py_ssize_t width, const point_grain* grain,
        double total, double* sum, double* count, double* weight,
        double* radius)

    double point_radius(
        const double* sum, const double* weight, Py_ssize_t width, Py_ssize_t before,
        Py_ssize_t end, double total)


# The arrays behind a point_table, of one leaf.
cdef class LeafTable:
    cdef readonly Py_ssize_t n_samples
    cdef readonly double leaf_weight
    cdef int32_t[::1] first, stop   # [f]
    cdef double[:, ::1] sum         # [b]
    cdef double[::1] count, weight, radius, bound
    cdef int32_t[::1] row
    cdef double[:, ::1] row_sum
    cdef double[::1] row_count, row_weight
    cdef uint8_t[::1] bin           # [row] which bin the row ends with, where there are bins
    cdef double[:, ::1] missing
    cdef double[::1] missing_count, missing_weight
    cdef double[::1] total
    cdef double[:, ::1] kept        # [CUT_..., cut]
    cdef int64_t[:, ::1] kept_target  # [CUT_..TARGET, cut]
    cdef int32_t[::1] cut_first     # [f]
    cdef bint has_moments           # whether what is kept of the leaf alone is there
    cdef point_gain_bound gain_bound
    cdef double[:, ::1] points      # about their mean, where clusters are many; else None
    cdef double[::1] point_weight
    cdef int64_t[::1] seen          # [k] when it was last asked about cluster k, or -1
    cdef uint8_t[::1] way_memory
    cdef point_option* ways            # [k] to cluster k as it was at way_at[k]
    cdef int64_t[::1] way_at

    cdef know(self, Py_ssize_t n_clusters)

    @staticmethod
    cdef LeafTable with_workspace(
        Py_ssize_t n_features, Py_ssize_t rows, Py_ssize_t width, Py_ssize_t n_samples,
        double leaf_weight)
    cdef complete(self)
    cdef point_table view(self) noexcept nogil
    cdef bint misses(self, Py_ssize_t f) noexcept


cdef class PointState:
    cdef readonly Py_ssize_t n_features, width, n_leaves
    cdef readonly int32_t max_clusters, n_clusters
    cdef readonly list tables           # [leaf]
    cdef int threads
    cdef int32_t[::1] cluster           # [leaf]
    cdef double[:, ::1] best            # [leaf, f] best gain that was found
    cdef double[::1] gain, bound        # [leaf]
    cdef double[:, ::1] centre          # [k, .] sum of the points of a cluster
    cdef double[:, ::1] turned          # [., k] the same
    cdef double[::1] kernel_sum, size, share
    cdef int32_t[::1] leaves_in         # [k]
    cdef double[::1] direction          # room
    cdef int64_t clock                  # counts the changes of clusters
    cdef int64_t[::1] changed           # [k] when it last changed
    cdef public double tolerance        # what bounds are rounded by
    cdef public bint lazy               # whether bounds cover all moves of a leaf

    cdef bint founding(self) noexcept nogil
    cdef join(self, int32_t k, LeafTable table, double sign)
    cdef double pending_bound(self, LeafTable table, int32_t k, double enough) noexcept
    cdef void look(self, LeafTable table, int32_t k, point_option* way) noexcept
    cdef void doubt(self, int32_t source, int32_t target) noexcept
    cdef int threads_for(self, double work) noexcept nogil
    cdef scan_clusters clusters_view(self, bint all) noexcept nogil
    cdef double cross_with(
        self, LeafTable table, int32_t k, double* reach) noexcept nogil
    cdef scan_leaf leaf_view(
        self, Py_ssize_t leaf_index, LeafTable table, const tree_limits* limits, double cross_own,
        double* rest) noexcept nogil
