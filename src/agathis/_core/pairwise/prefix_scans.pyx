# Sums over pairs of samples that are points, without a kernel value.
#
# What updates.pyx sums over the kernel rows of samples, pair by pair, is here an inner product: the
# kernel sum of a sample with those before it is its product with the sum of their points. A scan
# along a feature, with a running sum, takes n times the components of a point instead of n^2.
#
# Few features can have the best split of a leaf, and a scan with some components tells which
# (`LeadingParts`). Turn the points so that these components hold most of their spread. For a side L
# of a cut, of weight w, let s be the sum of the other components of its points about the mean of
# the leaf, of weight W. Then
#
#     sigma(L^2) in these  =  |s|^2 - w (sum over L of their squared lengths),
#     |s|^2               <=  e w (W - w) / W   with e the largest eigenvalue of their scatter,
#     |s|^2               <=  w (sum over L of their squared lengths), as of the other side:
#
# s is the scatter's factor times a vector of 0 and 1 about its mean, whose squared length is
# w (W - w) / W. All gains rise with sigma(L^2) and the rest of them is exact, so what is above is a
# bound of them.
import numpy as np

from cython.parallel cimport parallel, prange, threadid
from libc.stdint cimport int32_t
from libc.string cimport memcpy, memset

from agathis._core.pairwise.state cimport State

cdef extern from "pairwise/prefix_scan_loops.h" nogil:
    enum:
        PREFIX_SCAN_QUADS
        PREFIX_SCAN_LEADING
        PREFIX_SCAN_AHEAD

    ctypedef struct scan:
        const int32_t* ids
        const double* weight
        Py_ssize_t n

    void prefix_scan_part(const scan* way, const double* part, int n_quads, double* dots)

    void prefix_scan_close(const scan* way, const double* half, double* dots)

    ctypedef struct prefix_scan_sample:
        double half, tail, kept

    ctypedef struct prefix_scan_left_out:
        double largest, rounded, weight, tail

    void prefix_scan_leading(
        const scan* way, const float* points, const prefix_scan_sample* samples,
        const prefix_scan_left_out* out, double* dots)

N_LEADING = PREFIX_SCAN_LEADING

cdef enum:
    SCANNED_TOGETHER = 8     # features, while one part of the points stays in the cache
    QUAD = 4                # doubles of a vector
    NEAR_MEMORY = 327_680   # doubles of a part: they should stay in the second cache


