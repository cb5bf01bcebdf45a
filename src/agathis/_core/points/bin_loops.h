/* Rows of data become bins, and bins become sums: see bin_loops.c. */
#ifndef AGATHIS_BIN_LOOPS_H
#define AGATHIS_BIN_LOOPS_H

#include <stddef.h>
#include <stdint.h>

enum {
    BIN_MISSING = 255, /* the bin of missing values */
    BIN_EDGES = 256,   /* edges of a feature, filled up with infinity */
    BIN_COUNT = 256    /* bins of a feature in a histogram, that of missing values included */
};

/* Rows of numbers, of single or double precision, `stride` values apart. */
typedef struct {
    const void *values;
    int single;
    ptrdiff_t stride;
} data_rows;

/* Fill the bins of n rows of n_features values.
 *
 * IN edges[f * BIN_EDGES]; steps[f]: the largest power of two below the number of bins, 0 for one
 * bin.  OUT bin[r * n_features + f]: how many edges lie below the value. */
void bins_of(const data_rows *rows, ptrdiff_t n, ptrdiff_t n_features, const double *edges,
             const int32_t *steps, uint8_t *bin);

/* A grid that points lie on: component j of a point is a whole number of 1 / steps[j], a power of
 * two, off the origin.  Steps are such that no sum over rows leaves 64 bits. */
typedef struct {
    const double *origin, *gap; /* `gap` stands for a missing component, off the origin */
    const double *steps;
    double ratio; /* of weights: 1, less where they are so large that steps must be coarser */
} point_grid;

/* Make points of some rows, padded with zeros.
 *
 * IN ids: those that are taken, n now, and `ahead` of them, these included, sooner or later.
 * OUT: weight * (x - origin), or weight * gap where x is missing, in steps.  What is beyond 2^62
 * steps is cut, and most[j] raised to the largest of these. */
void points_of(const data_rows *rows, const int32_t *ids, ptrdiff_t n, ptrdiff_t ahead,
               const point_grid *grid, const double *weight, ptrdiff_t n_components,
               ptrdiff_t width, double *most, int64_t *out);

/* Add the lengths of n points, component by component; 2^32 high[j] + low[j] is their sum. */
void points_weigh(const int64_t *points, ptrdiff_t n, ptrdiff_t width, uint64_t *high,
                  uint64_t *low);

/* OUT out[f * n + r]: the bin of feature f of row ids[r]; IN bin: rows `stride` bytes apart. */
void bins_take(const uint8_t *bin, ptrdiff_t stride, const int32_t *ids, ptrdiff_t n,
               ptrdiff_t ahead, ptrdiff_t n_features, uint8_t *out);

/* Add n points to the sums of their bins along one feature.  Where weight is NULL all weights
 * are 1, and the total is the count. */
void bins_add(const int64_t *points, ptrdiff_t width, const uint8_t *bin, const int64_t *weight,
              ptrdiff_t n, int64_t *sum, int64_t *count, int64_t *total);

/* OUT missing[f] += how many values of n rows are NaN; returns whether some value is infinite. */
int look_over_rows(const data_rows *rows, ptrdiff_t n, ptrdiff_t n_features, int64_t *missing);

#endif
