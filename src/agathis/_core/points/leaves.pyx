# Leaves and clusters of samples that are points: a leaf is a table of sums along each feature
# (points.h), a cluster the sum of its points. No sample is seen here.
import numpy as np

from libc.math cimport INFINITY, sqrt
from libc.stdint cimport int32_t, uint8_t

from agathis._core.points.leaves cimport (
    CUT_BEST, CUT_KEPT, CUT_TARGETS, POINT_PAD, point_splits, point_look, point_gain_bound_clear,
    point_pending_bound, point_table, point_option,
)
from agathis._core.shared.extremes cimport larger
from agathis._core.shared.gains cimport leave
from agathis._core.shared.limits cimport tree_limits
from agathis._core.shared.scan cimport SCAN_LANES, scan_clusters, scan_leaf

# Less work than this, in multiplications, is done by one thread: another would be woken for less
# than the milliseconds that OpenMP lets it wait afterwards, turning. With a tenth of this a tree of
# 200 clusters and 800 leaves took twice the processor time of one thread, on a busy machine.
cdef double SMALL_WORK = 10_000_000.0


def padded(Py_ssize_t n_components):
    """Doubles of a point with its padding."""
    return (n_components + POINT_PAD - 1) // POINT_PAD * POINT_PAD


cdef class LeafTable:
    """The sums of a leaf along each feature; ``points.h`` says what they are.

    Parameters
    ----------
    first, stop, sum, count, weight, radius, total : ndarray
        As in ``point_table``.
    n_samples, leaf_weight : int, float
        Of the leaf.
    rows : tuple of ndarray, optional
        Where there are bins: ``row``, ``row_sum``, ``row_count``, ``row_weight``, and the bin of
        each row.
    missing : tuple of ndarray, optional
        Sums, samples and weight of the samples that miss a value, by feature.
    """

    def __init__(
        self, first, stop, sum, count, weight, radius, total, n_samples, leaf_weight, rows=None,
        missing=None,
    ):
        self.first, self.stop = first, stop
        self.sum, self.count, self.weight, self.radius = sum, count, weight, radius
        self.total, self.n_samples, self.leaf_weight = total, n_samples, leaf_weight
        self.bound = np.empty(len(radius))
        self.row = self.row_sum = self.row_count = self.row_weight = self.bin = None
        if rows is not None:
            self.row, self.row_sum, self.row_count, self.row_weight, self.bin = rows
        self.missing = self.missing_count = self.missing_weight = None
        if missing is not None:
            self.missing, self.missing_count, self.missing_weight = missing
        self.has_moments, self.seen, self.points = False, None, None
        point_gain_bound_clear(&self.gain_bound)
        self.kept = self.kept_target = self.cut_first = None
        if total is not None:
            self.complete()

    cdef know(self, Py_ssize_t n_clusters):
        """Before it is asked about clusters."""
        self.seen = np.full(n_clusters, -1, dtype=np.int64)
        self.way_at = np.full(n_clusters, -1, dtype=np.int64)
        self.way_memory = np.empty(n_clusters * sizeof(point_option), dtype=np.uint8)
        self.ways = <point_option*>&self.way_memory[0]

    @staticmethod
    cdef LeafTable with_workspace(
        Py_ssize_t n_features, Py_ssize_t rows, Py_ssize_t width, Py_ssize_t n_samples,
        double leaf_weight,
    ):
        """A table to be filled, with up to so many rows along each feature."""
        numbers = np.empty((3, n_features * rows))
        first = np.arange(0, n_features * rows, rows, dtype=np.int32)
        return LeafTable(
            first, first.copy(), np.empty((n_features * rows, width)), numbers[0], numbers[1],
            numbers[2], None, n_samples, leaf_weight)

    cdef complete(self):
        """Once the blocks are there: the leaf's sum, and room for what is kept of the cuts."""
        cdef Py_ssize_t f, cuts = 0, d = self.first.shape[0]
        cdef point_table view = self.view()
        if self.total is None:
            self.total = self.sum[self.stop[0] - 1]
        self.cut_first = np.empty(d, dtype=np.int32)
        for f in range(d):
            self.cut_first[f] = <int32_t>cuts
            cuts += point_splits(&view, f)
        self.kept = np.empty((CUT_KEPT, cuts))
        self.kept[CUT_BEST:] = -INFINITY    # nowhere yet
        self.kept_target = np.full((CUT_TARGETS, cuts), -1, dtype=np.int64)

    cdef point_table view(self) noexcept nogil:
        cdef point_table view
        view.width = self.sum.shape[1]
        view.first, view.stop = &self.first[0], &self.stop[0]
        view.sum, view.count, view.weight = &self.sum[0, 0], &self.count[0], &self.weight[0]
        view.radius = &self.radius[0]
        view.total = NULL if self.total is None else &self.total[0]
        view.row = NULL
        if self.row is not None:
            view.row, view.row_sum = &self.row[0], &self.row_sum[0, 0]
            view.row_count, view.row_weight = &self.row_count[0], &self.row_weight[0]
        view.missing = NULL
        if self.missing is not None:
            view.missing = &self.missing[0, 0]
            view.missing_count = &self.missing_count[0]
            view.missing_weight = &self.missing_weight[0]
        view.kept, view.kept_target, view.cuts, view.cut_first = NULL, NULL, 0, NULL
        if self.cut_first is not None:
            view.cut_first, view.cuts = &self.cut_first[0], self.kept.shape[1]
        if view.cuts > 0:
            view.kept, view.kept_target = &self.kept[0, 0], &self.kept_target[0, 0]
        return view

    @property
    def arrays(self):
        """What the table holds, by name; for looking into it."""
        views = {
            "first": self.first, "stop": self.stop, "sum": self.sum, "count": self.count,
            "weight": self.weight, "radius": self.radius, "bound": self.bound, "row": self.row,
            "row_sum": self.row_sum, "row_count": self.row_count, "row_weight": self.row_weight,
            "bin": self.bin, "total": self.total, "missing": self.missing,
            "missing_count": self.missing_count, "missing_weight": self.missing_weight,
        }
        return {name: np.asarray(view) for name, view in views.items() if view is not None}

    cdef bint misses(self, Py_ssize_t f) noexcept:
        return self.missing is not None and self.missing_count[f] > 0.0

    def has_cut(self):
        """Whether the samples of the leaf differ, by feature."""
        cdef Py_ssize_t f, blocks, d = self.first.shape[0]
        cdef uint8_t[::1] cut = np.zeros(d, dtype=np.uint8)
        for f in range(d):
            blocks = self.stop[f] - self.first[f]
            cut[f] = blocks > 1 or blocks == 1 and (
                self.radius[self.first[f]] > 0.0 or self.misses(f))
        return np.asarray(cut).view(bool)

    def n_missing(self, Py_ssize_t f):
        """Samples that miss a value."""
        return int(self.missing_count[f]) if self.missing is not None else 0

    def n_up_to(self, Py_ssize_t feature, Py_ssize_t last):
        """Samples in the bins up to ``last`` of a feature."""
        cdef Py_ssize_t row, begin = 0
        if self.stop[feature] == self.first[feature]:
            return 0
        if self.first[feature] > 0:
            begin = self.row[self.first[feature] - 1] + 1
        row = self.row[self.stop[feature] - 1]
        while row >= begin and self.bin[row] > last:
            row -= 1
        return int(self.row_count[row]) if row >= begin else 0

    def bins_around(self, Py_ssize_t feature, Py_ssize_t row):
        """The bins on both sides of a cut after ``row``; the second is -1 where none is left."""
        cdef Py_ssize_t last = self.row[self.stop[feature] - 1]
        return self.bin[row], (-1 if row == last else self.bin[row + 1])


