# The best splits of leaves that are tables of sums.
#
# `search` first finds for each block of the tables of all leaves that it is given a bound of
# what the cuts there may gain (points.h). Then it looks into the blocks one by one, the most
# promising first, until none is left whose bound reaches the best gain. `locate` says where a
# split is, and which move it makes.
import numpy as np

from cython.parallel cimport parallel, prange, threadid
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t

from agathis._core.moves cimport Choice, Cut, best_move
from agathis._core.points cimport (
    LeafTable, PointState, point_clusters, point_cut, point_refine, point_samples, point_scan,
    point_table, point_work,
)
from agathis._core.sorted cimport SortedSamples
from agathis._core.splitter cimport scan_clusters, scan_leaf
from agathis._core.state cimport larger

cdef enum:
    BLOCKS_TOGETHER = 512    # of a table, that make a task for a thread
    FIRST_REFINED = 16       # blocks that are looked into before the best gain is known,
    THEN_REFINED = 128       # and between two looks at it


# Leaves as the scans see them.
cdef class Views:
    cdef Py_ssize_t count
    cdef scan_clusters clusters
    cdef scan_leaf* leaf
    cdef point_table* table
    cdef point_clusters* sums
    cdef double** bound
    cdef double[:, ::1] cross, reach
    cdef uint8_t[:, ::1] memory

    def __init__(self, PointState s, const int32_t[::1] slots, double min_leaf, bint all):
        cdef Py_ssize_t j
        cdef LeafTable table
        self.count = slots.shape[0]
        self.clusters = s.clusters_view(all)
        self.cross = np.empty((self.count, s.n_clusters))
        self.reach = np.empty((self.count, s.n_clusters))
        self.memory = np.empty((self.count, sizeof(scan_leaf) + sizeof(point_table)
                                + sizeof(point_clusters) + sizeof(double*)), dtype=np.uint8)
        self.leaf = <scan_leaf*>&self.memory[0, 0]
        self.table = <point_table*>(self.leaf + self.count)
        self.sums = <point_clusters*>(self.table + self.count)
        self.bound = <double**>(self.sums + self.count)
        for j in range(self.count):
            table = s.tables[slots[j]]
            self.table[j] = table.view()
            self.bound[j] = &table.bound[0]
            self.sums[j].sum, self.sums[j].lanes = &s.turned[0, 0], s.turned.shape[1]
            self.sums[j].reach = &self.reach[j, 0]
            self.leaf[j] = s.leaf_view(
                slots[j], table, min_leaf, &self.cross[j, 0], &self.reach[j, 0],
                &self.sums[j].rest)


cdef scan(PointState s, Views views, const uint8_t[:, ::1] drawn):
    """Find the bounds of all blocks."""
    cdef Py_ssize_t j, f, t, begin, blocks, n_tasks = 0, n_blocks = 0
    # A task is some features with enough blocks; it must not depend on the number of threads.
    cdef Py_ssize_t[:, ::1] tasks = np.empty((views.count * s.n_features, 3), dtype=np.intp)
    for j in range(views.count):
        begin = blocks = 0
        for f in range(s.n_features):
            blocks += views.table[j].stop[f] - views.table[j].first[f]
            if f + 1 == s.n_features or blocks > BLOCKS_TOGETHER:
                tasks[n_tasks, 0], tasks[n_tasks, 1], tasks[n_tasks, 2] = j, begin, f + 1 - begin
                n_tasks, begin = n_tasks + 1, f + 1
                n_blocks, blocks = n_blocks + blocks, 0
    cdef int threads = s.threads_for(<double>n_blocks * s.width * (2 + views.clusters.count))
    cdef double[:, ::1] work = np.empty((threads, point_work(s.n_clusters, s.width)))
    with nogil, parallel(num_threads=threads):
        for t in prange(n_tasks, schedule="dynamic"):
            j = tasks[t, 0]
            point_scan(
                &views.leaf[j], &views.clusters, &views.sums[j], &views.table[j], tasks[t, 1],
                tasks[t, 2], NULL if drawn is None else &drawn[j, 0], &work[threadid(), 0],
                views.bound[j])


cdef void refine_block(
    Views views, const int32_t* place, SortedSamples samples, Py_ssize_t slot, double* work,
    double* gain,
) noexcept nogil:
    cdef Py_ssize_t j = place[0], f = place[1]
    cdef point_samples rows
    cdef point_cut ignored
    if samples is not None:
        rows = samples.view(slot, f)
    gain[0] = point_refine(
        &views.leaf[j], &views.clusters, &views.sums[j], &views.table[j], f, place[2],
        &rows, INFINITY, work, &ignored)


