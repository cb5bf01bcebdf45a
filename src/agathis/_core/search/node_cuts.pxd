from agathis._core.search.draft cimport Draft
from agathis._core.shared.limits cimport tree_limits


cdef bint weighs_enough(Draft draft, Py_ssize_t node, const tree_limits* limits) noexcept nogil
