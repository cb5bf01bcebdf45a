/* One look over a tile row of a kernel matrix: see matrix.pyx. */
#ifndef AGATHIS_MATRIX_LOOPS_H
#define AGATHIS_MATRIX_LOOPS_H

#include <stddef.h>
#include <stdint.h>

enum { MATRIX_TILE = 32 };

/* The tiles right of and on the diagonal, from row `first` on, with their mirror images.
 * OUT seen: the largest absolute value, the largest |K - K.T|, and whether a value is NaN or
 * infinite. */
void matrix_look_over(const double *matrix, ptrdiff_t n, ptrdiff_t first, double seen[3]);

#endif
