# Categories with the sums over pairs of samples: what a search among subsets needs of a leaf, the
# best subset, and where it is (shared/category_subsets.c).
#
# Each leaf has, for each source, the kernel sums between its categories. They are summed once
# for the root, over all pairs; when a leaf is cut, the pairs of the side whose kernel rows are
# read are summed again, within it and across the cut, and the other side is what remains.
import numpy as np

from cython.parallel cimport parallel, prange, threadid
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t

from agathis._core.pairwise.pair_search cimport (
    SCAN_STEP, LeafSearch, clusters_view, gather, leaf_view,
)
from agathis._core.pairwise.scan cimport SUM_CLUSTER, scan_result, scan_subsets
from agathis._core.pairwise.state cimport State
from agathis._core.shared.category_subsets cimport (
    SUBSET_EXACT, first_subset, subset_items, subset_work,
)
from agathis._core.shared.limits cimport limits_from, tree_limits
from agathis._core.shared.split_kinds cimport Choice, subset_move
from agathis._core.shared.scan cimport scan_clusters, scan_leaf

cdef enum:
    # Rows that are summed side by side, whatever the number of threads.
    ROWS_TOGETHER = 64


cdef class Items:
    """The categories of one source that a leaf has, rising, then the samples of none."""

    cdef readonly int32_t count, categories
    cdef int32_t[::1] code      # [item]
    cdef int32_t[::1] place     # [code] the item, -1 where the leaf has none
    cdef double[::1] weight, samples
    cdef double[:, ::1] kernel_sum   # [item, item]

    def __init__(self, code, n_categories, weight, samples, kernel_sum):
        self.code, self.weight, self.samples, self.kernel_sum = code, weight, samples, kernel_sum
        self.count = <int32_t>len(code)
        self.categories = self.count - (n_categories - 1 in code)
        place = np.full(n_categories, -1, dtype=np.int32)
        place[code] = np.arange(len(code), dtype=np.int32)
        self.place = place


