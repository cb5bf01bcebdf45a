# Which rows of an inner node had better be a leaf of their own, before anything else is asked.
#
# A leaf that holds what lies apart may be cut off anywhere on the way down, at the bottom or at the
# top; cuts of leaves (leaf_cuts.pyx) only find it at the bottom. Along each column the side that
# gains most as a cluster of its own is found with the centres of all others held where they are
# (part_off.c). That only proposes: of the best few the change of the objective is worked out with
# the centres moving.
import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from agathis._core.search.draft cimport (
    Draft,
    MOST_CODES,
    condition_from,
    goes_left,
    search_condition,
    search_rows,
)
from agathis._core.search.node_cuts cimport weighs_enough
from agathis._core.shared.limits cimport limits_from, tree_limits


cdef extern from "search/part_off.h":
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
    void off_column_cut(
        const search_rows* rows, Py_ssize_t column, const off_node* node, uint64_t* field,
        int32_t* places, double* scratch, off_cut* out) nogil
    void off_source_cut(
        const search_rows* rows, Py_ssize_t source, const off_node* node, double* scratch,
        off_cut* out) nogil


def offs(
    Draft draft, Py_ssize_t node, const int32_t[::1] columns, int most, int cluster,
    const tree_limits[::1] limits=None,
):
    """The best cuts that part a leaf off above an inner node.

    Parameters
    ----------
    draft : Draft
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
    cdef Py_ssize_t sources = draft.view.sources, width = draft.view.width
    cdef Py_ssize_t n_cuts = columns.shape[0] + sources, at, best, c, i, j
    cdef double[::1] scratch = np.zeros((max(2, MOST_CODES if sources else 0) + 1) * width)
    cdef double[::1] held = draft.change
    cdef off_node view
    view.limits = limits_from(limits)
    cdef off_cut* cuts = <off_cut*>malloc(max(n_cuts, 1) * sizeof(off_cut))
    if cuts == NULL:
        raise MemoryError
    try:
        with nogil:
            view.m = draft.rows_under(node)
            view.ids, view.held = &draft.ids[0], &held[0]
            view.weight = 0.0
            draft.work += view.m * (n_cuts + 1) * width
            view.sum = &scratch[0]
            for i in range(view.m):
                draft.to_left[i] = draft.cluster[draft.leaf[draft.ids[i]]]
            for at in range(draft.room):
                if draft.under[at] and draft.left[at] < 0:
                    view.weight += draft.weight[at]
                    for j in range(width):
                        scratch[j] += draft.sum[at, j]
            row_holds(&draft.view, &draft.ids[0], view.m, &draft.mean[0, 0], &draft.square[0],
                      &draft.to_left[0], &held[0])
            for c in range(columns.shape[0]):
                off_column_cut(&draft.view, columns[c], &view, &draft.fields[0, 0],
                               &draft.places[0, 0], &scratch[width], &cuts[c])
            for c in range(sources):
                off_source_cut(&draft.view, c, &view, &scratch[width],
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
            gain = exact_gain(draft, node, view.m, &cuts[best].asks, cuts[best].leaf_left,
                              cluster, view.limits)
            if gain > -INFINITY:
                asks = (<char*>&cuts[best].asks)[:sizeof(search_condition)]
                found.append((gain, asks, bool(cuts[best].leaf_left)))
    finally:
        free(cuts)
    found.sort(key=lambda cut: -cut[0])
    return found


def part_off_gain(
    Draft draft, Py_ssize_t node, const uint8_t[::1] asks, bint leaf_left, int cluster,
    const tree_limits[::1] limits=None,
):
    """What `Draft.part_off` would add to the objective; -inf where the limits forbid it."""
    cdef const search_condition* condition = condition_from(asks)
    cdef Py_ssize_t m = draft.rows_under(node)
    return exact_gain(draft, node, m, condition, leaf_left, cluster, limits_from(limits))


cdef double exact_gain(
    Draft draft, Py_ssize_t node, Py_ssize_t m, const search_condition* asks, bint leaf_left,
    int cluster, const tree_limits* limits,
) noexcept nogil:
    """The change of the objective; `ids` has the m rows of the node."""
    cdef Py_ssize_t i, parted = 0
    cdef int32_t row, at
    cdef double weight = 0.0
    draft.clear_shift()
    draft.work += m * 4
    memcpy(&draft.new_weight[0], &draft.weight[0], draft.room * sizeof(double))
    memcpy(&draft.new_count[0], &draft.count[0], draft.room * sizeof(int64_t))
    for i in range(m):
        row = draft.ids[i]
        if goes_left(&draft.view, asks, row) != leaf_left:
            continue
        at = draft.leaf[row]
        draft.shift_row(row, draft.cluster[at], cluster)
        draft.new_weight[at] -= draft.view.weight[row]
        draft.new_count[at] -= 1
        weight += draft.view.weight[row]
        parted += 1
    # All rows or none on a side are no cut.
    if parted == 0 or parted == m or weight < limits.min_leaf:
        return -INFINITY
    if not weighs_enough(draft, node, limits):
        return -INFINITY
    return draft.shift_gain()
