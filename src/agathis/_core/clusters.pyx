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
#               (c - c') D'^2     <=  |n - n'|/n m/(m + n') (sum over S of d'^2 + inertia)
#     leave     c' (D'^2 - D^2)   <=  n'/(n' - m) (sum over S of how much farther mu went)
#               (c' - c) D^2      <=  |n - n'| m/((n - m)(n' - m)) (sum over S of d^2 + inertia)
#
# with absolute values of d^2 and of the inertia. All this is algebra: it holds for any symmetric
# kernel, positive or not. A sum over S is at most the sum over T, and at most the largest term
# in T times the samples of S; so the bounds are kept by kind of move, that is by the size of S
# (scan.h), and a large leaf does not lose what is known of its small sides. Each leaf carries a
# slack for each kind: the best gain at the last search plus the slack is never below the best
# gain now. Most leaves need no search after most splits.
import numpy as np

from libc.math cimport INFINITY, fabs, nextafter
from libc.stdint cimport int32_t, int64_t, uint8_t

from agathis._core.splitter cimport SCAN_BOTH, SCAN_KINDS
from agathis._core.state cimport State, larger, smaller


# A cluster before and after: its size, and sigma(C^2)/|C|^2, what it adds to every d^2.
cdef struct Change:
    double before, after
    double offset_before, offset_after


cdef Change change_of(
    State s, int32_t k, double weight, double cross, double self_stock
) noexcept nogil:
    """Change size and stock of cluster k: a set of that weight joins it, or leaves if < 0."""
    cdef Change change
    change.before, change.after = s.size[k], s.size[k] + weight
    change.offset_before = s.stock[k] / (change.before * change.before)
    s.size[k] = change.after
    s.stock[k] += (2.0 if weight > 0 else -2.0) * cross + self_stock
    s.share[k] = s.stock[k] / change.after
    change.offset_after = s.share[k] / change.after
    return change


# The samples of a leaf against one changed cluster: how much nearer (of a target) or farther
# (of the own cluster) it came, and d^2; the sum over the leaf and the largest term.
cdef struct Seen:
    double moved, moved_most
    double apart, apart_most


cdef inline void look(
    const Change* change, double weight, double stock_before, double stock_after, bint own,
    Seen* seen,
) noexcept nogil:
    """Add one sample, by its stocks with the cluster before and after."""
    cdef double before = weight * change.offset_before - 2.0 * stock_before / change.before
    cdef double after = weight * change.offset_after - 2.0 * stock_after / change.after
    cdef double moved = larger(0.0, after - before if own else before - after)
    cdef double apart = fabs(before if own else after)
    seen.moved += moved
    seen.apart += apart
    seen.moved_most = larger(seen.moved_most, moved)
    seen.apart_most = larger(seen.apart_most, apart)


cdef double raised(
    State s, const Change* change, int32_t k, Py_ssize_t leaf, int kind, const Seen* seen
) noexcept nogil:
    """How much the changed cluster k may have raised the best gain of a leaf and kind."""
    cdef double n = change.before, after = change.after
    cdef double count = s.stop[leaf] - s.start[leaf], m = s.leaf_weight[leaf]
    cdef double moved, reach
    if kind != SCAN_BOTH:
        count = smaller(count, <double>((<int64_t>1 << (2 * (kind + 1))) - 1))
        m = smaller(m, count * s.largest_weight)
    moved = smaller(seen.moved, count * seen.moved_most)
    reach = fabs(n - after) * m * (
        smaller(seen.apart, count * seen.apart_most) + s.kind_spread[leaf, kind])
    if s.cluster[leaf] != k:
        return moved + reach / (n * (m + after))
    # A leaf that is, or was, all of its cluster has other moves to choose from than before.
    if s.leaves_in[k] == 1 or (after > n and s.leaves_in[k] == 2):
        return INFINITY
    return after / (after - m) * moved + reach / ((n - m) * (after - m))


def transfer(State s, Py_ssize_t slot, int32_t target, const double[::1] sums):
    """Move a leaf to another cluster, and raise the bounds of the other leaves.

    Parameters
    ----------
    slot : int
        The leaf.
    target : int
        Its new cluster; the first unused number founds one.
    sums : ndarray of shape (n_samples,)
        Stock of each sample, without its own weight, with the leaf.
    """
    cdef int32_t source = s.cluster[slot]
    cdef Py_ssize_t i, position, leaf
    cdef int kind
    cdef double weight = s.leaf_weight[slot]
    cdef double self_stock = 0.0, with_source = 0.0, with_target = 0.0, moved
    cdef Seen* seen
    for position in range(s.start[slot], s.stop[slot]):
        i = s.order[0, position]
        self_stock += s.weight[i] * sums[i]
        with_source += s.rows[i, 2 + source]
        with_target += s.rows[i, 2 + target]

    cdef Change p = change_of(s, source, -weight, with_source, self_stock)
    cdef Change q = change_of(s, target, weight, with_target, self_stock)
    s.leaves_in[source] -= 1
    s.leaves_in[target] += 1
    s.cluster[slot] = target
    if target == s.n_clusters:
        # A new target for every leaf, and maybe the last: nothing of the old searches holds.
        s.n_clusters += 1
        for i in range(s.n_samples):
            moved = s.weight[i] * sums[i]
            s.rows[i, 2 + source] -= moved
            s.rows[i, 2 + target] += moved
        s.bound[:s.n_leaves] = INFINITY
        return

    cdef uint8_t[::1] memory = np.zeros(2 * s.n_leaves * sizeof(Seen), dtype=np.uint8)
    seen = <Seen*>&memory[0]
    for i in range(s.n_samples):
        leaf = s.leaf_of[i]
        moved = s.weight[i] * sums[i]
        look(&p, s.weight[i], s.rows[i, 2 + source], s.rows[i, 2 + source] - moved,
             s.cluster[leaf] == source, &seen[2 * leaf])
        look(&q, s.weight[i], s.rows[i, 2 + target], s.rows[i, 2 + target] + moved,
             s.cluster[leaf] == target, &seen[2 * leaf + 1])
        s.rows[i, 2 + source] -= moved
        s.rows[i, 2 + target] += moved
    for leaf in range(s.n_leaves):
        if s.bound[leaf] == INFINITY:
            continue
        # Above the gain in any case: the split that had it may have become worse.
        s.bound[leaf] = nextafter(s.gain[leaf], INFINITY)
        for kind in range(SCAN_KINDS):
            if s.kind_gain[leaf, kind] > -INFINITY:
                s.kind_slack[leaf, kind] += (
                    raised(s, &p, source, leaf, kind, &seen[2 * leaf])
                    + raised(s, &q, target, leaf, kind, &seen[2 * leaf + 1])
                )
                s.bound[leaf] = larger(
                    s.bound[leaf], s.kind_gain[leaf, kind] + s.kind_slack[leaf, kind])