cdef class Categories:
    """The sources of categories, and what is kept of them leaf by leaf.

    Parameters
    ----------
    codes : ndarray of int32, of shape (n_samples, n_category_groups)
        The category of each sample, the last number of a source where it has none.
    n_categories : ndarray of int32, of shape (n_category_groups,)
        Numbers of each source.
    """

    cdef readonly Py_ssize_t count      # sources
    cdef int32_t[:, ::1] codes          # [i, g] the sample's code, of all sources one after another
    cdef int32_t[::1] n_categories           # [g] with that of no category, which is the last
    cdef Py_ssize_t[::1] first          # [g] the first code of a source
    cdef Py_ssize_t n_all               # codes of all sources
    cdef readonly list leaves           # [leaf][g]
    cdef double[:, ::1] best            # [leaf, g] best gain at the last search

    def __init__(self, codes, n_categories):
        self.count = codes.shape[1]
        first = np.cumsum(n_categories) - n_categories
        self.first, self.n_all = first.astype(np.intp), n_categories.sum()
        self.n_categories = n_categories
        self.codes = np.ascontiguousarray(codes + first, dtype=np.int32)
        self.leaves = []
        self.best = np.full((1, self.count), -np.inf)

    def sums(self):
        """Zeros for the kernel sums of all categories of each source."""
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
        """Two leaves in the place of one; one of them keeps its index.

        Parameters
        ----------
        near, far : int
            Leaf indices; the sums are of the pairs within the first, and between it and the second.
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


cdef void add_row(
    State s, Categories c, const double* row, Py_ssize_t i, const int32_t[::1] columns,
    double* sum,
) noexcept nogil:
    """The kernel sum of sample i with each category, among ``columns``."""
    cdef Py_ssize_t t, g, j
    cdef double value, weight = s.weight[i], half = s.half[i]
    for t in range(c.n_all):
        sum[t] = 0.0
    for t in range(columns.shape[0]):
        j = columns[t]
        value = weight * s.weight[j] * (row[j] - half - s.half[j])
        for g in range(c.count):
            sum[c.codes[j, g]] += value


# Part of a search: one source in one leaf.
cdef struct SubsetTask:
    Py_ssize_t leaf, source
    subset_items items
    const int32_t* place
    double gain
    scan_result result


cdef subset_items items_view(Items items):
    cdef subset_items view
    view.count, view.categories, view.missing = items.count, items.categories, False
    view.weight, view.samples = &items.weight[0], &items.samples[0]
    view.cross, view.kernel_sum = NULL, &items.kernel_sum[0, 0]
    return view


cdef void item_crosses(
    State s, Categories c, Py_ssize_t leaf_index, Py_ssize_t source, const int32_t* place,
    Py_ssize_t n_items, int32_t n_clusters, double* cross,
) noexcept nogil:
    """OUT cross: the kernel sum of each item with each cluster."""
    cdef Py_ssize_t position, i, item
    cdef int32_t k
    cdef const double* row
    for item in range(n_items * n_clusters):
        cross[item] = 0.0
    if n_clusters == 0:
        return
    for position in range(s.start[leaf_index], s.stop[leaf_index]):
        i = s.order[0, position]
        item = <Py_ssize_t>place[c.codes[i, source] - c.first[source]] * n_clusters
        row = &s.rows[i, SUM_CLUSTER]
        for k in range(n_clusters):
            cross[item + k] += row[k]


def search_subsets(
    State s, const int32_t[::1] leaf_indices, const uint8_t[:, ::1] drawn,
    const tree_limits[::1] limits, Categories c, const uint8_t[:, ::1] sampled_groups,
    double tolerance,
):
    """Find the best gain of each leaf, over all thresholds, subsets and moves.

    The first parameters are those of ``LeafSearch``; ``sampled_groups`` says of the sources of
    ``c`` what ``drawn`` says of the features.
    """
    cdef LeafSearch found = LeafSearch(s, leaf_indices, drawn, limits)
    cdef Py_ssize_t j, g, t, n_tasks = 0, K = found.clusters.count, most = 2
    cdef double elements = 0.0
    cdef Py_ssize_t capacity = leaf_indices.shape[0] * c.count
    cdef uint8_t[::1] memory = np.zeros(capacity * sizeof(SubsetTask), dtype=np.uint8)
    cdef SubsetTask* tasks = <SubsetTask*>&memory[0]
    cdef SubsetTask* task
    cdef Items items
    found.finish()
    for j in range(leaf_indices.shape[0]):
        for g in range(c.count):
            c.best[leaf_indices[j], g] = -INFINITY
            items = c.leaves[leaf_indices[j]][g]
            if items.count < 2 or not (sampled_groups is None or sampled_groups[j, g]):
                continue
            if items.count > SUBSET_EXACT:
                s.partial[leaf_indices[j]] = True
            task = &tasks[n_tasks]
            task.leaf, task.source, task.items = j, g, items_view(items)
            task.place = &items.place[0]
            most = max(most, <Py_ssize_t>items.count)
            elements += s.stop[leaf_indices[j]] - s.start[leaf_indices[j]] + 512.0
            n_tasks += 1
    cdef Py_ssize_t size = subset_work(<int32_t>K, <int32_t>most)
    cdef int threads = s.threads_for(SCAN_STEP * elements * (3 + K))
    cdef double[:, ::1] work = np.empty((threads, size + most * K))
    with nogil, parallel(num_threads=threads):
        for t in prange(n_tasks, schedule="dynamic"):
            run_subsets(
                s, c, &tasks[t], leaf_indices, found.leaves, &found.clusters, tolerance,
                &work[threadid(), 0], &work[threadid(), 0] + size)
    for t in range(n_tasks):
        task = &tasks[t]
        c.best[leaf_indices[task.leaf], task.source] = task.gain
        gather(s, leaf_indices[task.leaf], &task.result, 0.0)


cdef void run_subsets(
    State s, Categories c, SubsetTask* task, const int32_t[::1] leaf_indices,
    const scan_leaf* leaves, const scan_clusters* clusters, double tolerance, double* work,
    double* cross,
) noexcept nogil:
    item_crosses(
        s, c, leaf_indices[task.leaf], task.source, task.place, task.items.count, clusters.count,
        cross)
    task.items.cross = cross
    task.gain = scan_subsets(
        &leaves[task.leaf], clusters, &task.items, tolerance, work, &task.result)


def locate_subset(
    State s, Categories c, Py_ssize_t leaf_index, double floor, double tolerance,
    const tree_limits[::1] limits,
):
    """The first split of a searched leaf on a category whose gain reaches ``floor``.

    First by source, then by subset (shared/category_subsets.h). ``None`` where there is none.

    Returns
    -------
    source, codes, gain, move, left, right
        The categories that go right, and the clusters of the two children.
    """
    cdef Py_ssize_t g, m
    cdef int32_t K = s.n_clusters
    cdef scan_clusters clusters = clusters_view(s)
    cdef scan_leaf leaf
    cdef subset_items view
    cdef Items items
    cdef uint8_t[::1] right
    cdef double[::1] cross, whole
    found = np.flatnonzero(np.asarray(c.best)[leaf_index] >= floor)
    if len(found) == 0:
        return None
    g = found[0]
    items = c.leaves[leaf_index][g]
    m = items.count
    whole, cross = np.empty(K), np.empty(m * K)
    # Among the same moves as the search, so that it goes the same way.
    leaf = leaf_view(s, leaf_index, limits_from(limits), clusters.count, &whole[0])
    item_crosses(s, c, leaf_index, g, &items.place[0], m, clusters.count, &cross[0])
    view = items_view(items)
    view.cross = &cross[0]
    right = first_subset(&leaf, &clusters, &view, floor, tolerance)
    clusters.count = K
    leaf = leaf_view(s, leaf_index, limits_from(limits), K, &whole[0])
    item_crosses(s, c, leaf_index, g, &items.place[0], m, K, &cross[0])
    cdef Choice choice = subset_move(&leaf, &clusters, &view, right, tolerance)
    codes = np.asarray(items.code)[np.asarray(right).view(bool)]
    return g, codes, choice.gain, choice.move, choice.left, choice.right
