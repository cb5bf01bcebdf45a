# Samples move from cluster to cluster, and the other leaves' bounds move with them.
#
# A move changes two clusters. How much better can the best split of some other leaf T have
# become by it? Write n for the size of a changed cluster C, mu for its centre, d^2 for the
# squared distance of a sample to mu, S for a side of a cut of T, m = |S|, D for the distance of
# the centre of S to mu, and a dash for what holds after the move. With
#
#     arrive(S) = sigma(S^2)/m - c D^2,   c = m n/(m + n)        where C is a target,
#     leave(S)  = c D^2 - sigma(S^2)/m,   c = m n/(n - m)        where C is T's own cluster,
#     m D^2     = (sum of d^2 over S) - (inertia of S)
#
# the change of each has two parts, from the centre that moved and from the size:
#
#     arrive    c (D^2 - D'^2)    <=  sum over S of how much nearer mu came, where it did
#               (c - c') D'^2     <=  |n - n'|/n m/n' (sum over S of d'^2 + inertia)
#     leave     c' (D'^2 - D^2)   <=  n'/(n' - m) (sum over S of how much farther mu went)
#               (c' - c) D^2      <=  |n - n'| m/((n - m)(n' - m)) (sum over S of d^2 + inertia)
#
# with absolute values of d^2 and of the inertia. All this is algebra: it holds for any symmetric
# kernel, positive or not. A sum over S is at most the sum over T, and at most the largest term
# in T times the samples of S. So the bounds are kept by kind of move, that is by the size of S
# (pairwise/scan.h): a large leaf does not lose what is known of its small sides. A move of kind i
# gained at most kind_gain[i] at the last search, and kind_slack[i] is what the changes since may
# have added. The bound of a leaf is the largest sum of these, and most leaves need no search after
# most splits.
import numpy as np

from libc.math cimport INFINITY, fabs, nextafter
from libc.stdint cimport int32_t, int64_t, uint8_t

from agathis._core.pairwise.scan cimport MOVE_BOTH, MOVE_KINDS, SUM_CLUSTER
from agathis._core.pairwise.state cimport State
from agathis._core.shared.extremes cimport larger, smaller


# A cluster before and after: its size, and sigma(C^2)/|C|^2, what it adds to every d^2.
cdef struct Change:
    double before, after
    double twice_before, twice_after    # 2 over the size
    double offset_before, offset_after


cdef Change change_of(State s, int32_t k, double size, double kernel_sum) noexcept nogil:
    """Change size and kernel sum of cluster k."""
    cdef Change change
    change.before, change.after = s.size[k], size
    change.offset_before = s.kernel_sum[k] / (change.before * change.before)
    s.size[k], s.kernel_sum[k] = size, kernel_sum
    s.share[k] = s.kernel_sum[k] / change.after
    change.offset_after = s.share[k] / change.after
    change.twice_before, change.twice_after = 2.0 / change.before, 2.0 / change.after
    return change


# What is left of a cluster.
cdef struct Rest:
    double size, kernel_sum


cdef Rest rest_of(
    State s, int32_t source, Py_ssize_t leaf_index, const double[::1] sums
) noexcept nogil:
    """Of a cluster that a leaf leaves; ``sums`` is that of ``transfer``.

    It is summed over the samples that stay. A difference of the cluster's kernel sums would have
    the rounding error of what leaves, which may weigh a million times as much.
    """
    cdef Py_ssize_t i, leaf
    cdef Rest rest = Rest(0.0, 0.0)
    for leaf in range(s.n_leaves):
        if s.cluster[leaf] == source and leaf != leaf_index:
            rest.size += s.leaf_weight[leaf]
    for i in range(s.n_samples):
        leaf = s.leaf_of[i]
        if s.cluster[leaf] == source and leaf != leaf_index:
            rest.kernel_sum += s.rows[i, SUM_CLUSTER + source] - s.weight[i] * sums[i]
    return rest


# The samples of a leaf against one changed cluster: how much nearer (of a target) or farther
# (of the own cluster) it came, and d^2; the sum over the leaf and the largest term.
cdef struct Seen:
    double moved, moved_most
    double apart, apart_most


cdef inline void look(
    const Change* change, double weight, double kernel_sum_before, double kernel_sum_after,
    bint own, Seen* seen,
) noexcept nogil:
    """Add one sample, by its kernel sums with the cluster before and after."""
    cdef double before = weight * change.offset_before - kernel_sum_before * change.twice_before
    cdef double after = weight * change.offset_after - kernel_sum_after * change.twice_after
    cdef double moved = larger(0.0, after - before if own else before - after)
    cdef double apart = fabs(before if own else after)
    seen.moved += moved
    seen.apart += apart
    seen.moved_most = larger(seen.moved_most, moved)
    seen.apart_most = larger(seen.apart_most, apart)


# The most samples, and weight, of a side that moves by a move of that kind.
cdef struct Side:
    double count, weight


cdef Side largest_side(State s, Py_ssize_t leaf, int kind) noexcept nogil:
    cdef Side side
    side.count, side.weight = s.stop[leaf] - s.start[leaf], s.leaf_weight[leaf]
    if kind != MOVE_BOTH:
        side.count = smaller(side.count, <double>((<int64_t>1 << (2 * (kind + 1))) - 1))
        side.weight = smaller(side.weight, side.count * s.largest_weight)
    return side


