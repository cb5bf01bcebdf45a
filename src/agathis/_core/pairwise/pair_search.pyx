# The best split of a leaf.
#
# `search` finds how much the best split of each leaf would gain, and keeps the best gain of
# each feature; `locate` then says where that split is and which move it makes. The two are
# apart because most leaves that are searched are not cut: only for the one that is cut does it
# matter where. The arithmetic of a move is in gains.h, the scan over thresholds in pairwise/scan.c.
# Subsets of categories are searched by pair_categories.pyx.
import numpy as np

from cython.parallel cimport parallel, prange, threadid
from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, uint8_t

from agathis._core.pairwise.scan cimport (
    MOVE_BOTH, MOVE_KINDS, SUM_CLUSTER, scan_data, scan_features, scan_result, scan_work,
)
from agathis._core.pairwise.state cimport State
from agathis._core.shared.extremes cimport larger
from agathis._core.shared.gains cimport leave
from agathis._core.shared.limits cimport limits_from, tree_limits
from agathis._core.shared.split_kinds cimport Choice, Cut, best_move
from agathis._core.shared.scan cimport scan_clusters, scan_leaf

cdef enum:
    # Samples, times features, that make a search worth a task of its own.
    SAMPLES_TOGETHER = 2048


cdef scan_clusters clusters_view(State s) noexcept nogil:
    cdef scan_clusters view
    view.count = 0 if s.founding() else s.n_clusters
    view.kernel_sum, view.size, view.share = &s.kernel_sum[0], &s.size[0], &s.share[0]
    view.id = NULL
    return view


# `cross` is filled with the leaf's kernel sum with each cluster.
cdef scan_leaf leaf_view(
    State s, Py_ssize_t leaf_index, const tree_limits* limits, int32_t n_clusters, double* cross
) noexcept nogil:
    cdef scan_leaf view
    cdef Py_ssize_t position
    cdef int32_t k, own = s.cluster[leaf_index]
    cdef const double* row
    for k in range(n_clusters):
        cross[k] = 0.0
    if n_clusters > 0:
        for position in range(s.start[leaf_index], s.stop[leaf_index]):
            row = &s.rows[s.order[0, position], SUM_CLUSTER]
            for k in range(n_clusters):
                cross[k] += row[k]
    view.n = s.stop[leaf_index] - s.start[leaf_index]
    view.own = own
    view.weight = s.leaf_weight[leaf_index]
    view.cross = cross
    view.leave_all = -INFINITY
    if s.leaves_in[own] > 1:
        view.leave_all = leave(
            s.kernel_sum[own], cross[own], s.leaf_self[leaf_index],
            1.0 / (s.size[own] - view.weight), s.share[own])
    view.open_one = 0.0 if s.n_clusters + 1 <= s.max_clusters else -INFINITY
    view.open_two = 0.0 if s.n_clusters + 2 <= s.max_clusters else -INFINITY
    view.min_leaf = limits.min_leaf
    return view


cdef scan_data data_view(State s, Py_ssize_t leaf_index) noexcept nogil:
    cdef scan_data view
    view.order, view.cut = &s.order[0, s.start[leaf_index]], &s.cut[0, s.start[leaf_index]]
    view.alpha = &s.alpha[0, s.start[leaf_index] if s.prefix_scanned else 0]
    view.in_order = s.prefix_scanned
    view.within, view.step = &s.within[0], s.n_samples
    view.rows, view.stride = &s.rows[0, 0], s.rows.shape[1]
    return view


cdef Py_ssize_t features_together(Py_ssize_t n_samples) noexcept nogil:
    """Features of a leaf that make one task. It must not depend on the number of threads."""
    return 1 + SAMPLES_TOGETHER // n_samples


cdef void begin_leaf(State s, Py_ssize_t leaf_index) noexcept nogil:
    """Nothing is known of the leaf, and nothing is uncertain."""
    cdef Py_ssize_t kind
    s.gain[leaf_index] = s.bound[leaf_index] = -INFINITY
    s.partial[leaf_index] = False
    for kind in range(MOVE_KINDS):
        s.kind_gain[leaf_index, kind] = -INFINITY
        s.kind_spread[leaf_index, kind] = s.kind_slack[leaf_index, kind] = 0.0
    # Where both sides move, so does the whole leaf.
    s.kind_spread[leaf_index, MOVE_BOTH] = fabs(s.leaf_self[leaf_index]) / s.leaf_weight[leaf_index]


