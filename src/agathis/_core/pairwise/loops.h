/* The inner loops over pairs of samples: see updates.pyx for what they are for. */
#ifndef AGATHIS_PAIR_LOOPS_H
#define AGATHIS_PAIR_LOOPS_H

#include <stddef.h>
#include <stdint.h>

enum {
    PAIR_ROWS = 4,     /* kernel rows that share one pass over the ranks */
    PAIR_COLUMNS = 512 /* columns of a pass: four rows of them stay in the first cache */
};

/* Values here are in distance form, d(i, j) = k(i, j) - half[i] - half[j], with
 * half[i] = k(i, i) / 2: no gain changes, and a constant in the kernel costs no digits. */

/* Four rows against all n columns.
 * OUT before[f * 4 + r]: sum of w_r w_j d(r, j) over the j of smaller rank than r in f;
 * OUT total[r], absolute[r]: sums of w_r w_j d(r, j), and of its absolute value, over j. */
void pairs_before(
    const double *const rows[PAIR_ROWS], const double *row_half, const double *row_weight,
    const int32_t *row_ranks, const double *half, const double *weight,
    const int32_t *ranks, ptrdiff_t n, ptrdiff_t n_features,
    double *before, double *total, double *absolute);

/* Four rows of one side of a cut against `n` columns (ids) of the other side.
 * Each pair goes to the later of the two in f:
 * INOUT row_sums[f * 4 + r] += and column_sums[f * stride + t] +=. */
void pairs_between(
    const double *const rows[PAIR_ROWS], const double *row_half, const double *row_weight,
    const int32_t *row_ranks, const int32_t *ids, const double *half, const double *weight,
    const int32_t *ranks, ptrdiff_t stride, ptrdiff_t n, ptrdiff_t n_features,
    double *row_sums, double *column_sums);

/* INOUT sums[j] += sum over the four rows of w_r d(r, j), for n columns. */
void pairs_add(
    const double *const rows[PAIR_ROWS], const double *row_half, const double *row_weight,
    const double *half, ptrdiff_t n, double *sums);

#endif
