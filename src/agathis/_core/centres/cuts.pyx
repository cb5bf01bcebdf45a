# Cuts between centres: what each method looks for, feature by feature, in the rows of a leaf.
#
# Rows stand in the order of each feature, leaf by leaf (sorted.pyx). Along a feature the centres
# of a node part the rows into stretches; within one, which centres are left does not change:
#
#     rows      . .  . .. . .   ..  .  . .     candidates of a cut: between any two neighbours,
#     centres       a       b         c        rows or centres, from the first centre to the last
import numpy as np

from cython.parallel cimport prange, threadid
from libc.math cimport fabs
from libc.stdint cimport int32_t, uint8_t

from agathis._core.shared.sorted cimport SortedSamples

from agathis._support.numbers import threshold_between


cdef extern from "centres/loops.h" nogil:
    enum:
        CENTRE_BLOCK

    Py_ssize_t centre_best_pair(
        const double* cost, Py_ssize_t width, const int32_t* order, const uint8_t* cut,
        Py_ssize_t m, Py_ssize_t n_centres, const double* total, double slack, double* room,
        double* best)
    void centre_sides(
        const double* cost, Py_ssize_t stride, const int32_t* which, const double* at,
        const double* value, Py_ssize_t m, Py_ssize_t n_centres, double* before, double* after,
        double* left, double* right)


# Less work than this is done by one thread.
cdef double SMALL_WORK = 200_000.0
# Two sums of the same numbers may differ by this share of them; a better cut is better by more.
SHARE = 1e-11
cdef double SMALL_SHARE = SHARE
# What no cut is worth.
cdef double NONE = 1e300


