# Sums over the rows of a leaf, bin by bin, and the tables that they make (points.h).
#
# Rows are added to a wide histogram of all bins; the table keeps those that some row is in. Of
# two children only the smaller is summed: the larger is the parent without it.
import numpy as np

from cython cimport floating
from cython.parallel cimport prange
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memset

from agathis._core.points.binning cimport (
    BIN_COUNT, BIN_MISSING, bins_add, bins_take, points_of_doubles, points_of_floats,
)
from agathis._core.points.leaves cimport LeafTable, point_radius, point_rows

cdef enum:
    ROWS_TOGETHER = 64
    MOST_IN_BLOCK = 32

# Fewer additions than this are done by one thread.
cdef double SMALL_WORK = 1_000_000.0
cdef double SMALL_ROWS = 400_000.0


cdef class Histogram:
    """Room to sum the rows of a leaf.

    Parameters
    ----------
    n_features, width : int
        Doubles of a padded point.
    origin, gap : ndarray of shape (n_components,)
        What is taken off each point, and what stands for a missing component after that.
    weighted : bool
        Whether rows come with weights.
    threads : int
    """

    cdef readonly Py_ssize_t n_features, width
    cdef readonly double squares
    cdef readonly Py_ssize_t n_samples
    cdef int threads
    cdef bint weighted
    cdef const double[::1] origin, gap
    cdef double[:, :, ::1] sum      # [f, bin, .]
    cdef double[:, ::1] count, weight

    def __init__(
        self, Py_ssize_t n_features, Py_ssize_t width, origin, gap, bint weighted, int threads
    ):
        self.n_features, self.width, self.threads = n_features, width, threads
        self.origin, self.gap = origin, gap
        self.weighted = weighted
        self.sum = np.zeros((n_features, BIN_COUNT, width))
        self.count = np.zeros((n_features, BIN_COUNT))
        self.weight = np.zeros((n_features, BIN_COUNT)) if weighted else self.count
        self.n_samples, self.squares = 0, 0.0

    def add(
        self, const floating[:, ::1] phi, const uint8_t[:, ::1] bins, const int32_t[::1] ids,
        const double[::1] weight, bint squares=False,
    ):
        """Add rows; ``ids`` are their places in ``phi`` and ``bins``, ``weight`` their weights.

        ``squares`` asks for the weighted sum of their squared lengths.
        """
        cdef Py_ssize_t part, n = ids.shape[0], d = self.n_features
        cdef int parts = 1
        if (weight is not None) != self.weighted:
            raise ValueError("rows have weights, all of them, or none has")
        if <double>n * d * self.width > SMALL_WORK:
            parts = <int>min(<Py_ssize_t>self.threads, d)
        cdef double[:, ::1] points = np.empty((parts, ROWS_TOGETHER * self.width))
        cdef uint8_t[:, ::1] own = np.empty((parts, ROWS_TOGETHER * d), dtype=np.uint8)
        cdef double[::1] squared = np.zeros(parts)
        if n == 0:
            return
        for part in prange(parts, nogil=True, num_threads=parts, schedule="static"):
            squared[part] = add_features(
                self, phi, bins, ids, weight, part * d // parts, (part + 1) * d // parts,
                squares and part == 0, &points[part, 0], &own[part, 0])
        self.squares += squared[0]
        self.n_samples += n

    def table(self):
        """The table of what was added; nothing is left of it here."""
        cdef Py_ssize_t f, b, rows = 0, d = self.n_features, width = self.width
        cdef bint missing = False
        for f in range(d):
            missing |= self.count[f, BIN_MISSING] > 0.0
            for b in range(BIN_MISSING):
                rows += self.count[f, b] > 0.0
        cdef Rows out = Rows(rows, d, width, missing)
        for f in range(d):
            out.begin()
            for b in range(BIN_MISSING):
                if self.count[f, b] > 0.0:
                    out.append(f, b, &self.sum[f, b, 0], self.count[f, b], self.weight[f, b])
                    self.clear(f, b)
            if self.count[f, BIN_MISSING] > 0.0:
                out.miss(f, &self.sum[f, BIN_MISSING, 0], self.count[f, BIN_MISSING],
                         self.weight[f, BIN_MISSING])
                self.clear(f, BIN_MISSING)
        n_samples, self.n_samples = self.n_samples, 0
        return out.close(n_samples)

    cdef void clear(self, Py_ssize_t f, Py_ssize_t b) noexcept:
        memset(&self.sum[f, b, 0], 0, self.width * sizeof(double))
        self.count[f, b] = self.weight[f, b] = 0.0