cdef double arrive_slack(
    const Change* change, const Seen* seen, const Side* side, double spread
) noexcept nogil:
    """How much more it may gain to join the changed cluster."""
    cdef double rate = fabs(change.before - change.after) / (change.before * change.after)
    cdef double moved = smaller(seen.moved, side.count * seen.moved_most)
    cdef double apart = smaller(seen.apart, side.count * seen.apart_most)
    return moved + side.weight * rate * (apart + spread)


cdef double leave_slack(
    const Change* change, const Seen* seen, const Side* side, double spread
) noexcept nogil:
    """How much more it may gain to leave the leaf's own cluster."""
    cdef double n = change.before - side.weight, after = change.after - side.weight
    cdef double moved = smaller(seen.moved, side.count * seen.moved_most)
    cdef double apart = smaller(seen.apart, side.count * seen.apart_most)
    return change.after / after * moved + (
        fabs(change.before - change.after) * side.weight / (n * after) * (apart + spread))


cdef bint cluster_changed(
    State s, Py_ssize_t leaf, int32_t k, const Change* change, const Seen* seen
) noexcept nogil:
    """Raise the slack of a leaf after a change of cluster k; false if there is no bound."""
    cdef int kind
    cdef Side side
    cdef double spread
    cdef bint own = s.cluster[leaf] == k
    # A leaf that is, or was, all of its cluster has other moves to choose from than before.
    if own and (s.leaves_in[k] == 1 or (change.after > change.before and s.leaves_in[k] == 2)):
        return False
    for kind in range(MOVE_KINDS):
        if s.kind_gain[leaf, kind] > -INFINITY:
            side, spread = largest_side(s, leaf, kind), s.kind_spread[leaf, kind]
            s.kind_slack[leaf, kind] += (
                leave_slack(change, seen, &side, spread) if own
                else arrive_slack(change, seen, &side, spread))
    return True


cdef double bound_of(State s, Py_ssize_t leaf) noexcept nogil:
    # Above the gain in any case: the split that had it may have become worse.
    cdef double bound = nextafter(s.gain[leaf], INFINITY)
    cdef int kind
    for kind in range(MOVE_KINDS):
        bound = larger(bound, s.kind_gain[leaf, kind] + s.kind_slack[leaf, kind])
    return bound


def transfer(State s, Py_ssize_t leaf_index, int32_t target, const double[::1] sums):
    """Move a leaf to another cluster, and raise the bounds of the other leaves.

    Parameters
    ----------
    leaf_index : int
    target : int
        Its new cluster; the first unused number founds one.
    sums : ndarray of shape (n_samples,)
        Kernel sum of each sample, without its own weight, with the leaf.
    """
    cdef int32_t source = s.cluster[leaf_index]
    cdef Py_ssize_t i, position, leaf
    cdef bint known
    cdef double weight = s.leaf_weight[leaf_index]
    cdef double self_kernel_sum = 0.0, with_target = 0.0, moved
    cdef Seen* seen
    for position in range(s.start[leaf_index], s.stop[leaf_index]):
        i = s.order[0, position]
        self_kernel_sum += s.weight[i] * sums[i]
        with_target += s.rows[i, SUM_CLUSTER + target]

    # While clusters are founded searches do not look at others.
    cdef bint was_founding = s.founding()
    cdef Rest rest = rest_of(s, source, leaf_index, sums)
    cdef Change p = change_of(s, source, rest.size, rest.kernel_sum)
    cdef Change q = change_of(
        s, target, s.size[target] + weight,
        s.kernel_sum[target] + 2.0 * with_target + self_kernel_sum)
    s.leaves_in[source] -= 1
    s.leaves_in[target] += 1
    s.cluster[leaf_index] = target
    if target == s.n_clusters:
        s.n_clusters += 1
        for i in range(s.n_samples):
            moved = s.weight[i] * sums[i]
            s.rows[i, SUM_CLUSTER + source] -= moved
            s.rows[i, SUM_CLUSTER + target] += moved
        # A new target for every leaf, and maybe the last: of the old searches nothing holds,
        # unless no leaf would go to it anyway.
        if not s.founding():
            s.bound[:s.n_leaves] = INFINITY
        return

    if was_founding:
        s.bound[:s.n_leaves] = INFINITY
    cdef uint8_t[::1] memory = np.zeros(2 * s.n_leaves * sizeof(Seen), dtype=np.uint8)
    seen = <Seen*>&memory[0]
    cdef Py_ssize_t at_source = SUM_CLUSTER + source, at_target = SUM_CLUSTER + target
    for i in range(s.n_samples):
        leaf = s.leaf_of[i]
        moved = s.weight[i] * sums[i]
        look(&p, s.weight[i], s.rows[i, at_source], s.rows[i, at_source] - moved,
             s.cluster[leaf] == source, &seen[2 * leaf])
        look(&q, s.weight[i], s.rows[i, at_target], s.rows[i, at_target] + moved,
             s.cluster[leaf] == target, &seen[2 * leaf + 1])
        s.rows[i, at_source] -= moved
        s.rows[i, at_target] += moved
    for leaf in range(s.n_leaves):
        if s.bound[leaf] == INFINITY:
            continue
        known = not s.partial[leaf]
        known = known and cluster_changed(s, leaf, source, &p, &seen[2 * leaf])
        known = known and cluster_changed(s, leaf, target, &q, &seen[2 * leaf + 1])
        s.bound[leaf] = bound_of(s, leaf) if known else INFINITY