cdef class CentreCuts:
    """Rows and centres in the order of each feature, and searches for cuts between them.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    weight : ndarray of shape (n_samples,)
        Positive weights.
    centres : ndarray of shape (n_centres, n_features)
    threads : int

    Attributes
    ----------
    centres, weight : ndarray
    """

    cdef SortedSamples rows
    cdef const double[:, ::1] values        # [f, i]; the last is i itself
    cdef const double[::1] row_weight
    cdef readonly object centres, weight
    cdef readonly Py_ssize_t n_leaves
    cdef Py_ssize_t n_features, n_samples
    cdef bint alike                         # all weights are 1
    cdef int threads

    def __init__(self, X, weight, centres, int threads):
        self.n_samples, self.n_features = X.shape
        self.centres, self.weight, self.row_weight = centres, weight, weight
        self.alike = bool((weight == 1.0).all())
        values = np.empty((X.shape[1] + 1, len(X)))
        values[:self.n_features] = X.T
        # Along the last feature the rows of a leaf stand as they came.
        values[self.n_features] = np.arange(len(X))
        self.values, self.threads = values, threads
        self.rows = SortedSamples(values, np.zeros((1, 1)), weight, threads)
        self.n_leaves = 1

    def samples(self, Py_ssize_t slot):
        """The rows of a leaf in the order they came in, a copy."""
        cdef SortedSamples s = self.rows
        return np.array(s.order[self.n_features, s.start[slot]:s.stop[slot]])

    def split(self, Py_ssize_t slot, Py_ssize_t feature, double threshold):
        """Cut a leaf; the slot of the right child, the left one keeps its own."""
        cdef Py_ssize_t right = self.n_leaves
        self.rows.split(slot, right, feature, self.count_to(slot, feature, threshold, True))
        self.n_leaves += 1
        return right

    cdef Py_ssize_t count_to(
        self, Py_ssize_t slot, Py_ssize_t f, double value, bint equal
    ) noexcept nogil:
        """How many rows of a leaf lie before a value, or at it where they are equal."""
        cdef const int32_t* order = &self.rows.order[f, self.rows.start[slot]]
        cdef Py_ssize_t low = 0, high = self.rows.stop[slot] - self.rows.start[slot], middle
        cdef double x
        while low < high:
            middle = (low + high) // 2
            x = self.values[f, order[middle]]
            if x < value or (equal and x == value):
                low = middle + 1
            else:
                high = middle
        return low

    cdef int threads_for(self, Py_ssize_t slot, double times):
        cdef double size = self.rows.stop[slot] - self.rows.start[slot]
        return self.threads if size * self.n_features * times > SMALL_WORK else 1

    def in_order(self, centres):
        """Of each feature the centres (as numbers of the list) in order, and where they lie."""
        values = np.ascontiguousarray(self.centres[centres].T)
        order = np.argsort(values, axis=1, kind="stable")
        return order.astype(np.int32), np.take_along_axis(values, order, axis=1)

    def fewest_mistakes(self, Py_ssize_t slot, centres, own):
        """The cut that puts the most weight on the side of its own centre.

        Parameters
        ----------
        slot : int
        centres : ndarray
            Numbers of the node's centres.
        own : ndarray of int32, one a row
            Each row's centre, one of the node's; -1 where the row is left out.

        Returns
        -------
        feature, threshold : int, float
            Or None where no cut has such rows on both sides.
        """
        cdef Py_ssize_t f, d = self.n_features, k = len(centres), n_centres = len(self.centres)
        cdef int32_t[:, ::1] which
        cdef double[:, ::1] at
        places, at = self.in_order(centres)
        which = np.asarray(centres, dtype=np.int32)[places]
        cdef const int32_t[::1] mine = own
        ids = self.samples(slot)
        kept = ids[own[ids] >= 0]
        cdef double[::1] weight = np.bincount(own[kept], self.weight[kept], minlength=n_centres)
        cdef Py_ssize_t[::1] count = np.bincount(own[kept], minlength=n_centres)
        cdef double[:, ::1] left_weight = np.zeros((d, n_centres)), ends = np.zeros((d, 2))
        cdef Py_ssize_t[:, ::1] left_count = np.zeros((d, n_centres), dtype=np.intp)
        cdef double[:, ::1] sign = np.full((d, n_centres), -1.0)
        cdef double[::1] found = np.empty(d)
        cdef double slack = SMALL_SHARE * float(np.sum(weight))
        cdef int threads = self.threads_for(slot, 1.0)
        for f in prange(d, nogil=True, num_threads=threads, schedule="dynamic"):
            found[f] = scan_mistakes(
                self, slot, f, &mine[0], &which[f, 0], &at[f, 0], k, &weight[0], &count[0],
                &left_weight[f, 0], &left_count[f, 0], &sign[f, 0], slack, &ends[f, 0])
        best = first_least(-np.asarray(found), slack)
        if best is None:
            return None
        return best, threshold_between(ends[best, 0], ends[best, 1])

    def best_pair(self, Py_ssize_t slot, const double[:, ::1] cost, total, double slack):
        """The cut after which each side, with its best centre, costs least.

        Parameters
        ----------
        slot : int
        cost : ndarray of shape (n_samples, width)
            What a row costs with a centre, padded; never negative.
        total : ndarray of shape (n_centres,)
            Its sum over the rows of the leaf.
        slack : float
            What is gained must be more than this.

        Returns
        -------
        cost, feature, threshold : float, int, float
            Or None.
        """
        cdef Py_ssize_t f, d = self.n_features, start = self.rows.start[slot]
        cdef Py_ssize_t m = self.rows.stop[slot] - start, k = len(total)
        cdef double[::1] sums = np.ascontiguousarray(total), least = np.full(d, np.min(total))
        cdef double[:, ::1] room = np.empty((d, 2 * cost.shape[1]))
        cdef Py_ssize_t[::1] n_left = np.zeros(d, dtype=np.intp)
        cdef int threads = self.threads_for(slot, k)
        for f in prange(d, nogil=True, num_threads=threads, schedule="dynamic"):
            n_left[f] = centre_best_pair(
                &cost[0, 0], cost.shape[1], &self.rows.order[f, start], &self.rows.cut[f, start],
                m, k, &sums[0], slack, &room[f, 0], &least[f])
        best = first_least(np.where(np.asarray(n_left) > 0, least, NONE), slack)
        if best is None:
            return None
        around = self.rows.values_around(slot, best, n_left[best] - 1)
        return least[best], best, threshold_between(*around)

    def least_loss(
        self, Py_ssize_t slot, centres, const double[:, ::1] distance,
        const uint8_t[:, ::1] on_path, double depth_factor,
    ):
        """The cut that loses least when each row goes to its nearest centre on its side.

        Parameters
        ----------
        slot : int
        centres : ndarray
            Numbers of the node's centres, two or more.
        distance : ndarray of shape (n_samples, width)
        on_path : ndarray of uint8, shape (2, n_features)
            Whether the way to the node goes left, and right, at the feature.
        depth_factor : float

        Returns
        -------
        feature, threshold : int, float
            Or None where no cut has rows on both sides.
        """
        cdef Py_ssize_t f, d = self.n_features, k = len(centres)
        cdef int32_t[:, ::1] which
        cdef double[:, ::1] at
        which, at = self.in_order(centres)
        ids = self.samples(slot)
        share = self.weight[ids]
        cdef Py_ssize_t i, m = len(ids)
        cdef const int32_t[::1] rows = ids, numbers = np.asarray(centres, dtype=np.int32)
        cdef double[:, ::1] cost = np.empty((k, m))
        cdef double[::1] least = np.empty(m)
        cdef int threads = self.threads_for(slot, k)
        for i in prange(m, nogil=True, num_threads=threads, schedule="static"):
            least[i] = losses_in_node(
                &distance[rows[i], 0], self.row_weight[rows[i]], &numbers[0], k, m, &cost[0, i])
        cdef double before = float(np.sum(share * np.asarray(least)))
        cdef double[:, ::1] left = np.empty((threads, self.n_samples))
        cdef double[:, ::1] right = np.empty((threads, self.n_samples))
        cdef double[:, ::1] onward = np.empty((threads, m + 1))
        cdef double[:, ::1] block = np.empty((threads, 3 * CENTRE_BLOCK))
        cdef double[:, ::1] lost_below = np.zeros((d, k)), lost_above = np.zeros((d, k))
        cdef double[:, ::1] depth = np.zeros((d, k + 1))
        cdef double[:, ::1] ends = np.zeros((d, 2))
        cdef int32_t[:, ::1] parts = np.zeros((d, k + 1), dtype=np.int32)
        cdef double[::1] found = np.empty(d)
        cdef shallow_node node
        node.total = float(share.sum())
        node.scale = before
        if before == 0.0:
            # A node of no cost: a cut either loses nothing or is out of the question.
            node.scale = 1e-13 * float(np.min(cost, initial=1.0, where=np.asarray(cost) > 0.0))
        # Two distances that should be equal differ by their last digits.
        node.noise = 1e-14 * before
        node.depth_factor = depth_factor
        for f in prange(d, nogil=True, num_threads=threads, schedule="dynamic"):
            sides_of_rows(
                self, f, rows, cost, &which[f, 0], &at[f, 0], k, &block[threadid(), 0],
                &lost_below[f, 0], &lost_above[f, 0], &left[threadid(), 0],
                &right[threadid(), 0])
            found[f] = scan_losses(
                self, slot, f, &at[f, 0], k, &lost_below[f, 0], &lost_above[f, 0],
                &left[threadid(), 0], &right[threadid(), 0], &onward[threadid(), 0], &node,
                on_path[0, f], on_path[1, f], &parts[f, 0], &depth[f, 0], &ends[f, 0])
        best = first_least(np.asarray(found), None)
        if best is None:
            return None
        return best, threshold_between(ends[best, 0], ends[best, 1])


