# The best splits of leaves that are tables of sums.
#
# `search` first finds for each block of the tables of all leaves that it is given a bound of
# what the cuts there may gain (points.h). Moves to a cluster are evaluated again if it is the
# leaf's own and has changed, or if it is another that has changed or is new and its upper bound
# reaches the best gain. Then the blocks are evaluated one by one, the highest bound first, until
# none is left whose bound reaches the best gain. `locate` says where a split is, and which move it
# makes.
import numpy as np

from cython.parallel cimport parallel, prange, threadid
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t

from agathis._core.points.leaves cimport (
    LeafTable, PointState, point_split, point_moments, point_gain_bound, point_gain_bound_add,
    point_gain_bound_clear, point_refine, point_samples, point_scan, point_work,
)
from agathis._core.points.point_categories cimport PointCategories, search_subsets
from agathis._core.points.sorted_points cimport SortedPoints
from agathis._core.points.views cimport Some, View, Views
from agathis._core.shared.extremes cimport larger
from agathis._core.shared.limits cimport tree_limits
from agathis._core.shared.split_kinds cimport Choice, Cut, best_move

cdef enum:
    BLOCKS_TOGETHER = 512    # of a table, that make a task for a thread
    FIRST_REFINED = 16       # blocks that are looked into before the best gain is known,
    THEN_REFINED = 128       # and between two looks at it


cdef scan(PointState s, Views views, const uint8_t[:, ::1] drawn):
    """Find the bounds of all blocks."""
    cdef Py_ssize_t j, f, t, begin, blocks, n_tasks = 0
    cdef double steps = 0.0, each
    cdef View* view
    cdef LeafTable table
    # A task is some features with enough blocks; it must not depend on the number of threads.
    cdef Py_ssize_t[:, ::1] tasks = np.empty((views.count * s.n_features, 3), dtype=np.intp)
    for j in range(views.count):
        view = &views.each[j]
        if not view.scanned:
            continue
        begin = blocks = 0
        each = 2 + (views.clusters.count if view.all else view.some.clusters.count)
        for f in range(s.n_features):
            blocks += view.table.stop[f] - view.table.first[f]
            if f + 1 == s.n_features or blocks > BLOCKS_TOGETHER:
                tasks[n_tasks, 0], tasks[n_tasks, 1], tasks[n_tasks, 2] = j, begin, f + 1 - begin
                n_tasks, begin = n_tasks + 1, f + 1
                steps, blocks = steps + blocks * each * s.width, 0
    if n_tasks == 0:
        return
    cdef int threads = s.threads_for(steps)
    cdef double[:, ::1] work = np.empty((threads, point_work(s.n_clusters, s.width)))
    cdef uint8_t[::1] memory = np.empty(n_tasks * sizeof(point_gain_bound), dtype=np.uint8)
    cdef point_gain_bound* gain_bounds = <point_gain_bound*>&memory[0]
    with nogil, parallel(num_threads=threads):
        for t in prange(n_tasks, schedule="dynamic"):
            scan_task(views, &tasks[t, 0], drawn, &work[threadid(), 0], &gain_bounds[t])
    for t in range(n_tasks):
        view = &views.each[tasks[t, 0]]
        table = <LeafTable>views.tables[tasks[t, 0]]
        table.has_moments = view.has_moments = True
        if not view.all:
            if tasks[t, 1] == 0:
                point_gain_bound_clear(view.gain_bound)
            point_gain_bound_add(view.gain_bound, &gain_bounds[t])


cdef void scan_task(
    Views views, const Py_ssize_t* task, const uint8_t[:, ::1] drawn, double* work,
    point_gain_bound* gain_bound,
) noexcept nogil:
    cdef View* view = &views.each[task[0]]
    cdef Some* some = &view.some
    cdef const uint8_t* drawn_here = NULL
    if drawn is not None:
        drawn_here = &drawn[task[0], 0]
    if not view.has_moments:
        point_moments(&view.table, view.leaf.weight, task[1], task[2])
    if view.all:
        point_scan(
            &view.leaf, &views.clusters, &view.sums, &view.table, task[1], task[2], drawn_here,
            work, view.bound, NULL)
        return
    point_gain_bound_clear(gain_bound)
    point_scan(
        &some.leaf, &some.clusters, &some.sums, &view.table, task[1], task[2], NULL, work,
        view.bound, gain_bound)


cdef void refine_block(
    Views views, const int32_t* place, SortedPoints samples, Py_ssize_t leaf_index, double* work,
    double* gain,
) noexcept nogil:
    cdef View* view = &views.each[place[0]]
    cdef Py_ssize_t f = place[1]
    cdef point_samples rows
    cdef point_split ignored
    if samples is not None:
        rows = samples.view(leaf_index, f)
    gain[0] = point_refine(
        &view.leaf, &views.clusters, &view.sums, &view.table, f, place[2], &rows, INFINITY, work,
        &ignored)


