# The Dunn index of a partition of rows: see criterion.pyx.
#
# The least distance between rows of different leaves is that of an edge of the minimum spanning
# tree of all rows, whatever the leaves are: of the edges that a partition cuts the shortest is in
# that tree. So n - 1 edges stand for all pairs. A part grows while the threshold moves away from
# it, and its diameter with it.
import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t

from agathis._core.separation.criterion cimport Criterion


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
