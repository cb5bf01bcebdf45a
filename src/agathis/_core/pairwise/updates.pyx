# Sums over pairs of samples.
#
# For each feature f and sample i, alpha[f, i] is the kernel sum of i with the samples of its leaf
# that stand before it in f. It is summed once at the root, over all pairs (`open_root`). When
# a leaf is cut, each pair that the cut separates is taken off once, from the later of the two
# (`Separation`); a pair is separated at most once in the life of a tree. Kernel rows come in
# blocks: `block[index[r]]` is the kernel row of sample ids[r], the whole matrix or a block
# that was computed for this call.
import numpy as np

from cython.parallel cimport prange, threadid
from libc.stdint cimport int32_t

from agathis._core.pairwise.scan cimport SUM_CLUSTER
from agathis._core.pairwise.state cimport State

cdef extern from "pairwise/loops.h" nogil:
    enum:
        PAIR_ROWS
        PAIR_COLUMNS

    void pairs_before(
        const double* const* rows, const double* row_half, const double* row_weight,
        const int32_t* row_ranks, const double* half, const double* weight,
        const int32_t* ranks, Py_ssize_t n, Py_ssize_t n_features,
        double* before, double* total, double* absolute)

    void pairs_between(
        const double* const* rows, const double* row_half, const double* row_weight,
        const int32_t* row_ranks, const int32_t* ids, const double* half, const double* weight,
        const int32_t* ranks, Py_ssize_t stride, Py_ssize_t n, Py_ssize_t n_features,
        double* row_sums, double* column_sums)

    void pairs_add(
        const double* const* rows, const double* row_half, const double* row_weight,
        const double* half, Py_ssize_t n, double* sums)

# Up to four rows; missing ones get weight 0 and so add nothing.
cdef struct Rows:
    const double* row[4]
    double half[4]
    double weight[4]


cdef Rows take_rows(
    State s, const double[:, ::1] block, const int32_t[::1] index, const int32_t[::1] ids,
    Py_ssize_t first, Py_ssize_t stop,
) noexcept nogil:
    cdef Rows taken
    cdef Py_ssize_t r, place
    for r in range(PAIR_ROWS):
        place = first + r if first + r < stop else stop - 1
        taken.row[r] = &block[index[place], 0]
        taken.half[r] = s.half[ids[place]]
        taken.weight[r] = s.weight[ids[place]] if first + r < stop else 0.0
    return taken


cdef void take_ranks(
    State s, const int32_t[::1] ids, Py_ssize_t first, Py_ssize_t stop, int32_t* ranks,
) noexcept nogil:
    cdef Py_ssize_t r, f, place
    for r in range(PAIR_ROWS):
        place = first + r if first + r < stop else stop - 1
        for f in range(s.n_features):
            ranks[f * PAIR_ROWS + r] = s.rank[f, ids[place]]


cdef double root_rows(
    State s, const double[:, ::1] block, const int32_t[::1] index, const int32_t[::1] ids,
    Py_ssize_t first, double* before, int32_t* ranks,
) noexcept nogil:
    cdef double total[4]
    cdef double absolute[4]
    cdef double magnitude = 0.0
    cdef Py_ssize_t r, f, stop = min(first + PAIR_ROWS, ids.shape[0])
    cdef Rows taken = take_rows(s, block, index, ids, first, stop)
    take_ranks(s, ids, first, stop, ranks)
    pairs_before(
        taken.row, taken.half, taken.weight, ranks, &s.half[0], &s.weight[0], &s.rank[0, 0],
        s.n_samples, s.n_features, before, total, absolute,
    )
    for r in range(stop - first):
        s.within[ids[first + r]] = total[r]
        s.rows[ids[first + r], SUM_CLUSTER] = total[r]
        magnitude += absolute[r]
        for f in range(s.n_features):
            s.alpha[f, ids[first + r]] = before[f * PAIR_ROWS + r]
    return magnitude