cdef double refine(
    PointState s, Views views, const int32_t[::1] leaf_indices, double best, double tolerance,
    SortedPoints samples, bint only_first,
) except? -1.0:
    """Look into the blocks that may hold the best cut, the most promising first; the best gain.

    Their bound is their best gain afterwards. With ``only_first`` no more than some are looked
    into, to know about how large the best gain is.
    """
    cdef Py_ssize_t j, f, b, t, n = 0, begin, stop
    cdef int threads
    cdef View* view
    for j in range(views.count):
        view = &views.each[j]
        view.promising = view.most >= best - tolerance and view.most > -INFINITY
        if view.promising:
            n += (<LeafTable>views.tables[j]).radius.shape[0]
    if n == 0:
        return best
    cdef double[::1] bound = np.empty(n), gain = np.empty(THEN_REFINED)
    cdef int32_t[:, ::1] place = np.empty((n, 3), dtype=np.int32)
    n = 0
    for j in range(views.count):
        view = &views.each[j]
        if not view.promising:
            continue
        for f in range(s.n_features):
            for b in range(view.table.first[f], view.table.stop[f]):
                if view.bound[b] >= best - tolerance and view.bound[b] > -INFINITY:
                    bound[n] = view.bound[b]
                    place[n, 0], place[n, 1] = <int32_t>j, <int32_t>f
                    place[n, 2] = <int32_t>b
                    n += 1
    cdef double[:, ::1] work = np.empty((s.threads, point_work(s.n_clusters, s.width)))
    # First the most promising, which tell the best gain or nearly so; then whatever reaches it.
    bring_forward(bound, place, n, FIRST_REFINED)
    begin = 0
    while begin < n:
        stop = begin
        while stop < n and stop - begin < (THEN_REFINED if begin else FIRST_REFINED):
            if bound[stop] >= best - tolerance:
                stop += 1
            else:
                n -= 1
                swap(bound, place, stop, n)
        for t in range(begin, stop):
            views.complete(place[t, 0], leaf_indices[place[t, 0]])
        threads = s.threads_for(
            <double>(stop - begin) * 16 * s.width * (2 + views.clusters.count))
        with nogil, parallel(num_threads=threads):
            for t in prange(begin, stop, schedule="dynamic"):
                refine_block(
                    views, &place[t, 0], samples, leaf_indices[place[t, 0]], &work[threadid(), 0],
                    &gain[t - begin])
        for t in range(begin, stop):
            j, f, b = place[t, 0], place[t, 1], place[t, 2]
            views.each[j].bound[b] = gain[t - begin]
            s.best[leaf_indices[j], f] = larger(s.best[leaf_indices[j], f], gain[t - begin])
            best = larger(best, gain[t - begin])
        begin = stop
        if only_first:
            break
    return best


cdef void swap(double[::1] bound, int32_t[:, ::1] place, Py_ssize_t a, Py_ssize_t b) noexcept:
    cdef Py_ssize_t c
    bound[a], bound[b] = bound[b], bound[a]
    for c in range(3):
        place[a, c], place[b, c] = place[b, c], place[a, c]


cdef void bring_forward(
    double[::1] bound, int32_t[:, ::1] place, Py_ssize_t n, Py_ssize_t count
) noexcept:
    """Bring the largest bounds to the front."""
    cdef Py_ssize_t t, least
    if n <= count:
        return
    least = lowest(bound, count)
    for t in range(count, n):
        if bound[t] > bound[least]:
            swap(bound, place, t, least)
            least = lowest(bound, count)


cdef Py_ssize_t lowest(const double[::1] values, Py_ssize_t n) noexcept:
    """Where the smallest of the first n values is."""
    cdef Py_ssize_t t, least = 0
    for t in range(1, n):
        if values[t] < values[least]:
            least = t
    return least


