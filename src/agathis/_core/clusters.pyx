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
#     arrive    c (D^2 - D'^2)    <=  sum over T of how much nearer mu came, where it did
#               (c - c') D'^2     <=  |n - n'|/n |T|/(|T| + n') (sum over T of d'^2 + spread)
#     leave     c' (D'^2 - D^2)   <=  n'/(n' - |T|) (sum over T of how much farther mu went)
#               (c' - c) D^2      <=  |n - n'| |T|/((n - |T|)(n' - |T|)) (sum of d^2 + spread)
#
# with absolute values of d^2, and `spread` a bound of the inertia of every side (scan.h). All
# this is algebra: it holds for any symmetric kernel, positive or not. So each leaf carries a
# slack: its best gain at the last search plus the slack is never below its best gain now. Most
# leaves need no search after most splits.
import numpy as np

from libc.math cimport INFINITY, fabs, fmax
from libc.stdint cimport int32_t

from agathis._core.state cimport State


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


cdef inline void note(
    const Change* change, double weight, double stock_before, double stock_after, bint own,
    double* moved_by, double* apart,
) noexcept nogil:
    """Add one sample, by its stocks with the cluster before and after."""
    cdef double before = weight * change.offset_before - 2.0 * stock_before / change.before
    cdef double after = weight * change.offset_after - 2.0 * stock_after / change.after
    moved_by[0] += fmax(0.0, after - before if own else before - after)
    apart[0] += fabs(before if own else after)


cdef double bound(
    State s, const Change* change, int32_t k, Py_ssize_t leaf, double moved_by, double apart
) noexcept nogil:
    """How much the changed cluster may have raised the best gain of a leaf."""
    cdef double n = change.before, after = change.after, size = s.leaf_weight[leaf]
    cdef double reach = fabs(n - after) * size * (apart + s.spread[leaf])
    if s.cluster[leaf] != k:
        return moved_by + reach / (n * (size + after))
    # A leaf that is, or was, all of its cluster has other moves to choose from than before.
    if s.leaves_in[k] == 1 or (after > n and s.leaves_in[k] == 2):
        return INFINITY
    return after / (after - size) * moved_by + reach / ((n - size) * (after - size))


def transfer(State s, Py_ssize_t slot, int32_t target, const double[::1] sums, double[::1] slack):
    """Move a leaf to another cluster.

    Parameters
    ----------
    slot : int
        The leaf.
    target : int
        Its new cluster; the first unused number founds one.
    sums : ndarray of shape (n_samples,)
        Stock of each sample, without its own weight, with the leaf.
    slack : ndarray, by slot
        Raised to stay a bound of how much each leaf's best gain may have grown; infinite
        where it has to be searched again.
    """
    cdef int32_t source = s.cluster[slot]
    cdef Py_ssize_t i, position, leaf
    cdef double weight = s.leaf_weight[slot]
    cdef double self_stock = 0.0, with_source = 0.0, with_target = 0.0, moved
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
        slack[:s.n_leaves] = INFINITY
        return

    # By leaf: how far the two centres moved, and how far they are; see above.
    cdef double[:, ::1] moved_by = np.zeros((2, s.n_leaves)), apart = np.zeros((2, s.n_leaves))
    for i in range(s.n_samples):
        leaf = s.leaf_of[i]
        moved = s.weight[i] * sums[i]
        note(&p, s.weight[i], s.rows[i, 2 + source], s.rows[i, 2 + source] - moved,
             s.cluster[leaf] == source, &moved_by[0, leaf], &apart[0, leaf])
        note(&q, s.weight[i], s.rows[i, 2 + target], s.rows[i, 2 + target] + moved,
             s.cluster[leaf] == target, &moved_by[1, leaf], &apart[1, leaf])
        s.rows[i, 2 + source] -= moved
        s.rows[i, 2 + target] += moved
    for leaf in range(s.n_leaves):
        slack[leaf] += (
            bound(s, &p, source, leaf, moved_by[0, leaf], apart[0, leaf])
            + bound(s, &q, target, leaf, moved_by[1, leaf], apart[1, leaf])
        )
