# A leaf is cut: its samples move to the two sides (sorted.pyx), and the sides are leaves of the
# cluster that it was in.
from libc.math cimport INFINITY
from libc.stdint cimport int32_t

from agathis._core.pairwise.state cimport State


def partition(
    State s, Py_ssize_t leaf_index, Py_ssize_t feature, Py_ssize_t position, goes_left=None
):
    """Cut a leaf after ``position`` in the order of ``feature``; the right child's slot.

    With ``goes_left``, a mark for each sample, ``position`` is how many of the leaf go left, less
    one, and they need not be the first in any order.
    """
    cdef Py_ssize_t right = s.n_leaves, p
    cdef int32_t i
    if goes_left is None:
        s.split(leaf_index, right, feature, position + 1)
    else:
        s.split_marked(leaf_index, right, goes_left, position + 1)
    s.leaf_weight[leaf_index] = s.leaf_weight[right] = 0.0
    for p in range(s.start[leaf_index], s.stop[leaf_index]):
        s.leaf_weight[leaf_index] += s.weight[s.order[feature, p]]
    for p in range(s.start[right], s.stop[right]):
        i = s.order[feature, p]
        s.leaf_of[i] = <int32_t>right
        s.leaf_weight[right] += s.weight[i]
    s.cluster[right] = s.cluster[leaf_index]
    s.leaves_in[s.cluster[leaf_index]] += 1
    s.n_leaves += 1
    s.bound[leaf_index] = s.bound[right] = INFINITY
    return right
