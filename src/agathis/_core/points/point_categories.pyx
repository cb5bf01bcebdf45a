# Categories with the sums of points: what a search among subsets needs of a leaf, the best subset,
# and where it is (shared/category_subsets.c).
#
# They come from a table of bins (histogram.pyx) in which a source of categories is a feature and a
# category a bin of it, so that of two children only the smaller is summed.
import numpy as np

from cython.parallel cimport parallel, prange, threadid
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t

from agathis._core.points.leaves cimport LeafTable, PointState
from agathis._core.points.views cimport Views
from agathis._core.shared.category_subsets cimport (
    SUBSET_EXACT, first_subset, subset_items, subset_search, subset_work,
)
from agathis._core.shared.extremes cimport larger
from agathis._core.shared.limits cimport tree_limits
from agathis._core.shared.split_kinds cimport Choice, subset_move


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
        """OUT cross: the kernel sum of each item of a source with each cluster."""
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


cdef double search_subsets(
    PointState s, Views views, const int32_t[::1] leaf_indices, PointCategories categories,
    const uint8_t[:, ::1] drawn, double tolerance,
) except? -1.0:
    """Find the best gains of all sources in all leaves; the largest of them."""
    cdef Py_ssize_t j, g, t, m, n_tasks = 0, most = 2, K = views.clusters.count
    cdef double best = -INFINITY, steps = 0.0
    cdef LeafItems items
    cdef int32_t[:, ::1] tasks = np.empty((views.count * categories.count, 2), dtype=np.int32)
    cdef uint8_t[::1] memory = np.zeros(
        views.count * categories.count * sizeof(subset_items), dtype=np.uint8)
    cdef subset_items* view = <subset_items*>&memory[0]
    for j in range(views.count):
        items = categories.leaves[leaf_indices[j]]
        views.complete(j, leaf_indices[j])
        for g in range(categories.count):
            m = items.first[g + 1] - items.first[g]
            categories.best[leaf_indices[j], g] = -INFINITY
            if m < 2 or not (drawn is None or drawn[j, g]):
                continue
            tasks[n_tasks, 0], tasks[n_tasks, 1] = <int32_t>j, <int32_t>g
            view[n_tasks] = items.view(g)
            most = max(most, m)
            steps += (m * s.width + 512.0) * (2 + K)
            n_tasks += 1
    cdef int threads = s.threads_for(steps)
    cdef Py_ssize_t size = subset_work(<int32_t>K, <int32_t>most)
    cdef double[:, ::1] work = np.empty((threads, size))
    cdef double[:, ::1] crosses = np.empty((n_tasks, most * K + 1))
    for t in range(n_tasks):
        items = categories.leaves[leaf_indices[tasks[t, 0]]]
        items.crosses(s, tasks[t, 1], <int32_t>K, &crosses[t, 0])
        view[t].cross = &crosses[t, 0]
    with nogil, parallel(num_threads=threads):
        for t in prange(n_tasks, schedule="dynamic"):
            run_subset(views, &tasks[t, 0], leaf_indices, &view[t], categories, tolerance,
                       &work[threadid(), 0])
    for t in range(n_tasks):
        best = larger(best, categories.best[leaf_indices[tasks[t, 0]], tasks[t, 1]])
    return best


cdef void run_subset(
    Views views, const int32_t* task, const int32_t[::1] leaf_indices, const subset_items* view,
    PointCategories categories, double tolerance, double* work,
) noexcept nogil:
    categories.best[leaf_indices[task[0]], task[1]] = subset_search(
        &views.each[task[0]].leaf, &views.clusters, view, SUBSET_EXACT, INFINITY, tolerance, work,
        NULL, NULL, NULL)


def locate_subset(
    PointState s, PointCategories categories, Py_ssize_t leaf_index, double floor, double tolerance,
    const tree_limits[::1] limits,
):
    """The first split of a searched leaf on a category whose gain reaches ``floor``.

    First by source, then by subset (shared/category_subsets.h). ``None`` where there is none.

    Returns
    -------
    source, codes, missing_left, gain, move, left, right
        The categories that go right, whether missing values go left (``None`` where there are
        none), and the clusters of the two children.
    """
    cdef int32_t[::1] leaf_indices = np.array([leaf_index], dtype=np.int32)
    cdef LeafItems items = categories.leaves[leaf_index]
    cdef Views views
    cdef subset_items view
    cdef Py_ssize_t g, m, first
    cdef int32_t K = s.n_clusters
    cdef double[::1] crosses
    cdef uint8_t[::1] right
    reached = np.flatnonzero(np.asarray(categories.best)[leaf_index] >= floor)
    if len(reached) == 0:
        return None
    g = reached[0]
    # Among the same moves as the search, so that it goes the same way.
    views = Views(s, leaf_indices, limits, False)
    views.complete(0, leaf_index)
    view, first = items.view(g), items.first[g]
    m = view.count
    crosses = np.empty(m * K)
    items.crosses(s, g, views.clusters.count, &crosses[0])
    view.cross = &crosses[0]
    right = first_subset(&views.each[0].leaf, &views.clusters, &view, floor, tolerance)
    flags = np.asarray(right).view(bool)
    views = Views(s, leaf_indices, limits, True)
    views.complete(0, leaf_index)
    items.crosses(s, g, K, &crosses[0])
    cdef Choice choice = subset_move(&views.each[0].leaf, &views.clusters, &view, right, tolerance)
    codes = np.asarray(items.code)[first:first + view.categories][flags[:view.categories]]
    missing_left = not flags[m - 1] if view.missing else None
    return g, codes, missing_left, choice.gain, choice.move, choice.left, choice.right
