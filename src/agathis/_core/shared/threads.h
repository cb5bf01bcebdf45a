/* How many threads OpenMP would use, 1 without it. */
#ifndef AGATHIS_THREADS_H
#define AGATHIS_THREADS_H

#ifdef _OPENMP
#include <omp.h>
static inline int
max_threads(void)
{
    return omp_get_max_threads();
}
#else
static inline int
max_threads(void)
{
    return 1;
}
#endif

#endif
