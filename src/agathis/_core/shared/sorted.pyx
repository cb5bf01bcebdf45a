# Samples sorted along each feature, leaf by leaf, and how they move when a leaf is cut.
#
#     order[f, start:stop]   a B c D e F      (capitals go right)
#     afterwards             a c e B D F      left child keeps the index, right gets a new one
import numpy as np

from cython.parallel cimport parallel, prange, threadid
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcpy

cdef extern from "shared/sort_loops.h" nogil:
    size_t sort_work(Py_ssize_t n)
    void sort_order(
        const double* values, Py_ssize_t n, void* work, int32_t* order, uint8_t* cut)

# Fewer values than this are sorted by one thread.
cdef double SMALL_SORT = 100_000.0
# Fewer moves of a sample than this are done by one thread.
cdef double SMALL_WORK = 125_000.0


def sort_features(const double[:, ::1] values, int threads):
    """The order of the samples along each feature, and where a threshold fits.

    Parameters
    ----------
    values : ndarray of shape (n_features, n_samples)
        Finite.
    threads : int

    Returns
    -------
    order : ndarray of int32, of shape (n_features, n_samples)
        From the lowest value to the highest, equal ones as they stand.
    cut : ndarray of uint8, of the same shape
        1 where the value is less than the next one in the order.
    """
    cdef Py_ssize_t f, d = values.shape[0], n = values.shape[1]
    cdef int32_t[:, ::1] order = np.empty((d, n), dtype=np.int32)
    cdef uint8_t[:, ::1] cut = np.zeros((d, n), dtype=np.uint8)
    cdef uint8_t[:, ::1] work
    if <double>n * d <= SMALL_SORT:
        threads = 1
    work = np.empty((threads, sort_work(n)), dtype=np.uint8)
    with nogil, parallel(num_threads=threads):
        for f in prange(d, schedule="dynamic"):
            sort_order(&values[f, 0], n, &work[threadid(), 0], &order[f, 0], &cut[f, 0])
    return np.asarray(order), np.asarray(cut)


cdef class SortedSamples:
    """Samples in the order of each feature; at first all are one leaf, with index 0.

    Parameters
    ----------
    values : ndarray of shape (n_features, n_samples)
        Finite.
    threads : int
    """

    def __init__(self, values, int threads):
        d, n = values.shape
        self.n_features, self.n_samples, self.threads = d, n, threads
        self.values = values
        self.order, self.cut = sort_features(values, threads)
        self.start = np.zeros(1, dtype=np.intp)
        self.stop = np.full(1, n, dtype=np.intp)

    def samples(self, Py_ssize_t leaf):
        """The samples of a leaf, as a view."""
        return np.asarray(self.order)[0, self.start[leaf]:self.stop[leaf]]

    def values_around(self, Py_ssize_t leaf, Py_ssize_t feature, Py_ssize_t position):
        """The data values just before and after a cut."""
        cdef Py_ssize_t place = self.start[leaf] + position
        return (
            self.values[feature, self.order[feature, place]],
            self.values[feature, self.order[feature, place + 1]],
        )

    def split(self, Py_ssize_t leaf, Py_ssize_t right, Py_ssize_t feature, Py_ssize_t n_left):
        """Cut a leaf after its first ``n_left`` samples in the order of a feature."""
        cdef Py_ssize_t p
        cdef uint8_t[::1] goes_left = np.zeros(self.n_samples, dtype=np.uint8)
        for p in range(self.start[leaf], self.start[leaf] + n_left):
            goes_left[self.order[feature, p]] = 1
        self.split_marked(leaf, right, goes_left, n_left)

    def split_marked(
        self, Py_ssize_t leaf, Py_ssize_t right, const uint8_t[::1] goes_left, Py_ssize_t n_left
    ):
        """Cut a leaf in any way; ``goes_left`` says it by sample, ``n_left`` are marked."""
        cdef Py_ssize_t start = self.start[leaf], stop = self.stop[leaf], n = stop - start
        cdef Py_ssize_t f
        cdef int threads = self.threads if <double>n * self.n_features > SMALL_WORK else 1
        cdef int32_t[:, ::1] spare = np.empty((threads, n - n_left + 1), dtype=np.int32)
        cdef uint8_t[:, ::1] before = np.empty((threads, n + 2), dtype=np.uint8)
        if right == len(self.start):
            self.start = np.concatenate([self.start, np.zeros(right, dtype=np.intp)])
            self.stop = np.concatenate([self.stop, np.zeros(right, dtype=np.intp)])
        for f in prange(self.n_features, nogil=True, num_threads=threads, schedule="static"):
            split_feature(
                &self.order[f, start], &self.cut[f, start], &goes_left[0], n, n_left,
                &spare[threadid(), 0], &before[threadid(), 0])
        self.start[right], self.stop[right] = start + n_left, stop
        self.stop[leaf] = start + n_left


cdef void split_feature(
    int32_t* order, uint8_t* cut, const uint8_t* goes_left, Py_ssize_t n, Py_ssize_t n_left,
    int32_t* spare, uint8_t* before,
) noexcept nogil:
    """Move the samples of a leaf along one feature; ``cut`` moves with them.

    Room is needed for n - n_left + 1 samples in ``spare`` and n + 2 marks in ``before``.
    """
    # A threshold fits between two samples of a child where one fitted anywhere between them:
    # before[i], for the left child first. Each sample is written to the end of both children,
    # where the next one of that child overwrites it: no branch to be guessed.
    cdef Py_ssize_t position, left = 0, right = 0
    cdef uint8_t since_left = 0, since_right = 0, goes
    cdef uint8_t* before_right = before + n_left + 1
    for position in range(n):
        goes = goes_left[order[position]]
        before[left], before_right[right] = since_left, since_right
        spare[right] = order[position]
        order[left] = order[position]
        left += goes
        right += 1 - goes
        since_left = (since_left & (goes - 1)) | cut[position]
        since_right = (since_right & -goes) | cut[position]
    memcpy(order + n_left, spare, (n - n_left) * sizeof(int32_t))
    memcpy(cut, before + 1, n_left - 1)
    memcpy(cut + n_left, before_right + 1, n - n_left - 1)
    cut[n_left - 1] = cut[n - 1] = 0
