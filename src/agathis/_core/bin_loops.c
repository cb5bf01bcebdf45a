/* Loops over rows of data, for float and double.
 *
 * Bins are found by a binary search without branches, many rows side by side.  To sum, some
 * rows are first made points, centred and padded; these stay in the cache while they are
 * added to the histogram of each feature.
 */
#include "bin_loops.h"

#include <float.h>

#include "clones.h"

enum { BIN_ROWS = 128 };

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
                               ptrdiff_t n, const double *origin, const double *gap,           \
                               const double *weight, ptrdiff_t n_components, ptrdiff_t width,  \
                               int squares, double *out)                                       \
    {                                                                                          \
        double sum = 0.0;                                                                      \
        for (ptrdiff_t r = 0; r < n; ++r) {                                                    \
            const TYPE *restrict row = x + ids[r] * stride;                                    \
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
bins_add(const double *points, ptrdiff_t width, const uint8_t *bin, ptrdiff_t stride,
         const int32_t *ids, const double *weight, ptrdiff_t n, double *sum, double *count,
         double *total)
{
    for (ptrdiff_t r = 0; r < n; ++r) {
        const ptrdiff_t b = bin[ids[r] * stride];
        const double *restrict point = points + r * width;
        double *restrict to = sum + b * width;
        for (ptrdiff_t j = 0; j < width; j += 8)
            for (ptrdiff_t v = j; v < j + 8; ++v)
                to[v] += point[v];
        count[b] += 1.0;
        total[b] += weight ? weight[r] : 1.0;
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
