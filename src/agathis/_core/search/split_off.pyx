# Which rows of an inner node had better be a leaf of their own, before anything else is asked.
#
# A leaf that holds what lies apart may be cut off anywhere on the way down, at the bottom or at the
# top; cuts of leaves (leaf_splits.pyx) only find it at the bottom. Along each column the side that
# gains most as a cluster of its own is found with the centres of all others held where they are
# (split_off.c). That only proposes: of the best few the change of the objective is worked out with
# the centres moving.
import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from agathis._core.search.mutable_tree cimport (
    MutableTree,
    MAX_GROUP_CATEGORIES,
    condition_from,
    goes_left,
    search_condition,
    search_rows,
)
from agathis._core.search.node_splits cimport weighs_enough
from agathis._core.shared.limits cimport limits_from, tree_limits


cdef extern from "search/split_off.h":
    ctypedef struct off_cut:
        double worth
        int32_t leaf_left
        search_condition asks

    ctypedef struct off_node:
        const int32_t* ids
        Py_ssize_t m
        const double* sum
        double weight
        const tree_limits* limits
        const double* held

    void row_holds(
        const search_rows* rows, const int32_t* ids, Py_ssize_t m, const double* mean,
        const double* square, const int32_t* to, double* held) nogil
    void off_column_split(
        const search_rows* rows, Py_ssize_t column, const off_node* node, uint64_t* field,
        int32_t* places, double* scratch, off_cut* out) nogil
    void off_categories_split(
        const search_rows* rows, Py_ssize_t source, const off_node* node, double* scratch,
        off_cut* out) nogil


def offs(
    MutableTree tree, Py_ssize_t node, const int32_t[::1] columns, int most, int cluster,
    const tree_limits[::1] limits=None,
):
    """The best cuts that part a leaf off above an inner node.

    Parameters
    ----------
    tree : MutableTree
    node : int
    columns : ndarray of int32
        The columns that are looked at; sources are looked at all.
    most : int
        How many proposals have their gain worked out.
    cluster : int
        One without leaves, for the new one.
    limits : Limits.record, optional

    Returns
    -------
    list of tuple
        The gain, the bytes of the condition, whether the new leaf is on the left; without those
        that the limits forbid, the best first.
    """
    cdef Py_ssize_t sources = tree.view.sources, width = tree.view.width
    cdef Py_ssize_t n_cuts = columns.shape[0] + sources, at, best, c, i, j
    cdef double[::1] scratch = np.zeros(
        (max(2, MAX_GROUP_CATEGORIES if sources else 0) + 1) * width)
    cdef double[::1] held = tree.change
    cdef off_node view
    view.limits = limits_from(limits)
    cdef off_cut* cuts = <off_cut*>malloc(max(n_cuts, 1) * sizeof(off_cut))
    if cuts == NULL:
        raise MemoryError
    try:
        with nogil:
            view.m = tree.rows_under(node)
            view.ids, view.held = &tree.ids[0], &held[0]
            view.weight = 0.0
            tree.work += view.m * (n_cuts + 1) * width
            view.sum = &scratch[0]
            for i in range(view.m):
                tree.to_left[i] = tree.cluster[tree.leaf[tree.ids[i]]]
            for at in range(tree.room):
                if tree.under[at] and tree.left[at] < 0:
                    view.weight += tree.weight[at]
                    for j in range(width):
                        scratch[j] += tree.sum[at, j]
            row_holds(&tree.view, &tree.ids[0], view.m, &tree.mean[0, 0], &tree.square[0],
                      &tree.to_left[0], &held[0])
            for c in range(columns.shape[0]):
                off_column_split(&tree.view, columns[c], &view, &tree.fields[0, 0],
                                 &tree.places[0, 0], &scratch[width], &cuts[c])
            for c in range(sources):
                off_categories_split(&tree.view, c, &view, &scratch[width],
                                     &cuts[columns.shape[0] + c])
        found = []
        for _ in range(most):
            best = -1
            for at in range(n_cuts):
                if cuts[at].worth > -INFINITY and (best < 0 or cuts[at].worth > cuts[best].worth):
                    best = at
            if best < 0:
                break
            cuts[best].worth = -INFINITY
            gain = exact_gain(tree, node, view.m, &cuts[best].asks, cuts[best].leaf_left,
                              cluster, view.limits)
            if gain > -INFINITY:
                asks = (<char*>&cuts[best].asks)[:sizeof(search_condition)]
                found.append((gain, asks, bool(cuts[best].leaf_left)))
    finally:
        free(cuts)
    found.sort(key=lambda cut: -cut[0])
    return found


def split_off_gain(
    MutableTree tree, Py_ssize_t node, const uint8_t[::1] asks, bint leaf_left, int cluster,
    const tree_limits[::1] limits=None,
):
    """What `MutableTree.split_off` would add to the objective; -inf where the limits forbid it."""
    cdef const search_condition* condition = condition_from(asks)
    cdef Py_ssize_t m = tree.rows_under(node)
    return exact_gain(tree, node, m, condition, leaf_left, cluster, limits_from(limits))


cdef double exact_gain(
    MutableTree tree, Py_ssize_t node, Py_ssize_t m, const search_condition* asks, bint leaf_left,
    int cluster, const tree_limits* limits,
) noexcept nogil:
    """The change of the objective; `ids` has the m rows of the node."""
    cdef Py_ssize_t i, parted = 0
    cdef int32_t row, at
    cdef double weight = 0.0
    tree.clear_shift()
    tree.work += m * 4
    memcpy(&tree.new_weight[0], &tree.weight[0], tree.room * sizeof(double))
    memcpy(&tree.new_count[0], &tree.count[0], tree.room * sizeof(int64_t))
    for i in range(m):
        row = tree.ids[i]
        if goes_left(&tree.view, asks, row) != leaf_left:
            continue
        at = tree.leaf[row]
        tree.shift_row(row, tree.cluster[at], cluster)
        tree.new_weight[at] -= tree.view.weight[row]
        tree.new_count[at] -= 1
        weight += tree.view.weight[row]
        parted += 1
    # All rows or none on a side are no cut.
    if parted == 0 or parted == m or weight < limits.min_leaf:
        return -INFINITY
    if not weighs_enough(tree, node, limits):
        return -INFINITY
    return tree.shift_gain()
