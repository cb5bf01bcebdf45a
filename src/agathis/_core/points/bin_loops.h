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

/* IN x: n rows of n_features values, `stride` values apart; edges[f * BIN_EDGES]; steps[f]: the
 * largest power of two below the number of bins, 0 for one bin.  OUT bin[r * n_features + f]:
 * how many edges lie below the value. */
void bins_of_floats(const float *x, ptrdiff_t stride, ptrdiff_t n, ptrdiff_t n_features,
                    const float *edges, const int32_t *steps, uint8_t *bin);
void bins_of_doubles(const double *x, ptrdiff_t stride, ptrdiff_t n, ptrdiff_t n_features,
                     const double *edges, const int32_t *steps, uint8_t *bin);

/* IN x: rows `stride` values apart, of which `ids` are taken: n now, and `ahead` of them, these
 * included, sooner or later.  OUT: weight * (x - origin), or
 * weight * gap where x is missing; padded with zeros.  Returns the weighted sum of their squares
 * where `squares`, else 0. */
double points_of_floats(const float *x, ptrdiff_t stride, const int32_t *ids, ptrdiff_t n,
                        ptrdiff_t ahead, const double *origin, const double *gap,
                        const double *weight, ptrdiff_t n_components, ptrdiff_t width,
                        int squares, double *out);
double points_of_doubles(const double *x, ptrdiff_t stride, const int32_t *ids, ptrdiff_t n,
                         ptrdiff_t ahead, const double *origin, const double *gap,
                         const double *weight, ptrdiff_t n_components, ptrdiff_t width,
                         int squares, double *out);

/* OUT out[f * n + r]: the bin of feature f of row ids[r]; IN bin: rows `stride` bytes apart. */
void bins_take(const uint8_t *bin, ptrdiff_t stride, const int32_t *ids, ptrdiff_t n,
               ptrdiff_t ahead, ptrdiff_t n_features, uint8_t *out);

/* Add n points to the sums of their bins along one feature.  Where weight is NULL all weights
 * are 1, and the total is the count. */
void bins_add(const double *points, ptrdiff_t width, const uint8_t *bin, const double *weight,
              ptrdiff_t n, double *sum, double *count, double *total);

/* OUT missing[f] += how many values are NaN; returns whether some value is infinite. */
int look_over_floats(const float *x, ptrdiff_t stride, ptrdiff_t n, ptrdiff_t n_features,
                     int64_t *missing);
int look_over_doubles(const double *x, ptrdiff_t stride, ptrdiff_t n, ptrdiff_t n_features,
                      int64_t *missing);

#endif
