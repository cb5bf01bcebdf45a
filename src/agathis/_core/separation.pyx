# How well leaves are separated: the mean silhouette and the Dunn index of a partition of rows.
#
# Both classes are used alike. `settle` takes the leaf of every row. `look` puts the leaves
# first, ..., last - 1 aside: their rows are dealt anew to `n_parts` parts while all other leaves
# stay. `scan` judges a whole feature: rows in its order go, one after the other, from their part
# on the right of the threshold to that on its left. `value` judges where none has gone yet.
#
#     order     a b | c d e     a is in part left[a], b in left[b]; c in right[c], ...
#
# Silhouette: sums[k, i] is the distance of row i to leaf k, summed over its rows by weight. A row
# that changes its part changes two such sums for each row, so that m rows cost O(n m).
#
# Dunn: the least distance between rows of different leaves is that of an edge of the minimum
# spanning tree of all rows, whatever the leaves are: of the edges that a partition cuts the
# shortest is in that tree. So n - 1 edges stand for all pairs. A part grows while the threshold
# moves away from it, and its diameter with it.
import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t


cdef extern from "silhouette_loops.h" nogil:
    ctypedef struct silhouette_parts:
        Py_ssize_t count
        const double* sums
        const double* inverse
        const double* inverse_own
        const double* counts

    ctypedef struct silhouette_rows:
        Py_ssize_t count
        const double* part
        const double* own
        const double* nearest
        const double* share
        const double* weight

    double silhouette_sum(const silhouette_rows* rows, const silhouette_parts* parts)
    void silhouette_add(double* sums, const double* distance, double weight, Py_ssize_t n)
    void silhouette_move(
        double* source, double* target, const double* distance, double weight, Py_ssize_t n)


# A leaf of no more weight than one row is one row but for the rounding of sums.
cdef double ONE_ROW = 1.0 + 1e-12


