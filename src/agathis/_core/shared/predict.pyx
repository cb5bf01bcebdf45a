# Rows descend a tree.
from cython cimport floating
from cython.parallel cimport prange
from libc.stdint cimport int32_t, uint8_t

cdef double SMALL_WORK = 100_000.0


# The arrays of a tree; those of terms are NULL where no node has any.
cdef struct Nodes:
    const int32_t* left
    const int32_t* right
    const int32_t* feature
    const double* threshold
    const uint8_t* missing_left
    const int32_t* term_start
    const int32_t* term_feature
    const double* term_weight


# `step` is in bytes, and need not be a whole number of values.
cdef inline floating value_at(
    const floating* row, Py_ssize_t step, Py_ssize_t feature
) noexcept nogil:
    return (<const floating*>(<const char*>row + feature * step))[0]


cdef Py_ssize_t leaf_of_row(
    const floating* row, Py_ssize_t step, const Nodes* tree
) noexcept nogil:
    cdef Py_ssize_t node = 0, term
    cdef double value
    while tree.left[node] >= 0:
        if tree.term_start == NULL or tree.term_start[node] == tree.term_start[node + 1]:
            value = value_at(row, step, tree.feature[node])
        else:
            value = 0.0
            for term in range(tree.term_start[node], tree.term_start[node + 1]):
                value = value + tree.term_weight[term] * value_at(
                    row, step, tree.term_feature[term])
        if value <= tree.threshold[node] or value != value and tree.missing_left[node]:
            node = tree.left[node]
        else:
            node = tree.right[node]
    return node


def descend(
    const floating[:, :] X, const int32_t[::1] left, const int32_t[::1] right,
    const int32_t[::1] feature, const double[::1] threshold, const uint8_t[::1] missing_left,
    const int32_t[::1] term_start, const int32_t[::1] term_feature, const double[::1] term_weight,
    const int32_t[::1] answer, int32_t[::1] out, double depth, int threads,
):
    """Write ``answer`` of the leaf of each row; X in any layout, read where it lies."""
    cdef Py_ssize_t i, n = X.shape[0]
    cdef Py_ssize_t step = X.strides[1]
    cdef Nodes tree
    tree.left, tree.right, tree.feature = &left[0], &right[0], &feature[0]
    tree.threshold, tree.missing_left = &threshold[0], &missing_left[0]
    tree.term_start, tree.term_feature, tree.term_weight = NULL, NULL, NULL
    if term_feature.shape[0] > 0:
        tree.term_start, tree.term_feature, tree.term_weight = (
            &term_start[0], &term_feature[0], &term_weight[0])
    if n * depth < SMALL_WORK:
        threads = 1
    for i in prange(n, nogil=True, num_threads=threads, schedule="static"):
        out[i] = answer[leaf_of_row(&X[i, 0], step, &tree)]
