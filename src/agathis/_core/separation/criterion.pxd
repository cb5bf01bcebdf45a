# What both criteria (silhouette.pyx, dunn.pyx) know of rows, leaves and parts.
from libc.stdint cimport int32_t, uint8_t


cdef class Criterion:
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

    cdef void _begin(self, const int32_t[::1] order) noexcept nogil
    cdef void _pass(self, Py_ssize_t i) noexcept nogil
    cdef bint _allowed(self) noexcept nogil
    cdef void _open(self, const int32_t[::1] order) noexcept nogil
    cdef void _move(self, Py_ssize_t i) noexcept nogil
    cdef double _at(self, Py_ssize_t p) noexcept nogil
