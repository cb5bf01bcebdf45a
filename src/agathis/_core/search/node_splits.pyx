# Cuts of an inner node: the best alternative condition with both subtrees kept, and the rows that
# are better split off as a leaf above it.
#
# Every row of the node would come to some leaf of the left subtree, and to one of the right. With
# the centres where they are each row has its price on either way, and the best cut of a column is
# found in one scan along it (node_splits.c). A leaf that holds what lies apart may be cut off
# anywhere on the way down, at the bottom or at the top, while cuts of leaves (leaf_splits.pyx) find
# it at the bottom only: along each column the side that gains most as a new cluster is found with
# all other centres fixed (split_off.c). Both only propose: of the best few cuts the change of the
# objective is worked out with the centres moving.
import numpy as np

from cython.parallel cimport prange, threadid
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from agathis._core.search.mutable_tree cimport (
    MAX_GROUP_CATEGORIES, MutableTree, condition_from, goes_left, search_condition, search_rows,
    split_candidate,
)
from agathis._core.shared.limits cimport limits_from, tree_limits


cdef extern from "search/node_splits.h" nogil:
    ctypedef struct search_node:
        const int32_t* ids
        Py_ssize_t m
        const double* price
        double least[2]
        const double* sum
        double weight

    void row_changes(
        const search_rows* rows, const int32_t* ids, Py_ssize_t m, const double* mean,
        const double* square, const int32_t* left, const int32_t* right, double* change)
    void column_splits(
        const search_rows* rows, Py_ssize_t column, const search_node* node, uint64_t* field,
        int32_t* places, split_candidate* out)
    void categories_split(
        const search_rows* rows, Py_ssize_t source, const search_node* node, split_candidate* out)
    void row_contributions(
        const search_rows* rows, const int32_t* ids, Py_ssize_t m, const double* mean,
        const double* square, const int32_t* to, double* contribution)
    void off_column_split(
        const search_rows* rows, Py_ssize_t column, const search_node* node, uint64_t* field,
        int32_t* places, double* scratch, split_candidate* out)
    void off_categories_split(
        const search_rows* rows, Py_ssize_t source, const search_node* node, double* scratch,
        split_candidate* out)