cdef class Criterion:
    """What both criteria know of rows, leaves and parts.

    Parameters
    ----------
    distance : ndarray of shape (n_samples, n_samples)
    weight : ndarray of shape (n_samples,)
    least : float
        The least weight of a part.
    stop : ndarray of shape (1,), uint8
        A scan ends early, with nothing found, once it is not 0.
    """

    cdef const double[:, ::1] distance
    cdef const double[::1] weight
    cdef const uint8_t[::1] stop
    cdef double least
    cdef Py_ssize_t n
    cdef int32_t[::1] leaf          # [row]
    cdef Py_ssize_t n_leaves
    cdef Py_ssize_t first           # the leaves that are looked at
    cdef Py_ssize_t last
    cdef int32_t[::1] rows          # those of these leaves
    cdef int32_t[::1] left          # [row] its part on the left of a threshold
    cdef int32_t[::1] right         # [row] and on the right
    cdef Py_ssize_t n_parts
    cdef double[::1] size           # [part] weight
    cdef int32_t[::1] count         # [part] rows

    def __init__(self, distance, weight, double least, stop):
        self.distance, self.weight, self.stop = distance, weight, stop
        self.least, self.n = least, len(weight)

    def settle(self, leaf, Py_ssize_t n_leaves):
        """Take the leaf of every row; the value of this partition."""
        self.leaf, self.n_leaves = leaf, n_leaves
        return self._settle()

    def look(self, Py_ssize_t first, Py_ssize_t last, rows, left, right, Py_ssize_t n_parts):
        """Put the rows of some leaves aside, and say to which parts they may go.

        No part is on both sides of a threshold; ``scan`` relies on it.
        """
        self.first, self.last, self.rows = first, last, rows
        self.left, self.right, self.n_parts = left, right, n_parts
        self.size, self.count = np.zeros(n_parts), np.zeros(n_parts, dtype=np.int32)
        self._look()

    def value(self):
        """The value where every row that is looked at is on the right.

        It is -inf where a part is too small.
        """
        cdef double value
        with nogil:
            self._begin(self.rows)
            if not self._allowed():
                value = -INFINITY
            elif self.n_parts + self.n_leaves - (self.last - self.first) == 1:
                value = 0.0
            else:
                value = self._at(-1)
        return value

    def scan(self, const int32_t[::1] order, const uint8_t[::1] cut):
        """The best value of a feature and how many rows are then on its left, less one.

        ``order`` has the rows that are looked at in the order of the feature, ``cut`` is not 0
        after rows where a threshold may be. Where none is allowed the value is -inf.
        """
        cdef Py_ssize_t p, best = -1
        cdef double value, best_value = -INFINITY
        with nogil:
            self._begin(order)
            for p in range(order.shape[0] - 1):
                self._pass(order[p])
                if self.stop[0]:
                    best, best_value = -1, -INFINITY
                    break
                if cut[p] and self._allowed():
                    value = self._at(p)
                    if value > best_value:
                        best, best_value = p, value
        return best_value, best

    cdef void _begin(self, const int32_t[::1] order) noexcept nogil:
        """All rows on the right."""
        cdef Py_ssize_t p, i
        self._open(order)
        self.size[:] = 0.0
        self.count[:] = 0
        for p in range(order.shape[0]):
            i = order[p]
            self.size[self.right[i]] += self.weight[i]
            self.count[self.right[i]] += 1

    cdef void _pass(self, Py_ssize_t i) noexcept nogil:
        """Move a row from its right to its left part."""
        self.size[self.right[i]] -= self.weight[i]
        self.size[self.left[i]] += self.weight[i]
        self.count[self.right[i]] -= 1
        self.count[self.left[i]] += 1
        self._move(i)

    cdef bint _allowed(self) noexcept nogil:
        cdef Py_ssize_t k
        for k in range(self.n_parts):
            if self.count[k] == 0 or self.size[k] < self.least:
                return False
        return True

    # What the two criteria do each in their way; both have `_settle` and `_look` too.

    cdef void _open(self, const int32_t[::1] order) noexcept nogil:
        pass

    cdef void _move(self, Py_ssize_t i) noexcept nogil:
        pass

    cdef double _at(self, Py_ssize_t p) noexcept nogil:
        return -INFINITY


