# Gains of single changes of a mutable tree: the objective after minus before, with the centres of
# all clusters that lose or win rows updated. Nothing is changed.
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t

from agathis._core.search.mutable_tree cimport (
    MutableTree, condition_from, goes_left, search_condition
)


def assign_gain(MutableTree tree, Py_ssize_t leaf, int cluster):
    """What `MutableTree.assign` would add to the objective."""
    cdef int32_t own = tree.cluster[leaf]
    cdef Py_ssize_t j
    if cluster == own:
        return 0.0
    tree.clear_shift()
    for j in range(tree.view.width):
        tree.shift[own, j] = -tree.sum[leaf, j]
        tree.shift[cluster, j] = tree.sum[leaf, j]
    tree.shift_size[own], tree.shift_size[cluster] = -tree.weight[leaf], tree.weight[leaf]
    if tree.leaves_in[own] == 1:
        tree.shift_size[own] = -tree.size[own]
    tree.touched[own] = tree.touched[cluster] = 1
    return tree.shift_gain()


def best_assign(MutableTree tree, Py_ssize_t leaf):
    """The cluster that a leaf had best be in, one without leaves too, and the gain."""
    cdef int32_t own = tree.cluster[leaf], k, empty = -1
    best, target = 0.0, own
    for k in range(tree.max_clusters):
        if k == own:
            continue
        if tree.leaves_in[k] == 0:
            if empty >= 0 or tree.leaves_in[own] == 1:
                continue
            empty = k
        gain = assign_gain(tree, leaf, k)
        if gain > best:
            best, target = gain, k
    return best, target


def split_gain(
    MutableTree tree, Py_ssize_t leaf, const uint8_t[::1] asks, int left_cluster, int right_cluster,
):
    """What `MutableTree.cut` would add to the objective."""
    cdef const search_condition* condition = condition_from(asks)
    cdef Py_ssize_t m = tree.rows_under(leaf), i
    cdef int32_t own = tree.cluster[leaf], row
    tree.clear_shift()
    with nogil:
        for i in range(m):
            row = tree.ids[i]
            if goes_left(&tree.view, condition, row):
                tree.shift_row(row, own, left_cluster)
            else:
                tree.shift_row(row, own, right_cluster)
    return tree.shift_gain()


def prune_gain(MutableTree tree, Py_ssize_t leaf):
    """What `MutableTree.prune` would add to the objective; nearly always less than nothing."""
    cdef Py_ssize_t parent = tree.parent[leaf], sibling, m, i
    cdef int32_t row, own = tree.cluster[leaf]
    sibling = tree.right[parent] if tree.left[parent] == leaf else tree.left[parent]
    if tree.left[sibling] < 0:
        return assign_gain(tree, leaf, tree.cluster[sibling])
    tree.clear_shift()
    m = tree.rows_under(leaf)
    with nogil:
        for i in range(m):
            row = tree.ids[i]
            tree.shift_row(row, own, tree.cluster[tree.descend(sibling, row)])
    return tree.shift_gain()


def loss_without(MutableTree tree, Py_ssize_t cluster):
    """What it costs at most to give all rows of a cluster to the nearest other centre."""
    cdef Py_ssize_t k, j
    cdef double apart, least = INFINITY
    for k in range(tree.max_clusters):
        if k != cluster and tree.leaves_in[k] > 0:
            apart = 0.0
            for j in range(tree.view.width):
                apart += (tree.mean[k, j] - tree.mean[cluster, j]) ** 2
            least = min(least, apart)
    return tree.size[cluster] * least
