# Hartigan's dip: how far an empirical distribution is from the nearest one with a single mode.
#
#     counts   n |              _--- upper corners (v, number of values <= v)
#                |        __--' __
#                |    _--'  _--'      lower corners (v, number of values < v)
#                | --'___--'
#
# A unimodal distribution function is convex up to its mode and concave after it. So the greatest
# convex minorant of the lower corners is compared with the least concave majorant of the upper
# ones, on an interval for the mode that shrinks until its ends are the only disagreement left
# (J. A. Hartigan, P. M. Hartigan: The dip test of unimodality, Annals of Statistics 13, 1985).
import numpy as np

from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc


cdef struct Steps:
    double* value
    double* below
    double* upto
    int32_t* convex
    int32_t* concave


cdef inline double line(
    const double* x, const double* y, Py_ssize_t a, Py_ssize_t b, Py_ssize_t at
) noexcept nogil:
    if a == b:
        return y[a]
    return y[a] + (y[b] - y[a]) * ((x[at] - x[a]) / (x[b] - x[a]))


# The contacts of the minorant (sign 1) or majorant (sign -1) of y from `low` to `high`.
cdef Py_ssize_t hull(
    const double* x, const double* y, Py_ssize_t low, Py_ssize_t high, double sign, int32_t* out
) noexcept nogil:
    cdef Py_ssize_t i, n = 0
    for i in range(low, high + 1):
        while n >= 2 and sign * (
            (y[out[n - 1]] - y[out[n - 2]]) * (x[i] - x[out[n - 1]])
            - (y[i] - y[out[n - 1]]) * (x[out[n - 1]] - x[out[n - 2]])
        ) >= 0:
            n -= 1
        out[n] = i
        n += 1
    return n


cdef double dip_of_steps(const Steps* at, Py_ssize_t n) noexcept nogil:
    """Twice the dip, in counts; the values are distinct."""
    cdef Py_ssize_t low = 0, high = n - 1, i, j, n_convex, n_concave, new_low, new_high, best
    cdef double dip = 1.0, gap, widest
    cdef bint at_convex
    while low < high:
        n_convex = hull(at.value, at.below, low, high, 1.0, at.convex)
        n_concave = hull(at.value, at.upto, low, high, -1.0, at.concave)
        widest, best, at_convex = -1.0, 0, True
        j = 0
        for i in range(n_convex):
            while j < n_concave - 2 and at.concave[j + 1] < at.convex[i]:
                j += 1
            gap = line(at.value, at.upto, at.concave[j], at.concave[j + 1], at.convex[i]) \
                - at.below[at.convex[i]]
            if gap > widest:
                widest, best = gap, i
        j = 0
        for i in range(n_concave):
            while j < n_convex - 2 and at.convex[j + 1] < at.concave[i]:
                j += 1
            gap = at.upto[at.concave[i]] \
                - line(at.value, at.below, at.convex[j], at.convex[j + 1], at.concave[i])
            if gap > widest:
                widest, best, at_convex = gap, i, False
        if widest <= dip:
            break
        if at_convex:
            new_low, j = at.convex[best], 0
            while at.concave[j] < new_low:
                j += 1
            new_high = at.concave[j]
        else:
            new_high, j = at.concave[best], n_convex - 1
            while at.convex[j] > new_high:
                j -= 1
            new_low = at.convex[j]
        j = 0
        for i in range(low, new_low):
            if at.convex[j + 1] <= i:
                j += 1
            dip = max(dip, at.upto[i]
                      - line(at.value, at.below, at.convex[j], at.convex[j + 1], i))
        j = n_concave - 1
        for i in range(high, new_high, -1):
            if at.concave[j - 1] >= i:
                j -= 1
            dip = max(dip, line(at.value, at.upto, at.concave[j - 1], at.concave[j], i)
                      - at.below[i])
        if new_low == low and new_high == high:
            # Only the ends disagree, by rounding.
            break
        low, high = new_low, new_high
    return dip


def dips(const double[:, ::1] ordered):
    """The dip of each row of sorted values, at least ``1 / (2 n)``."""
    cdef Py_ssize_t i, j, m, n = ordered.shape[1], rows = ordered.shape[0]
    cdef double[::1] out = np.empty(rows)
    cdef Steps at
    cdef double* work = <double*>malloc((3 * sizeof(double) + 2 * sizeof(int32_t)) * max(n, 1))
    if work == NULL:
        raise MemoryError
    at.value, at.below, at.upto = work, work + n, work + 2 * n
    at.convex = <int32_t*>(work + 3 * n)
    at.concave = at.convex + n
    with nogil:
        for i in range(rows):
            m = 0
            for j in range(n):
                if j == 0 or ordered[i, j] > at.value[m - 1]:
                    at.value[m], at.below[m] = ordered[i, j], j
                    m += 1
                at.upto[m - 1] = j + 1
            out[i] = dip_of_steps(&at, m) / (2.0 * n)
    free(work)
    return np.asarray(out)
