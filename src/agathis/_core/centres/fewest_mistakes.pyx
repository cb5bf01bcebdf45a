# The cut of a leaf after which the fewest rows are on another side than their own centre.
#
# Along a feature rows and centres pass from the right of the threshold to its left, one after the
# other (splits.pyx). Where a centre passes, its rows that went before are on its side from now on,
# and those that are still to come are not.
import numpy as np

from cython.parallel cimport prange
from libc.stdint cimport int32_t, uint8_t

from agathis._core.centres.splits cimport NONE, SMALL_SHARE, CentreSplits, first_minimum

from agathis._utils.numbers import threshold_between


def fewest_mistakes(CentreSplits s, Py_ssize_t leaf, centres, own):
    """The cut that puts the most weight on the side of its own centre.

    Parameters
    ----------
    s : CentreSplits
    leaf : int
    centres : ndarray
        Numbers of the node's centres.
    own : ndarray of int32, one a row
        Each row's centre, one of the node's; -1 where the row is left out.

    Returns
    -------
    feature, threshold : int, float
        Or None where no cut has such rows on both sides.
    """
    cdef Py_ssize_t f, d = s.n_features, k = len(centres), n_centres = len(s.centres)
    cdef int32_t[:, ::1] which
    cdef double[:, ::1] at
    places, at = s.in_order(centres)
    which = np.asarray(centres, dtype=np.int32)[places]
    cdef const int32_t[::1] mine = own
    ids = s.samples(leaf)
    kept = ids[own[ids] >= 0]
    cdef double[::1] weight = np.bincount(own[kept], s.weight[kept], minlength=n_centres)
    cdef Py_ssize_t[::1] count = np.bincount(own[kept], minlength=n_centres)
    cdef double[:, ::1] left_weight = np.zeros((d, n_centres)), ends = np.zeros((d, 2))
    cdef Py_ssize_t[:, ::1] left_count = np.zeros((d, n_centres), dtype=np.intp)
    cdef double[:, ::1] sign = np.full((d, n_centres), -1.0)
    cdef double[::1] found = np.empty(d)
    cdef double slack = SMALL_SHARE * float(np.sum(weight))
    cdef int threads = s.threads_for(leaf, 1.0)
    for f in prange(d, nogil=True, num_threads=threads, schedule="dynamic"):
        found[f] = scan_mistakes(
            s, leaf, f, &mine[0], &which[f, 0], &at[f, 0], k, &weight[0], &count[0],
            &left_weight[f, 0], &left_count[f, 0], &sign[f, 0], slack, &ends[f, 0])
    best = first_minimum(-np.asarray(found), slack)
    if best is None:
        return None
    return best, threshold_between(ends[best, 0], ends[best, 1])


cdef double scan_mistakes(
    CentreSplits s, Py_ssize_t leaf, Py_ssize_t f, const int32_t* own, const int32_t* which,
    const double* at, Py_ssize_t k, const double* weight, const Py_ssize_t* count,
    double* left_weight, Py_ssize_t* left_count, double* sign, double slack, double* ends,
) noexcept nogil:
    """The most weight that a cut of a feature leaves with its centre."""
    cdef const int32_t* order = &s.rows.order[f, s.rows.start[leaf]]
    cdef const uint8_t* cut = &s.rows.cut[f, s.rows.start[leaf]]
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
        stop = s.count_to(leaf, f, at[j], True)
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
        stop = s.count_to(leaf, f, at[j + 1], False)
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
