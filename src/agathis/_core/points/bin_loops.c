/* Loops over rows of data, in single and in double precision.
 *
 * Bins are found by a binary search without branches, many rows side by side.  To sum, some
 * rows are first made points, centred, padded and in whole steps of a grid; these stay in the
 * cache while they are added to the histogram of each feature.  Sums of whole numbers are exact:
 * they do not depend on the order of the rows, nor on who sums which of them.
 */
#include "points/bin_loops.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "shared/clones.h"

enum {
    BIN_ROWS = 128,
    LANES = 8,      /* points are padded to a multiple of it */
    ROWS_AHEAD = 24 /* rows lie anywhere: the next ones are asked for before they are needed */
};

/* Each loop over rows is built for both precisions: called with a precision that the compiler knows
 * this is a plain load. */
AGATHIS_INLINE double
value_at(const void *values, int single, ptrdiff_t i)
{
    return single ? (double)((const float *)values)[i] : ((const double *)values)[i];
}

AGATHIS_INLINE void
fill_bins(const data_rows *rows, int single, ptrdiff_t n, ptrdiff_t n_features,
          const double *edges, const int32_t *steps, uint8_t *bin)
{
    double value[BIN_ROWS];
    int32_t place[BIN_ROWS];
    for (ptrdiff_t begin = 0; begin < n; begin += BIN_ROWS) {
        const ptrdiff_t some = n - begin < BIN_ROWS ? n - begin : BIN_ROWS;
        for (ptrdiff_t f = 0; f < n_features; ++f) {
            const double *restrict edge = edges + f * BIN_EDGES;
            memset(place, 0, sizeof place);
            memset(value, 0, sizeof value);
            for (ptrdiff_t r = 0; r < some; ++r)
                value[r] = value_at(rows->values, single, (begin + r) * rows->stride + f);
            for (int32_t step = steps[f]; step > 0; step >>= 1)
                for (ptrdiff_t r = 0; r < BIN_ROWS; ++r)
                    place[r] += step * (value[r] > edge[place[r] + step - 1]); /* no branch */
            for (ptrdiff_t r = 0; r < some; ++r)
                bin[(begin + r) * n_features + f] =
                    (uint8_t)(value[r] == value[r] ? place[r] : BIN_MISSING);
        }
    }
}

AGATHIS_CLONES void
bins_of(const data_rows *rows, ptrdiff_t n, ptrdiff_t n_features, const double *edges,
        const int32_t *steps, uint8_t *bin)
{
    if (rows->single)
        fill_bins(rows, 1, n, n_features, edges, steps, bin);
    else
        fill_bins(rows, 0, n, n_features, edges, steps, bin);
}

/* The nearest whole number of a double below 2^51 is in its last bits once this is added. */
static const double WHOLE = 6755399441055744.0;
static const double MAX_WHOLE = 2251799813685248.0;
static const double MAX_GRID = 4611686018427387904.0; /* 2^62 */

AGATHIS_INLINE int64_t
whole(double value)
{
    const double moved = value + WHOLE;
    uint64_t bits, zero; /* of larger ones the difference is none, and may leave 64 bits */
    memcpy(&bits, &moved, sizeof bits);
    memcpy(&zero, &WHOLE, sizeof zero);
    return (int64_t)(bits - zero);
}

/* The same for any double, cut to what the grid holds; the largest that is cut is kept. */
AGATHIS_INLINE int64_t
whole_of_any(double value, double *most)
{
    const double length = fabs(value);
    if (length < MAX_GRID)
        return (int64_t)rint(value);
    if (length > *most)
        *most = length;
    return value < 0 ? -(int64_t)MAX_GRID : (int64_t)MAX_GRID;
}

