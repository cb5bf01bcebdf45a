# What an inner node had better ask, with both of its subtrees kept.
#
# Every row of the node would come to some leaf of the left subtree, and to one of the right. With
# the centres where they are each row has its price on either way, and the best cut of a column is
# found in one walk along it (node_cuts.c). These prices only propose: of the best few cuts the
# change of the objective is worked out with the centres moving.
from cython.parallel cimport prange
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from agathis._core.search.draft cimport (
    Draft,
    condition_from,
    goes_left,
    search_condition,
    search_rows,
)
from agathis._core.shared.limits cimport limits_from, tree_limits


cdef extern from "search/node_cuts.h":
    ctypedef struct node_cut:
        double worth
        int32_t swapped, found
        search_condition asks

    void column_cuts(
        const search_rows* rows, Py_ssize_t column, const int32_t* ids, Py_ssize_t m,
        const double* change, const double* lightest, uint64_t* field, int32_t* places,
        node_cut* out) nogil
    void source_cut(
        const search_rows* rows, Py_ssize_t source, const int32_t* ids, Py_ssize_t m,
        const double* change, node_cut* out) nogil
    void row_changes(
        const search_rows* rows, const int32_t* ids, Py_ssize_t m, const double* mean,
        const double* square, const int32_t* left, const int32_t* right, double* change) nogil

cdef extern from "shared/threads.h" nogil:
    int thread_number()

# Fewer steps along columns than this are done by one thread.
cdef double SMALL_WORK = 200_000.0


def node_cuts(Draft draft, Py_ssize_t node, int most, const tree_limits[::1] limits=None):
    """The best cuts of an inner node whose subtrees stay.

    Parameters
    ----------
    draft : Draft
    node : int
    most : int
        How many proposals have their gain worked out.
    limits : Limits.record, optional

    Returns
    -------
    list of tuple
        The gain, the bytes of the condition, whether the subtrees are swapped; without those that
        the limits forbid, the best first.
    """
    cdef Py_ssize_t m, c, columns = draft.view.columns, sources = draft.view.sources
    cdef Py_ssize_t n_cuts = 2 * columns + sources, at, best
    cdef int threads = 1, t
    cdef double[2] lightest
    cdef const tree_limits* least = limits_from(limits)
    cdef node_cut* cuts = <node_cut*>malloc(max(n_cuts, 1) * sizeof(node_cut))
    if cuts == NULL:
        raise MemoryError
    try:
        with nogil:
            m = prices(draft, node)
            draft.work += m * 4 * (columns + sources)
            lightest[0] = least.min_leaf * leaves_under(draft, draft.left[node])
            lightest[1] = least.min_leaf * leaves_under(draft, draft.right[node])
            if m * columns > SMALL_WORK:
                threads = draft.threads
            for c in prange(columns, num_threads=threads, schedule="dynamic"):
                t = thread_number()
                column_cuts(
                    &draft.view, c, &draft.ids[0], m, &draft.change[0], lightest,
                    &draft.fields[t, 0], &draft.places[t, 0], &cuts[2 * c])
            for c in range(sources):
                at = 2 * columns + c
                source_cut(&draft.view, c, &draft.ids[0], m, &draft.change[0], &cuts[at])
        found = []
        for _ in range(most):
            best = -1
            for at in range(n_cuts):
                if cuts[at].found and (best < 0 or cuts[at].worth < cuts[best].worth):
                    best = at
            if best < 0:
                break
            cuts[best].found = 0
            gain = exact_gain(draft, node, m, &cuts[best].asks, cuts[best].swapped, least)
            if gain > -INFINITY:
                asks = (<char*>&cuts[best].asks)[:sizeof(search_condition)]
                found.append((gain, asks, bool(cuts[best].swapped)))
    finally:
        free(cuts)
    found.sort(key=lambda cut: -cut[0])
    return found


def node_cut_gain(
    Draft draft, Py_ssize_t node, const uint8_t[::1] asks, bint swapped,
    const tree_limits[::1] limits=None,
):
    """What `Draft.resplit` would add to the objective; -inf where the limits forbid it."""
    cdef const search_condition* condition = condition_from(asks)
    cdef Py_ssize_t m = prices(draft, node)
    return exact_gain(draft, node, m, condition, swapped, limits_from(limits))


