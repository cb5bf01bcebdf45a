/* Inner loops of the silhouette: see silhouette.pyx. */
#ifndef AGATHIS_SILHOUETTE_LOOPS_H
#define AGATHIS_SILHOUETTE_LOOPS_H

#include <stddef.h>

/* Parts: the leaves that a search moves rows between. */
typedef struct {
    ptrdiff_t count;
    const double *sums;        /* [part, row] distances of a row to the part, summed */
    const double *inverse;     /* [part] 1 / size */
    const double *inverse_own; /* [part] 1 / (size - 1), for the part's own rows */
    const double *counts;      /* [part] 0 where the part is one row, whose silhouette is 0 */
} silhouette_parts;

/* Rows, and what leaves that are no parts make of them. */
typedef struct {
    ptrdiff_t count;
    const double *part;    /* [row] its part, -1 where it is in none */
    const double *own;     /* [row] mean distance to its leaf, where that is no part */
    const double *nearest; /* [row] least mean distance to another leaf that is no part */
    const double *share;   /* [row] its weight, 0 where it is alone in a leaf that is no part */
    const double *weight;  /* [row] its weight */
} silhouette_rows;

/* The weighted sum of all silhouettes. */
double silhouette_sum(const silhouette_rows *rows, const silhouette_parts *parts);

/* Add `weight` times the distances of one row to the sums of a part; less than 0 takes them off. */
void silhouette_add(double *sums, const double *distance, double weight, ptrdiff_t n);

#endif
