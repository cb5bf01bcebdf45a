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

    def table(self, Py_ssize_t leaf_index):
        """The table of a leaf."""
        cdef Py_ssize_t f, p, rows = 0, done = 0, d = self.n_features, width = self.phi.shape[1]
        cdef Py_ssize_t n = self.stop[leaf_index] - self.start[leaf_index]
        cdef double total = 0.0
        for p in range(self.start[leaf_index], self.stop[leaf_index]):
            total += self.weight[self.order[0, p]]
        while done < n:
            done += point_block(done, n, &self.grain)
            rows += 1
        cdef LeafTable table = LeafTable.with_workspace(d, rows, width, n, total)
        cdef point_table view = table.view()
        cdef int threads = self.threads if <double>n * d * width > SMALL_WORK else 1
        for f in prange(d, nogil=True, num_threads=threads, schedule="dynamic"):
            fill(self, leaf_index, f, n, total, &view, f * rows)
        table.complete()
        if self.gathers:
            self.gather(leaf_index, table)
        return table


cdef void fill(
    SortedPoints s, Py_ssize_t leaf_index, Py_ssize_t f, Py_ssize_t n, double total,
    point_table* table, Py_ssize_t row,
) noexcept nogil:
    cdef point_samples view = s.view(leaf_index, f)
    table.stop[f] = table.first[f] + <int32_t>point_sums(
        &view, n, s.phi.shape[1], &s.grain, total, &table.sum[row * table.width],
        &table.count[row], &table.weight[row], &table.radius[row])
