#include "pairwise/matrix_loops.h"

#include <float.h>
#include <math.h>

#include "shared/clones.h"

AGATHIS_CLONES void
matrix_look_over(const double *matrix, ptrdiff_t n, ptrdiff_t first, double seen[3])
{
    double mirror[MATRIX_TILE][MATRIX_TILE];
    double largest[MATRIX_TILE] = {0}, apart[MATRIX_TILE] = {0};
    int32_t bad[MATRIX_TILE] = {0};
    const ptrdiff_t rows = n - first < MATRIX_TILE ? n - first : MATRIX_TILE;

    for (ptrdiff_t column = first; column < n; column += MATRIX_TILE) {
        const ptrdiff_t columns = n - column < MATRIX_TILE ? n - column : MATRIX_TILE;
        for (ptrdiff_t j = 0; j < columns; ++j)
            for (ptrdiff_t i = 0; i < rows; ++i)
                mirror[i][j] = matrix[(column + j) * n + first + i];
        for (ptrdiff_t i = 0; i < rows; ++i) {
            const double *restrict row = matrix + (first + i) * n + column;
            const double *restrict other = mirror[i];
            for (ptrdiff_t j = 0; j < columns; ++j) {
                const double size = fabs(row[j]), difference = fabs(row[j] - other[j]);
                largest[j] = size > largest[j] ? size : largest[j];
                apart[j] = difference > apart[j] ? difference : apart[j];
                bad[j] |= !(size <= DBL_MAX) | !(fabs(other[j]) <= DBL_MAX);
            }
        }
    }
    seen[0] = seen[1] = seen[2] = 0.0;
    for (int j = 0; j < MATRIX_TILE; ++j) {
        seen[0] = largest[j] > seen[0] ? largest[j] : seen[0];
        seen[1] = apart[j] > seen[1] ? apart[j] : seen[1];
        seen[2] = bad[j] ? 1.0 : seen[2];
    }
}
