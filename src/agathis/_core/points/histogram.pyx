# Sums over the rows of a leaf, bin by bin, and the tables that they make (points.h).
#
# Rows are added to a wide histogram of all bins; the table keeps those that some row is in. Of
# two children only the smaller is summed: the larger is the parent without it.
import numpy as np

from cython cimport floating
from cython.parallel cimport prange
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint64_t, uint8_t
from libc.string cimport memset

from agathis._core.points.binning cimport (
    BIN_COUNT, BIN_MISSING, bins_add, bins_take, data_rows, point_grid, points_of, points_weigh,
    rows_from,
)
from agathis._core.points.leaves cimport LeafTable, point_radius, point_rows

cdef enum:
    ROWS_TOGETHER = 64
    MAX_IN_BLOCK = 32

# Fewer additions than this are done by one thread.
cdef double SMALL_WORK = 1_000_000.0
cdef double SMALL_ROWS = 400_000.0
# Squares are cut there.
cdef double MAX_SQUARES = 4611686018427387904.0


cdef class Histogram:
    """Room to sum the rows of a leaf, exactly: points are whole numbers of steps of a grid.

    Parameters
    ----------
    n_features, width : int
        Components of a padded point.
    grid : Grid
        Where the steps are (:mod:`agathis._dataset.fixed_point`).
    threads : int
    """

    cdef readonly Py_ssize_t n_features, width
    cdef readonly Py_ssize_t n_samples
    cdef readonly object grid
    cdef int threads
    cdef bint weighted
    cdef const double[::1] origin, gap, steps, units
    cdef double ratio, weight_steps, square_steps
    cdef int64_t[:, :, ::1] sum      # [f, bin, .]
    cdef int64_t[:, ::1] count, weight
    # What the root's rows need: lengths by component, squares, and the most that was cut off.
    cdef uint64_t[:, ::1] lengths
    cdef uint64_t[::1] squares
    cdef double[::1] most
    cdef double most_square

    def __init__(self, Py_ssize_t n_features, Py_ssize_t width, grid, int threads):
        self.n_features, self.width, self.threads = n_features, width, threads
        self.sum = np.zeros((n_features, BIN_COUNT, width), dtype=np.int64)
        self.count = np.zeros((n_features, BIN_COUNT), dtype=np.int64)
        self.n_samples = 0
        self.set_grid(grid)

    def set_grid(self, grid):
        """Begin anew, with nothing added, on another grid."""
        self.grid = grid
        self.origin, self.gap, self.steps = grid.origin, grid.gap, grid.steps
        self.weighted = grid.weight_steps is not None
        units = np.zeros(self.width)
        units[:len(grid.steps)] = 1.0 / grid.steps
        self.units = units
        self.ratio, self.square_steps = grid.ratio, grid.square_steps
        self.weight_steps = grid.weight_steps if self.weighted else 1.0
        self.weight = np.zeros((self.n_features, BIN_COUNT), dtype=np.int64) if (
            self.weighted) else self.count
        self.empty()

    cdef void empty(self):
        self.sum[:], self.count[:], self.weight[:], self.n_samples = 0, 0, 0, 0
        self.lengths = np.zeros((2, self.width), dtype=np.uint64)
        self.squares, self.most = np.zeros(3, dtype=np.uint64), np.zeros(self.width)
        self.most_square = 0.0

    def add(
        self, const floating[:, ::1] phi, const uint8_t[:, ::1] bins, const int32_t[::1] ids,
        const double[::1] weight, bint squares=False,
    ):
        """Add rows; ``ids`` are their places in ``phi`` and ``bins``, ``weight`` their weights.

        ``squares`` asks for the sums of lengths and squares too, which ``seen`` gives.
        """
        cdef Py_ssize_t part, n = ids.shape[0], d = self.n_features
        cdef int parts = 1
        if (weight is not None) != self.weighted:
            raise ValueError("rows have weights, all of them, or none has")
        if <double>n * d * self.width > SMALL_WORK:
            parts = <int>min(<Py_ssize_t>self.threads, d)
        cdef int64_t[:, ::1] points = np.empty((parts, ROWS_TOGETHER * self.width), dtype=np.int64)
        cdef uint8_t[:, ::1] own = np.empty((parts, ROWS_TOGETHER * d), dtype=np.uint8)
        cdef double[:, ::1] most = np.zeros((parts, self.width))
        cdef int64_t[::1] shares = None
        if n == 0:
            return
        if self.weighted:
            shares = np.rint(np.multiply(weight, self.weight_steps)).astype(np.int64)
        for part in prange(parts, nogil=True, num_threads=parts, schedule="static"):
            add_features(
                self, phi, bins, ids, weight, shares, part * d // parts, (part + 1) * d // parts,
                squares and part == 0, &most[part, 0], &points[part, 0], &own[part, 0])
        self.most = np.maximum(self.most, most[0])
        self.n_samples += n

    @property
    def seen(self):
        """What the rows needed that were added with ``squares``: see ``Seen`` of the grid."""
        cdef uint64_t[::1] three = self.squares
        lengths = [(int(self.lengths[0, j]) << 32) + int(self.lengths[1, j])
                   for j in range(self.origin.shape[0])]
        squares = (int(three[0]) << 64) + (int(three[1]) << 32) + int(three[2])
        return lengths, squares, np.asarray(self.most)[:self.origin.shape[0]], self.most_square

    def sums(self):
        """What was added, to be sent: bins that rows are in, their sums, counts and weights."""
        count = np.asarray(self.count).ravel()
        bins = np.flatnonzero(count)
        sum = np.asarray(self.sum).reshape(-1, self.width)[bins, :self.origin.shape[0]]
        weight = np.asarray(self.weight).ravel()[bins] if self.weighted else None
        return bins.astype(np.int32), sum, count[bins], weight

    def put(self, sums, Py_ssize_t n_samples):
        """Add what another histogram of the same grid gave as its ``sums``."""
        bins, sum, count, weight = sums
        np.asarray(self.sum).reshape(-1, self.width)[bins, :self.origin.shape[0]] += sum
        np.asarray(self.count).reshape(-1)[bins] += count
        if self.weighted:
            np.asarray(self.weight).reshape(-1)[bins] += weight
        self.n_samples += n_samples

    def table(self):
        """The table of what was added; nothing is left of it here."""
        cdef Py_ssize_t f, b, j, rows = 0, d = self.n_features
        cdef bint missing = False
        for f in range(d):
            missing |= self.count[f, BIN_MISSING] > 0
            for b in range(BIN_MISSING):
                rows += self.count[f, b] > 0
        cdef double[::1] unit = np.asarray(self.units) / self.ratio
        cdef double weight_unit = 1.0 / self.weight_steps
        cdef Rows out = Rows(rows, d, self.width, missing)
        cdef int64_t[::1] so_far = np.empty(self.width, dtype=np.int64)
        cdef double[::1] row = np.empty(self.width)
        cdef int64_t count, weight
        for f in range(d):
            so_far[:], count, weight = 0, 0, 0
            for b in range(BIN_MISSING):
                if self.count[f, b] > 0:
                    for j in range(self.width):
                        so_far[j] += self.sum[f, b, j]
                        row[j] = <double>so_far[j] * unit[j]
                    count += self.count[f, b]
                    weight += self.weight[f, b]
                    out.append(
                        f, b, &row[0], NULL, <double>count, <double>weight * weight_unit)
                    self.clear(f, b)
            if self.count[f, BIN_MISSING] > 0:
                for j in range(self.width):
                    row[j] = <double>self.sum[f, BIN_MISSING, j] * unit[j]
                out.miss(f, &row[0], <double>self.count[f, BIN_MISSING],
                         <double>self.weight[f, BIN_MISSING] * weight_unit)
                self.clear(f, BIN_MISSING)
        n_samples, self.n_samples = self.n_samples, 0
        return out.close(n_samples)

    cdef void clear(self, Py_ssize_t f, Py_ssize_t b) noexcept:
        memset(&self.sum[f, b, 0], 0, self.width * sizeof(int64_t))
        self.count[f, b] = self.weight[f, b] = 0


