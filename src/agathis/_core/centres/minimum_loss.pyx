# The cut of a leaf that loses least when each row goes to its nearest centre on its side of the
# cut, with a price for the depth that such cuts would lead to.
#
# Within a stretch between two centres (splits.pyx) what a row costs on either side does not change,
# so that two sums along the order are all that is needed of it.
import numpy as np

from cython.parallel cimport prange, threadid
from libc.math cimport fabs
from libc.stdint cimport int32_t, uint8_t

from agathis._core.centres.splits cimport NONE, SMALL_SHARE, CentreSplits, first_minimum

from agathis._utils.numbers import threshold_between


cdef extern from "centres/loops.h" nogil:
    enum:
        CENTRE_BLOCK

    void centre_sides(
        const double* cost, Py_ssize_t stride, const int32_t* which, const double* at,
        const double* value, Py_ssize_t m, Py_ssize_t n_centres, double* before, double* after,
        double* left, double* right)


# What a price is made of, alike for all cuts of the node.
cdef struct shallow_node:
    double total, scale, noise, depth_factor


def minimum_loss(
    CentreSplits s, Py_ssize_t leaf, centres, const double[:, ::1] distance,
    const uint8_t[:, ::1] on_path, double depth_factor,
):
    """The cut that loses least when each row goes to its nearest centre on its side.

    Parameters
    ----------
    s : CentreSplits
    leaf : int
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
    cdef Py_ssize_t f, d = s.n_features, k = len(centres)
    cdef int32_t[:, ::1] which
    cdef double[:, ::1] at
    which, at = s.in_order(centres)
    ids = s.samples(leaf)
    share = s.weight[ids]
    cdef Py_ssize_t i, m = len(ids)
    cdef const int32_t[::1] rows = ids, numbers = np.asarray(centres, dtype=np.int32)
    cdef double[:, ::1] cost = np.empty((k, m))
    cdef double[::1] least = np.empty(m)
    cdef int threads = s.threads_for(leaf, k)
    for i in prange(m, nogil=True, num_threads=threads, schedule="static"):
        least[i] = losses_in_node(
            &distance[rows[i], 0], s.row_weight[rows[i]], &numbers[0], k, m, &cost[0, i])
    cdef double before = float(np.sum(share * np.asarray(least)))
    cdef double[:, ::1] left = np.empty((threads, s.n_samples))
    cdef double[:, ::1] right = np.empty((threads, s.n_samples))
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
            s, f, rows, cost, &which[f, 0], &at[f, 0], k, &block[threadid(), 0],
            &lost_below[f, 0], &lost_above[f, 0], &left[threadid(), 0],
            &right[threadid(), 0])
        found[f] = scan_losses(
            s, leaf, f, &at[f, 0], k, &lost_below[f, 0], &lost_above[f, 0],
            &left[threadid(), 0], &right[threadid(), 0], &onward[threadid(), 0], &node,
            on_path[0, f], on_path[1, f], &parts[f, 0], &depth[f, 0], &ends[f, 0])
    best = first_minimum(np.asarray(found), None)
    if best is None:
        return None
    return best, threshold_between(ends[best, 0], ends[best, 1])


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
    CentreSplits s, Py_ssize_t f, const int32_t[::1] rows, const double[:, ::1] cost,
    const int32_t* which, const double* at, Py_ssize_t k, double* block, double* before,
    double* after, double* left, double* right,
) noexcept nogil:
    """Fill ``before``, ``after`` and, row by row, ``left`` and ``right``: see loops.h."""
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
    CentreSplits s, Py_ssize_t leaf, Py_ssize_t f, const double* at, Py_ssize_t k,
    const double* before, const double* after, const double* left, const double* right,
    double* onward, const shallow_node* node, uint8_t left_known, uint8_t right_known,
    int32_t* parts, double* depth, double* ends,
) noexcept nogil:
    """The least price of a cut of a feature."""
    cdef const int32_t* order = &s.rows.order[f, s.rows.start[leaf]]
    cdef const uint8_t* cut = &s.rows.cut[f, s.rows.start[leaf]]
    cdef const double* values = &s.values[f, 0]
    cdef Py_ssize_t m = s.rows.stop[leaf] - s.rows.start[leaf], j, p = 0, q, stop, size
    cdef double size_left = 0.0, so_far, loss, price, share, best = NONE, low
    for j in range(k - 1):
        stop = s.count_to(leaf, f, at[j], True)
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
        stop = s.count_to(leaf, f, at[j + 1], False)
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
