# What an inner node had better ask, with both of its subtrees kept.
#
# Every row of the node would come to some leaf of the left subtree, and to one of the right. With
# the centres where they are each row has its price on either way, and the best cut of a column is
# found in one walk along it (node_splits.c). These prices only propose: of the best few cuts the
# change of the objective is worked out with the centres moving.
from cython.parallel cimport prange
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from agathis._core.search.mutable_tree cimport (
    MutableTree,
    condition_from,
    goes_left,
    search_condition,
    search_rows,
)
from agathis._core.shared.limits cimport limits_from, tree_limits


cdef extern from "search/node_splits.h":
    ctypedef struct node_split:
        double worth
        int32_t swapped, found
        search_condition asks

    void column_splits(
        const search_rows* rows, Py_ssize_t column, const int32_t* ids, Py_ssize_t m,
        const double* change, const double* lightest, uint64_t* field, int32_t* places,
        node_split* out) nogil
    void categories_split(
        const search_rows* rows, Py_ssize_t source, const int32_t* ids, Py_ssize_t m,
        const double* change, node_split* out) nogil
    void row_changes(
        const search_rows* rows, const int32_t* ids, Py_ssize_t m, const double* mean,
        const double* square, const int32_t* left, const int32_t* right, double* change) nogil

cdef extern from "shared/threads.h" nogil:
    int thread_number()

# Fewer steps along columns than this are done by one thread.
cdef double SMALL_WORK = 200_000.0


