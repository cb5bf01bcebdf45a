# Which bin each value is in; and whether values are missing or infinite.
import numpy as np

from cython cimport floating
from cython.parallel cimport prange
from libc.stdint cimport int32_t, int64_t, uint8_t

from agathis._core.points.binning cimport (
    BIN_EDGES, BIN_MISSING, bins_of, data_rows, look_over_rows, rows_from,
)

cdef enum:
    ROWS_TOGETHER = 4096

# The bin of missing values, and how many edges a feature has room for.
MISSING = BIN_MISSING
EDGES = BIN_EDGES


def assign(
    const floating[:, ::1] X, const double[:, ::1] edges, const int32_t[::1] steps,
    uint8_t[:, ::1] out, int threads,
):
    """Fill ``out`` with how many edges lie below each value; missing ones get ``MISSING``."""
    cdef Py_ssize_t part, begin, n = X.shape[0], d = X.shape[1]
    cdef Py_ssize_t parts = (n + ROWS_TOGETHER - 1) // ROWS_TOGETHER
    cdef data_rows rows
    for part in prange(parts, nogil=True, num_threads=min(threads, parts), schedule="static"):
        begin = part * ROWS_TOGETHER
        rows = rows_from(&X[begin, 0], d)
        bins_of(
            &rows, min(ROWS_TOGETHER, n - begin), d, &edges[0, 0], &steps[0], &out[begin, 0])


def look_over(const floating[:, ::1] X, int threads):
    """How many values each feature misses, and whether some value is infinite."""
    cdef Py_ssize_t part, begin, n = X.shape[0], d = X.shape[1]
    cdef Py_ssize_t parts = (n + ROWS_TOGETHER - 1) // ROWS_TOGETHER
    cdef int64_t[:, ::1] missing = np.zeros((parts, d), dtype=np.int64)
    cdef int infinite = 0
    cdef data_rows rows
    for part in prange(parts, nogil=True, num_threads=min(threads, parts), schedule="static"):
        begin = part * ROWS_TOGETHER
        rows = rows_from(&X[begin, 0], d)
        infinite += look_over_rows(&rows, min(ROWS_TOGETHER, n - begin), d, &missing[part, 0])
    return np.asarray(missing).sum(axis=0), infinite > 0
