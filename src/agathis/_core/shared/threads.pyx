# How many threads there may be, and work in Python that is shared among them.
from concurrent.futures import ThreadPoolExecutor

cdef extern from "shared/threads.h":
    int max_threads()


def openmp_threads():
    """Threads that OpenMP would use; threadpoolctl and OMP_NUM_THREADS limit it."""
    return max_threads()


def for_each(work, Py_ssize_t count, int threads):
    """Call ``work(0)``, ``work(1)``, ...; NumPy's sorts let other threads run."""
    if threads == 1:
        for i in range(count):
            work(i)
        return
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(work, range(count)):
            pass