cdef void gather(
    State s, Py_ssize_t leaf_index, const scan_result* result, double unsure
) noexcept nogil:
    """Add the results of some features; ``unsure`` bounds the error of kernel sum over size."""
    cdef Py_ssize_t kind
    for kind in range(MOVE_KINDS):
        s.kind_gain[leaf_index, kind] = larger(s.kind_gain[leaf_index, kind], result.gain[kind])
        s.kind_spread[leaf_index, kind] = larger(
            s.kind_spread[leaf_index, kind],
            result.spread[kind] + (2.0 * unsure if kind == MOVE_BOTH else unsure))
        s.gain[leaf_index] = larger(s.gain[leaf_index], result.gain[kind])
    s.bound[leaf_index] = s.gain[leaf_index]


cdef class LeafSearch:
    """A look at some leaves along their features; ``finish`` writes down what it found.

    Parameters
    ----------
    s : State
    leaf_indices : ndarray of int32
    drawn : ndarray of uint8 or None
        ``drawn[j, f]`` says whether feature f is looked at for leaf ``leaf_indices[j]``; ``None``
        is all of them.
    limits : Limits.record
    """

    def __init__(
        self, State s, const int32_t[::1] leaf_indices, const uint8_t[:, ::1] drawn,
        const tree_limits[::1] limits,
    ):
        cdef Py_ssize_t j, step, first, d = s.n_features, count = leaf_indices.shape[0]
        cdef Py_ssize_t n_tasks = 0, n_most = 0, K
        cdef double elements = 0.0
        cdef int threads
        cdef const tree_limits* least = limits_from(limits)
        self.s, self.leaf_indices = s, leaf_indices
        self.drawn, self.clusters = drawn, clusters_view(s)
        self.first_task = np.zeros(count + 1, dtype=np.intp)
        K = self.clusters.count
        for j in range(count):
            step = features_together(s.stop[leaf_indices[j]] - s.start[leaf_indices[j]])
            n_tasks += (d + step - 1) // step
            self.first_task[j + 1] = n_tasks
            elements += s.stop[leaf_indices[j]] - s.start[leaf_indices[j]]
            n_most = max(n_most, s.stop[leaf_indices[j]] - s.start[leaf_indices[j]])
        threads = s.threads_for(SCAN_STEP * elements * d * (3 + K))
        # A row is one thread's; scan_work leaves a cache line between two.
        self.work = np.empty((threads, scan_work(self.clusters.count, n_most)))
        self.leaf_memory = np.zeros(count * sizeof(scan_leaf), dtype=np.uint8)
        self.task_memory = np.zeros(n_tasks * sizeof(Task), dtype=np.uint8)
        self.leaves = <scan_leaf*>&self.leaf_memory[0]
        self.tasks = <Task*>&self.task_memory[0]
        self.cross = np.zeros((count, K + 1))
        n_tasks = 0
        for j in range(count):
            step = features_together(s.stop[leaf_indices[j]] - s.start[leaf_indices[j]])
            for first in range(0, d, step):
                self.tasks[n_tasks].leaf, self.tasks[n_tasks].first = j, first
                self.tasks[n_tasks].n_features = min(step, d - first)
                n_tasks += 1
        for j in prange(
                count, nogil=True, num_threads=threads if count > 1 else 1, schedule="static"):
            self.leaves[j] = leaf_view(s, leaf_indices[j], least, K, &self.cross[j, 0])
        self.look(np.arange(n_tasks), threads)

    cdef look(self, const Py_ssize_t[::1] tasks, int threads):
        cdef Py_ssize_t t
        with nogil, parallel(num_threads=threads):
            for t in prange(tasks.shape[0], schedule="dynamic"):
                run(self.s, &self.tasks[tasks[t]], self.leaf_indices, self.leaves, &self.clusters,
                    self.drawn, &self.work[threadid(), 0])

    def workspace(self):
        """The workspace, with one row per thread, as a view; for tests."""
        return np.asarray(self.work)

    def again(self, features):
        """Look at the only leaf once more, along some features at least."""
        cdef Py_ssize_t n_samples = self.s.stop[
            self.leaf_indices[0]] - self.s.start[self.leaf_indices[0]]
        cdef Py_ssize_t step = features_together(n_samples)
        tasks = np.unique(np.asarray(features) // step).astype(np.intp)
        cdef int threads = self.s.threads_for(
            SCAN_STEP * <double>n_samples * step * len(tasks) * (3 + self.clusters.count))
        self.look(tasks, min(threads, <int>self.work.shape[0]))

    def finish(self, double unsure=0.0):
        """Best gain of each leaf; for ``unsure`` see ``gather``."""
        cdef Py_ssize_t j, t
        for j in range(self.leaf_indices.shape[0]):
            begin_leaf(self.s, self.leaf_indices[j])
            for t in range(self.first_task[j], self.first_task[j + 1]):
                gather(self.s, self.leaf_indices[j], &self.tasks[t].result, unsure)


def search(
    State s, const int32_t[::1] leaf_indices, const uint8_t[:, ::1] drawn,
    const tree_limits[::1] limits,
):
    """Find the best gain of each leaf in ``leaf_indices``, over all thresholds and moves.

    The parameters are those of ``LeafSearch``. A leaf that cannot be cut has the gain -inf.
    """
    LeafSearch(s, leaf_indices, drawn, limits).finish()


cdef void run(
    State s, Task* task, const int32_t[::1] leaf_indices, const scan_leaf* leaves,
    const scan_clusters* clusters, const uint8_t[:, ::1] drawn, double* work,
) noexcept nogil:
    cdef Py_ssize_t leaf_index = leaf_indices[task.leaf]
    cdef scan_data data = data_view(s, leaf_index)
    cdef const uint8_t* drawn_here = NULL
    if drawn is not None:
        drawn_here = &drawn[task.leaf, 0]
    scan_features(
        &leaves[task.leaf], clusters, &data, task.first, task.n_features, drawn_here, INFINITY,
        work, &s.best[leaf_index, 0], &task.result,
    )


def locate(
    State s, Py_ssize_t leaf_index, double floor, double tolerance, const tree_limits[::1] limits,
):
    """The first split of a searched leaf whose gain reaches ``floor``.

    First by feature, then by threshold; moves within ``tolerance`` of the best one there are
    taken by preference: star, switch, double star, mixed, reallocation, and the right child
    moves rather than the left.

    Returns
    -------
    feature, position, gain, move, left, right
        Left and right are the clusters of the two children.
    """
    cdef Py_ssize_t f = 0, t, i
    cdef int32_t k, K = s.n_clusters
    cdef double weight = 0.0, self_left = 0.0, self_right = 0.0
    cdef scan_clusters clusters = clusters_view(s)
    clusters.count = K
    cdef double[::1] cross = np.empty(K), cross_left = np.zeros(K)
    cdef Py_ssize_t n = s.stop[leaf_index] - s.start[leaf_index]
    cdef double[::1] work = np.empty(scan_work(K, n))
    cdef scan_leaf leaf = leaf_view(s, leaf_index, limits_from(limits), K, &cross[0])
    cdef scan_data data = data_view(s, leaf_index)
    cdef scan_result result

    while f < s.n_features and s.best[leaf_index, f] < floor:
        f += 1
    result.first = -1
    if f < s.n_features:
        scan_features(
            &leaf, &clusters, &data, f, 1, NULL, floor, &work[0], &s.best[leaf_index, 0], &result)
    if result.first < 0:
        raise RuntimeError(f"no split of leaf {leaf_index} gains {floor}")
    for t in range(result.first + 1):
        i = s.order[f, s.start[leaf_index] + t]
        weight += s.weight[i]
        self_left += 2.0 * s.alpha_at(f, s.start[leaf_index] + t)
        for k in range(K):
            cross_left[k] += s.rows[i, SUM_CLUSTER + k]
    for t in range(n - 1, result.first, -1):
        i = s.order[f, s.start[leaf_index] + t]
        self_right += 2.0 * (s.within[i] - s.alpha_at(f, s.start[leaf_index] + t))
    cdef Cut cut = Cut(weight, self_left, self_right, &cross_left[0])
    cdef Choice choice = best_move(&leaf, &clusters, &cut, tolerance)
    return f, result.first, choice.gain, choice.move, choice.left, choice.right
