# Sums of points by category: what a search among subsets needs of a leaf.
#
# They come from a table of bins (histogram.pyx) in which a source of categories is a feature and a
# category a bin of it, so that of two children only the smaller is summed.
import numpy as np

from libc.stdint cimport int32_t

from agathis._core.points.leaves cimport LeafTable, PointState
from agathis._core.shared.category_subsets cimport subset_items

cdef class LeafItems:
    """The categories that a leaf has of each source, then samples of none, then missing ones.

    Parameters
    ----------
    table : LeafTable
        With a feature for each source.
    n_categories : ndarray of int32, of shape (n_category_groups,)
        Numbers of each source; the last is of samples of no category.
    """

    def __init__(self, LeafTable table, const int32_t[::1] n_categories):
        cdef Py_ssize_t g, p, begin = 0, stop, item = 0, n = 0, j, width = table.sum.shape[1]
        cdef Py_ssize_t G = n_categories.shape[0], m
        for g in range(G):
            n += table.misses(g)
        n += table.row_sum.shape[0]
        self.first = np.zeros(G + 1, dtype=np.int32)
        self.categories, self.misses = np.zeros(G, dtype=np.int32), np.zeros(G, dtype=np.uint8)
        self.code, self.sum = np.empty(n, dtype=np.int32), np.empty((n, width))
        self.weight, self.samples = np.empty(n), np.empty(n)
        self.kernel_sum_first = np.zeros(G, dtype=np.intp)
        gain_engine, size = [], 0
        for g in range(G):
            stop = begin
            if table.stop[g] > table.first[g]:
                stop = table.row[table.stop[g] - 1] + 1
            self.first[g] = <int32_t>item
            for p in range(begin, stop):
                self.code[item] = table.bin[p]
                self.categories[g] += table.bin[p] < n_categories[g] - 1
                self.weight[item], self.samples[item] = table.row_weight[p], table.row_count[p]
                if p > begin:
                    self.weight[item] -= table.row_weight[p - 1]
                    self.samples[item] -= table.row_count[p - 1]
                for j in range(width):
                    self.sum[item, j] = table.row_sum[p, j] - (
                        table.row_sum[p - 1, j] if p > begin else 0.0)
                item += 1
            if table.misses(g):
                self.misses[g], self.code[item] = True, -1
                self.weight[item], self.samples[item] = (
                    table.missing_weight[g], table.missing_count[g])
                for j in range(width):
                    self.sum[item, j] = table.missing[g, j]
                item += 1
            begin = stop
            own = np.asarray(self.sum)[self.first[g]:item]
            gain_engine.append(np.einsum("ij,kj->ik", own, own).ravel())
            self.kernel_sum_first[g], m = size, item - self.first[g]
            size += m * m
        self.first[G] = <int32_t>item
        self.kernel_sum = np.concatenate(gain_engine)

    cdef subset_items view(self, Py_ssize_t source) noexcept nogil:
        cdef subset_items view
        cdef Py_ssize_t first = self.first[source]
        view.count = self.first[source + 1] - self.first[source]
        view.categories, view.missing = self.categories[source], self.misses[source]
        view.weight, view.samples = &self.weight[0] + first, &self.samples[0] + first
        view.cross, view.kernel_sum = NULL, &self.kernel_sum[0] + self.kernel_sum_first[source]
        return view

    cdef void crosses(
        self, PointState s, Py_ssize_t source, int32_t n_clusters, double* cross
    ) noexcept nogil:
        """OUT cross: the stock of each item of a source with each cluster."""
        cdef Py_ssize_t item, j, place
        cdef int32_t k
        cdef double value
        cdef const double* centre
        for item in range(self.first[source], self.first[source + 1]):
            place = (item - self.first[source]) * n_clusters
            for k in range(n_clusters):
                cross[place + k] = 0.0
            if n_clusters == 0:
                continue
            for j in range(s.width):
                value, centre = self.sum[item, j], &s.turned[j, 0]
                for k in range(n_clusters):
                    cross[place + k] += value * centre[k]

    def has_ways(self):
        """Whether the samples of the leaf differ, source by source."""
        return np.diff(np.asarray(self.first)) > 1

    def misses_of(self, Py_ssize_t source):
        """Whether samples of the leaf miss the source."""
        return bool(self.misses[source])

    @property
    def arrays(self):
        """What is kept, by name; for looking into it."""
        views = {
            "first": self.first, "categories": self.categories, "misses": self.misses,
            "code": self.code, "weight": self.weight, "samples": self.samples, "sum": self.sum,
            "stock": self.kernel_sum,
        }
        return {name: np.asarray(view) for name, view in views.items()}


cdef class PointCategories:
    """What is kept of the sources of categories, leaf by leaf."""

    def __init__(self, LeafItems root, Py_ssize_t n_category_groups):
        self.count, self.leaves = n_category_groups, [root]
        self.best = np.full((1, n_category_groups), -np.inf)

    def cut(self, Py_ssize_t leaf_index, LeafItems left, LeafItems right):
        """Two leaves in the place of one."""
        self.leaves[leaf_index] = left
        self.leaves.append(right)
        if len(self.leaves) > self.best.shape[0]:
            more = np.full((self.best.shape[0], self.count), -np.inf)
            self.best = np.concatenate([self.best, more])