AGATHIS_INLINE void
fill_points(const data_rows *rows, int single, const int32_t *ids, ptrdiff_t n, ptrdiff_t ahead,
            const point_grid *grid, const double *weight, ptrdiff_t n_components, ptrdiff_t width,
            double *most, int64_t *out)
{
    const ptrdiff_t each = single ? (ptrdiff_t)sizeof(float) : (ptrdiff_t)sizeof(double);
    const ptrdiff_t step = rows->stride * each;
    const double *restrict origin = grid->origin, *restrict gap = grid->gap;
    const double *restrict steps = grid->steps;
    for (ptrdiff_t r = 0; r < n; ++r) {
        const char *restrict row = (const char *)rows->values + ids[r] * step;
        if (r + ROWS_AHEAD < ahead)
            fetch((const char *)rows->values + ids[r + ROWS_AHEAD] * step, n_components * each);
        int64_t *restrict point = out + r * width;
        const double w = weight ? weight[r] * grid->ratio : 1.0;
        int far = 0;
        /* Without weights nothing is rounded before it is made whole. */
        if (weight) {
            for (ptrdiff_t j = 0; j < n_components; ++j) {
                const double value = value_at(row, single, j);
                const double off = value == value ? value - origin[j] : gap[j];
                const double at = w * rint(off * steps[j]);
                far |= !(fabs(at) < MAX_WHOLE);
                point[j] = whole(at);
            }
        } else {
            for (ptrdiff_t j = 0; j < n_components; ++j) {
                const double value = value_at(row, single, j);
                const double off = value == value ? value - origin[j] : gap[j];
                const double at = off * steps[j];
                far |= !(fabs(at) < MAX_WHOLE);
                point[j] = whole(at);
            }
        }
        for (ptrdiff_t j = 0; far && j < n_components; ++j) {
            const double value = value_at(row, single, j);
            const double off = value == value ? value - origin[j] : gap[j];
            point[j] = whole_of_any(w * rint(off * steps[j]), most + j);
        }
        for (ptrdiff_t j = n_components; j < width; ++j)
            point[j] = 0;
    }
}

AGATHIS_CLONES void
points_of(const data_rows *rows, const int32_t *ids, ptrdiff_t n, ptrdiff_t ahead,
          const point_grid *grid, const double *weight, ptrdiff_t n_components, ptrdiff_t width,
          double *most, int64_t *out)
{
    if (rows->single)
        fill_points(rows, 1, ids, n, ahead, grid, weight, n_components, width, most, out);
    else
        fill_points(rows, 0, ids, n, ahead, grid, weight, n_components, width, most, out);
}

AGATHIS_CLONES void
points_weigh(const int64_t *points, ptrdiff_t n, ptrdiff_t width, uint64_t *high, uint64_t *low)
{
    for (ptrdiff_t r = 0; r < n; ++r) {
        const int64_t *restrict point = points + r * width;
        for (ptrdiff_t j = 0; j < width; ++j) {
            const uint64_t length = (uint64_t)(point[j] < 0 ? -point[j] : point[j]);
            high[j] += length >> 32;
            low[j] += length & 0xffffffffu;
        }
    }
}

AGATHIS_CLONES void
bins_take(const uint8_t *bin, ptrdiff_t stride, const int32_t *ids, ptrdiff_t n, ptrdiff_t ahead,
          ptrdiff_t n_features, uint8_t *out)
{
    for (ptrdiff_t r = 0; r < n; ++r) {
        const uint8_t *restrict row = bin + ids[r] * stride;
        if (r + ROWS_AHEAD < ahead)
            fetch((const char *)(bin + ids[r + ROWS_AHEAD] * stride), n_features);
        for (ptrdiff_t f = 0; f < n_features; ++f)
            out[f * n + r] = row[f];
    }
}

AGATHIS_CLONES void
bins_add(const int64_t *points, ptrdiff_t width, const uint8_t *bin, const int64_t *weight,
         ptrdiff_t n, int64_t *sum, int64_t *count, int64_t *total)
{
    for (ptrdiff_t r = 0; r < n; ++r) {
        const ptrdiff_t b = bin[r];
        /* Unsigned: sums wrap around. */
        const uint64_t *restrict point = (const uint64_t *)points + r * width;
        uint64_t *restrict to = (uint64_t *)sum + b * width;
        for (ptrdiff_t j = 0; j < width; j += LANES)
            for (int v = 0; v < LANES; ++v)
                to[j + v] += point[j + v];
        count[b] += 1;
        if (weight)
            total[b] += weight[r];
    }
}

AGATHIS_INLINE int
count_missing(const data_rows *rows, int single, ptrdiff_t n, ptrdiff_t n_features,
              int64_t *missing)
{
    int infinite = 0;
    for (ptrdiff_t r = 0; r < n; ++r) {
        const ptrdiff_t first = r * rows->stride;
        int odd = 0;
        for (ptrdiff_t f = 0; f < n_features; ++f)
            odd |= !(fabs(value_at(rows->values, single, first + f)) <= DBL_MAX);
        for (ptrdiff_t f = 0; odd && f < n_features; ++f) {
            const double value = value_at(rows->values, single, first + f);
            missing[f] += value != value;
            infinite |= fabs(value) > DBL_MAX;
        }
    }
    return infinite;
}

AGATHIS_CLONES int
look_over_rows(const data_rows *rows, ptrdiff_t n, ptrdiff_t n_features, int64_t *missing)
{
    return rows->single ? count_missing(rows, 1, n, n_features, missing)
                        : count_missing(rows, 0, n, n_features, missing);
}
