/* One look over a tile row of a kernel matrix: see matrix.pyx. */
#ifndef AGATHIS_MATRIX_LOOPS_H
#define AGATHIS_MATRIX_LOOPS_H

#include <stddef.h>
#include <stdint.h>

enum { MATRIX_TILE = 32 };

typedef struct {
    double largest; /* largest absolute value */
    double apart;   /* largest |K - K.T| */
    int32_t bad;    /* not 0 where some value is NaN or infinite */
} matrix_look;

/* The tiles right of and on the diagonal, from row `first` on, with their mirror images. */
matrix_look matrix_look_over(const double *matrix, ptrdiff_t n, ptrdiff_t first);

#endif