def open_root(
    State s, const double[:, ::1] block, const int32_t[::1] index, const int32_t[::1] ids
):
    """Fill alpha and kernel sums of samples ``ids``; sum of |w_i w_j k(i, j)| over their rows."""
    cdef Py_ssize_t group, groups = (ids.shape[0] + PAIR_ROWS - 1) // PAIR_ROWS
    cdef double[::1] magnitude = np.zeros(groups)
    cdef int threads = s.threads_for(
        <double>ids.shape[0] * s.n_samples * (1 + s.n_features) / 8.0)
    cdef double[:, ::1] before = np.empty((threads, PAIR_ROWS * s.n_features))
    cdef int32_t[:, ::1] ranks = np.empty((threads, PAIR_ROWS * s.n_features), dtype=np.int32)
    for group in prange(groups, nogil=True, num_threads=threads, schedule="static"):
        magnitude[group] = root_rows(
            s, block, index, ids, group * PAIR_ROWS, &before[threadid(), 0], &ranks[threadid(), 0])
    return float(np.sum(magnitude))


def close_root(State s):
    """Sums of the only leaf and cluster, once every sample's row was opened."""
    cdef Py_ssize_t i
    cdef double weight = 0.0, self_kernel_sum = 0.0
    for i in range(s.n_samples):
        weight += s.weight[i]
        self_kernel_sum += s.within[i]
    s.leaf_weight[0] = s.size[0] = weight
    s.leaf_self[0] = s.kernel_sum[0] = self_kernel_sum
    s.share[0] = self_kernel_sum / weight


def fill_kernel_sums(State s, const double[::1] gain_engine):
    """The kernel sum of each sample with all, at the root."""
    cdef Py_ssize_t i
    for i in range(s.n_samples):
        s.within[i] = s.rows[i, SUM_CLUSTER] = gain_engine[i]


def part_kernel_sums(State s, Py_ssize_t near, Py_ssize_t far, const double[::1] sums):
    """Kernel sums of samples with their leaf after a split, from those with ``near``."""
    cdef Py_ssize_t position
    cdef int32_t i
    cdef double self_near = 0.0, self_far = 0.0
    for position in range(s.start[near], s.stop[near]):
        i = s.order[0, position]
        s.within[i] = s.weight[i] * sums[i]
        self_near += s.within[i]
    for position in range(s.start[far], s.stop[far]):
        i = s.order[0, position]
        s.within[i] -= s.weight[i] * sums[i]
        self_far += s.within[i]
    s.leaf_self[near], s.leaf_self[far] = self_near, self_far


