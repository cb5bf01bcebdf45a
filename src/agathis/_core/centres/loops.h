/* Rows, centres and the cuts between them: see loops.c. */
#ifndef AGATHIS_CENTRE_LOOPS_H
#define AGATHIS_CENTRE_LOOPS_H

#include <stddef.h>
#include <stdint.h>

enum {
    CENTRE_PAD = 8,    /* the distances of a row are filled up to a multiple of this */
    CENTRE_BLOCK = 256 /* rows whose nearest centres are found side by side */
};

/* IN x: n rows of d values; centre[f * width + k].  OUT out[i * width + k]: squared distances. */
void centre_distances(const double *x, ptrdiff_t n, ptrdiff_t d, const double *centre,
                      ptrdiff_t width, double *out);

/* The cut of rows in a feature's order after which both sides cost least, each side going to
 * the one centre that is best for it.
 *
 * IN cost[i * width + k]: what row i costs with centre k, never negative; order, cut: the m rows
 * in order, and whether a threshold fits after each; total[k]: the sum over all rows; best: what
 * the cut must be below, by more than `slack`; workspace: 2 * width values.
 * OUT best: the sum of both sides.  Returns how many rows are on the left, 0 for no cut. */
ptrdiff_t centre_best_pair(const double *cost, ptrdiff_t width, const int32_t *order,
                           const uint8_t *cut, ptrdiff_t m, ptrdiff_t n_centres,
                           const double *total, double slack, double *workspace, double *best);

/* What rows cost where the first centres of a feature's order are left and the others right.
 *
 * IN cost[k * stride + i]: of row i with centre k; which, at: the centres in the feature's order,
 * and their values there; value[i]: that of the rows; m <= CENTRE_BLOCK rows.
 * OUT for j < n_centres - 1, before[j] += what rows up to at[j] cost on the left of a threshold
 * between at[j] and at[j + 1], after[j] += what those from at[j + 1] on cost on its right; left[i],
 * right[i]: what row i, between two centres, costs on either side of a threshold between them.
 * They stay apart: a row may cost next to nothing on one side and more than all others together
 * on the other, and would take their digits with it. */
void centre_sides(const double *cost, ptrdiff_t stride, const int32_t *which, const double *at,
                  const double *value, ptrdiff_t m, ptrdiff_t n_centres, double *before,
                  double *after, double *left, double *right);

#endif
