from agathis._core.search.mutable_tree cimport MutableTree
from agathis._core.shared.limits cimport tree_limits


cdef bint weighs_enough(MutableTree tree, Py_ssize_t node, const tree_limits* limits) noexcept nogil