cdef double add_features(
    Histogram h, const floating[:, ::1] phi, const uint8_t[:, ::1] bins,
    const int32_t[::1] ids, const double[::1] weight, Py_ssize_t first, Py_ssize_t stop,
    bint squares, double* points, uint8_t* own,
) noexcept nogil:
    cdef Py_ssize_t begin = 0, n, f, D = h.origin.shape[0], stride = phi.shape[1]
    cdef const double* w = NULL
    cdef double squared = 0.0
    while begin < ids.shape[0]:
        n = min(<Py_ssize_t>ROWS_TOGETHER, ids.shape[0] - begin)
        if weight is not None:
            w = &weight[begin]
        if floating is float:
            squared += points_of_floats(
                &phi[0, 0], stride, &ids[begin], n, ids.shape[0] - begin, &h.origin[0], &h.gap[0],
                w, D, h.width, squares, points)
        else:
            squared += points_of_doubles(
                &phi[0, 0], stride, &ids[begin], n, ids.shape[0] - begin, &h.origin[0], &h.gap[0],
                w, D, h.width, squares, points)
        bins_take(
            &bins[0, first], bins.shape[1], &ids[begin], n, ids.shape[0] - begin, stop - first,
            own)
        for f in range(first, stop):
            bins_add(
                points, h.width, own + (f - first) * n, w, n, &h.sum[f, 0, 0], &h.count[f, 0],
                NULL if w == NULL else &h.weight[f, 0])
        begin += n
    return squared


