from libc.stdint cimport int32_t


# The items of one source in one leaf (shared/category_subsets.h).
cdef class Items:
    cdef readonly int32_t count, categories
    cdef int32_t[::1] code      # [item]
    cdef int32_t[::1] place     # [code] the item, -1 where the leaf has none
    cdef double[::1] weight, samples
    cdef double[:, ::1] kernel_sum   # [item, item]


cdef class Categories:
    cdef readonly Py_ssize_t count      # sources
    cdef int32_t[:, ::1] codes          # [i, g] the sample's code, of all sources one after another
    cdef int32_t[::1] n_categories           # [g] with that of no category, which is the last
    cdef Py_ssize_t[::1] first          # [g] the first code of a source
    cdef Py_ssize_t n_all               # codes of all sources
    cdef readonly list leaves           # [slot][g]
    cdef double[:, ::1] best            # [slot, g] best gain at the last search
