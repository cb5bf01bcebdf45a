/* One look over a tile row of a kernel matrix: see matrix.pyx. */
#ifndef AGATHIS_MATRIX_LOOPS_H
#define AGATHIS_MATRIX_LOOPS_H

#include <stddef.h>

enum { MATRIX_TILE = 32 };

typedef struct {
    double largest; /* largest absolute value */
    double apart;   /* largest |K - K.T| */
    double zero;    /* 0 where every value is finite, NaN else */
} matrix_look;

/* The tiles right of and on the diagonal, from row `first` on, with their mirror images. */
matrix_look matrix_look_over(const double *matrix, ptrdiff_t n, ptrdiff_t first);

#endif
