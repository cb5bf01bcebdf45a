/* The rows of a leaf's table along one feature, and how far the cuts between them are off the
 * straight line: points.h says what for.
 */
#include "points.h"

#include <math.h>
#include <string.h>

#include "clones.h"
#include "lanes.h"

enum {
    POINT_NARROW = 4, /* how many times as much a side may be at one end of a block */
    SUM_LANES = 4,    /* vectors that sums are kept in at a time */
    MOST_SQUARED = 512
};

/* Blocks grow from both ends of the leaf: where a side is small, each sample matters. */
ptrdiff_t
point_block(ptrdiff_t done, ptrdiff_t n, ptrdiff_t most)
{
    const ptrdiff_t left = (POINT_NARROW - 1) * done;
    const ptrdiff_t right = (POINT_NARROW - 1) * (n - done) / POINT_NARROW;
    const ptrdiff_t share = n / 16 > 16 ? n / 16 : 16;
    ptrdiff_t size = left < right ? left : right;
    size = size < most ? size : most;
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
    lanes squared;
    lanes_clear(&squared);
    for (ptrdiff_t j = 0; j < width; j += POINT_PAD) {
        lanes line;
        lanes_clear(&line);
        lanes_add_scaled(&line, 1.0 - share, lanes_load(begin + j));
        lanes_add_scaled(&line, share, lanes_load(end + j));
        lanes_add_square(&squared, lanes_load(x + j), line);
    }
    return lanes_sum(squared);
}

/* Do something for up to SUM_LANES times POINT_PAD components at a time, j being the first of
 * them; the number of lanes is known to the compiler, so that sums stay in registers. */
#define SUM_EACH(WIDTH, CALL)                                                                  \
    for (ptrdiff_t j = 0; j < (WIDTH); j += SUM_LANES * POINT_PAD) {                           \
        point_samples here = *samples;                                                         \
        const point_samples *part = &here;                                                     \
        here.phi += j;                                                                         \
        const ptrdiff_t left = ((WIDTH) - j) / POINT_PAD;                                      \
        if (left == 1) {                                                                       \
            enum { n_lanes = 1 };                                                              \
            CALL;                                                                              \
        } else if (left == 2) {                                                                \
            enum { n_lanes = 2 };                                                              \
            CALL;                                                                              \
        } else if (left == 3) {                                                                \
            enum { n_lanes = 3 };                                                              \
            CALL;                                                                              \
        } else {                                                                               \
            enum { n_lanes = SUM_LANES };                                                      \
            CALL;                                                                              \
        }                                                                                      \
    }

/* Add the samples at places begin .. stop - 1 to some components, in registers. */
AGATHIS_INLINE void
add_samples(const point_samples *samples, ptrdiff_t begin, ptrdiff_t stop, ptrdiff_t width,
            int n_lanes, double *restrict sum)
{
    lanes total[SUM_LANES];
    for (int v = 0; v < n_lanes; ++v)
        total[v] = lanes_load(sum + v * POINT_PAD);
    for (ptrdiff_t t = begin; t < stop; ++t) {
        const ptrdiff_t i = samples->order[t];
        const double w = samples->weight[i];
        for (int v = 0; v < n_lanes; ++v)
            lanes_add_scaled(&total[v], w, lanes_load(samples->phi + i * width + v * POINT_PAD));
    }
    for (int v = 0; v < n_lanes; ++v)
        lanes_store(sum + v * POINT_PAD, total[v]);
}

/* Add to squared[t - begin] how far off the line the cut after place t is, in these components. */
AGATHIS_INLINE void
add_offsets(const point_samples *samples, ptrdiff_t begin, ptrdiff_t stop, ptrdiff_t width,
            int n_lanes, const double *restrict from, const double *restrict to, double span,
            double *restrict squared)
{
    lanes total[SUM_LANES], first[SUM_LANES], last[SUM_LANES], none;
    double passed = 0.0;
    lanes_clear(&none);
    for (int v = 0; v < n_lanes; ++v) {
        total[v] = first[v] = lanes_load(from + v * POINT_PAD);
        last[v] = lanes_load(to + v * POINT_PAD);
    }
    for (ptrdiff_t t = begin; t < stop; ++t) {
        const ptrdiff_t i = samples->order[t];
        const double w = samples->weight[i];
        lanes off = none;
        passed += w;
        const double share = passed / span;
        for (int v = 0; v < n_lanes; ++v) {
            lanes line = none;
            lanes_add_scaled(&total[v], w, lanes_load(samples->phi + i * width + v * POINT_PAD));
            lanes_add_scaled(&line, 1.0 - share, first[v]);
            lanes_add_scaled(&line, share, last[v]);
            lanes_add_square(&off, total[v], line);
        }
        squared[t - begin] += lanes_sum(off);
    }
}

/* The largest distance off the line of the cuts within a block. */
AGATHIS_INLINE double
radius_of(const point_samples *samples, ptrdiff_t begin, ptrdiff_t stop, ptrdiff_t width,
          const double *from, const double *to, double span)
{
    double squared[MOST_SQUARED] = {0.0}, most = 0.0;
    if (stop - begin > MOST_SQUARED)
        return INFINITY;
    SUM_EACH(width, add_offsets(part, begin, stop, width, n_lanes, from + j, to + j, span, squared))
    for (ptrdiff_t t = begin; t + 1 < stop; ++t)
        if (samples->cut[t] && squared[t - begin] > most)
            most = squared[t - begin];
    return sqrt(most);
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
point_sums(const point_samples *samples, ptrdiff_t n, ptrdiff_t width, ptrdiff_t most,
           double total, double *sum, double *count, double *weight, double *radius)
{
    double before = 0.0;
    ptrdiff_t rows = 0;
    for (ptrdiff_t begin = 0; begin < n; ++rows) {
        ptrdiff_t stop = begin + point_block(begin, n, most);
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
        SUM_EACH(width, add_samples(part, begin, stop, width, n_lanes, out + j))
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