cdef class PointState:
    """Leaves as tables, clusters as sums of points.

    Parameters
    ----------
    root : LeafTable
    max_clusters, threads : int
    """

    def __init__(self, LeafTable root, int max_clusters, int threads):
        self.n_features, self.width = root.first.shape[0], root.sum.shape[1]
        self.max_clusters, self.threads = max_clusters, threads
        self.n_leaves, self.n_clusters = 1, 1
        self.tables = [root]
        lanes = (max_clusters + SCAN_LANES - 1) // SCAN_LANES * SCAN_LANES
        self.centre = np.zeros((max_clusters, self.width))
        self.turned = np.zeros((self.width, lanes))
        self.kernel_sum = np.zeros(max_clusters)
        self.size = np.zeros(max_clusters)
        self.share = np.zeros(max_clusters)
        self.leaves_in = np.zeros(max_clusters, dtype=np.int32)
        self.leaves_in[0] = 1
        self.clock, self.changed = 0, np.zeros(max_clusters, dtype=np.int64)
        self.direction = np.zeros(self.width)
        self.tolerance, self.lazy = 0.0, False
        self.cluster = np.zeros(1, dtype=np.int32)
        self.best = np.full((1, self.n_features), -np.inf)
        self.gain = np.full(1, -np.inf)
        self.bound = np.full(1, np.inf)
        self.join(0, root, 1.0)

    cdef bint founding(self) noexcept nogil:
        """As in pairwise/state.pyx: the next split founds a cluster, depends on its leaf alone."""
        return self.n_clusters < self.max_clusters and self.n_leaves == self.n_clusters

    cdef join(self, int32_t k, LeafTable table, double sign):
        """A leaf joins cluster k, or leaves it."""
        cdef Py_ssize_t j
        self.size[k] += sign * table.leaf_weight
        self.kernel_sum[k] = 0.0
        for j in range(self.width):
            self.centre[k, j] += sign * table.total[j]
            self.turned[j, k] = self.centre[k, j]
            self.kernel_sum[k] += self.centre[k, j] * self.centre[k, j]
        self.share[k] = self.kernel_sum[k] / self.size[k]
        self.clock += 1
        self.changed[k] = self.clock

    def gains(self):
        """Best gain of each leaf that was found, and what it cannot exceed; views."""
        return np.asarray(self.gain), np.asarray(self.bound)

    def cluster_of(self, Py_ssize_t leaf_index):
        return self.cluster[leaf_index]

    def cluster_sizes(self):
        """Weight of each cluster."""
        return np.asarray(self.size)[:self.n_clusters]

    def centres(self):
        """The sum of the points of each cluster over its weight."""
        return np.asarray(self.centre)[:self.n_clusters] / self.cluster_sizes()[:, None]

    def total(self):
        """The sum of all points."""
        return np.asarray(self.centre)[:self.n_clusters].sum(axis=0)

    def objective(self):
        """The sum over clusters of kernel sum over size."""
        return float(np.sum(np.asarray(self.share)[:self.n_clusters]))

    def cut(self, Py_ssize_t leaf_index, LeafTable left, LeafTable right):
        """Put two leaves in the place of one, in its cluster; the index of the right one."""
        cdef Py_ssize_t other = self.n_leaves
        if other == len(self.cluster):
            self.cluster = np.concatenate([self.cluster, np.zeros(other, dtype=np.int32)])
            self.best = np.concatenate([self.best, np.full((other, self.n_features), -np.inf)])
            self.gain = np.concatenate([self.gain, np.full(other, -np.inf)])
            self.bound = np.concatenate([self.bound, np.full(other, np.inf)])
        self.tables[leaf_index] = left
        self.tables.append(right)
        self.cluster[other] = self.cluster[leaf_index]
        self.leaves_in[self.cluster[leaf_index]] += 1
        self.n_leaves += 1
        self.gain[leaf_index] = self.gain[other] = -INFINITY
        self.bound[leaf_index] = self.bound[other] = INFINITY
        return other

    def move(self, Py_ssize_t leaf_index, int32_t target):
        """Move a leaf to another cluster; the first unused number founds one."""
        cdef int32_t source = self.cluster[leaf_index]
        self.join(source, self.tables[leaf_index], -1.0)
        self.join(target, self.tables[leaf_index], 1.0)
        self.leaves_in[source] -= 1
        self.leaves_in[target] += 1
        self.cluster[leaf_index] = target
        if target == self.n_clusters:
            self.n_clusters += 1
        if not self.founding():
            self.doubt(source, target)

    cdef void doubt(self, int32_t source, int32_t target) noexcept:
        """No gain is certain after these two clusters changed, and some may have risen."""
        cdef Py_ssize_t leaf_index
        cdef LeafTable table
        cdef int32_t[2] both = [source, target]
        cdef int32_t k
        for leaf_index in range(self.n_leaves):
            self.gain[leaf_index] = -INFINITY
            if self.bound[leaf_index] == INFINITY:
                continue
            table = <LeafTable>self.tables[leaf_index]
            if not self.lazy or table.seen is None or self.cluster[leaf_index] in both:
                self.bound[leaf_index] = INFINITY
                continue
            for k in both:
                self.bound[leaf_index] = larger(
                    self.bound[leaf_index], self.pending_bound(table, k, self.bound[leaf_index]))

    cdef double pending_bound(self, LeafTable table, int32_t k, double enough) noexcept:
        """What a move from the leaf to a pending cluster may gain at most, or ``enough``."""
        cdef double least = enough - self.tolerance, most
        cdef point_option* way = &table.ways[k]
        if table.gain_bound.top <= least:
            return enough
        if table.way_at[k] != self.changed[k]:
            table.way_at[k] = self.changed[k]
            self.cross_with(table, k, &way.reach)
            way.scatter = way.furthest = INFINITY
        most = point_pending_bound(&table.gain_bound, table.leaf_weight, self.size[k], way, least)
        if most > least and way.scatter == INFINITY and table.points is not None:
            self.look(table, k, way)
            most = point_pending_bound(
                &table.gain_bound, table.leaf_weight, self.size[k], way, least)
        return self.tolerance + most

    cdef void look(self, LeafTable table, int32_t k, point_option* way) noexcept:
        """How far the points of a leaf lie towards a cluster."""
        cdef Py_ssize_t j
        cdef double inv_size = 1.0 / self.size[k], inv_weight = 1.0 / table.leaf_weight
        if way.reach == 0.0:
            return
        for j in range(self.width):
            self.direction[j] = (
                self.centre[k, j] * inv_size - table.total[j] * inv_weight) / way.reach
        point_look(
            &table.points[0, 0], &table.point_weight[0], table.n_samples, self.width,
            &self.direction[0], way)

    cdef int threads_for(self, double work) noexcept nogil:
        return self.threads if work > SMALL_WORK else 1

    cdef scan_clusters clusters_view(self, bint all) noexcept nogil:
        cdef scan_clusters view
        view.count = 0 if self.founding() and not all else self.n_clusters
        view.kernel_sum, view.size, view.share = &self.kernel_sum[0], &self.size[0], &self.share[0]
        view.id = NULL
        return view

    cdef double cross_with(self, LeafTable table, int32_t k, double* reach) noexcept nogil:
        """The leaf's kernel sum with cluster k; ``reach`` is the distance of their means."""
        cdef Py_ssize_t j
        cdef double cross = 0.0, squared = 0.0, off
        cdef double inv_size = 1.0 / self.size[k], inv_weight = 1.0 / table.leaf_weight
        cdef const double* centre = &self.centre[k, 0]
        cdef const double* total = &table.total[0]
        for j in range(self.width):
            cross += total[j] * centre[j]
            off = centre[j] * inv_size - total[j] * inv_weight
            squared += off * off
        reach[0] = sqrt(squared)
        return cross

    cdef scan_leaf leaf_view(
        self, Py_ssize_t leaf_index, LeafTable table, const tree_limits* limits, double cross_own,
        double* rest,
    ) noexcept nogil:
        """The leaf but for its kernel sums with the clusters; its own one's is ``cross_own``."""
        cdef scan_leaf view
        cdef int32_t own = self.cluster[leaf_index]
        cdef Py_ssize_t j
        cdef double kernel_sum = 0.0, squared, off, away, weight = table.leaf_weight
        cdef double outside = self.size[own] - weight
        view.n, view.own, view.weight, view.cross = table.n_samples, own, weight, NULL
        view.leave_all, rest[0] = -INFINITY, 0.0
        if self.leaves_in[own] > 1:
            squared = 0.0
            for j in range(self.width):
                kernel_sum += table.total[j] * table.total[j]
                away = (self.centre[own, j] - table.total[j]) / outside
                off = away - table.total[j] / weight
                squared += off * off
            rest[0] = sqrt(squared)
            view.leave_all = leave(
                self.kernel_sum[own], cross_own, kernel_sum, 1.0 / outside, self.share[own])
        view.open_one = 0.0 if self.n_clusters + 1 <= self.max_clusters else -INFINITY
        view.open_two = 0.0 if self.n_clusters + 2 <= self.max_clusters else -INFINITY
        view.min_leaf = limits.min_leaf
        return view
