from agathis._core.search.draft cimport Draft


cdef bint weighs_enough(
    Draft draft, Py_ssize_t node, double min_leaf, double min_split
) noexcept nogil