def aligned(count, dtype):
    """Zeros from the beginning of a cache line on, so that no vector is in two of them."""
    room = np.zeros(count + 64, dtype=dtype)
    return room[-room.ctypes.data % 64 // room.itemsize:][:count]


# The workspace to scan some features at a time, for each thread.
cdef class Ways:
    cdef Py_ssize_t n               # samples of the leaf
    cdef int threads
    cdef int32_t[:, :, ::1] ids     # [thread, way, t]
    cdef double[:, :, ::1] weight, dots

    def __init__(self, State s, Py_ssize_t leaf_index, Py_ssize_t together, double components):
        self.n = s.stop[leaf_index] - s.start[leaf_index]
        self.threads = s.threads_for(self.n * components / 8.0)
        self.ids = np.zeros((self.threads, together, self.n + PREFIX_SCAN_AHEAD), dtype=np.int32)
        self.weight = np.empty((self.threads, together, self.n))
        self.dots = np.empty((self.threads, together, self.n))

    cdef scan begin(
        self, State s, Py_ssize_t leaf_index, Py_ssize_t f, int thread, Py_ssize_t g
    ) noexcept nogil:
        cdef scan way
        cdef Py_ssize_t t
        cdef int32_t* ids = &self.ids[thread, g, 0]
        cdef double* weight = &self.weight[thread, g, 0]
        cdef const int32_t* order = &s.order[f, s.start[leaf_index]]
        for t in range(self.n):
            ids[t] = order[t]
            weight[t] = s.weight[order[t]]
        way.n, way.ids, way.weight = self.n, ids, weight
        return way

    cdef void end(
        self, State s, Py_ssize_t leaf_index, Py_ssize_t f, int thread, Py_ssize_t g
    ) noexcept nogil:
        """What was summed is alpha."""
        memcpy(&s.alpha[f, s.start[leaf_index]], &self.dots[thread, g, 0], self.n * sizeof(double))


cdef class Parts:
    """Points, some components of all of them side by side.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_components)
        Half of their squared lengths is the ``half`` of the states they are used with.
    """

    cdef double[:, :, ::1] part     # [p, i, .] the components of part p

    def __init__(self, points):
        n, width = points.shape
        quads = PREFIX_SCAN_QUADS
        while quads > 2 and n * quads * QUAD > NEAR_MEMORY:
            quads //= 2
        step = quads * QUAD
        parts = -(-width // step)
        part = aligned(parts * n * step, np.float64).reshape(parts, n, step)
        for p in range(parts):
            some = points[:, p * step:(p + 1) * step]
            part[p, :, :some.shape[1]] = some
        self.part = part

    def scan(self, State s, Py_ssize_t leaf_index, const int32_t[::1] features):
        """Fill alpha of the samples of a leaf, along some features."""
        cdef Py_ssize_t tile, count = features.shape[0]
        cdef Py_ssize_t tiles = (count + SCANNED_TOGETHER - 1) // SCANNED_TOGETHER
        cdef Ways ways = Ways(
            s, leaf_index, SCANNED_TOGETHER,
            <double>count * self.part.shape[0] * self.part.shape[2])
        with nogil, parallel(num_threads=ways.threads):
            for tile in prange(tiles, schedule="dynamic"):
                prefix_scan_tile(self, s, leaf_index, features, tile, ways, threadid())


cdef void prefix_scan_tile(
    Parts points, State s, Py_ssize_t leaf_index, const int32_t[::1] features, Py_ssize_t tile,
    Ways ways, int thread,
) noexcept nogil:
    cdef Py_ssize_t g, p, first = tile * SCANNED_TOGETHER
    cdef Py_ssize_t count = min(<Py_ssize_t>SCANNED_TOGETHER, features.shape[0] - first)
    cdef scan[SCANNED_TOGETHER] way
    for g in range(count):
        way[g] = ways.begin(s, leaf_index, features[first + g], thread, g)
        memset(&ways.dots[thread, g, 0], 0, ways.n * sizeof(double))
    for p in range(points.part.shape[0]):
        for g in range(count):
            prefix_scan_part(
                &way[g], &points.part[p, 0, 0], <int>(points.part.shape[2] // QUAD),
                &ways.dots[thread, g, 0])
    for g in range(count):
        prefix_scan_close(&way[g], &s.half[0], &ways.dots[thread, g, 0])
        ways.end(s, leaf_index, features[first + g], thread, g)


cdef class LeadingParts:
    """Leading components of points, leaf by leaf, each with directions of its own.

    Parameters
    ----------
    n_samples : int
    """

    cdef float[:, ::1] part         # [i, .]
    cdef double[:, ::1] samples     # [i, .] a prefix_scan_sample

    def __init__(self, Py_ssize_t n_samples):
        self.part = aligned(
            n_samples * PREFIX_SCAN_LEADING, np.float32).reshape(n_samples, PREFIX_SCAN_LEADING)
        self.samples = np.zeros((n_samples, sizeof(prefix_scan_sample) // sizeof(double)))

    def write(self, ids, components, half, tail):
        """What ``Leading`` says of the points of a leaf."""
        kept = np.einsum("ij,ij->i", components, components, dtype=np.float64)
        np.asarray(self.part)[ids, :components.shape[1]] = components
        np.asarray(self.samples)[ids] = np.column_stack([half, tail, kept])

    def scan(
        self, State s, Py_ssize_t leaf_index, const int32_t[::1] features, double largest,
        double rounded, double tail,
    ):
        """Fill alpha of the samples of a leaf, along some features, with a bound of it.

        ``largest`` and ``rounded`` are at least the largest eigenvalues of the scatter of what is
        left out, and of what rounding takes off; ``tail`` is the sum over the leaf of w times the
        squared length of what is left out.
        """
        cdef Py_ssize_t j, count = features.shape[0]
        cdef prefix_scan_left_out out = prefix_scan_left_out(
            largest, rounded, s.leaf_weight[leaf_index], tail)
        cdef Ways ways = Ways(s, leaf_index, 1, <double>count * PREFIX_SCAN_LEADING)
        with nogil, parallel(num_threads=ways.threads):
            for j in prange(count, schedule="dynamic"):
                prefix_scan_once(self, s, leaf_index, features[j], &out, ways, threadid())


cdef void prefix_scan_once(
    LeadingParts points, State s, Py_ssize_t leaf_index, Py_ssize_t f,
    const prefix_scan_left_out* out, Ways ways, int thread,
) noexcept nogil:
    cdef scan way = ways.begin(s, leaf_index, f, thread, 0)
    prefix_scan_leading(
        &way, &points.part[0, 0], <const prefix_scan_sample*>&points.samples[0, 0], out,
        &ways.dots[thread, 0, 0])
    ways.end(s, leaf_index, f, thread, 0)
