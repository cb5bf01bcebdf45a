/* The rows of a leaf's table along one feature, and how far the cuts between them are off the
 * straight line: points.h says what for.
 */
#include "points/points.h"

#include <math.h>
#include <string.h>

#include "shared/clones.h"
#include "shared/f64x8.h"

enum {
    POINT_NARROW = 4, /* how many times as much a side may be at one end of a block */
    SUM_LANES = 4     /* vectors that sums are kept in at a time */
};

/* Blocks grow from both ends of the leaf: where a side is small, each sample matters. */
ptrdiff_t
point_block(ptrdiff_t done, ptrdiff_t n, const point_grain *grain)
{
    const ptrdiff_t left = (POINT_NARROW - 1) * done;
    const ptrdiff_t right = (POINT_NARROW - 1) * (n - done) / POINT_NARROW;
    const ptrdiff_t part = n / grain->parts;
    const ptrdiff_t share = part > grain->few ? part : grain->few;
    ptrdiff_t size = left < right ? left : right;
    size = size < grain->most ? size : grain->most;
    size = size < share ? size : share;
    return size < 1 ? 1 : size;
}

/* Whether within a block of these weights no side is less than a POINT_NARROW-th of what it is
 * at either end. */
AGATHIS_INLINE int
is_narrow(double begin, double end, double total)
{
    return end <= POINT_NARROW * begin && total - begin <= POINT_NARROW * (total - end);
}

/* |x - begin - share (end - begin)|^2 */
AGATHIS_INLINE double
squared_offset(const double *restrict x, const double *restrict begin,
               const double *restrict end, double share, ptrdiff_t width)
{
    f64x8 squared = f64x8_zero();
    for (ptrdiff_t j = 0; j < width; j += POINT_PAD) {
        f64x8 line = f64x8_zero();
        f64x8_add_scaled(&line, 1.0 - share, f64x8_load(begin + j));
        f64x8_add_scaled(&line, share, f64x8_load(end + j));
        f64x8_add_square(&squared, f64x8_load(x + j), line);
    }
    return f64x8_sum(squared);
}

/* A call for each number of vectors that are left from component j on, SUM_LANES at most: with a
 * number that the compiler knows the sums stay in registers. */
#define FOR_LANES(j, width, CALL)             \
    switch (((width) - (j)) / POINT_PAD) {    \
    case 1: CALL(1); break;                   \
    case 2: CALL(2); break;                   \
    case 3: CALL(3); break;                   \
    default: CALL(SUM_LANES);                 \
    }

/* Add the samples at places begin .. stop - 1 to n_lanes vectors of components, from j on. */
AGATHIS_INLINE void
add_lanes(const point_samples *samples, ptrdiff_t begin, ptrdiff_t stop, ptrdiff_t width,
          ptrdiff_t j, int n_lanes, double *restrict sum)
{
    f64x8 total[SUM_LANES];
    for (int v = 0; v < n_lanes; ++v)
        total[v] = f64x8_load(sum + j + v * POINT_PAD);
    for (ptrdiff_t t = begin; t < stop; ++t) {
        const ptrdiff_t i = samples->order[t];
        const double w = samples->weight[i];
        const double *restrict phi = samples->phi + i * width + j;
        for (int v = 0; v < n_lanes; ++v)
            f64x8_add_scaled(&total[v], w, f64x8_load(phi + v * POINT_PAD));
    }
    for (int v = 0; v < n_lanes; ++v)
        f64x8_store(sum + j + v * POINT_PAD, total[v]);
}

/* Add the samples at places begin .. stop - 1. */
AGATHIS_INLINE void
add_samples(const point_samples *samples, ptrdiff_t begin, ptrdiff_t stop, ptrdiff_t width,
            double *restrict sum)
{
#define ADD_LANES(n_lanes) add_lanes(samples, begin, stop, width, j, n_lanes, sum)
    for (ptrdiff_t j = 0; j < width; j += SUM_LANES * POINT_PAD)
        FOR_LANES(j, width, ADD_LANES)
}

/* How far off the line the cuts after places begin .. stop - 2 are, at most, in n_lanes vectors of
 * components from j on, squared. */
