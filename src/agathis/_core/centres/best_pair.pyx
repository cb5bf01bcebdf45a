# The cut of a leaf after which each side, given to the one centre that is best for it, costs least.
import numpy as np

from cython.parallel cimport prange
from libc.stdint cimport int32_t, uint8_t

from agathis._core.centres.splits cimport NONE, CentreSplits, first_minimum

from agathis._utils.numbers import threshold_between


cdef extern from "centres/loops.h" nogil:
    Py_ssize_t centre_best_pair(
        const double* cost, Py_ssize_t width, const int32_t* order, const uint8_t* cut,
        Py_ssize_t m, Py_ssize_t n_centres, const double* total, double slack, double* workspace,
        double* best)


def best_pair(CentreSplits s, Py_ssize_t leaf, const double[:, ::1] cost, total, double slack):
    """The cut after which each side, with its best centre, costs least.

    Parameters
    ----------
    s : CentreSplits
    leaf : int
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
    cdef Py_ssize_t f, d = s.n_features, start = s.rows.start[leaf]
    cdef Py_ssize_t m = s.rows.stop[leaf] - start, k = len(total)
    cdef double[::1] sums = np.ascontiguousarray(total), least = np.full(d, np.min(total))
    cdef double[:, ::1] workspace = np.empty((d, 2 * cost.shape[1]))
    cdef Py_ssize_t[::1] n_left = np.zeros(d, dtype=np.intp)
    cdef int threads = s.threads_for(leaf, k)
    for f in prange(d, nogil=True, num_threads=threads, schedule="dynamic"):
        n_left[f] = centre_best_pair(
            &cost[0, 0], cost.shape[1], &s.rows.order[f, start], &s.rows.cut[f, start],
            m, k, &sums[0], slack, &workspace[f, 0], &least[f])
    best = first_minimum(np.where(np.asarray(n_left) > 0, least, NONE), slack)
    if best is None:
        return None
    around = s.rows.values_around(leaf, best, n_left[best] - 1)
    return least[best], best, threshold_between(*around)