def node_splits(MutableTree tree, Py_ssize_t node, int most, const tree_limits[::1] limits=None):
    """The best cuts of an inner node whose subtrees stay.

    Parameters
    ----------
    tree : MutableTree
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
    cdef Py_ssize_t m, c, columns = tree.view.columns, sources = tree.view.sources
    cdef Py_ssize_t n_cuts = 2 * columns + sources, at, best
    cdef int threads = 1, t
    cdef double[2] lightest
    cdef const tree_limits* least = limits_from(limits)
    cdef node_split* cuts = <node_split*>malloc(max(n_cuts, 1) * sizeof(node_split))
    if cuts == NULL:
        raise MemoryError
    try:
        with nogil:
            m = prices(tree, node)
            tree.work += m * 4 * (columns + sources)
            lightest[0] = least.min_leaf * leaves_under(tree, tree.left[node])
            lightest[1] = least.min_leaf * leaves_under(tree, tree.right[node])
            if m * columns > SMALL_WORK:
                threads = tree.threads
            for c in prange(columns, num_threads=threads, schedule="dynamic"):
                t = thread_number()
                column_splits(
                    &tree.view, c, &tree.ids[0], m, &tree.change[0], lightest,
                    &tree.fields[t, 0], &tree.places[t, 0], &cuts[2 * c])
            for c in range(sources):
                at = 2 * columns + c
                categories_split(&tree.view, c, &tree.ids[0], m, &tree.change[0], &cuts[at])
        found = []
        for _ in range(most):
            best = -1
            for at in range(n_cuts):
                if cuts[at].found and (best < 0 or cuts[at].worth < cuts[best].worth):
                    best = at
            if best < 0:
                break
            cuts[best].found = 0
            gain = exact_gain(tree, node, m, &cuts[best].asks, cuts[best].swapped, least)
            if gain > -INFINITY:
                asks = (<char*>&cuts[best].asks)[:sizeof(search_condition)]
                found.append((gain, asks, bool(cuts[best].swapped)))
    finally:
        free(cuts)
    found.sort(key=lambda cut: -cut[0])
    return found


def node_split_gain(
    MutableTree tree, Py_ssize_t node, const uint8_t[::1] asks, bint swapped,
    const tree_limits[::1] limits=None,
):
    """What `MutableTree.resplit` would add to the objective; -inf where the limits forbid it."""
    cdef const search_condition* condition = condition_from(asks)
    cdef Py_ssize_t m = prices(tree, node)
    return exact_gain(tree, node, m, condition, swapped, limits_from(limits))


def node_prices(MutableTree tree, Py_ssize_t node):
    """The rows under a node, and what each costs more on the left than on the right."""
    import numpy as np
    cdef Py_ssize_t m = prices(tree, node)
    ids = np.asarray(tree.ids)[:m].copy()
    return ids, np.asarray(tree.change)[ids]


cdef int leaves_under(MutableTree tree, Py_ssize_t node) noexcept nogil:
    if tree.left[node] < 0:
        return 1
    return leaves_under(tree, tree.left[node]) + leaves_under(tree, tree.right[node])


cdef Py_ssize_t prices(MutableTree tree, Py_ssize_t node) noexcept nogil:
    """Rows of a node, the leaf of each on either way, and what left costs more than right."""
    cdef Py_ssize_t m = tree.rows_under(node), i
    cdef int32_t row
    tree.work += m * (tree.view.width + 8)
    for i in range(m):
        row = tree.ids[i]
        if goes_left(&tree.view, tree.condition(node), row):
            tree.way_left[i] = tree.leaf[row]
            tree.way_right[i] = tree.descend(tree.right[node], row)
        else:
            tree.way_left[i] = tree.descend(tree.left[node], row)
            tree.way_right[i] = tree.leaf[row]
        tree.to_left[i] = tree.cluster[tree.way_left[i]]
        tree.to_right[i] = tree.cluster[tree.way_right[i]]
    row_changes(&tree.view, &tree.ids[0], m, &tree.mean[0, 0], &tree.square[0],
                &tree.to_left[0], &tree.to_right[0], &tree.change[0])
    return m


cdef double exact_gain(
    MutableTree tree, Py_ssize_t node, Py_ssize_t m, const search_condition* asks, bint swapped,
    const tree_limits* limits,
) noexcept nogil:
    """The change of the objective; `prices` has to have been called before."""
    cdef Py_ssize_t i
    cdef int32_t row, to
    cdef bint light = limits.min_leaf > 0.0 or limits.min_split > 0.0
    tree.clear_shift()
    tree.work += m * 4
    if light:
        memcpy(&tree.new_weight[0], &tree.weight[0], tree.room * sizeof(double))
        memcpy(&tree.new_count[0], &tree.count[0], tree.room * sizeof(int64_t))
    for i in range(m):
        row = tree.ids[i]
        if goes_left(&tree.view, asks, row) != swapped:
            to = tree.way_left[i]
        else:
            to = tree.way_right[i]
        if to == tree.leaf[row]:
            continue
        tree.shift_row(row, tree.cluster[tree.leaf[row]], tree.cluster[to])
        if light:
            tree.new_weight[tree.leaf[row]] -= tree.view.weight[row]
            tree.new_weight[to] += tree.view.weight[row]
            tree.new_count[tree.leaf[row]] -= 1
            tree.new_count[to] += 1
    if light and not weighs_enough(tree, tree.left[node], limits):
        return -INFINITY
    if light and not weighs_enough(tree, tree.right[node], limits):
        return -INFINITY
    return tree.shift_gain()


cdef bint weighs_enough(
    MutableTree tree, Py_ssize_t node, const tree_limits* limits
) noexcept nogil:
    """Whether all nodes from this one down would weigh what they must, or nothing."""
    cdef Py_ssize_t first = tree.left[node], second = tree.right[node]
    if first < 0:
        return tree.new_count[node] == 0 or tree.new_weight[node] >= limits.min_leaf
    if not (weighs_enough(tree, first, limits) and weighs_enough(tree, second, limits)):
        return False
    tree.new_count[node] = tree.new_count[first] + tree.new_count[second]
    tree.new_weight[node] = tree.new_weight[first] + tree.new_weight[second]
    # One without rows on a side is no cut any more.
    if tree.new_count[first] == 0 or tree.new_count[second] == 0:
        return True
    return tree.new_weight[node] >= limits.min_split