def search(
    PointState s, const int32_t[::1] leaf_indices, const uint8_t[:, ::1] drawn, double floor,
    double tolerance, const tree_limits[::1] limits, SortedPoints samples=None,
    PointCategories categories=None, const uint8_t[:, ::1] sampled_groups=None,
):
    """Find the best gains of some leaves.

    A leaf whose best gain is within ``tolerance`` of the best of them, and of ``floor``, gets it
    exactly; of the others the best gain that was seen, and a bound.

    Parameters
    ----------
    s : PointState
    leaf_indices : ndarray of int32
    drawn : ndarray of shape (len(leaf_indices), n_features) or None
        Which features are looked at; ``None`` is all of them.
    floor, tolerance : float
    limits : Limits.record
    samples : SortedPoints, optional
        Where the tables' blocks hold samples; else they hold rows of the table.
    categories : PointCategories, optional
        Sources of categories, subsets of which are looked at too.
    sampled_groups : ndarray of shape (len(leaf_indices), n_category_groups) or None
        Which sources are looked at; ``None`` is all of them.
    """
    cdef Py_ssize_t j, f, leaf_index
    cdef bint all_clusters = drawn is None and not s.founding()
    cdef Views views = Views(s, leaf_indices, limits, False)
    cdef View* view
    cdef LeafTable table
    cdef double least
    cdef bint more
    for j in range(views.count):
        table = <LeafTable>views.tables[j]
        if table.seen is None or not all_clusters:
            table.know(s.max_clusters)
        for f in range(s.n_features):
            s.best[leaf_indices[j], f] = -INFINITY
        views.complete(j, leaf_indices[j])
        if all_clusters:
            views.choose(j, INFINITY, True)
    scan(s, views, drawn)
    for j in range(views.count):
        views.each[j].most = views.largest_bound(j)
    if categories is not None:
        floor = larger(
            floor, search_subsets(s, views, leaf_indices, categories, sampled_groups, tolerance))
    if all_clusters:
        # Only clusters that may gain as much as what is known already are asked about.
        floor = refine(s, views, leaf_indices, floor, tolerance, samples, True)
        least = floor - tolerance
        more = True
        while more:
            # With each cluster the bound of the other side of a cut may rise.
            more = False
            for j in range(views.count):
                if views.each[j].asked:
                    views.choose(j, least, False)
                    views.each[j].asked = views.each[j].scanned
                    more |= views.each[j].scanned
            scan(s, views, drawn)
        for j in range(views.count):
            views.each[j].most = views.largest_bound(j)
    refine(s, views, leaf_indices, floor, tolerance, samples, False)
    for j in range(views.count):
        leaf_index, view = leaf_indices[j], &views.each[j]
        s.gain[leaf_index] = -INFINITY
        for f in range(s.n_features):
            s.gain[leaf_index] = larger(s.gain[leaf_index], s.best[leaf_index, f])
        s.bound[leaf_index] = views.largest_bound(j) if view.promising else view.most
        if all_clusters:
            s.bound[leaf_index] = larger(s.bound[leaf_index], view.rest)
        if categories is not None:
            for f in range(categories.count):
                s.gain[leaf_index] = larger(s.gain[leaf_index], categories.best[leaf_index, f])
                s.bound[leaf_index] = larger(s.bound[leaf_index], categories.best[leaf_index, f])


def locate(
    PointState s, Py_ssize_t leaf_index, double floor, double tolerance,
    const tree_limits[::1] limits, SortedPoints samples=None,
):
    """The first split of a searched leaf whose gain reaches ``floor``.

    First by feature, then by threshold, then missing values on the right; which move it makes
    is for ``split_kinds.pyx``. ``None`` where there is none.

    Returns
    -------
    feature, count, row, missing_left, gain, move, left, right
        The cut is after ``count`` samples, not counting those that miss a value; at ``row`` of
        the table where it has rows, else at -1. Left and right are the clusters of the
        two children.
    """
    cdef int32_t[::1] leaf_indices = np.array([leaf_index], dtype=np.int32)
    cdef Views views = Views(s, leaf_indices, limits, True)
    cdef LeafTable table = s.tables[leaf_index]
    cdef View* view = &views.each[0]
    cdef Py_ssize_t f, b
    cdef double[::1] work = np.empty(point_work(s.n_clusters, s.width))
    cdef point_samples rows
    cdef point_split found
    views.complete(0, leaf_index)
    for f in range(s.n_features):
        if samples is not None:
            rows = samples.view(leaf_index, f)
        for b in range(table.first[f], table.stop[f]):
            # Bounds and gains are rounded apart.
            if table.bound[b] < floor - tolerance:
                continue
            point_refine(
                &view.leaf, &views.clusters, &view.sums, &view.table, f, b, &rows, floor,
                &work[0], &found)
            if found.count >= 0:
                return describe(s, views, leaf_index, f, b, &found, tolerance, samples)
    return None


cdef describe(
    PointState s, Views views, Py_ssize_t leaf_index, Py_ssize_t f, Py_ssize_t b,
    point_split* found, double tolerance, SortedPoints samples,
):
    """The sums of a cut, and its best move."""
    cdef LeafTable table = s.tables[leaf_index]
    cdef Py_ssize_t position, i, j
    cdef int32_t k
    cdef double weight = 0.0, self_left = 0.0, self_right = 0.0, off
    cdef double[::1] sum = np.zeros(s.width), cross = np.zeros(s.n_clusters)
    if found.row >= 0:
        weight = table.row_weight[found.row]
        for j in range(s.width):
            sum[j] = table.row_sum[found.row, j]
    else:
        position = 0
        if b > table.first[f]:
            position, weight = <Py_ssize_t>table.count[b - 1], table.weight[b - 1]
            for j in range(s.width):
                sum[j] = table.sum[b - 1, j]
        for position in range(position, found.count):
            i = samples.order[f, samples.start[leaf_index] + position]
            weight += samples.weight[i]
            for j in range(s.width):
                sum[j] += samples.weight[i] * samples.phi[i, j]
    if found.missing_left:
        weight += table.missing_weight[f]
        for j in range(s.width):
            sum[j] += table.missing[f, j]
    for j in range(s.width):
        off = table.total[j] - sum[j]
        self_left += sum[j] * sum[j]
        self_right += off * off
        for k in range(s.n_clusters):
            cross[k] += sum[j] * s.centre[k, j]
    cdef Cut cut = Cut(weight, self_left, self_right, &cross[0])
    cdef Choice choice = best_move(&views.each[0].leaf, &views.clusters, &cut, tolerance)
    return (f, found.count, found.row, bool(found.missing_left), choice.gain, choice.move,
            choice.left, choice.right)
