# The tree of few leaves that costs least: see optimum.h.
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint64_t

from agathis._core.shared.limits cimport limits_from, tree_limits


cdef extern from "search/optimum.h" nogil:
    enum:
        OPTIMUM_LEAVES
        OPTIMUM_WIDE

    ctypedef struct optimum_data:
        Py_ssize_t n
        Py_ssize_t d
        Py_ssize_t width
        const double* point
        const double* weight
        const double* square
        const int32_t* code
        const int32_t* order
        const uint64_t* key
        const tree_limits* limits
        int limited
        double slack

    ctypedef struct optimum_split:
        int32_t feature
        int32_t last
        int32_t n_left

    ctypedef struct optimum_answer:
        double cost
        int is_exact
        int n_cuts
        optimum_split* cuts

    ctypedef struct optimum_search:
        pass

    ctypedef int (*optimum_poll)(void* self, double cost, double bound) noexcept nogil

    optimum_search* optimum_open(const optimum_data* data, optimum_poll poll, void* self)
    void optimum_close(optimum_search* s)
    int optimum_run(
        optimum_search* s, double scatter, double cap, optimum_answer* answer, double* bound,
        int64_t* counts)


#: The most leaves of a tree, and the most components of a point.
MAX_LEAVES = OPTIMUM_LEAVES
MAX_COMPONENTS = OPTIMUM_WIDE


cdef class Watch:
    """Who is asked now and then whether to go on; keeps what was raised meanwhile."""

    cdef object ask
    cdef object error

    def __init__(self, ask):
        self.ask, self.error = ask, None


cdef int poll(void* self, double cost, double bound) noexcept nogil:
    with gil:
        watch = <Watch>self
        try:
            PyErr_CheckSignals()
            return bool(watch.ask(cost, bound))
        except BaseException as error:
            watch.error = error
            return 1


def find_optimum(
    const double[:, ::1] point, const double[::1] weight, const double[::1] square,
    const int32_t[:, ::1] code, const int32_t[:, ::1] order, const uint64_t[:, ::1] key,
    const tree_limits[::1] limits, double scatter, double cap, double slack, bint limited, ask,
):
    """The best tree below ``cap``: see optimum.h for what is given.

    Parameters
    ----------
    limits : Limits.record
        With a maximum number of leaves.
    ask : callable
        Called now and then with the cost and the bound so far; true ends the search, and so does
        an exception, which is given back.

    Returns
    -------
    cost : float or None
        None where no tree is below ``cap``.
    bound : float
        No tree is below it.
    cuts : list of tuple
        Column, code of the largest value on the left and the number of cuts on the left of each
        cut; those of the left side follow it, then those of the right side.
    counts : tuple of int
        Sets that were scanned, and sets that were known.
    ended : bool
        Whether the search was ended.
    error : BaseException or None
    """
    cdef optimum_data data
    cdef optimum_answer answer
    cdef double bound = 0.0
    cdef int64_t[2] counts
    cdef int ended
    watch = Watch(ask)
    data.n, data.d, data.width = code.shape[1], code.shape[0], point.shape[1]
    data.point, data.weight, data.square = &point[0, 0], &weight[0], &square[0]
    data.code, data.order, data.key = &code[0, 0], &order[0, 0], &key[0, 0]
    data.limits, data.limited = limits_from(limits), limited
    data.slack = slack
    cdef optimum_search* s = optimum_open(&data, poll, <void*>watch)
    if s == NULL:
        raise MemoryError
    try:
        with nogil:
            ended = optimum_run(s, scatter, cap, &answer, &bound, counts)
    finally:
        optimum_close(s)
    if ended < 0:
        raise MemoryError
    cuts = [(answer.cuts[i].feature, answer.cuts[i].last, answer.cuts[i].n_left)
            for i in range(answer.n_cuts)]
    cost = answer.cost if answer.is_exact else None
    return cost, bound, cuts, (counts[0], counts[1]), bool(ended), watch.error
