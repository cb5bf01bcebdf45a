# How well leaves are separated: what the mean silhouette and the Dunn index of a partition share.
#
# Both (silhouette.pyx, dunn.pyx) have the same methods. `settle` sets the leaf of every row. `look`
# takes out the leaves first, ..., last - 1: their rows are assigned to `n_parts` new parts, and all
# other leaves stay. `scan` evaluates all thresholds of a feature: rows move in its order, one after
# the other, from their part on the right of the threshold to that on the left. `value` evaluates
# the partition before any has moved.
#
#     order     a b | c d e     a is in part left[a], b in left[b]; c in right[c], ...
import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t


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
