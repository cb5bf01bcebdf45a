# The number of threads that OpenMP would use.
cdef extern from "shared/threads.h":
    int max_threads()


def openmp_threads():
    """Threads that OpenMP would use; threadpoolctl and OMP_NUM_THREADS limit it."""
    return max_threads()