AGATHIS_INLINE double
largest_offset(const point_samples *samples, ptrdiff_t begin, ptrdiff_t stop, ptrdiff_t width,
               ptrdiff_t j, int n_lanes, const double *restrict from, const double *restrict to,
               double span)
{
    f64x8 off[SUM_LANES], mean[SUM_LANES];
    double most = 0.0;
    for (int v = 0; v < n_lanes; ++v) {
        off[v] = f64x8_zero();
        mean[v] = f64x8_zero();
        f64x8_add_scaled(&mean[v], 1.0 / span, f64x8_load(to + j + v * POINT_PAD));
        f64x8_add_scaled(&mean[v], -1.0 / span, f64x8_load(from + j + v * POINT_PAD));
    }
    for (ptrdiff_t t = begin; t + 1 < stop; ++t) {
        const ptrdiff_t i = samples->order[t];
        const double w = samples->weight[i];
        const double *restrict phi = samples->phi + i * width + j;
        f64x8 squared = f64x8_zero();
        for (int v = 0; v < n_lanes; ++v) {
            f64x8_add_scaled(&off[v], w, f64x8_minus(f64x8_load(phi + v * POINT_PAD), mean[v]));
            f64x8_add_product(&squared, off[v], off[v]);
        }
        const double here = f64x8_sum(squared);
        if (samples->cut[t] && here > most)
            most = here;
    }
    return most;
}

/* The largest distance off the line of the cuts within a block, or a little more: where there are
 * many components, the largest of each part of them. */
AGATHIS_INLINE double
radius_of(const point_samples *samples, ptrdiff_t begin, ptrdiff_t stop, ptrdiff_t width,
          const double *from, const double *to, double span)
{
#define LARGEST_OFFSET(n_lanes) \
    squared += largest_offset(samples, begin, stop, width, j, n_lanes, from, to, span)
    double squared = 0.0;
    for (ptrdiff_t j = 0; j < width; j += SUM_LANES * POINT_PAD)
        FOR_LANES(j, width, LARGEST_OFFSET)
    return sqrt(squared);
}

ptrdiff_t
point_rows(const double *weight, ptrdiff_t begin, ptrdiff_t n, ptrdiff_t most)
{
    ptrdiff_t size = 1;
    while (begin > 0 && size < most && begin + size < n &&
           is_narrow(weight[begin - 1], weight[begin + size], weight[n - 1]))
        ++size;
    return size;
}

AGATHIS_CLONES double
point_radius(const double *sum, const double *weight, ptrdiff_t width, ptrdiff_t before,
             ptrdiff_t end, double total)
{
    double most = 0.0;
    if (end - before < 2)
        return 0.0;
    if (before < 0 || !is_narrow(weight[before], weight[end], total))
        return INFINITY;
    for (ptrdiff_t e = before + 1; e < end; ++e) {
        const double share = (weight[e] - weight[before]) / (weight[end] - weight[before]);
        const double squared = squared_offset(sum + e * width, sum + before * width,
                                              sum + end * width, share, width);
        most = squared > most ? squared : most;
    }
    return sqrt(most);
}

AGATHIS_CLONES ptrdiff_t
point_sums(const point_samples *samples, ptrdiff_t n, ptrdiff_t width,
           const point_grain *grain, double total, double *sum, double *count, double *weight,
           double *radius)
{
    double before = 0.0;
    ptrdiff_t rows = 0;
    for (ptrdiff_t begin = 0; begin < n; ++rows) {
        ptrdiff_t stop = begin + point_block(begin, n, grain);
        double *restrict out = sum + rows * width;
        const double *from = out - width;
        double after = before;
        int inside = 0;
        if (stop > n)
            stop = n;
        while (stop < n && !samples->cut[stop - 1])
            ++stop;
        for (ptrdiff_t t = begin; t < stop; ++t) {
            after += samples->weight[samples->order[t]];
            inside |= t + 1 < stop && samples->cut[t];
        }
        if (rows == 0)
            memset(out, 0, (size_t)width * sizeof(double));
        else
            memcpy(out, from, (size_t)width * sizeof(double));
        add_samples(samples, begin, stop, width, out);
        radius[rows] = 0.0;
        if (inside && (rows == 0 || !is_narrow(before, after, total)))
            radius[rows] = INFINITY;
        else if (inside)
            radius[rows] = radius_of(samples, begin, stop, width, from, out, after - before);
        count[rows] = (double)stop;
        weight[rows] = after;
        before = after;
        begin = stop;
    }
    return rows;
}