cdef class Silhouette(Criterion):
    """The mean over rows of (b - a) / max(a, b).

    ``a`` is the mean distance of a row to the others of its leaf, ``b`` the least mean distance to
    another leaf. A row alone in its leaf has silhouette 0, and so has a single leaf. Weight 2 is
    the row twice.
    """

    cdef double total               # weight of all rows
    cdef double[:, ::1] sums        # [leaf, row]
    cdef double[::1] leaf_size
    cdef double[::1] own            # see silhouette_rows
    cdef double[::1] nearest
    cdef double[::1] share
    cdef double[::1] part
    cdef double[:, ::1] right_sums  # [part, row] where every row is on the right
    cdef double[:, ::1] part_sums   # [part, row] now
    cdef double[::1] inverse        # see silhouette_parts
    cdef double[::1] inverse_own
    cdef double[::1] counts

    def _settle(self):
        cdef Py_ssize_t i, k
        self.total = float(np.sum(self.weight))
        self.sums = np.zeros((self.n_leaves, self.n))
        self.leaf_size = np.zeros(self.n_leaves)
        with nogil:
            for i in range(self.n):
                k = self.leaf[i]
                self.leaf_size[k] += self.weight[i]
                silhouette_add(&self.sums[k, 0], &self.distance[i, 0], self.weight[i], self.n)
        if self.n_leaves == 1:
            return 0.0
        # Nothing is put aside: no row is in a part.
        self.first = self.last = 0
        self.set_outside()
        self.make_parts(0)
        return self.judge(0)

    def _look(self):
        cdef Py_ssize_t p, i
        self.set_outside()
        self.make_parts(self.n_parts)
        with nogil:
            for p in range(self.rows.shape[0]):
                i = self.rows[p]
                silhouette_add(
                    &self.right_sums[self.right[i], 0], &self.distance[i, 0], self.weight[i],
                    self.n)

    def make_parts(self, Py_ssize_t n_parts):
        self.part = np.full(self.n, -1.0)
        self.inverse, self.inverse_own = np.zeros(n_parts), np.zeros(n_parts)
        self.counts = np.zeros(n_parts)
        self.right_sums = np.zeros((n_parts, self.n))
        self.part_sums = np.empty((n_parts, self.n))

    def set_outside(self):
        """What the leaves that stay make of each row."""
        cdef Py_ssize_t i, k
        cdef double inverse, inverse_own, mean
        self.own, self.share = np.zeros(self.n), np.zeros(self.n)
        self.nearest = np.full(self.n, INFINITY)
        with nogil:
            for k in range(self.n_leaves):
                if self.first <= k < self.last:
                    continue
                inverse = 1.0 / self.leaf_size[k]
                inverse_own = own_inverse(self.leaf_size[k])
                for i in range(self.n):
                    if self.leaf[i] == k:
                        self.own[i] = self.sums[k, i] * inverse_own
                        self.share[i] = self.weight[i] if inverse_own > 0.0 else 0.0
                        continue
                    mean = self.sums[k, i] * inverse
                    if mean < self.nearest[i]:
                        self.nearest[i] = mean

    cdef void weigh(self, double[::1] size) noexcept nogil:
        cdef Py_ssize_t k
        for k in range(size.shape[0]):
            self.inverse[k] = 1.0 / size[k]
            self.inverse_own[k] = own_inverse(size[k])
            self.counts[k] = 1.0 if self.inverse_own[k] > 0.0 else 0.0

    cdef double judge(self, Py_ssize_t n_parts) noexcept nogil:
        cdef silhouette_rows rows
        cdef silhouette_parts parts
        rows.count, rows.part, rows.own = self.n, &self.part[0], &self.own[0]
        rows.nearest, rows.share = &self.nearest[0], &self.share[0]
        rows.weight = &self.weight[0]
        parts.count = n_parts
        if n_parts > 0:
            parts.sums, parts.inverse = &self.part_sums[0, 0], &self.inverse[0]
            parts.inverse_own, parts.counts = &self.inverse_own[0], &self.counts[0]
        return silhouette_sum(&rows, &parts) / self.total

    cdef void _open(self, const int32_t[::1] order) noexcept nogil:
        cdef Py_ssize_t p
        self.part_sums[:, :] = self.right_sums
        for p in range(order.shape[0]):
            self.part[order[p]] = self.right[order[p]]

    cdef void _move(self, Py_ssize_t i) noexcept nogil:
        self.part[i] = self.left[i]
        silhouette_move(
            &self.part_sums[self.right[i], 0], &self.part_sums[self.left[i], 0],
            &self.distance[i, 0], self.weight[i], self.n)

    cdef double _at(self, Py_ssize_t p) noexcept nogil:
        self.weigh(self.size)
        return self.judge(self.n_parts)


cdef double own_inverse(double size) noexcept nogil:
    """1 over the weight of the others of a row's leaf; 0 where there are none."""
    return 1.0 / (size - 1.0) if size > ONE_ROW else 0.0