# Fewer steps along columns than this are done by one thread.
cdef double SMALL_WORK = 200_000.0
# In the place of a cluster: the subtrees of the node stay, and no leaf is split off.
cdef int NO_CLUSTER = -1


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
    cdef Py_ssize_t c, columns = tree.view.columns, sources = tree.view.sources
    cdef Py_ssize_t n_cuts = 2 * columns + sources
    cdef int threads = 1, t, side
    cdef const tree_limits* least = limits_from(limits)
    cdef uint8_t[::1] memory = np.empty(n_cuts * sizeof(split_candidate), dtype=np.uint8)
    cdef split_candidate* cuts = <split_candidate*>&memory[0]
    cdef search_node view
    with nogil:
        view.m = prices(tree, node)
        view.ids, view.price = &tree.ids[0], &tree.change[0]
        tree.work += view.m * 4 * (columns + sources)
        for side in range(2):
            # Of the nodes of a subtree one more than half are leaves.
            c = tree.list_under(tree.right[node] if side else tree.left[node])
            view.least[side] = least.min_leaf * ((c + 1) // 2)
        if view.m * columns > SMALL_WORK:
            threads = tree.threads
        for c in prange(columns, num_threads=threads, schedule="dynamic"):
            t = threadid()
            column_splits(
                &tree.view, c, &view, &tree.fields[t, 0], &tree.places[t, 0], &cuts[2 * c])
        for c in range(sources):
            categories_split(&tree.view, c, &view, &cuts[2 * columns + c])
    return exact_gains(tree, node, view.m, cuts, n_cuts, most, NO_CLUSTER, least)


def split_offs(
    MutableTree tree, Py_ssize_t node, const int32_t[::1] columns, int most, int cluster,
    const tree_limits[::1] limits=None,
):
    """The best cuts that split off a leaf above an inner node.

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
    cdef Py_ssize_t n_cuts = columns.shape[0] + sources, at, c, i, j
    cdef double[::1] scratch = np.zeros(
        (max(2, MAX_GROUP_CATEGORIES if sources else 0) + 1) * width)
    cdef const tree_limits* least = limits_from(limits)
    cdef uint8_t[::1] memory = np.empty(n_cuts * sizeof(split_candidate), dtype=np.uint8)
    cdef split_candidate* cuts = <split_candidate*>&memory[0]
    cdef search_node view
    with nogil:
        view.m = tree.rows_under(node)
        view.ids, view.price = &tree.ids[0], &tree.change[0]
        view.least[0], view.least[1] = least.min_leaf, 0.0
        tree.work += view.m * (n_cuts + 1) * width
        for i in range(view.m):
            tree.to_left[i] = tree.cluster[tree.leaf[tree.ids[i]]]
        view.sum, view.weight = &scratch[0], 0.0
        for at in range(tree.capacity):
            if tree.under[at] and tree.left[at] < 0:
                view.weight += tree.weight[at]
                for j in range(width):
                    scratch[j] += tree.sum[at, j]
        row_contributions(
            &tree.view, &tree.ids[0], view.m, &tree.mean[0, 0], &tree.square[0],
            &tree.to_left[0], &tree.change[0])
        for c in range(columns.shape[0]):
            off_column_split(&tree.view, columns[c], &view, &tree.fields[0, 0],
                             &tree.places[0, 0], &scratch[width], &cuts[c])
        for c in range(sources):
            off_categories_split(
                &tree.view, c, &view, &scratch[width], &cuts[columns.shape[0] + c])
    return exact_gains(tree, node, view.m, cuts, n_cuts, most, cluster, least)


def node_split_gain(
    MutableTree tree, Py_ssize_t node, const uint8_t[::1] asks, bint swapped,
    const tree_limits[::1] limits=None,
):
    """What `MutableTree.resplit` would add to the objective; -inf where the limits forbid it."""
    cdef const search_condition* condition = condition_from(asks)
    cdef Py_ssize_t m = prices(tree, node)
    return exact_gain(tree, node, m, condition, swapped, NO_CLUSTER, limits_from(limits))


def split_off_gain(
    MutableTree tree, Py_ssize_t node, const uint8_t[::1] asks, bint leaf_left, int cluster,
    const tree_limits[::1] limits=None,
):
    """What `MutableTree.split_off` would add to the objective; -inf where the limits forbid it."""
    cdef const search_condition* condition = condition_from(asks)
    cdef Py_ssize_t m = tree.rows_under(node)
    return exact_gain(tree, node, m, condition, leaf_left, cluster, limits_from(limits))


def node_prices(MutableTree tree, Py_ssize_t node):
    """The rows under a node, and what each costs more on the left than on the right."""
    cdef Py_ssize_t m = prices(tree, node)
    ids = np.asarray(tree.ids)[:m].copy()
    return ids, np.asarray(tree.change)[ids]


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


cdef list exact_gains(
    MutableTree tree, Py_ssize_t node, Py_ssize_t m, split_candidate* cuts, Py_ssize_t n_cuts,
    int most, int cluster, const tree_limits* limits,
):
    """The best few of some cuts, by the change of the objective with the centres moving."""
    cdef Py_ssize_t at, best
    found = []
    for _ in range(most):
        best = -1
        for at in range(n_cuts):
            if cuts[at].gain > -INFINITY and (best < 0 or cuts[at].gain > cuts[best].gain):
                best = at
        if best < 0:
            break
        cuts[best].gain = -INFINITY
        gain = exact_gain(tree, node, m, &cuts[best].asks, cuts[best].side, cluster, limits)
        if gain > -INFINITY:
            asks = (<char*>&cuts[best].asks)[:sizeof(search_condition)]
            found.append((gain, asks, bool(cuts[best].side)))
    found.sort(key=lambda cut: -cut[0])
    return found


cdef double exact_gain(
    MutableTree tree, Py_ssize_t node, Py_ssize_t m, const search_condition* asks, bint side,
    int cluster, const tree_limits* limits,
) noexcept nogil:
    """The change of the objective; `ids` has the m rows of the node.

    With a ``cluster`` the rows on the side ``side`` become a leaf of it, else the subtrees are
    swapped where ``side`` is 1, and `prices` has to have been called before.
    """
    cdef Py_ssize_t i, n_off = 0
    cdef int32_t row, own, to
    cdef double weight = 0.0
    cdef bint left, allowed
    tree.clear_shift()
    tree.work += m * 4
    memcpy(&tree.new_weight[0], &tree.weight[0], tree.capacity * sizeof(double))
    memcpy(&tree.new_count[0], &tree.count[0], tree.capacity * sizeof(int64_t))
    for i in range(m):
        row = tree.ids[i]
        own = tree.leaf[row]
        left = goes_left(&tree.view, asks, row) != side
        if cluster != NO_CLUSTER:
            if left:
                continue
            weight += tree.view.weight[row]
            n_off += 1
            tree.shift_row(row, tree.cluster[own], cluster)
        else:
            to = tree.way_left[i] if left else tree.way_right[i]
            if to == own:
                continue
            tree.shift_row(row, tree.cluster[own], tree.cluster[to])
            tree.new_weight[to] += tree.view.weight[row]
            tree.new_count[to] += 1
        tree.new_weight[own] -= tree.view.weight[row]
        tree.new_count[own] -= 1
    if cluster != NO_CLUSTER:
        # All rows or none on a side are no cut.
        allowed = 0 < n_off < m and weight >= limits.min_leaf and weighs_enough(tree, node, limits)
    else:
        allowed = limits.min_leaf <= 0.0 and limits.min_split <= 0.0 or (
            weighs_enough(tree, tree.left[node], limits)
            and weighs_enough(tree, tree.right[node], limits))
    return tree.shift_gain() if allowed else -INFINITY


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