cdef class Rows:
    """The rows of a table of sums as they come: feature by feature, bin by bin."""

    cdef Py_ssize_t row, begin_row
    cdef double[:, ::1] sum
    cdef double[::1] count, weight
    cdef uint8_t[::1] bin
    cdef int32_t[::1] rows          # [f] how many
    cdef double[:, ::1] missing
    cdef double[::1] missing_count, missing_weight

    def __init__(self, Py_ssize_t rows, Py_ssize_t d, Py_ssize_t width, bint missing):
        self.row = self.begin_row = 0
        self.sum = np.empty((rows, width))
        self.count, self.weight = np.empty(rows), np.empty(rows)
        self.bin = np.empty(rows, dtype=np.uint8)
        self.rows = np.zeros(d, dtype=np.int32)
        self.missing = self.missing_count = self.missing_weight = None
        if missing:
            self.missing = np.zeros((d, width))
            self.missing_count, self.missing_weight = np.zeros(d), np.zeros(d)

    cdef void begin(self) noexcept:
        """A new feature."""
        self.begin_row = self.row

    cdef void append(
        self, Py_ssize_t f, Py_ssize_t b, const double* sum, double count, double weight
    ) noexcept:
        """One more bin: the sums up to it are written."""
        cdef Py_ssize_t j, row = self.row
        cdef bint inner = row > self.begin_row
        for j in range(self.sum.shape[1]):
            self.sum[row, j] = sum[j] + (self.sum[row - 1, j] if inner else 0.0)
        self.count[row] = count + (self.count[row - 1] if inner else 0.0)
        self.weight[row] = weight + (self.weight[row - 1] if inner else 0.0)
        self.bin[row] = <uint8_t>b
        self.rows[f] += 1
        self.row += 1

    cdef void append_up_to(
        self, Py_ssize_t f, Py_ssize_t b, const double* sum, const double* less, double count,
        double weight,
    ) noexcept:
        """One more bin, by the sums up to it: ``sum`` without ``less``, where that is not NULL."""
        cdef Py_ssize_t j, row = self.row
        for j in range(self.sum.shape[1]):
            self.sum[row, j] = sum[j] - (less[j] if less != NULL else 0.0)
        self.count[row], self.weight[row] = count, weight
        self.bin[row] = <uint8_t>b
        self.rows[f] += 1
        self.row += 1

    cdef void miss(self, Py_ssize_t f, const double* sum, double count, double weight) noexcept:
        cdef Py_ssize_t j
        for j in range(self.sum.shape[1]):
            self.missing[f, j] = sum[j]
        self.missing_count[f], self.missing_weight[f] = count, weight

    cdef LeafTable close(self, Py_ssize_t n_samples):
        """The table, with its rows in blocks."""
        cdef Py_ssize_t f, j, begin = 0, done, size, n, blocks = 0, most = max(1, self.row)
        cdef Py_ssize_t d = self.rows.shape[0], width = self.sum.shape[1]
        cdef int32_t[::1] first = np.empty(d, dtype=np.int32), stop = np.empty(d, dtype=np.int32)
        cdef int32_t[::1] row = np.empty(most, dtype=np.int32)
        cdef double[::1] radius = np.zeros(most), total = np.zeros(width)
        cdef bint misses
        cdef double leaf_weight = 0.0
        for f in range(d):
            n, done = self.rows[f], 0
            misses = self.missing is not None and self.missing_count[f] > 0.0
            first[f] = <int32_t>blocks
            while done < n:
                # With missing values each cut is two, and each row is looked at.
                size = 1 if misses else point_rows(&self.weight[begin], done, n, MOST_IN_BLOCK)
                row[blocks] = <int32_t>(begin + done + size - 1)
                if size > 1:
                    radius[blocks] = point_radius(
                        &self.sum[0, 0], &self.weight[0], width, begin + done - 1, row[blocks],
                        self.weight[begin + n - 1])
                done += size
                blocks += 1
            begin += n
            stop[f] = <int32_t>blocks
        if self.rows[0] > 0:
            leaf_weight = self.weight[self.rows[0] - 1]
            for j in range(width):
                total[j] = self.sum[self.rows[0] - 1, j]
        missing = None
        if self.missing is not None:
            leaf_weight += self.missing_weight[0]
            for j in range(width):
                total[j] += self.missing[0, j]
            missing = (np.asarray(self.missing), np.asarray(self.missing_count),
                       np.asarray(self.missing_weight))
        ends = np.asarray(row)[:blocks]
        # There may have been room for more.
        sum, bin = np.asarray(self.sum)[:self.row], np.asarray(self.bin)[:self.row]
        count, weight = np.asarray(self.count)[:self.row], np.asarray(self.weight)[:self.row]
        return LeafTable(
            first, stop, sum[ends], count[ends], weight[ends], np.asarray(radius)[:blocks],
            total, n_samples, leaf_weight,
            (ends, sum, count, weight, bin), missing,
        )


def combined(LeafTable one, LeafTable other):
    """The table of the rows of two tables of the same bins; ``remainder`` is its inverse."""
    cdef Py_ssize_t f, p, q, p_begin, q_begin, p_stop, q_stop, b, j
    cdef Py_ssize_t d = one.first.shape[0], width = one.sum.shape[1]
    cdef double count, weight
    cdef double[::1] sum = np.empty(width)
    cdef bint missing = one.missing is not None or other.missing is not None
    if one.row is None or other.row is None:
        raise ValueError("only tables of bins can be added")
    if other.first.shape[0] != d or other.sum.shape[1] != width:
        raise ValueError(
            f"tables must be of the same features and width; these have {d} and "
            f"{other.first.shape[0]} features, width {width} and {other.sum.shape[1]}")
    cdef Rows out = Rows(one.row_sum.shape[0] + other.row_sum.shape[0], d, width, missing)
    p_stop = q_stop = 0
    for f in range(d):
        out.begin()
        p = p_begin = p_stop
        q = q_begin = q_stop
        if one.stop[f] > one.first[f]:
            p_stop = one.row[one.stop[f] - 1] + 1
        if other.stop[f] > other.first[f]:
            q_stop = other.row[other.stop[f] - 1] + 1
        while p < p_stop or q < q_stop:
            # The next bin that one of them has; its sums are those up to it of both.
            b = BIN_MISSING
            if p < p_stop:
                b = one.bin[p]
            if q < q_stop and other.bin[q] < b:
                b = other.bin[q]
            if p < p_stop and one.bin[p] == b:
                p += 1
            if q < q_stop and other.bin[q] == b:
                q += 1
            count = weight = 0.0
            sum[:] = 0.0
            if p > p_begin:
                count, weight = one.row_count[p - 1], one.row_weight[p - 1]
                sum[:] = one.row_sum[p - 1]
            if q > q_begin:
                count += other.row_count[q - 1]
                weight += other.row_weight[q - 1]
                for j in range(width):
                    sum[j] += other.row_sum[q - 1, j]
            out.append_up_to(f, b, &sum[0], NULL, count, weight)
        count = weight = 0.0
        sum[:] = 0.0
        for table in (one, other):
            count, weight = add_missing(table, f, count, weight, sum)
        if count > 0.0:
            out.miss(f, &sum[0], count, weight)
    return out.close(one.n_samples + other.n_samples)


