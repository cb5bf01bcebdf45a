/* How many threads OpenMP would use, and the number of the one that asks; without it there is one. */
#ifndef AGATHIS_THREADS_H
#define AGATHIS_THREADS_H

#ifdef _OPENMP
#include <omp.h>
static inline int
max_threads(void)
{
    return omp_get_max_threads();
}

static inline int
thread_number(void)
{
    return omp_get_thread_num();
}
#else
static inline int
max_threads(void)
{
    return 1;
}

static inline int
thread_number(void)
{
    return 0;
}
#endif

#endif