cdef struct shallow_node:
    double total, scale, noise, depth_factor


cdef first_least(values, slack):
    """The first of the least values, up to rounding; None where there is none."""
    best, least = None, NONE
    for place, value in enumerate(values.tolist()):
        if value < NONE and (best is None or value < least - (
                SHARE * (1 + abs(least)) if slack is None else slack)):
            best, least = place, value
    return best


cdef double scan_mistakes(
    CentreCuts s, Py_ssize_t slot, Py_ssize_t f, const int32_t* own, const int32_t* which,
    const double* at, Py_ssize_t k, const double* weight, const Py_ssize_t* count,
    double* left_weight, Py_ssize_t* left_count, double* sign, double slack, double* ends,
) noexcept nogil:
    """The most weight that a cut of a feature leaves with its centre."""
    cdef const int32_t* order = &s.rows.order[f, s.rows.start[slot]]
    cdef const uint8_t* cut = &s.rows.cut[f, s.rows.start[slot]]
    cdef const double* values = &s.values[f, 0]
    cdef const double* share = &s.row_weight[0]
    cdef Py_ssize_t j, p = 0, stop
    cdef int32_t i, c
    cdef uint8_t apart
    cdef Py_ssize_t good_left = 0, good_right = 0
    cdef double kept = 0.0, best = -NONE, bar = -NONE, low, w = 1.0
    for j in range(k):
        kept += weight[which[j]]
        good_right += count[which[j]]
    for j in range(k - 1):
        stop = s.count_to(slot, f, at[j], True)
        while p < stop:
            i = order[p]
            c = own[i]
            if c >= 0:
                if not s.alike:
                    w = share[i]
                kept += sign[c] * w
                good_left += sign[c] > 0
                good_right -= sign[c] < 0
                left_weight[c] += w
                left_count[c] += 1
            p += 1
        c = which[j]
        kept += 2 * left_weight[c] - weight[c]
        good_left += left_count[c]
        good_right -= count[c] - left_count[c]
        sign[c] = 1.0
        if at[j] == at[j + 1]:
            continue
        stop = s.count_to(slot, f, at[j + 1], False)
        low = at[j]
        apart = 1
        while p < stop:
            i = order[p]
            c = own[i]
            if c >= 0:
                if apart:
                    if kept > bar and good_left > 0 and good_right > 0:
                        best, bar = kept, kept + slack
                        ends[0], ends[1] = low, values[i]
                    low = values[i]
                    apart = 0
                if not s.alike:
                    w = share[i]
                kept += sign[c] * w
                good_left += sign[c] > 0
                good_right -= sign[c] < 0
                left_weight[c] += w
                left_count[c] += 1
            apart |= cut[p]
            p += 1
        if kept > bar and good_left > 0 and good_right > 0:
            best, bar = kept, kept + slack
            ends[0], ends[1] = low, at[j + 1]
    return best