cdef class Separation:
    """The pairs between two new leaves, taken off alpha.

    Feed it the kernel rows of all samples of leaf ``near`` with ``add``, in any blocks, then
    ``finish``. ``sums[i]`` is then the kernel sum, without the weight of i, of each sample with
    ``near``.
    """

    cdef State s
    cdef Py_ssize_t near
    cdef Py_ssize_t far
    cdef readonly object sums
    cdef int32_t[::1] ids           # samples of far, ascending
    cdef Py_ssize_t[::1] first      # [chunk] where those of a chunk of PAIR_COLUMNS samples start
    cdef int32_t[:, ::1] ranks      # [f, t] ranks of ids[t], close together
    cdef double[:, ::1] taken       # [f, t] what goes off the alpha of ids[t]

    def __init__(self, State s, Py_ssize_t near, Py_ssize_t far):
        cdef Py_ssize_t f, t, m
        cdef int threads
        self.s, self.near, self.far = s, near, far
        self.sums = np.zeros(s.n_samples)
        ids = np.sort(s.samples(far))
        edges = np.arange(0, s.n_samples + PAIR_COLUMNS, PAIR_COLUMNS)
        self.ids, self.first = ids, np.searchsorted(ids, edges)
        m = self.ids.shape[0]
        self.ranks = np.empty((s.n_features, m), dtype=np.int32)
        self.taken = np.zeros((s.n_features, m))
        threads = s.threads_for(<double>m * s.n_features)
        for f in prange(s.n_features, nogil=True, num_threads=threads, schedule="static"):
            for t in range(m):
                self.ranks[f, t] = s.rank[f, self.ids[t]]

    def add(
        self, const double[:, ::1] block, const int32_t[::1] index, const int32_t[::1] ids
    ):
        cdef State s = self.s
        cdef Py_ssize_t d = s.n_features, m = self.ids.shape[0], n_rows = ids.shape[0]
        cdef Py_ssize_t chunk, chunks = self.first.shape[0] - 1
        cdef Py_ssize_t group, groups = (n_rows + PAIR_ROWS - 1) // PAIR_ROWS
        cdef Py_ssize_t f, r, t
        cdef double total
        cdef double[::1] sums = self.sums
        cdef Rows taken
        # A chunk of columns is one thread's, and has sums of its own that are added in order:
        # the same for any number of threads.
        cdef double[:, :, ::1] part = np.zeros((chunks, groups, d * PAIR_ROWS))
        cdef int32_t[:, ::1] row_ranks = np.empty((groups, d * PAIR_ROWS), dtype=np.int32)
        cdef int threads = s.threads_for(<double>n_rows * (s.n_samples + m * (1 + d) / 2.0))
        for group in range(groups):
            take_ranks(s, ids, group * PAIR_ROWS, n_rows, &row_ranks[group, 0])
        for chunk in prange(chunks, nogil=True, num_threads=threads, schedule="static"):
            t = self.first[chunk]
            for group in range(groups):
                taken = take_rows(s, block, index, ids, group * PAIR_ROWS, n_rows)
                add_chunk(s, &taken, chunk, sums)
                if t < self.first[chunk + 1]:
                    pairs_between(
                        taken.row, taken.half, taken.weight, &row_ranks[group, 0],
                        &self.ids[t], &s.half[0], &s.weight[0], &self.ranks[0, t],
                        m, self.first[chunk + 1] - t, d,
                        &part[chunk, group, 0], &self.taken[0, t],
                    )
        for group in range(groups):
            for r in range(min(PAIR_ROWS, n_rows - group * PAIR_ROWS)):
                for f in range(d):
                    total = 0.0
                    for chunk in range(chunks):
                        total += part[chunk, group, f * PAIR_ROWS + r]
                    s.alpha[f, ids[group * PAIR_ROWS + r]] -= total

    def finish(self):
        cdef State s = self.s
        cdef Py_ssize_t f, t
        for f in range(s.n_features):
            for t in range(self.ids.shape[0]):
                s.alpha[f, self.ids[t]] -= self.taken[f, t]
        part_kernel_sums(s, self.near, self.far, self.sums)


# sums[i] += the kernel sum of the four rows with each sample i of a chunk.
cdef void add_chunk(
    State s, const Rows* taken, Py_ssize_t chunk, double[::1] sums
) noexcept nogil:
    cdef const double* row[4]
    cdef Py_ssize_t r, column = chunk * PAIR_COLUMNS
    for r in range(PAIR_ROWS):
        row[r] = taken.row[r] + column
    pairs_add(
        row, taken.half, taken.weight, &s.half[column],
        min(<Py_ssize_t>PAIR_COLUMNS, s.n_samples - column), &sums[column],
    )


def sum_rows(
    State s, const double[:, ::1] block, const int32_t[::1] index, const int32_t[::1] ids,
    double[::1] sums,
):
    """``sums[i]`` += the kernel sum, without the weight of i, of each sample with ``ids``."""
    cdef Py_ssize_t chunk, chunks = (s.n_samples + PAIR_COLUMNS - 1) // PAIR_COLUMNS
    cdef Py_ssize_t group, groups = (ids.shape[0] + PAIR_ROWS - 1) // PAIR_ROWS
    cdef Rows taken
    cdef int threads = s.threads_for(<double>ids.shape[0] * s.n_samples)
    for chunk in prange(chunks, nogil=True, num_threads=threads, schedule="static"):
        for group in range(groups):
            taken = take_rows(s, block, index, ids, group * PAIR_ROWS, ids.shape[0])
            add_chunk(s, &taken, chunk, sums)
