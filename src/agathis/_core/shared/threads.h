/* How many threads OpenMP would use; without it there is one. */
#ifndef AGATHIS_THREADS_H
#define AGATHIS_THREADS_H

#ifdef _OPENMP
#include <omp.h>
#endif

static inline int
max_threads(void)
{
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

#endif
