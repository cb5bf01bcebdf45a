# Points summed along the order of each feature: the tables of leaves whose samples are sorted
# (points.h). Tables of bins are made in histogram.pyx.
import numpy as np

from cython.parallel cimport prange
from libc.stdint cimport int32_t

from agathis._core.points.leaves cimport (
    LeafTable, point_block, point_samples, point_sums, point_table,
)
from agathis._core.shared.sorted cimport SortedSamples

cdef enum:
    MAX_IN_BLOCK = 256

# Fewer multiplications than this are done by one thread.
cdef double SMALL_WORK = 10_000_000.0


# A table that is filled.
cdef struct Filling:
    Py_ssize_t leaf_index, rows
    double total
    point_table table


cdef class SortedPoints(SortedSamples):
    """Samples in the order of each feature, and their sums along it.

    Parameters
    ----------
    values : ndarray of shape (n_features, n_samples)
    phi : ndarray of shape (n_samples, width)
        The samples as points, padded.
    weight : ndarray of shape (n_samples,)
    threads : int
    few, parts : int, default=16
        The most samples of a block, ``few`` or a share of the leaf's. To look into a block takes
        time for each cluster: where there are many, blocks of single samples need not be looked
        into.
    gathers : bool, default=False
        Whether each leaf has its points side by side: where clusters are many, they tell which of
        them need not be asked about.
    """

    def __init__(
        self, values, phi, weight, int threads, Py_ssize_t few=16, Py_ssize_t parts=16,
        bint gathers=False,
    ):
        super().__init__(values, threads)
        self.phi, self.weight, self.gathers = phi, weight, gathers
        self.grain = point_grain(few, parts, MAX_IN_BLOCK)

    cdef point_samples view(self, Py_ssize_t leaf_index, Py_ssize_t f) noexcept nogil:
        cdef point_samples view
        view.phi, view.weight = &self.phi[0, 0], &self.weight[0]
        view.order, view.cut = &self.order[
            f, self.start[leaf_index]], &self.cut[f, self.start[leaf_index]]
        return view

    cdef gather(self, Py_ssize_t leaf_index, LeafTable table):
        """The points of a leaf about their mean."""
        ids = np.asarray(self.order)[0, self.start[leaf_index]:self.stop[leaf_index]]
        table.points = np.asarray(self.phi)[ids] - np.asarray(table.total) / table.leaf_weight
        table.point_weight = np.asarray(self.weight)[ids]

    def tables(self, Py_ssize_t leaf_index, Py_ssize_t other=-1):
        """The table of a leaf, or of two at once."""
        cdef Py_ssize_t n, j, t, p, rows, done, d = self.n_features
        cdef Py_ssize_t width = self.phi.shape[1], count = 1 if other < 0 else 2
        cdef double size = 0.0
        cdef LeafTable table
        cdef Filling[2] each
        tables = []
        for j in range(count):
            each[j].leaf_index = leaf_index if j == 0 else other
            n = self.stop[each[j].leaf_index] - self.start[each[j].leaf_index]
            each[j].total, rows, done = 0.0, 0, 0
            for p in range(self.start[each[j].leaf_index], self.stop[each[j].leaf_index]):
                each[j].total += self.weight[self.order[0, p]]
            while done < n:
                done += point_block(done, n, &self.grain)
                rows += 1
            table = LeafTable.with_workspace(d, rows, width, n, each[j].total)
            each[j].table, each[j].rows = table.view(), rows
            tables.append(table)
            size += n
        cdef int threads = self.threads if size * d * width > SMALL_WORK else 1
        for t in prange(count * d, nogil=True, num_threads=threads, schedule="dynamic"):
            fill(self, &each[t // d], t % d)
        for j in range(count):
            table = tables[j]
            table.complete()
            if self.gathers:
                self.gather(each[j].leaf_index, table)
        return tables


cdef void fill(SortedPoints s, Filling* each, Py_ssize_t f) noexcept nogil:
    cdef point_samples view = s.view(each.leaf_index, f)
    cdef Py_ssize_t place = f * each.rows
    each.table.stop[f] = each.table.first[f] + <int32_t>point_sums(
        &view, s.stop[each.leaf_index] - s.start[each.leaf_index], s.phi.shape[1], &s.grain,
        each.total, &each.table.sum[place * each.table.width], &each.table.count[place],
        &each.table.weight[place], &each.table.radius[place])
