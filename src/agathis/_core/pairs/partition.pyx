# A leaf is cut: its samples move, feature by feature, to the left or right part of its place.
#
#     order[f, start:stop]   a B c D e F      (capitals go right)
#     afterwards             a c e B D F      left child keeps the slot, right gets a new one
import numpy as np

from cython.parallel cimport prange
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t

from agathis._core.pairs.state cimport State


cdef void partition_feature(
    const double* values, int32_t* order, uint8_t* cut, const uint8_t* goes_left,
    Py_ssize_t n, Py_ssize_t n_left, int32_t* spare,
) noexcept nogil:
    cdef Py_ssize_t position, left = 0, right = 0
    cdef int32_t i
    for position in range(n):
        i = order[position]
        if goes_left[i]:
            order[left] = i
            left += 1
        else:
            spare[right] = i
            right += 1
    for position in range(right):
        order[n_left + position] = spare[position]
    for position in range(n - 1):
        cut[position] = values[order[position]] < values[order[position + 1]]
    cut[n_left - 1] = 0
    cut[n - 1] = 0


def partition(State s, Py_ssize_t slot, Py_ssize_t feature, Py_ssize_t position):
    """Cut a leaf after ``position`` in the order of ``feature``; the right child's slot."""
    cdef Py_ssize_t start = s.start[slot], stop = s.stop[slot], n = stop - start
    cdef Py_ssize_t n_left = position + 1, right = s.n_leaves, f, p
    cdef int32_t i
    cdef double weight_left = 0.0, weight_right = 0.0
    cdef uint8_t[::1] goes_left = np.zeros(s.n_samples, dtype=np.uint8)
    cdef int32_t[:, ::1] spare = np.empty((s.n_features, n - n_left), dtype=np.int32)
    cdef int threads = s.threads_for(<double>n * s.n_features)

    for p in range(start, start + n_left):
        i = s.order[feature, p]
        goes_left[i] = 1
        weight_left += s.weight[i]
    for p in range(start + n_left, stop):
        i = s.order[feature, p]
        s.leaf_of[i] = <int32_t>right
        weight_right += s.weight[i]
    for f in prange(s.n_features, nogil=True, num_threads=threads, schedule="static"):
        partition_feature(
            &s.values[f, 0], &s.order[f, start], &s.cut[f, start], &goes_left[0],
            n, n_left, &spare[f, 0],
        )
    s.start[right], s.stop[right] = start + n_left, stop
    s.stop[slot] = start + n_left
    s.leaf_weight[slot], s.leaf_weight[right] = weight_left, weight_right
    s.cluster[right] = s.cluster[slot]
    s.leaves_in[s.cluster[slot]] += 1
    s.n_leaves += 1
    s.bound[slot] = s.bound[right] = INFINITY
    return right
