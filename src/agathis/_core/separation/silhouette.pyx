# The mean silhouette of a partition of rows: see criterion.pyx.
#
# sums[k, i] is the distance of row i to leaf k, summed over its rows by weight. A row that changes
# its part changes two such sums for each row, so that m rows cost O(n m).
import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t

from agathis._core.separation.criterion cimport Criterion


cdef extern from "separation/silhouette_loops.h" nogil:
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


# A leaf of no more weight than one row is one row but for the rounding of sums.
cdef double ONE_ROW = 1.0 + 1e-12


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
        return self.mean_silhouette(0)

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

    cdef double mean_silhouette(self, Py_ssize_t n_parts) noexcept nogil:
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
        cdef const double* row = &self.distance[i, 0]
        silhouette_add(&self.part_sums[self.right[i], 0], row, -self.weight[i], self.n)
        silhouette_add(&self.part_sums[self.left[i], 0], row, self.weight[i], self.n)

    cdef double _at(self, Py_ssize_t p) noexcept nogil:
        self.weigh(self.size)
        return self.mean_silhouette(self.n_parts)


cdef double own_inverse(double size) noexcept nogil:
    """1 over the weight of the others of a row's leaf; 0 where there are none."""
    return 1.0 / (size - 1.0) if size > ONE_ROW else 0.0
