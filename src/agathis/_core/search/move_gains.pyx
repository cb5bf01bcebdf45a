# What single changes of a draft would add to its objective: the objective after minus before, with
# the centres of all clusters that lose or win rows moving along. Nothing is changed.
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t

from agathis._core.search.draft cimport Draft, condition_from, goes_left, search_condition


def assign_gain(Draft draft, Py_ssize_t leaf, int cluster):
    """What `Draft.assign` would add to the objective."""
    cdef int32_t own = draft.cluster[leaf]
    cdef Py_ssize_t j
    if cluster == own:
        return 0.0
    draft.clear_shift()
    for j in range(draft.view.width):
        draft.shift[own, j] = -draft.sum[leaf, j]
        draft.shift[cluster, j] = draft.sum[leaf, j]
    draft.shift_size[own], draft.shift_size[cluster] = -draft.weight[leaf], draft.weight[leaf]
    if draft.leaves_in[own] == 1:
        draft.shift_size[own] = -draft.size[own]
    draft.touched[own] = draft.touched[cluster] = 1
    return draft.shift_gain()


def best_assign(Draft draft, Py_ssize_t leaf):
    """The cluster that a leaf had best be in, one without leaves too, and the gain."""
    cdef int32_t own = draft.cluster[leaf], k, empty = -1
    best, target = 0.0, own
    for k in range(draft.most_clusters):
        if k == own:
            continue
        if draft.leaves_in[k] == 0:
            if empty >= 0 or draft.leaves_in[own] == 1:
                continue
            empty = k
        gain = assign_gain(draft, leaf, k)
        if gain > best:
            best, target = gain, k
    return best, target


def cut_gain(
    Draft draft, Py_ssize_t leaf, const uint8_t[::1] asks, int left_cluster, int right_cluster,
):
    """What `Draft.cut` would add to the objective."""
    cdef const search_condition* condition = condition_from(asks)
    cdef Py_ssize_t m = draft.rows_under(leaf), i
    cdef int32_t own = draft.cluster[leaf], row
    draft.clear_shift()
    with nogil:
        for i in range(m):
            row = draft.ids[i]
            if goes_left(&draft.view, condition, row):
                draft.shift_row(row, own, left_cluster)
            else:
                draft.shift_row(row, own, right_cluster)
    return draft.shift_gain()


def prune_gain(Draft draft, Py_ssize_t leaf):
    """What `Draft.prune` would add to the objective; nearly always less than nothing."""
    cdef Py_ssize_t parent = draft.parent[leaf], sibling, m, i
    cdef int32_t row, own = draft.cluster[leaf]
    sibling = draft.right[parent] if draft.left[parent] == leaf else draft.left[parent]
    if draft.left[sibling] < 0:
        return assign_gain(draft, leaf, draft.cluster[sibling])
    draft.clear_shift()
    m = draft.rows_under(leaf)
    with nogil:
        for i in range(m):
            row = draft.ids[i]
            draft.shift_row(row, own, draft.cluster[draft.walk(sibling, row)])
    return draft.shift_gain()


def loss_without(Draft draft, Py_ssize_t cluster):
    """What it costs at most to give all rows of a cluster to the nearest other centre."""
    cdef Py_ssize_t k, j
    cdef double apart, least = INFINITY
    for k in range(draft.most_clusters):
        if k != cluster and draft.leaves_in[k] > 0:
            apart = 0.0
            for j in range(draft.view.width):
                apart += (draft.mean[k, j] - draft.mean[cluster, j]) ** 2
            least = min(least, apart)
    return draft.size[cluster] * least
