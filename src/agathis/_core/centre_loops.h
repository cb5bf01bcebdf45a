/* Rows, centres and the cuts between them: see centre_loops.c. */
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
 * the cut must be below, by more than `slack`; room: 2 * width values.
 * OUT best: the sum of both sides.  Returns how many rows are on the left, 0 for no cut. */
ptrdiff_t centre_best_pair(const double *cost, ptrdiff_t width, const int32_t *order,
                           const uint8_t *cut, ptrdiff_t m, ptrdiff_t n_centres,
                           const double *total, double slack, double *room, double *best);

/* What rows cost where the first centres of a feature's order are left and the others right.
 *
 * IN cost[k * stride + i]: of row i with centre k; which, at: the centres in the feature's order,
 * and their values there; value[i]: that of the rows; m <= CENTRE_BLOCK rows.
 * OUT base[j] += the costs with a threshold at at[j], for j < n_centres - 1; change[i]: what the
 * cost changes by when row i, between two centres, goes from right to left. */
void centre_sides(const double *cost, ptrdiff_t stride, const int32_t *which, const double *at,
                  const double *value, ptrdiff_t m, ptrdiff_t n_centres, double *base,
                  double *change);

#endif
