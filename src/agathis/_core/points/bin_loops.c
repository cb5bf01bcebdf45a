/* Loops over rows of data, for float and double.
 *
 * Bins are found by a binary search without branches, many rows side by side.  To sum, some
 * rows are first made points, centred and padded; these stay in the cache while they are
 * added to the histogram of each feature.
 */
#include "points/bin_loops.h"

#include <float.h>

#include "shared/clones.h"
#include "shared/lanes.h"

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

#define POINTS_OF(NAME, TYPE)                                                                  \
    AGATHIS_CLONES double NAME(const TYPE *x, ptrdiff_t stride, const int32_t *ids,            \
                               ptrdiff_t n, ptrdiff_t ahead, const double *origin,             \
                               const double *gap, const double *weight,                        \
                               ptrdiff_t n_components, ptrdiff_t width, int squares,           \
                               double *out)                                                    \
    {                                                                                          \
        const ptrdiff_t bytes = n_components * (ptrdiff_t)sizeof(TYPE);                        \
        double sum = 0.0;                                                                      \
        for (ptrdiff_t r = 0; r < n; ++r) {                                                    \
            const TYPE *restrict row = x + ids[r] * stride;                                    \
            if (r + ROWS_AHEAD < ahead)                                                        \
                fetch((const char *)(x + ids[r + ROWS_AHEAD] * stride), bytes);                \
            double *restrict point = out + r * width;                                          \
            const double w = weight ? weight[r] : 1.0;                                         \
            double squared = 0.0;                                                              \
            for (ptrdiff_t j = 0; j < n_components; ++j) {                                     \
                const double value = (double)row[j];                                           \
                const double off = value == value ? value - origin[j] : gap[j];                \
                point[j] = w * off;                                                            \
                squared += off * off;                                                          \
            }                                                                                  \
            for (ptrdiff_t j = n_components; j < width; ++j)                                   \
                point[j] = 0.0;                                                                \
            sum += w * squared;                                                                \
        }                                                                                      \
        return squares ? sum : 0.0;                                                            \
    }

POINTS_OF(points_of_floats, float)
POINTS_OF(points_of_doubles, double)

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
bins_add(const double *points, ptrdiff_t width, const uint8_t *bin, const double *weight,
         ptrdiff_t n, double *sum, double *count, double *total)
{
    for (ptrdiff_t r = 0; r < n; ++r) {
        const ptrdiff_t b = bin[r];
        const double *restrict point = points + r * width;
        double *restrict to = sum + b * width;
        for (ptrdiff_t j = 0; j < width; j += LANES)
            lanes_store(to + j, lanes_plus(lanes_load(to + j), lanes_load(point + j)));
        count[b] += 1.0;
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
