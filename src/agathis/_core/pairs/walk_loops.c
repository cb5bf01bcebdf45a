/* The running sums of some components stay in registers. */
#include "pairs/walk_loops.h"

#include "shared/clones.h"
#include "shared/quads.h"

enum { LINE = 64 }; /* bytes */

/* Samples come in any order: memory is asked for those to come. */
AGATHIS_INLINE void
fetch(const char *from, size_t bytes)
{
#if defined(__GNUC__) || defined(__clang__)
    for (size_t b = 0; b < bytes; b += LINE)
        __builtin_prefetch(from + b);
#else
    (void)from;
    (void)bytes;
#endif
}

AGATHIS_INLINE quad
load(const char *from, int v, int single)
{
    if (single)
        return quad_load_single((const float *)from + v * QUAD);
    return quad_load((const double *)from + v * QUAD);
}

/* OUT dots[t], or += where `on`.  Called with a number of quads, and a precision of the points, that
 * the compiler knows. */
AGATHIS_INLINE void
walk_quads(const walk *way, const char *points, int n_quads, int single, int on, double *dots)
{
    const size_t bytes = (size_t)n_quads * QUAD * (single ? sizeof(float) : sizeof(double));
    quad sum[WALK_QUADS];
    for (int v = 0; v < n_quads; ++v)
        sum[v] = quad_of(0.0);
    for (ptrdiff_t t = 0; t < way->n; ++t) {
        const char *x = points + (size_t)way->ids[t] * bytes;
        const quad w = quad_of(way->weight[t]);
        fetch(points + (size_t)way->ids[t + WALK_AHEAD] * bytes, bytes);
        quad product = quad_of(0.0);
        for (int v = 0; v < n_quads; ++v) {
            const quad here = load(x, v, single);
            product = quad_plus(product, quad_product(here, sum[v]));
            sum[v] = quad_plus(sum[v], quad_product(w, here));
        }
        dots[t] = quad_sum(product) + (on ? dots[t] : 0.0);
    }
}

AGATHIS_CLONES void
walk_part(const walk *way, const double *part, int n_quads, double *dots)
{
    const char *points = (const char *)part;
    switch (n_quads) {
    case 2:
        walk_quads(way, points, 2, 0, 1, dots);
        break;
    case 4:
        walk_quads(way, points, 4, 0, 1, dots);
        break;
    default:
        walk_quads(way, points, WALK_QUADS, 0, 1, dots);
    }
}

void
walk_close(const walk *way, const double *half, double *dots)
{
    double before = 0.0, halves = 0.0;
    for (ptrdiff_t t = 0; t < way->n; ++t) {
        const double w = way->weight[t], h = half[way->ids[t]];
        dots[t] = w * (dots[t] - h * before - halves);
        before += w;
        halves += w * h;
    }
}

AGATHIS_INLINE double
smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Closes, and adds the most that the sum of what is left out can be, squared, step by step. */
AGATHIS_INLINE void
close_raised(const walk *way, const walk_sample *samples, const walk_left_out *out, double *dots)
{
    const double rate = out->largest / out->weight, rounded = out->rounded / out->weight;
    double weight = 0.0, halves = 0.0, tails = 0.0, most = 0.0;
    for (ptrdiff_t t = 0; t < way->n; ++t) {
        const walk_sample here = samples[way->ids[t]];
        const double w = way->weight[t], last = most;
        const double closed = w * (dots[t] - here.half * weight - halves);
        weight += w;
        halves += w * here.half;
        tails += w * here.tail;
        const double rest = out->weight - weight;
        most = smaller(rate * weight * rest,
                       smaller(weight * tails, rest * (out->tail - tails)));
        /* At the end rounding leaves less than nothing. */
        most = (most > 0.0 ? most : 0.0) + rounded * weight * rest;
        dots[t] = closed + 0.5 * (most - last - w * w * (2.0 * here.half - here.kept));
    }
}

AGATHIS_CLONES void
walk_leading(const walk *way, const float *points, const walk_sample *samples,
             const walk_left_out *out, double *dots)
{
    walk_quads(way, (const char *)points, WALK_LEADING / QUAD, 1, 0, dots);
    close_raised(way, samples, out, dots);
}