cdef class Dunn(Criterion):
    """The least distance between rows of different leaves over the largest within a leaf.

    0 for a single leaf; infinite where all rows of each leaf are equal. ``edges`` and ``length``
    are what :func:`spanning_tree` makes of the distances.
    """

    cdef int32_t[:, ::1] edges      # [edge, end] of the minimum spanning tree, shortest first
    cdef double[::1] length         # [edge]
    cdef double[::1] diameter       # [leaf]
    cdef double apart               # least distance that no part can change
    cdef double wide                # largest diameter of the leaves that stay
    cdef int32_t[::1] inner         # edges between rows that are looked at
    cdef int32_t[::1] place         # [row] its position in the order of the feature
    cdef int32_t[::1] next          # [rows on the left] a later number that no edge has claimed
    cdef double[::1] gap            # [rows on the left] least distance between parts
    cdef double[::1] width          # [rows on the left] largest diameter
    cdef int32_t[:, ::1] member     # [part, ...] rows

    def __init__(self, distance, weight, double least, stop, edges, length):
        super().__init__(distance, weight, least, stop)
        self.edges, self.length = edges, length

    def _settle(self):
        cdef Py_ssize_t i, e
        self.diameter = np.zeros(self.n_leaves)
        self.member = np.empty((self.n_leaves, self.n), dtype=np.int32)
        cdef int32_t[::1] count = np.zeros(self.n_leaves, dtype=np.int32)
        cdef double apart = INFINITY, wide = 0.0, far
        with nogil:
            for i in range(self.n):
                far = self.farthest(self.leaf[i], count[self.leaf[i]], i)
                self.diameter[self.leaf[i]] = max(self.diameter[self.leaf[i]], far)
                wide = max(wide, far)
                count[self.leaf[i]] += 1
                if self.stop[0]:
                    break
            for e in range(self.length.shape[0]):
                if self.leaf[self.edges[e, 0]] != self.leaf[self.edges[e, 1]]:
                    apart = self.length[e]
                    break
        return ratio(apart, wide)

    cdef double farthest(self, Py_ssize_t k, Py_ssize_t count, Py_ssize_t i) noexcept nogil:
        """The largest distance of a row to those of a part, which it then joins."""
        cdef Py_ssize_t t
        cdef double far = 0.0
        cdef const double* row = &self.distance[i, 0]
        for t in range(count):
            if row[self.member[k, t]] > far:
                far = row[self.member[k, t]]
        self.member[k, count] = <int32_t>i
        return far

    def _look(self):
        cdef Py_ssize_t k, e, n_inner = 0
        cdef bint a, b
        self.apart, self.wide = INFINITY, 0.0
        for k in range(self.n_leaves):
            if not self.first <= k < self.last:
                self.wide = max(self.wide, self.diameter[k])
        cdef int32_t[::1] inner = np.empty(self.length.shape[0], dtype=np.int32)
        for e in range(self.length.shape[0]):
            a = self.first <= self.leaf[self.edges[e, 0]] < self.last
            b = self.first <= self.leaf[self.edges[e, 1]] < self.last
            if a and b:
                inner[n_inner] = <int32_t>e
                n_inner += 1
            elif self.leaf[self.edges[e, 0]] != self.leaf[self.edges[e, 1]]:
                self.apart = min(self.apart, self.length[e])
        self.inner = inner[:n_inner]
        m = len(self.rows)
        self.place, self.next = np.zeros(self.n, np.int32), np.empty(m + 2, np.int32)
        self.gap, self.width = np.empty(m + 1), np.empty(m + 1)
        self.member = np.empty((self.n_parts, m), dtype=np.int32)

    cdef void _open(self, const int32_t[::1] order) noexcept nogil:
        self.find_gaps(order)
        self.find_widths(order)

    cdef void find_gaps(self, const int32_t[::1] order) noexcept nogil:
        """The least distance between parts, by how many rows are on the left.

        An edge between the rows in places p < q of the order is between parts for p + 1, ..., q
        rows on the left. For fewer it is where its ends are in different parts on the right, for
        more where they are on the left.
        """
        cdef Py_ssize_t t, e, p, q, a, b, m = order.shape[0]
        # The table of widths, not yet in use, holds what counts for few rows on the left.
        self.next[m + 1] = <int32_t>(m + 1)
        for t in range(m + 1):
            self.next[t] = <int32_t>t
            self.gap[t] = self.width[t] = INFINITY
        for t in range(m):
            self.place[order[t]] = <int32_t>t
        for t in range(self.inner.shape[0]):
            e = self.inner[t]
            a, b = self.edges[e, 0], self.edges[e, 1]
            p, q = min(self.place[a], self.place[b]), max(self.place[a], self.place[b])
            if self.left[a] != self.left[b]:
                self.gap[q + 1] = min(self.gap[q + 1], self.length[e])
            if self.right[a] != self.right[b]:
                self.width[p] = min(self.width[p], self.length[e])
        for t in range(1, m + 1):
            self.gap[t] = min(self.gap[t], self.gap[t - 1])
        for t in range(m - 1, -1, -1):
            self.width[t] = min(self.width[t], self.width[t + 1])
        for t in range(m + 1):
            self.gap[t] = min(self.apart, min(self.gap[t], self.width[t]))
        # Shortest edges first: what one has claimed no other can make less.
        for t in range(self.inner.shape[0]):
            e = self.inner[t]
            a, b = self.edges[e, 0], self.edges[e, 1]
            q = max(self.place[a], self.place[b])
            p = self.unclaimed(min(self.place[a], self.place[b]) + 1)
            while p <= q:
                self.gap[p] = min(self.gap[p], self.length[e])
                self.next[p] = <int32_t>(p + 1)
                p = self.unclaimed(p)

    cdef Py_ssize_t unclaimed(self, Py_ssize_t p) noexcept nogil:
        """The first number of rows, from p on, that no edge has claimed."""
        while self.next[p] != p:
            self.next[p] = self.next[self.next[p]]
            p = self.next[p]
        return p

    cdef void find_widths(self, const int32_t[::1] order) noexcept nogil:
        """The largest diameter, by how many rows are on the left."""
        cdef Py_ssize_t t, i, k, m = order.shape[0]
        cdef double wide = self.wide
        # The counts of the scan are lent: it sets them after this.
        self.count[:] = 0
        self.width[0] = wide
        for t in range(m):
            i = order[t]
            k = self.left[i]
            wide = max(wide, self.farthest(k, self.count[k], i))
            self.count[k] += 1
            self.width[t + 1] = wide
            if self.stop[0]:
                return
        wide = 0.0
        self.count[:] = 0
        for t in range(m - 1, -1, -1):
            i = order[t]
            k = self.right[i]
            wide = max(wide, self.farthest(k, self.count[k], i))
            self.count[k] += 1
            self.width[t] = max(self.width[t], wide)
            if self.stop[0]:
                return

    cdef double _at(self, Py_ssize_t p) noexcept nogil:
        return ratio(self.gap[p + 1], self.width[p + 1])