cdef inline double losses_in_node(
    const double* distance, double weight, const int32_t* centres, Py_ssize_t k, Py_ssize_t step,
    double* out,
) noexcept nogil:
    """What a row costs with each centre of a node, ``step`` apart; its least distance."""
    cdef Py_ssize_t j
    cdef double least = distance[centres[0]]
    for j in range(1, k):
        least = min(least, distance[centres[j]])
    for j in range(k):
        out[j * step] = weight * (distance[centres[j]] - least)
    return least


cdef void sides_of_rows(
    CentreCuts s, Py_ssize_t f, const int32_t[::1] rows, const double[:, ::1] cost,
    const int32_t* which, const double* at, Py_ssize_t k, double* block, double* before,
    double* after, double* left, double* right,
) noexcept nogil:
    """Fill ``before``, ``after`` and, row by row, ``left`` and ``right``: see centre_loops.h."""
    cdef Py_ssize_t m = rows.shape[0], begin = 0, i, size
    cdef const double* values = &s.values[f, 0]
    while begin < m:
        size = min(m - begin, CENTRE_BLOCK)
        for i in range(size):
            block[i] = values[rows[begin + i]]
        centre_sides(
            &cost[0, begin], m, which, at, block, size, k, before, after, block + CENTRE_BLOCK,
            block + 2 * CENTRE_BLOCK)
        for i in range(size):
            left[rows[begin + i]] = block[CENTRE_BLOCK + i]
            right[rows[begin + i]] = block[2 * CENTRE_BLOCK + i]
        begin += size


