# Rows and centres in the order of each feature: what every search for a cut between centres reads
# (fewest_mistakes.pyx, best_pair.pyx, minimum_loss.pyx).
#
# Rows stand in the order of each feature, leaf by leaf (sorted.pyx). Along a feature the centres
# of a node part the rows into stretches; within one, which centres are left does not change:
#
#     rows      . .  . .. . .   ..  .  . .     candidates of a cut: between any two neighbours,
#     centres       a       b         c        rows or centres, from the first centre to the last
import numpy as np

from libc.stdint cimport int32_t

from agathis._core.shared.sorted cimport SortedSamples

# Less work than this is done by one thread.
cdef double SMALL_WORK = 200_000.0
# Two sums of the same numbers may differ by this share of them; a better cut is better by more.
SHARE = 1e-11
SMALL_SHARE = SHARE
NONE = 1e300


cdef class CentreSplits:
    """Rows and centres in the order of each feature.

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

    def __init__(self, X, weight, centres, int threads):
        self.n_samples, self.n_features = X.shape
        self.centres, self.weight, self.row_weight = centres, weight, weight
        self.alike = bool((weight == 1.0).all())
        values = np.empty((X.shape[1] + 1, len(X)))
        values[:self.n_features] = X.T
        # Along the last feature the rows of a leaf stand as they came.
        values[self.n_features] = np.arange(len(X))
        self.values, self.threads = values, threads
        self.rows = SortedSamples(values, threads)
        self.n_leaves = 1

    def samples(self, Py_ssize_t leaf):
        """The rows of a leaf in the order they came in, a copy."""
        cdef SortedSamples s = self.rows
        return np.array(s.order[self.n_features, s.start[leaf]:s.stop[leaf]])

    def split(self, Py_ssize_t leaf, Py_ssize_t feature, double threshold):
        """Cut a leaf; the index of the right child; the left one keeps that of the leaf."""
        cdef Py_ssize_t right = self.n_leaves
        self.rows.split(leaf, right, feature, self.count_to(leaf, feature, threshold, True))
        self.n_leaves += 1
        return right

    cdef Py_ssize_t count_to(
        self, Py_ssize_t leaf, Py_ssize_t f, double value, bint equal
    ) noexcept nogil:
        """How many rows of a leaf lie before a value, or at it where they are equal."""
        cdef const int32_t* order = &self.rows.order[f, self.rows.start[leaf]]
        cdef Py_ssize_t low = 0, high = self.rows.stop[leaf] - self.rows.start[leaf], middle
        cdef double x
        while low < high:
            middle = (low + high) // 2
            x = self.values[f, order[middle]]
            if x < value or (equal and x == value):
                low = middle + 1
            else:
                high = middle
        return low

    cdef int threads_for(self, Py_ssize_t leaf, double times):
        cdef double size = self.rows.stop[leaf] - self.rows.start[leaf]
        return self.threads if size * self.n_features * times > SMALL_WORK else 1

    def in_order(self, centres):
        """Of each feature the centres (as numbers of the list) in order, and where they lie."""
        values = np.ascontiguousarray(self.centres[centres].T)
        order = np.argsort(values, axis=1, kind="stable")
        return order.astype(np.int32), np.take_along_axis(values, order, axis=1)


cdef first_minimum(values, slack):
    """The first of the least values, up to rounding; None where there is none."""
    best, least = None, NONE
    for place, value in enumerate(values.tolist()):
        if value < NONE and (best is None or value < least - (
                SHARE * (1 + abs(least)) if slack is None else slack)):
            best, least = place, value
    return best
