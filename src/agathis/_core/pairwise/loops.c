/* Ranks instead of orders: a pair belongs to whichever of the two stands later in a
 * feature, and comparing ranks in the samples' own order reads memory in a straight
 * line, eight pairs an instruction, where following the feature's order would gather.
 */
#include "pairwise/loops.h"

#include <math.h>
#include <string.h>

#include "shared/clones.h"

/* OUT sums[r] += the values of row r whose rank is below the row's own; where there are columns, what
 * is not the row's goes to column_sums.  Called with NULL or not, as the compiler knows. */
AGATHIS_INLINE void
below(const double (*restrict values)[PAIR_COLUMNS], const int32_t *restrict ranks,
      const int32_t *row_ranks, ptrdiff_t n, double *restrict sums, double *restrict column_sums)
{
    const int32_t r0 = row_ranks[0], r1 = row_ranks[1], r2 = row_ranks[2], r3 = row_ranks[3];
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    for (ptrdiff_t t = 0; t < n; ++t) {
        const int32_t rank = ranks[t];
        const double v0 = values[0][t], v1 = values[1][t], v2 = values[2][t], v3 = values[3][t];
        const double b0 = rank < r0 ? v0 : 0.0;
        const double b1 = rank < r1 ? v1 : 0.0;
        const double b2 = rank < r2 ? v2 : 0.0;
        const double b3 = rank < r3 ? v3 : 0.0;
        s0 += b0;
        s1 += b1;
        s2 += b2;
        s3 += b3;
        if (column_sums)
            column_sums[t] += ((v0 - b0) + (v1 - b1)) + ((v2 - b2) + (v3 - b3));
    }
    sums[0] += s0;
    sums[1] += s1;
    sums[2] += s2;
    sums[3] += s3;
}

AGATHIS_CLONES void
pairs_before(const double *const rows[PAIR_ROWS], const double *row_half,
             const double *row_weight, const int32_t *row_ranks, const double *half,
             const double *weight, const int32_t *ranks, ptrdiff_t n, ptrdiff_t n_features,
             double *before, double *total, double *absolute)
{
    double values[PAIR_ROWS][PAIR_COLUMNS];
    memset(before, 0, sizeof(double) * PAIR_ROWS * (size_t)n_features);
    for (int r = 0; r < PAIR_ROWS; ++r)
        total[r] = absolute[r] = 0.0;
    for (ptrdiff_t first = 0; first < n; first += PAIR_COLUMNS) {
        const ptrdiff_t length = n - first < PAIR_COLUMNS ? n - first : PAIR_COLUMNS;
        for (int r = 0; r < PAIR_ROWS; ++r) {
            const double *restrict row = rows[r] + first;
            const double *restrict h = half + first;
            const double *restrict w = weight + first;
            double *restrict out = values[r];
            double sum = 0.0, magnitude = 0.0;
            for (ptrdiff_t t = 0; t < length; ++t) {
                const double value = (row[t] - row_half[r] - h[t]) * (row_weight[r] * w[t]);
                out[t] = value;
                sum += value;
                magnitude += fabs(value);
            }
            total[r] += sum;
            absolute[r] += magnitude;
        }
        for (ptrdiff_t f = 0; f < n_features; ++f)
            below((const double (*)[PAIR_COLUMNS])values, ranks + f * n + first,
                  row_ranks + f * PAIR_ROWS, length, before + f * PAIR_ROWS, NULL);
    }
}

AGATHIS_CLONES void
pairs_between(const double *const rows[PAIR_ROWS], const double *row_half,
              const double *row_weight, const int32_t *row_ranks, const int32_t *ids,
              const double *half, const double *weight, const int32_t *ranks,
              ptrdiff_t stride, ptrdiff_t n, ptrdiff_t n_features, double *row_sums,
              double *column_sums)
{
    double values[PAIR_ROWS][PAIR_COLUMNS];
    for (ptrdiff_t first = 0; first < n; first += PAIR_COLUMNS) {
        const ptrdiff_t length = n - first < PAIR_COLUMNS ? n - first : PAIR_COLUMNS;
        for (int r = 0; r < PAIR_ROWS; ++r) {
            const double *restrict row = rows[r];
            double *restrict out = values[r];
            for (ptrdiff_t t = 0; t < length; ++t) {
                const int32_t id = ids[first + t];
                out[t] = (row[id] - row_half[r] - half[id]) * (row_weight[r] * weight[id]);
            }
        }
        for (ptrdiff_t f = 0; f < n_features; ++f)
            below((const double (*)[PAIR_COLUMNS])values, ranks + f * stride + first,
                  row_ranks + f * PAIR_ROWS, length, row_sums + f * PAIR_ROWS,
                  column_sums + f * stride + first);
    }
}

AGATHIS_CLONES void
pairs_add(const double *const rows[PAIR_ROWS], const double *row_half, const double *row_weight,
          const double *half, ptrdiff_t n, double *sums)
{
    const double *restrict k0 = rows[0], *restrict k1 = rows[1];
    const double *restrict k2 = rows[2], *restrict k3 = rows[3];
    const double h0 = row_half[0], h1 = row_half[1], h2 = row_half[2], h3 = row_half[3];
    const double w0 = row_weight[0], w1 = row_weight[1], w2 = row_weight[2], w3 = row_weight[3];
    for (ptrdiff_t t = 0; t < n; ++t) {
        const double h = half[t];
        sums[t] += ((k0[t] - h0 - h) * w0 + (k1[t] - h1 - h) * w1) +
                   ((k2[t] - h2 - h) * w2 + (k3[t] - h3 - h) * w3);
    }
}