cdef double scan_losses(
    CentreCuts s, Py_ssize_t slot, Py_ssize_t f, const double* at, Py_ssize_t k,
    const double* before, const double* after, const double* left, const double* right,
    double* onward, const shallow_node* node, uint8_t left_known, uint8_t right_known,
    int32_t* parts, double* depth, double* ends,
) noexcept nogil:
    """The least price of a cut of a feature."""
    cdef const int32_t* order = &s.rows.order[f, s.rows.start[slot]]
    cdef const uint8_t* cut = &s.rows.cut[f, s.rows.start[slot]]
    cdef const double* values = &s.values[f, 0]
    cdef Py_ssize_t m = s.rows.stop[slot] - s.rows.start[slot], j, p = 0, q, stop, size
    cdef double size_left = 0.0, so_far, loss, price, share, best = NONE, low
    for j in range(k - 1):
        stop = s.count_to(slot, f, at[j], True)
        if not s.alike:
            while p < stop:
                size_left += s.row_weight[order[p]]
                p += 1
        p = stop
        if at[j] == at[j + 1]:
            continue
        # What is lost before and after the stretch is lost wherever the cut is in it.
        if before[j] + after[j] >= best * node.scale:
            continue
        for size in range(2, k + 1):
            parts[size] = <int32_t>part_of(j + 1, k, size)
        stop = s.count_to(slot, f, at[j + 1], False)
        so_far, low = before[j], at[j]
        # What the rows from each one on cost on the right.
        onward[stop] = after[j]
        for q in range(stop - 1, p - 1, -1):
            onward[q] = onward[q + 1] + right[order[q]]
        while True:
            loss = so_far + onward[p]
            # The depth is at least 1 and at most 1 is taken off it, so no price is below its loss.
            if loss < best * node.scale and p > 0 and p < m:
                share = (p if s.alike else size_left) / node.total
                price = (loss if loss > node.noise else 0.0) / node.scale
                price -= node.depth_factor * (share * left_known + (1 - share) * right_known)
                if below(price + node.depth_factor, best):
                    price += node.depth_factor * simulated_depth(share, parts, k, depth)
                    if below(price, best):
                        best = price
                        ends[0] = low
                        ends[1] = values[order[p]] if p < stop else at[j + 1]
            if p == stop:
                break
            while True:
                so_far += left[order[p]]
                if not s.alike:
                    size_left += s.row_weight[order[p]]
                p += 1
                if p == stop or cut[p - 1]:
                    break
            low = values[order[p - 1]]
    return best


cdef inline bint below(double value, double best) noexcept nogil:
    return value < best - SMALL_SHARE * (1.0 + fabs(best))


cdef inline Py_ssize_t part_of(Py_ssize_t left, Py_ssize_t all, Py_ssize_t size) noexcept nogil:
    """How many of ``size`` centres are left where ``left`` of ``all`` are, at least one."""
    cdef Py_ssize_t part = (2 * left * size + all) // (2 * all)
    return min(max(part, 1), size - 1)


cdef double simulated_depth(
    double share, const int32_t* parts, Py_ssize_t k, double* depth
) noexcept nogil:
    """Mean depth of the rows where every node of k centres is cut in the same proportions."""
    cdef Py_ssize_t size
    depth[1] = 0.0
    for size in range(2, k + 1):
        depth[size] = 1.0 + share * depth[parts[size]] + (1.0 - share) * depth[size - parts[size]]
    return depth[k]