cdef double ratio(double apart, double wide) noexcept nogil:
    if apart == 0.0 or apart == INFINITY:
        return 0.0
    return apart / wide if wide > 0.0 else INFINITY


def spanning_tree(const double[:, ::1] distance):
    """The edges of a minimum spanning tree, shortest first, and their lengths (Prim)."""
    cdef Py_ssize_t n = distance.shape[0], i = 0, j, step, new
    cdef double best
    cdef int32_t[:, ::1] edges = np.zeros((max(n - 1, 0), 2), dtype=np.int32)
    cdef double[::1] length = np.zeros(max(n - 1, 0))
    cdef double[::1] near = np.full(n, INFINITY)
    cdef int32_t[::1] towards = np.zeros(n, dtype=np.int32)
    cdef uint8_t[::1] inside = np.zeros(n, dtype=np.uint8)
    with nogil:
        for step in range(n - 1):
            inside[i] = 1
            new, best = -1, INFINITY
            for j in range(n):
                if inside[j]:
                    continue
                if distance[i, j] < near[j]:
                    near[j], towards[j] = distance[i, j], <int32_t>i
                if new < 0 or near[j] < best:
                    new, best = j, near[j]
            edges[step, 0], edges[step, 1], length[step] = towards[new], <int32_t>new, best
            i = new
    order = np.argsort(length, kind="stable")
    return np.ascontiguousarray(np.asarray(edges)[order]), np.asarray(length)[order]