cdef refine(
    PointState s, Views views, const int32_t[::1] slots, double best, double tolerance,
    SortedSamples samples,
):
    """Look into the blocks that may hold the best cut, the most promising first.

    Their bound is -inf afterwards.
    """
    cdef Py_ssize_t j, f, b, t, n = 0, begin, stop
    cdef const point_table* table
    for j in range(views.count):
        for f in range(s.n_features):
            n += views.table[j].stop[f] - views.table[j].first[f]
    cdef double[::1] bound = np.empty(n), gain = np.empty(THEN_REFINED)
    cdef int32_t[:, ::1] place = np.empty((n, 3), dtype=np.int32)
    n = 0
    for j in range(views.count):
        table = &views.table[j]
        for f in range(s.n_features):
            for b in range(table.first[f], table.stop[f]):
                if views.bound[j][b] >= best - tolerance and views.bound[j][b] > -INFINITY:
                    bound[n] = views.bound[j][b]
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
        if s.threads_for(
                <double>(stop - begin) * 16 * s.width * (2 + views.clusters.count)) == 1:
            for t in range(begin, stop):
                refine_block(
                    views, &place[t, 0], samples, slots[place[t, 0]], &work[0, 0],
                    &gain[t - begin])
        else:
            with nogil, parallel(num_threads=s.threads):
                for t in prange(begin, stop, schedule="dynamic"):
                    refine_block(
                        views, &place[t, 0], samples, slots[place[t, 0]], &work[threadid(), 0],
                        &gain[t - begin])
        for t in range(begin, stop):
            j, f, b = place[t, 0], place[t, 1], place[t, 2]
            views.bound[j][b] = -INFINITY
            s.best[slots[j], f] = larger(s.best[slots[j], f], gain[t - begin])
            best = larger(best, gain[t - begin])
        begin = stop


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
    PointState s, const int32_t[::1] slots, const uint8_t[:, ::1] drawn, double floor,
    double tolerance, double min_leaf, SortedSamples samples=None,
):
    """Find the best gains of some leaves.

    A leaf whose best gain is within ``tolerance`` of the best of them, and of ``floor``, gets it
    exactly; of the others the best gain that was seen, and a bound.

    Parameters
    ----------
    s : PointState
    slots : ndarray of int32
    drawn : ndarray of shape (len(slots), n_features) or None
        Which features are looked at; ``None`` is all of them.
    floor, tolerance, min_leaf : float
    samples : SortedSamples, optional
        Where the tables' blocks hold samples; else they hold rows of the table.
    """
    cdef Py_ssize_t j, f, b, slot
    cdef Views views = Views(s, slots, min_leaf, False)
    for j in range(views.count):
        for f in range(s.n_features):
            s.best[slots[j], f] = -INFINITY
    scan(s, views, drawn)
    refine(s, views, slots, floor, tolerance, samples)
    for j in range(views.count):
        slot = slots[j]
        s.gain[slot] = -INFINITY
        for f in range(s.n_features):
            s.gain[slot] = larger(s.gain[slot], s.best[slot, f])
        s.bound[slot] = s.gain[slot]
        for f in range(s.n_features):
            for b in range(views.table[j].first[f], views.table[j].stop[f]):
                s.bound[slot] = larger(s.bound[slot], views.bound[j][b])


def locate(
    PointState s, Py_ssize_t slot, double floor, double tolerance, double min_leaf,
    SortedSamples samples=None,
):
    """The first split of a searched leaf whose gain reaches ``floor``.

    First by feature, then by threshold, then missing values on the right; which move it makes
    is for ``moves.pyx``.

    Returns
    -------
    feature, count, row, missing_left, gain, move, left, right
        The cut is after ``count`` samples, not counting those that miss a value; at ``row`` of
        the table where it has rows, else at -1. Left and right are the clusters of the
        two children.
    """
    cdef int32_t[::1] slots = np.array([slot], dtype=np.int32)
    cdef Views views = Views(s, slots, min_leaf, True)
    cdef LeafTable table = s.tables[slot]
    cdef Py_ssize_t f, b
    cdef double most
    cdef double[::1] work = np.empty(point_work(s.n_clusters, s.width))
    cdef point_samples rows
    cdef point_cut found
    for f in range(s.n_features):
        # A block that was not looked into may hold a cut that ties with the best.
        most = s.best[slot, f]
        for b in range(table.first[f], table.stop[f]):
            most = larger(most, table.bound[b])
        if most < floor - tolerance:
            continue
        point_scan(
            &views.leaf[0], &views.clusters, &views.sums[0], &views.table[0], f, 1, NULL,
            &work[0], &table.bound[0])
        if samples is not None:
            rows = samples.view(slot, f)
        for b in range(table.first[f], table.stop[f]):
            # Bounds and gains are rounded apart.
            if table.bound[b] < floor - tolerance:
                continue
            point_refine(
                &views.leaf[0], &views.clusters, &views.sums[0], &views.table[0], f, b, &rows,
                floor, &work[0], &found)
            if found.count >= 0:
                return describe(s, views, slot, f, b, &found, tolerance, samples)
    raise RuntimeError(f"no split of leaf {slot} gains {floor}")


cdef describe(
    PointState s, Views views, Py_ssize_t slot, Py_ssize_t f, Py_ssize_t b, point_cut* found,
    double tolerance, SortedSamples samples,
):
    """The sums of a cut, and its best move."""
    cdef LeafTable table = s.tables[slot]
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
            i = samples.order[f, samples.start[slot] + position]
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
    cdef Choice choice = best_move(&views.leaf[0], &views.clusters, &cut, tolerance)
    return (f, found.count, found.row, bool(found.missing_left), choice.gain, choice.move,
            choice.left, choice.right)