cdef void add_features(
    Histogram h, const floating[:, ::1] phi, const uint8_t[:, ::1] bins,
    const int32_t[::1] ids, const double[::1] weight, const int64_t[::1] shares, Py_ssize_t first,
    Py_ssize_t stop, bint squares, double* most, int64_t* points, uint8_t* own,
) noexcept nogil:
    cdef Py_ssize_t begin = 0, n, f, D = h.origin.shape[0]
    cdef data_rows rows = rows_from(&phi[0, 0], phi.shape[1])
    cdef const double* w = NULL
    cdef const int64_t* share = NULL
    cdef point_grid grid
    grid.origin, grid.gap, grid.steps = &h.origin[0], &h.gap[0], &h.steps[0]
    grid.ratio = h.ratio
    while begin < ids.shape[0]:
        n = min(<Py_ssize_t>ROWS_TOGETHER, ids.shape[0] - begin)
        if weight is not None:
            w, share = &weight[begin], &shares[begin]
        points_of(
            &rows, &ids[begin], n, ids.shape[0] - begin, &grid, w, D, h.width, most, points)
        bins_take(
            &bins[0, first], bins.shape[1], &ids[begin], n, ids.shape[0] - begin, stop - first,
            own)
        for f in range(first, stop):
            bins_add(
                points, h.width, own + (f - first) * n, share, n, &h.sum[f, 0, 0], &h.count[f, 0],
                NULL if w == NULL else &h.weight[f, 0])
        if squares:
            points_weigh(points, n, h.width, &h.lengths[0, 0], &h.lengths[1, 0])
            add_squares(h, points, w, n)
        begin += n