cdef (double, double) add_missing(
    LeafTable table, Py_ssize_t f, double count, double weight, double[::1] sum
):
    """Samples and weight with those of a table that miss a value; ``sum`` grows by theirs."""
    cdef Py_ssize_t j
    if table.missing is None:
        return count, weight
    for j in range(sum.shape[0]):
        sum[j] += table.missing[f, j]
    return count + table.missing_count[f], weight + table.missing_weight[f]


def remainder(LeafTable parent, LeafTable child):
    """The table of the rows of a leaf that are not in one of its children."""
    cdef Py_ssize_t f, p, c, p_stop, c_begin, c_stop, j, d = parent.first.shape[0]
    cdef Py_ssize_t width = parent.sum.shape[1]
    cdef double count, weight, so_far
    cdef const double* less
    cdef double[::1] rest = np.empty(width)
    cdef bint missing = parent.missing is not None
    cdef Rows out = Rows(parent.row_sum.shape[0], d, width, missing)
    p = c = 0
    for f in range(d):
        out.begin()
        p_stop = parent.row[parent.stop[f] - 1] + 1 if parent.stop[f] > parent.first[f] else p
        c_begin = c
        c_stop = child.row[child.stop[f] - 1] + 1 if child.stop[f] > child.first[f] else c
        so_far = 0.0
        for p in range(p, p_stop):
            if c < c_stop and child.bin[c] == parent.bin[p]:
                c += 1
            less, count, weight = NULL, parent.row_count[p], parent.row_weight[p]
            if c > c_begin:
                less = &child.row_sum[c - 1, 0]
                count -= child.row_count[c - 1]
                weight -= child.row_weight[c - 1]
            if count > so_far:
                out.append_up_to(f, parent.bin[p], &parent.row_sum[p, 0], less, count, weight)
                so_far = count
        p = p_stop
        if missing and parent.missing_count[f] > 0.0:
            count, weight = parent.missing_count[f], parent.missing_weight[f]
            for j in range(width):
                rest[j] = parent.missing[f, j]
            if child.missing is not None:
                count -= child.missing_count[f]
                weight -= child.missing_weight[f]
                for j in range(width):
                    rest[j] -= child.missing[f, j]
            if count > 0.0:
                out.miss(f, &rest[0], count, weight)
    return out.close(parent.n_samples - child.n_samples)


def goes_left(
    const uint8_t[:, ::1] bins, const int32_t[::1] ids, Py_ssize_t feature, int last,
    bint missing_left, int threads,
):
    """Which rows have a bin up to ``last``, or miss it where these go left."""
    cdef Py_ssize_t r, n = ids.shape[0]
    cdef uint8_t[::1] left = np.empty(n, dtype=np.uint8)
    cdef uint8_t b
    for r in prange(n, nogil=True, num_threads=threads if n > SMALL_ROWS else 1):
        b = bins[ids[r], feature]
        left[r] = missing_left if b == BIN_MISSING else b <= last
    return np.asarray(left)


def split_ids(int32_t[::1] ids, const uint8_t[::1] left):
    """Bring the rows that go left before the others, each in their order; how many they are."""
    cdef Py_ssize_t r, n = ids.shape[0], n_left = 0, n_right = 0
    cdef int32_t[::1] spare = np.empty(n, dtype=np.int32)
    for r in range(n):
        # Both are written, one counts: no branch to guess.
        ids[n_left] = ids[r] if left[r] else ids[n_left]
        spare[n_right] = ids[r]
        n_left += left[r]
        n_right += 1 - left[r]
    for r in range(n_right):
        ids[n_left + r] = spare[r]
    return n_left
