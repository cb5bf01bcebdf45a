from libc.stdint cimport int32_t, uint8_t

from agathis._core.points.leaves cimport PointState
from agathis._core.points.point_categories cimport PointCategories
from agathis._core.points.views cimport Views


cdef double search_subsets(
    PointState s, Views views, const int32_t[::1] leaf_indices, PointCategories categories,
    const uint8_t[:, ::1] drawn, double tolerance,
) except? -1.0
