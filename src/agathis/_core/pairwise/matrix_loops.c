#include "pairwise/matrix_loops.h"

#include <float.h>
#include <math.h>

#include "shared/clones.h"

AGATHIS_CLONES matrix_look
matrix_look_over(const double *matrix, ptrdiff_t n, ptrdiff_t first)
{
    double mirror[MATRIX_TILE][MATRIX_TILE];
    double largest[MATRIX_TILE] = {0}, apart[MATRIX_TILE] = {0};
    int32_t bad[MATRIX_TILE] = {0};
    const ptrdiff_t rows = n - first < MATRIX_TILE ? n - first : MATRIX_TILE;
    matrix_look seen = {0.0, 0.0, 0};

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
    for (int j = 0; j < MATRIX_TILE; ++j) {
        seen.largest = largest[j] > seen.largest ? largest[j] : seen.largest;
        seen.apart = apart[j] > seen.apart ? apart[j] : seen.apart;
        seen.bad |= bad[j];
    }
    return seen;
}
