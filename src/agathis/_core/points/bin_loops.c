/* Loops over rows of data, for float and double.
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
#include "shared/f64x8.h"
#include "shared/i64x8.h"

enum {
    BIN_ROWS = 128,
    ROWS_AHEAD = 24 /* rows lie anywhere: the next ones are asked for before they are needed */
};

AGATHIS_INLINE void
fetch(const char *row, ptrdiff_t bytes)
{
#if defined(__GNUC__) || defined(__clang__)
    for (ptrdiff_t b = 0; b < bytes; b += 64)
        __builtin_prefetch(row + b);
    __builtin_prefetch(row + bytes - 1);
#else
    (void)row;
    (void)bytes;
#endif
}

#define BINS_OF(NAME, TYPE)                                                                    \
    AGATHIS_CLONES void NAME(const TYPE *x, ptrdiff_t stride, ptrdiff_t n,                     \
                             ptrdiff_t n_features, const TYPE *edges, const int32_t *steps,    \
                             uint8_t *bin)                                                     \
    {                                                                                          \
        TYPE value[BIN_ROWS];                                                                  \
        int32_t place[BIN_ROWS];                                                               \
        for (ptrdiff_t begin = 0; begin < n; begin += BIN_ROWS) {                              \
            const ptrdiff_t rows = n - begin < BIN_ROWS ? n - begin : BIN_ROWS;                \
            for (ptrdiff_t f = 0; f < n_features; ++f) {                                       \
                const TYPE *restrict edge = edges + f * BIN_EDGES;                             \
                for (ptrdiff_t r = 0; r < rows; ++r) {                                         \
                    value[r] = x[(begin + r) * stride + f];                                    \
                    place[r] = 0;                                                              \
                }                                                                              \
                for (ptrdiff_t r = rows; r < BIN_ROWS; ++r) {                                  \
                    value[r] = 0;                                                              \
                    place[r] = 0;                                                              \
                }                                                                              \
                for (int32_t step = steps[f]; step > 0; step >>= 1)                            \
                    for (ptrdiff_t r = 0; r < BIN_ROWS; ++r)                                   \
                        place[r] += value[r] > edge[place[r] + step - 1] ? step : 0;           \
                for (ptrdiff_t r = 0; r < rows; ++r)                                           \
                    bin[(begin + r) * n_features + f] =                                        \
                        (uint8_t)(value[r] == value[r] ? place[r] : BIN_MISSING);              \
            }                                                                                  \
        }                                                                                      \
    }

BINS_OF(bins_of_floats, float)
BINS_OF(bins_of_doubles, double)

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

#define POINTS_OF(NAME, TYPE)                                                                  \
    AGATHIS_CLONES void NAME(const TYPE *x, ptrdiff_t stride, const int32_t *ids, ptrdiff_t n, \
                             ptrdiff_t ahead, const point_grid *grid, const double *weight,    \
                             ptrdiff_t n_components, ptrdiff_t width, double *most,            \
                             int64_t *out)                                                     \
    {                                                                                          \
        const ptrdiff_t bytes = n_components * (ptrdiff_t)sizeof(TYPE);                        \
        const double *restrict origin = grid->origin, *restrict gap = grid->gap;               \
        const double *restrict steps = grid->steps;                                            \
        for (ptrdiff_t r = 0; r < n; ++r) {                                                    \
            const TYPE *restrict row = x + ids[r] * stride;                                    \
            if (r + ROWS_AHEAD < ahead)                                                        \
                fetch((const char *)(x + ids[r + ROWS_AHEAD] * stride), bytes);                \
            int64_t *restrict point = out + r * width;                                         \
            const double w = weight ? weight[r] * grid->ratio : 1.0;                           \
            int far = 0;                                                                       \
            if (weight) {                                                                      \
                for (ptrdiff_t j = 0; j < n_components; ++j) {                                 \
                    const double value = (double)row[j];                                       \
                    const double off = value == value ? value - origin[j] : gap[j];            \
                    const double at = w * rint(off * steps[j]);                                \
                    far |= !(fabs(at) < MAX_WHOLE);                                           \
                    point[j] = whole(at);                                                      \
                }                                                                              \
            } else {                                                                           \
                for (ptrdiff_t j = 0; j < n_components; ++j) {                                 \
                    const double value = (double)row[j];                                       \
                    const double off = value == value ? value - origin[j] : gap[j];            \
                    const double at = off * steps[j];                                          \
                    far |= !(fabs(at) < MAX_WHOLE);                                           \
                    point[j] = whole(at);                                                      \
                }                                                                              \
            }                                                                                  \
            for (ptrdiff_t j = 0; far && j < n_components; ++j) {                              \
                const double value = (double)row[j];                                           \
                const double off = value == value ? value - origin[j] : gap[j];                \
                point[j] = whole_of_any(w * rint(off * steps[j]), most + j);                   \
            }                                                                                  \
            for (ptrdiff_t j = n_components; j < width; ++j)                                   \
                point[j] = 0;                                                                  \
        }                                                                                      \
    }

POINTS_OF(points_of_floats, float)
POINTS_OF(points_of_doubles, double)

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
        const int64_t *restrict point = points + r * width;
        int64_t *restrict to = sum + b * width;
        for (ptrdiff_t j = 0; j < width; j += LANES)
            i64x8_store(to + j, i64x8_plus(i64x8_load(to + j), i64x8_load(point + j)));
        count[b] += 1;
        if (weight)
            total[b] += weight[r];
    }
}

#define LOOK_OVER(NAME, TYPE, MOST)                                                            \
    AGATHIS_CLONES int NAME(const TYPE *x, ptrdiff_t stride, ptrdiff_t n,                      \
                            ptrdiff_t n_features, int64_t *missing)                            \
    {                                                                                          \
        int infinite = 0;                                                                      \
        for (ptrdiff_t r = 0; r < n; ++r) {                                                    \
            const TYPE *restrict row = x + r * stride;                                         \
            int odd = 0;                                                                       \
            for (ptrdiff_t f = 0; f < n_features; ++f)                                         \
                odd |= !(row[f] >= -MOST && row[f] <= MOST);                                   \
            for (ptrdiff_t f = 0; odd && f < n_features; ++f) {                                \
                missing[f] += row[f] != row[f];                                                \
                infinite |= row[f] > MOST || row[f] < -MOST;                                   \
            }                                                                                  \
        }                                                                                      \
        return infinite;                                                                       \
    }

LOOK_OVER(look_over_floats, float, FLT_MAX)
LOOK_OVER(look_over_doubles, double, DBL_MAX)
