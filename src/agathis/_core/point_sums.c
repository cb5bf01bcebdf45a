/* The rows of a leaf's table along one feature, and how far the cuts between them are off the
 * straight line: points.h says what for.
 */
#include "points.h"

#include <math.h>
#include <string.h>

#include "clones.h"

/* Blocks grow from both ends of the leaf: where a side is small, each sample matters. */
ptrdiff_t
point_block(ptrdiff_t done, ptrdiff_t n, ptrdiff_t most)
{
    const ptrdiff_t left = done, right = (n - done) / 2;
    const ptrdiff_t size = left < right ? left : right;
    return size < 1 ? 1 : size < most ? size : most;
}

/* Whether within a block of these weights no side is less than half of what it is at the ends. */
AGATHIS_INLINE int
is_narrow(double begin, double end, double total)
{
    return end <= 2.0 * begin && total - begin <= 2.0 * (total - end);
}

/* |x - begin - share (end - begin)|^2 */
AGATHIS_INLINE double
squared_offset(const double *restrict x, const double *restrict begin,
               const double *restrict end, double share, ptrdiff_t width)
{
    double squared = 0.0;
    for (ptrdiff_t j = 0; j < width; ++j) {
        const double off = (x[j] - begin[j]) - share * (end[j] - begin[j]);
        squared += off * off;
    }
    return squared;
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
           double total, double *sum, double *count, double *weight, double *radius, double *work)
{
    double *restrict running = work, *restrict between = work + width;
    double carried = 0.0;
    ptrdiff_t rows = 0;
    memset(running, 0, (size_t)width * sizeof(double));
    for (ptrdiff_t begin = 0; begin < n; ++rows) {
        ptrdiff_t stop = begin + point_block(begin, n, most), inside = 0;
        double *restrict out = sum + rows * width;
        if (stop > n)
            stop = n;
        while (stop < n && !samples->cut[stop - 1])
            ++stop;
        memcpy(between, running, (size_t)width * sizeof(double));
        const double before = carried;
        for (ptrdiff_t t = begin; t < stop; ++t) {
            const ptrdiff_t i = samples->order[t];
            const double w = samples->weight[i];
            const double *restrict phi = samples->phi + i * width;
            for (ptrdiff_t j = 0; j < width; ++j)
                running[j] += w * phi[j];
            carried += w;
            inside += t + 1 < stop && samples->cut[t];
        }
        memcpy(out, running, (size_t)width * sizeof(double));
        count[rows] = (double)stop;
        weight[rows] = carried;
        radius[rows] = 0.0;
        if (inside && (rows == 0 || !is_narrow(before, carried, total))) {
            radius[rows] = INFINITY;
        } else if (inside) {
            const double *restrict start = sum + (rows - 1) * width;
            double squared = 0.0, passed = before;
            for (ptrdiff_t t = begin; t + 1 < stop; ++t) {
                const ptrdiff_t i = samples->order[t];
                const double w = samples->weight[i];
                const double *restrict phi = samples->phi + i * width;
                for (ptrdiff_t j = 0; j < width; ++j)
                    between[j] += w * phi[j];
                passed += w;
                if (samples->cut[t]) {
                    const double share = (passed - before) / (carried - before);
                    const double off = squared_offset(between, start, out, share, width);
                    squared = off > squared ? off : squared;
                }
            }
            radius[rows] = sqrt(squared);
        }
        begin = stop;
    }
    return rows;
}
