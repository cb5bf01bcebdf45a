# Leaves as the scans of a search see them, with all clusters or with some.
import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.stdlib cimport calloc, free

from agathis._core.points.leaves cimport LeafTable, PointState, point_table
from agathis._core.shared.extremes cimport larger
from agathis._core.shared.limits cimport limits_from, tree_limits
from agathis._core.shared.scan cimport SCAN_LANES

# A cluster whose bound is below this fraction of the best gain is not examined closely.
cdef double PASSED_OVER = 0.8


cdef class Views:
    def __cinit__(
        self, PointState s, const int32_t[::1] leaf_indices, const tree_limits[::1] limits, bint all
    ):
        cdef Py_ssize_t j, each = 2 * s.n_clusters
        cdef LeafTable table
        cdef View* view
        self.state, self.count, self.limits = s, leaf_indices.shape[0], limits_from(limits)[0]
        self.clusters = s.clusters_view(all)
        self.tables = []
        self.workspace = np.zeros(self.count * each)
        self.each = <View*>calloc(max(self.count, 1), sizeof(View))
        if self.each == NULL:
            raise MemoryError
        for j in range(self.count):
            table = s.tables[leaf_indices[j]]
            self.tables.append(table)
            view = &self.each[j]
            view.table, view.bound, view.has_moments = (
                table.view(), &table.bound[0], table.has_moments)
            view.gain_bound = &table.gain_bound
            view.cross = &self.workspace[0] + j * each
            view.reach = view.cross + s.n_clusters
            view.all = view.scanned = view.asked = True

    def __dealloc__(self):
        cdef Py_ssize_t j
        if self.each == NULL:
            return
        for j in range(self.count):
            free(self.each[j].some.numbers)
            free(self.each[j].some.id)
        free(self.each)

    cdef double largest_bound(self, Py_ssize_t j) noexcept:
        cdef const point_table* table = &self.each[j].table
        cdef const double* bound = self.each[j].bound
        cdef double most = -INFINITY
        cdef Py_ssize_t f, b
        for f in range(self.state.n_features):
            for b in range(table.first[f], table.stop[f]):
                most = larger(most, bound[b])
        return most

    cdef void complete(self, Py_ssize_t j, Py_ssize_t leaf_index) noexcept:
        """Let a leaf know all clusters."""
        cdef PointState s = self.state
        cdef View* view = &self.each[j]
        cdef LeafTable table = <LeafTable>self.tables[j]
        cdef int32_t k
        if view.complete:
            return
        # While clusters are founded no other one is looked at.
        for k in range(self.clusters.count):
            view.cross[k] = s.cross_with(table, k, &view.reach[k])
        view.leaf = s.leaf_view(
            leaf_index, table, &self.limits, view.cross[s.cluster[leaf_index]], &view.sums.rest)
        view.leaf.cross = view.cross
        view.sums.sum, view.sums.lanes = &s.turned[0, 0], s.turned.shape[1]
        view.sums.reach = view.reach
        view.complete = True

    cdef choose(self, Py_ssize_t j, double floor, bint only_own):
        """Have a leaf asked about its own cluster where that changed, or about the pending ones.

        Of these only about those that may gain ``floor``.
        """
        cdef PointState s = self.state
        cdef LeafTable table = <LeafTable>self.tables[j]
        cdef View* view = &self.each[j]
        cdef Some* some = &view.some
        cdef int32_t k, m, n = 1, own = view.leaf.own
        cdef Py_ssize_t c, lanes
        cdef double* numbers
        cdef double bound
        # Not arrays: this is called so often for trees of many leaves that creating them would
        # take a fifth of the time.
        free(some.numbers)
        free(some.id)
        some.numbers, some.id = NULL, <int32_t*>calloc(s.n_clusters + 1, sizeof(int32_t))
        if some.id == NULL:
            raise MemoryError
        some.sums = view.sums
        some.id[0], some.sums.own_changed = own, s.changed[own] > table.seen[own]
        if not only_own:
            view.rest = -INFINITY
            for k in range(s.n_clusters):
                if k == own or s.changed[k] <= table.seen[k]:
                    continue
                # Where less is known, the leaf need not be searched again so soon.
                bound = s.pending_bound(table, k, PASSED_OVER * floor)
                if bound >= floor:
                    some.id[n] = k
                    n += 1
                else:
                    view.rest = larger(view.rest, bound)
        view.all, view.scanned = False, n > 1 or some.sums.own_changed
        if not view.scanned:
            return
        lanes = (n + SCAN_LANES - 1) // SCAN_LANES * SCAN_LANES
        some.numbers = numbers = <double*>calloc(lanes * (5 + s.width), sizeof(double))
        if numbers == NULL:
            raise MemoryError
        some.leaf, some.clusters = view.leaf, self.clusters
        some.leaf.own, some.leaf.cross = 0, numbers
        some.sums.reach = numbers + lanes
        some.clusters.count, some.clusters.id = n, some.id
        some.clusters.kernel_sum, some.clusters.size, some.clusters.share = (
            numbers + 2 * lanes, numbers + 3 * lanes, numbers + 4 * lanes)
        some.sums.sum, some.sums.lanes = numbers + 5 * lanes, lanes
        for m in range(n):
            k = some.id[m]
            numbers[m], numbers[lanes + m] = view.cross[k], view.reach[k]
            numbers[2 * lanes + m], numbers[3 * lanes + m], numbers[4 * lanes + m] = (
                s.kernel_sum[k], s.size[k], s.share[k])
            for c in range(s.width):
                numbers[(5 + c) * lanes + m] = s.centre[k, c]
            table.seen[k] = s.clock