cdef void add_squares(
    Histogram h, const int64_t* points, const double* w, Py_ssize_t n
) noexcept nogil:
    """Add the squared lengths of points to sums of whole numbers.

    Here and not among the loops, where the compiler may sum in any order: what comes out must be
    the same on every machine.
    """
    cdef Py_ssize_t r, j, D = h.origin.shape[0]
    cdef const int64_t* point = points
    cdef double a, b, c, d, squared
    cdef double[4] four
    cdef uint64_t steps
    for r in range(n):
        point = points + r * h.width
        four[0] = four[1] = four[2] = four[3] = 0.0
        # Padding is zeros, in steps of any size.
        for j in range(0, D, 4):
            a = <double>point[j] * h.units[j]
            b = <double>point[j + 1] * h.units[j + 1]
            c = <double>point[j + 2] * h.units[j + 2]
            d = <double>point[j + 3] * h.units[j + 3]
            four[0] += a * a
            four[1] += b * b
            four[2] += c * c
            four[3] += d * d
        squared = (four[0] + four[1]) + (four[2] + four[3])
        if w != NULL:
            # Weights are in the points, and no row has none.
            squared /= w[r] * h.ratio * h.ratio
        squared *= h.square_steps
        if not squared < MAX_SQUARES:
            h.most_square = max(h.most_square, squared) if squared == squared else INFINITY
            continue
        steps = <uint64_t>squared
        h.squares[0] += steps >> 32
        h.squares[1] += steps & 0xffffffffu
        h.squares[2] += <uint64_t>((squared - <double>steps) * 4294967296.0)


cdef class Rows:
    """The rows of a table of sums as they come: feature by feature, bin by bin."""

    cdef Py_ssize_t row
    cdef double[:, ::1] sum
    cdef double[::1] count, weight
    cdef uint8_t[::1] bin
    cdef int32_t[::1] rows          # [f] how many
    cdef double[:, ::1] missing
    cdef double[::1] missing_count, missing_weight

    def __init__(self, Py_ssize_t rows, Py_ssize_t d, Py_ssize_t width, bint missing):
        self.row = 0
        self.sum = np.empty((rows, width))
        self.count, self.weight = np.empty(rows), np.empty(rows)
        self.bin = np.empty(rows, dtype=np.uint8)
        self.rows = np.zeros(d, dtype=np.int32)
        self.missing = self.missing_count = self.missing_weight = None
        if missing:
            self.missing = np.zeros((d, width))
            self.missing_count, self.missing_weight = np.zeros(d), np.zeros(d)

    cdef void append(
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
                size = 1 if misses else point_rows(&self.weight[begin], done, n, MAX_IN_BLOCK)
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
                out.append(f, parent.bin[p], &parent.row_sum[p, 0], less, count, weight)
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
