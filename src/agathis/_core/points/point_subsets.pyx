# Subsets of categories: the best of leaves that are tables of sums, and where it is
# (shared/category_subsets.c).
import numpy as np

from cython.parallel cimport parallel, prange, threadid
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t

from agathis._core.points.leaves cimport PointState
from agathis._core.points.point_categories cimport LeafItems, PointCategories
from agathis._core.points.views cimport Views
from agathis._core.shared.category_subsets cimport (
    SUBSET_EXACT, subset_items, subset_search, subset_work,
)
from agathis._core.shared.extremes cimport larger
from agathis._core.shared.limits cimport tree_limits
from agathis._core.shared.moves cimport Choice, subset_move


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
    cdef double[:, ::1] work = np.empty((threads, size + K + 1))
    cdef double[:, ::1] crosses = np.empty((n_tasks, most * K + 1))
    for t in range(n_tasks):
        items = categories.leaves[leaf_indices[tasks[t, 0]]]
        items.crosses(s, tasks[t, 1], <int32_t>K, &crosses[t, 0])
        view[t].cross = &crosses[t, 0]
    with nogil, parallel(num_threads=threads):
        for t in prange(n_tasks, schedule="dynamic"):
            run_subset(views, &tasks[t, 0], leaf_indices, &view[t], categories, tolerance,
                       &work[threadid(), 0], &work[threadid(), 0] + size)
    for t in range(n_tasks):
        best = larger(best, categories.best[leaf_indices[tasks[t, 0]], tasks[t, 1]])
    return best


cdef void run_subset(
    Views views, const int32_t* task, const int32_t[::1] leaf_indices, const subset_items* view,
    PointCategories categories, double tolerance, double* work, double* targets,
) noexcept nogil:
    cdef int32_t k
    for k in range(views.clusters.count + 1):
        targets[k] = -INFINITY
    categories.best[leaf_indices[task[0]], task[1]] = subset_search(
        &views.each[task[0]].leaf, &views.clusters, view, SUBSET_EXACT, INFINITY, tolerance, work,
        targets, NULL, NULL, NULL)


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
    cdef int32_t k, K = s.n_clusters
    cdef double[::1] work, targets = np.empty(K + 1), crosses
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
    crosses, work = np.empty(m * K), np.empty(subset_work(K, <int32_t>m))
    right = np.zeros(m, dtype=np.uint8)
    items.crosses(s, g, views.clusters.count, &crosses[0])
    view.cross = &crosses[0]
    for k in range(K + 1):
        targets[k] = -INFINITY
    subset_search(
        &views.each[0].leaf, &views.clusters, &view, SUBSET_EXACT, floor, tolerance, &work[0],
        &targets[0], NULL, NULL, &right[0])
    flags = np.asarray(right).view(bool)
    if not flags.any():
        raise RuntimeError(f"no subset of leaf {leaf_index} gains {floor}")
    views = Views(s, leaf_indices, limits, True)
    views.complete(0, leaf_index)
    items.crosses(s, g, K, &crosses[0])
    cdef Choice choice = subset_move(&views.each[0].leaf, &views.clusters, &view, right, tolerance)
    codes = np.asarray(items.code)[first:first + view.categories][flags[:view.categories]]
    missing_left = not flags[m - 1] if view.missing else None
    return g, codes, missing_left, choice.gain, choice.move, choice.left, choice.right
