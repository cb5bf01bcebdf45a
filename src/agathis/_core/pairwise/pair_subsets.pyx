# Subsets of categories: the best of a leaf, and where it is (shared/category_subsets.c).
import numpy as np

from cython.parallel cimport parallel, prange, threadid
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t

from agathis._core.pairwise.pair_categories cimport Categories, Items
from agathis._core.pairwise.pair_search cimport (
    SCAN_STEP, LeafSearch, clusters_view, gather, leaf_view,
)
from agathis._core.pairwise.scan cimport SUM_CLUSTER, scan_result, scan_subsets
from agathis._core.pairwise.state cimport State
from agathis._core.shared.category_subsets cimport SUBSET_EXACT, subset_items, subset_work
from agathis._core.shared.limits cimport limits_from, tree_limits
from agathis._core.shared.moves cimport Choice, subset_move
from agathis._core.shared.scan cimport scan_clusters, scan_leaf


# Part of a search: one source in one leaf.
cdef struct SubsetTask:
    Py_ssize_t leaf, source
    subset_items items
    const int32_t* place
    double* targets
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
    """OUT cross: the stock of each item with each cluster."""
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
    cdef Py_ssize_t room = leaf_indices.shape[0] * c.count
    cdef uint8_t[::1] memory = np.zeros(room * sizeof(SubsetTask), dtype=np.uint8)
    cdef double[:, ::1] targets = np.zeros((room, K + 1))
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
            task.place, task.targets = &items.place[0], &targets[n_tasks, 0]
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
        gather(s, leaf_indices[task.leaf], &task.result, <int32_t>K, task.targets, 0.0)


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
        &leaves[task.leaf], clusters, &task.items, INFINITY, tolerance, work, task.targets,
        &task.result, NULL)


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
    cdef scan_result result
    cdef subset_items view
    cdef Items items
    cdef uint8_t[::1] right
    cdef double[::1] work, cross, targets, whole
    found = np.flatnonzero(np.asarray(c.best)[leaf_index] >= floor)
    if len(found) == 0:
        return None
    g = found[0]
    items = c.leaves[leaf_index][g]
    m = items.count
    whole, targets, right = np.empty(K), np.empty(K + 1), np.zeros(m, dtype=np.uint8)
    work, cross = np.empty(subset_work(K, <int32_t>m)), np.empty(m * K)
    # Among the same moves as the search, so that it goes the same way.
    leaf = leaf_view(s, leaf_index, limits_from(limits), clusters.count, &whole[0])
    item_crosses(s, c, leaf_index, g, &items.place[0], m, clusters.count, &cross[0])
    view = items_view(items)
    view.cross = &cross[0]
    scan_subsets(
        &leaf, &clusters, &view, floor, tolerance, &work[0], &targets[0], &result, &right[0])
    if not np.asarray(right).any():
        raise RuntimeError(f"no subset of leaf {leaf_index} gains {floor}")
    clusters.count = K
    leaf = leaf_view(s, leaf_index, limits_from(limits), K, &whole[0])
    item_crosses(s, c, leaf_index, g, &items.place[0], m, K, &cross[0])
    cdef Choice choice = subset_move(&leaf, &clusters, &view, right, tolerance)
    codes = np.asarray(items.code)[np.asarray(right).view(bool)]
    return g, codes, choice.gain, choice.move, choice.left, choice.right
