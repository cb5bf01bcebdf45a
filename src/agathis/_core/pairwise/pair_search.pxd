from libc.stdint cimport int32_t, uint8_t

from agathis._core.pairwise.scan cimport scan_result
from agathis._core.pairwise.state cimport State
from agathis._core.shared.limits cimport tree_limits
from agathis._core.shared.scan cimport scan_clusters, scan_leaf

cdef enum:
    # A sample, feature and cluster take as long as so many pairs of samples (state.pyx).
    SCAN_STEP = 10


# Part of a search: some features of one leaf.
cdef struct Task:
    Py_ssize_t leaf, first, n_features
    scan_result result


cdef class LeafSearch:
    cdef State s
    cdef const int32_t[::1] leaf_indices
    cdef const uint8_t[:, ::1] drawn
    cdef scan_clusters clusters
    cdef uint8_t[::1] leaf_memory, task_memory
    cdef scan_leaf* leaves
    cdef Task* tasks
    cdef double[:, ::1] cross           # [leaf, k] kernel sum with each of the K clusters
    cdef Py_ssize_t[::1] first_task     # [leaf], and the end of the last
    cdef double[:, ::1] work

    cdef look(self, const Py_ssize_t[::1] tasks, int threads)


cdef scan_clusters clusters_view(State s) noexcept nogil
cdef scan_leaf leaf_view(
    State s, Py_ssize_t leaf_index, const tree_limits* limits, int32_t n_clusters, double* cross
) noexcept nogil
cdef void gather(
    State s, Py_ssize_t leaf_index, const scan_result* result, double unsure) noexcept nogil
