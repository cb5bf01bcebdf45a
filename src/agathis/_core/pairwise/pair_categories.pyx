# Sums over pairs of samples by their categories: what a search among subsets needs of a leaf.
#
# Of each leaf and source there is the stock of each of its categories with each other. It is summed
# once for the root, over all pairs; when a leaf is cut, the pairs of the side whose kernel rows are
# read are summed again, within it and across the cut, and the other side is what remains.
import numpy as np

from cython.parallel cimport prange
from libc.stdint cimport int32_t

from agathis._core.pairwise.state cimport State

cdef enum:
    # Rows that are summed side by side, whatever the number of threads.
    ROWS_TOGETHER = 64


cdef class Items:
    """The categories of one source that a leaf has, rising, then the samples of none."""

    def __init__(self, code, n_categories, weight, samples, kernel_sum):
        self.code, self.weight, self.samples, self.kernel_sum = code, weight, samples, kernel_sum
        self.count = <int32_t>len(code)
        self.categories = self.count - (n_categories - 1 in code)
        place = np.full(n_categories, -1, dtype=np.int32)
        place[code] = np.arange(len(code), dtype=np.int32)
        self.place = place

    @property
    def arrays(self):
        """What is kept, by name; for looking into it."""
        return {
            "code": np.asarray(self.code), "weight": np.asarray(self.weight),
            "samples": np.asarray(self.samples), "stock": np.asarray(self.kernel_sum),
        }


cdef class Categories:
    """The sources of categories, and what is kept of them leaf by leaf.

    Parameters
    ----------
    codes : ndarray of int32, of shape (n_samples, n_category_groups)
        The category of each sample, the last number of a source where it has none.
    n_categories : ndarray of int32, of shape (n_category_groups,)
        Numbers of each source.
    """

    def __init__(self, codes, n_categories):
        self.count = codes.shape[1]
        first = np.cumsum(n_categories) - n_categories
        self.first, self.n_all = first.astype(np.intp), n_categories.sum()
        self.n_categories = n_categories
        self.codes = np.ascontiguousarray(codes + first, dtype=np.int32)
        self.leaves = []
        self.best = np.full((1, self.count), -np.inf)

    def sums(self):
        """Room for the stocks of all categories of each source."""
        return [np.zeros((n, n)) for n in self.n_categories]

    def add(
        self, State s, const double[:, ::1] block, const int32_t[::1] index,
        const int32_t[::1] ids, const int32_t[::1] columns, list sums,
    ):
        """Add the pairs of samples ``ids``, with these kernel rows, and of ``columns``."""
        cdef Py_ssize_t begin, some, r, g, b, n = ids.shape[0], m = columns.shape[0]
        cdef int threads = s.threads_for(<double>n * m * self.count)
        cdef double[:, ::1] part = np.empty((ROWS_TOGETHER, self.n_all))
        cdef double[:, ::1] sum
        cdef Py_ssize_t own
        if m == 0:
            return
        for begin in range(0, n, ROWS_TOGETHER):
            some = min(<Py_ssize_t>ROWS_TOGETHER, n - begin)
            for r in prange(some, nogil=True, num_threads=threads, schedule="static"):
                add_row(
                    s, self, &block[index[begin + r], 0], ids[begin + r], columns, &part[r, 0])
            for g in range(self.count):
                sum = sums[g]
                for r in range(some):
                    own = self.codes[ids[begin + r], g] - self.first[g]
                    for b in range(self.n_categories[g]):
                        sum[own, b] += part[r, self.first[g] + b]

    def open(self, State s, list sums):
        """The root, from the sums over all pairs."""
        self.leaves.append(self._items(s, 0, sums))

    def cut(self, State s, Py_ssize_t near, Py_ssize_t far, list within, list across):
        """Two leaves in the place of one; one of them is in the slot that it had.

        Parameters
        ----------
        near, far : int
            Slots; the sums are of the pairs within the first, and between it and the second.
        within, across : list of ndarray
        """
        cdef Items items
        parent = self.leaves[min(near, far)]
        rest = self.sums()
        for g in range(self.count):
            items = parent[g]
            there = np.ix_(items.code, items.code)
            rest[g][there] = np.asarray(items.kernel_sum) - (
                within[g] + across[g] + across[g].T)[there]
        self.leaves.append(None)
        self.leaves[near] = self._items(s, near, within)
        self.leaves[far] = self._items(s, far, rest)
        if len(self.leaves) > self.best.shape[0]:
            more = np.full((self.best.shape[0], self.count), -np.inf)
            self.best = np.concatenate([self.best, more])

    def _items(self, State s, leaf_index, sums):
        ids = s.samples(leaf_index)
        weight = np.asarray(s.weight)[ids]
        out = []
        for g in range(self.count):
            own = np.asarray(self.codes)[ids, g] - self.first[g]
            samples = np.bincount(own, minlength=self.n_categories[g]).astype(np.float64)
            code = np.flatnonzero(samples).astype(np.int32)
            size = np.bincount(own, weight, minlength=self.n_categories[g])
            kernel_sum = np.ascontiguousarray(sums[g][np.ix_(code, code)])
            # Both halves were summed, each in its own order.
            out.append(
                Items(
                    code, self.n_categories[g], size[code], samples[code],
                    (kernel_sum + kernel_sum.T) / 2))
        return out

    def has_ways(self, Py_ssize_t leaf_index):
        """Whether the samples of a leaf differ, source by source."""
        return np.array([items.count > 1 for items in self.leaves[leaf_index]], dtype=bool)

    def gains(self, Py_ssize_t leaf_index):
        """The best gain of each source at the last search of a leaf, as a view."""
        return np.asarray(self.best)[leaf_index]


cdef void add_row(
    State s, Categories c, const double* row, Py_ssize_t i, const int32_t[::1] columns,
    double* sum,
) noexcept nogil:
    """The stock of sample i with each category, among ``columns``."""
    cdef Py_ssize_t t, g, j
    cdef double value, weight = s.weight[i], half = s.half[i]
    for t in range(c.n_all):
        sum[t] = 0.0
    for t in range(columns.shape[0]):
        j = columns[t]
        value = weight * s.weight[j] * (row[j] - half - s.half[j])
        for g in range(c.count):
            sum[c.codes[j, g]] += value
