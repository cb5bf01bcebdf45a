# The best move of one cut, with the preference among moves that gain the same.
#
# A search looks only for gains. Once a leaf and a threshold are chosen, the moves of that one
# cut are gone through by name: star, switch, double star, mixed, reallocation, and the right
# child moves rather than the left.
import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t

from agathis._core.shared.category_subsets cimport subset_items
from agathis._core.shared.gains cimport arrive, found, leave
from agathis._core.shared.scan cimport scan_clusters, scan_leaf

# The order is that of agathis._trees.tree.MOVES.
cdef enum:
    STAR = 1
    SWITCH = 2
    DOUBLE_STAR = 3
    MIXED = 4
    REALLOCATION = 5


# Looks at the moves in the order of preference: the best gain of all, then the first move
# within reach of it.
cdef class Choice:
    cdef void offer(self, double gain, int move, int32_t left, int32_t right) noexcept:
        if self.limit == INFINITY:
            if gain > self.gain:
                self.gain = gain
        elif self.move == 0 and gain >= self.limit:
            self.gain, self.move, self.left, self.right = gain, move, left, right


cdef offer_moves(
    const scan_leaf* leaf, const scan_clusters* c, const Cut* cut, Choice choice
):
    cdef int32_t K = c.count, p = leaf.own, k, q, a, b
    cdef double weight = cut.weight, weight_right = leaf.weight - cut.weight
    cdef double new_left = found(cut.self_left, 1.0 / weight)
    cdef double new_right = found(cut.self_right, 1.0 / weight_right)
    # As in tile.h: of a leaf that is all of its cluster the other side stays.
    cdef double go_left = new_right - c.share[p], go_right = new_left - c.share[p]
    if leaf.leave_all > -INFINITY:
        go_left = leave(
            c.kernel_sum[p], cut.cross_left[p], cut.self_left, 1.0 / (c.size[p] - weight),
            c.share[p])
        go_right = leave(
            c.kernel_sum[p], leaf.cross[p] - cut.cross_left[p], cut.self_right,
            1.0 / (c.size[p] - weight_right), c.share[p])
    cdef double[::1] to_left = np.empty(K), to_right = np.empty(K)
    for k in range(K):
        to_left[k] = arrive(
            c.kernel_sum[k], cut.cross_left[k], cut.self_left, 1.0 / (c.size[k] + weight),
            c.share[k])
        to_right[k] = arrive(
            c.kernel_sum[k], leaf.cross[k] - cut.cross_left[k], cut.self_right,
            1.0 / (c.size[k] + weight_right), c.share[k])

    choice.offer(go_right + new_right + leaf.open_one, STAR, p, K)
    choice.offer(go_left + new_left + leaf.open_one, STAR, K, p)
    for q in range(K):
        if q != p:
            choice.offer(go_right + to_right[q], SWITCH, p, q)
    for q in range(K):
        if q != p:
            choice.offer(go_left + to_left[q], SWITCH, q, p)
    if leaf.leave_all == -INFINITY:
        return
    choice.offer(leaf.leave_all + new_left + new_right + leaf.open_two, DOUBLE_STAR, K, K + 1)
    for q in range(K):
        if q != p:
            choice.offer(leaf.leave_all + to_left[q] + new_right + leaf.open_one, MIXED, q, K)
    for q in range(K):
        if q != p:
            choice.offer(leaf.leave_all + new_left + to_right[q] + leaf.open_one, MIXED, K, q)
    for a in range(K):
        for b in range(K):
            if a != p and b != p and a != b:
                choice.offer(leaf.leave_all + to_left[a] + to_right[b], REALLOCATION, a, b)


cdef Choice best_move(
    const scan_leaf* leaf, const scan_clusters* clusters, const Cut* cut, double tolerance
):
    """Of the moves within ``tolerance`` of the best gain the preferred one that gains.

    Where the best gains little more than the tolerance, another may gain less than nothing. Where
    none gains none is made, and which is preferred is not to be the luck of rounding.
    """
    cdef Choice choice = Choice()
    cdef double share = tolerance
    choice.limit, choice.gain = INFINITY, -INFINITY
    offer_moves(leaf, clusters, cut, choice)
    if choice.gain > 0.0:
        share = min(tolerance, choice.gain / 2)
    choice.limit = choice.gain - share
    offer_moves(leaf, clusters, cut, choice)
    return choice


cdef Choice subset_move(
    const scan_leaf* leaf, const scan_clusters* clusters, const subset_items* items,
    const uint8_t[::1] right, double tolerance
):
    """The same of the cut that sends some items right; their kernel sums are with all clusters."""
    cdef Py_ssize_t i, j, m = items.count
    cdef int32_t k
    cdef Cut cut
    cdef double[::1] cross = np.zeros(clusters.count)
    cut.weight, cut.self_left, cut.self_right, cut.cross_left = 0.0, 0.0, 0.0, &cross[0]
    for i in range(m):
        for j in range(m):
            if right[i] and right[j]:
                cut.self_right += items.kernel_sum[i * m + j]
            elif not (right[i] or right[j]):
                cut.self_left += items.kernel_sum[i * m + j]
        if not right[i]:
            cut.weight += items.weight[i]
            for k in range(clusters.count):
                cross[k] += items.cross[i * clusters.count + k]
    return best_move(leaf, clusters, &cut, tolerance)