def node_prices(Draft draft, Py_ssize_t node):
    """The rows under a node, and what each costs more on the left than on the right."""
    import numpy as np
    cdef Py_ssize_t m = prices(draft, node)
    ids = np.asarray(draft.ids)[:m].copy()
    return ids, np.asarray(draft.change)[ids]


cdef int leaves_under(Draft draft, Py_ssize_t node) noexcept nogil:
    if draft.left[node] < 0:
        return 1
    return leaves_under(draft, draft.left[node]) + leaves_under(draft, draft.right[node])


cdef Py_ssize_t prices(Draft draft, Py_ssize_t node) noexcept nogil:
    """Rows of a node, the leaf of each on either way, and what left costs more than right."""
    cdef Py_ssize_t m = draft.rows_under(node), i
    cdef int32_t row
    draft.work += m * (draft.view.width + 8)
    for i in range(m):
        row = draft.ids[i]
        if goes_left(&draft.view, draft.condition(node), row):
            draft.way_left[i] = draft.leaf[row]
            draft.way_right[i] = draft.walk(draft.right[node], row)
        else:
            draft.way_left[i] = draft.walk(draft.left[node], row)
            draft.way_right[i] = draft.leaf[row]
        draft.to_left[i] = draft.cluster[draft.way_left[i]]
        draft.to_right[i] = draft.cluster[draft.way_right[i]]
    row_changes(&draft.view, &draft.ids[0], m, &draft.mean[0, 0], &draft.square[0],
                &draft.to_left[0], &draft.to_right[0], &draft.change[0])
    return m


cdef double exact_gain(
    Draft draft, Py_ssize_t node, Py_ssize_t m, const search_condition* asks, bint swapped,
    const tree_limits* limits,
) noexcept nogil:
    """The change of the objective; `prices` has to have been called before."""
    cdef Py_ssize_t i
    cdef int32_t row, to
    cdef bint light = limits.min_leaf > 0.0 or limits.min_split > 0.0
    draft.clear_shift()
    draft.work += m * 4
    if light:
        memcpy(&draft.new_weight[0], &draft.weight[0], draft.room * sizeof(double))
        memcpy(&draft.new_count[0], &draft.count[0], draft.room * sizeof(int64_t))
    for i in range(m):
        row = draft.ids[i]
        if goes_left(&draft.view, asks, row) != swapped:
            to = draft.way_left[i]
        else:
            to = draft.way_right[i]
        if to == draft.leaf[row]:
            continue
        draft.shift_row(row, draft.cluster[draft.leaf[row]], draft.cluster[to])
        if light:
            draft.new_weight[draft.leaf[row]] -= draft.view.weight[row]
            draft.new_weight[to] += draft.view.weight[row]
            draft.new_count[draft.leaf[row]] -= 1
            draft.new_count[to] += 1
    if light and not weighs_enough(draft, draft.left[node], limits):
        return -INFINITY
    if light and not weighs_enough(draft, draft.right[node], limits):
        return -INFINITY
    return draft.shift_gain()


cdef bint weighs_enough(Draft draft, Py_ssize_t node, const tree_limits* limits) noexcept nogil:
    """Whether all nodes from this one down would weigh what they must, or nothing."""
    cdef Py_ssize_t first = draft.left[node], second = draft.right[node]
    if first < 0:
        return draft.new_count[node] == 0 or draft.new_weight[node] >= limits.min_leaf
    if not (weighs_enough(draft, first, limits) and weighs_enough(draft, second, limits)):
        return False
    draft.new_count[node] = draft.new_count[first] + draft.new_count[second]
    draft.new_weight[node] = draft.new_weight[first] + draft.new_weight[second]
    # One without rows on a side is no cut any more.
    if draft.new_count[first] == 0 or draft.new_count[second] == 0:
        return True
    return draft.new_weight[node] >= limits.min_split
