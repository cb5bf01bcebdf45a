/* The running sums of some components stay in registers. */
#include "pairwise/prefix_scan_loops.h"

#include "shared/clones.h"
#include "shared/f64x4.h"

AGATHIS_INLINE f64x4
load(const char *from, int v, int single)
{
    if (single)
        return f64x4_load_single((const float *)from + v * QUAD);
    return f64x4_load((const double *)from + v * QUAD);
}

/* OUT dots[t], or += where `on`.  Called with a number of quads, and a precision of the points,
 * that the compiler knows. */
AGATHIS_INLINE void
prefix_scan_quads(const scan *way, const char *points, int n_quads, int single, int on,
    double *dots)
{
    const ptrdiff_t bytes = n_quads * QUAD * (ptrdiff_t)(single ? sizeof(float) : sizeof(double));
    f64x4 sum[PREFIX_SCAN_QUADS];
    for (int v = 0; v < n_quads; ++v)
        sum[v] = f64x4_of(0.0);
    for (ptrdiff_t t = 0; t < way->n; ++t) {
        const char *x = points + way->ids[t] * bytes;
        const f64x4 w = f64x4_of(way->weight[t]);
        fetch(points + way->ids[t + PREFIX_SCAN_AHEAD] * bytes, bytes);
        f64x4 product = f64x4_of(0.0);
        for (int v = 0; v < n_quads; ++v) {
            const f64x4 here = load(x, v, single);
            product = f64x4_plus(product, f64x4_product(here, sum[v]));
            sum[v] = f64x4_plus(sum[v], f64x4_product(w, here));
        }
        dots[t] = f64x4_sum(product) + (on ? dots[t] : 0.0);
    }
}

AGATHIS_CLONES void
prefix_scan_part(const scan *way, const double *part, int n_quads, double *dots)
{
    const char *points = (const char *)part;
    switch (n_quads) {
    case 2:
        prefix_scan_quads(way, points, 2, 0, 1, dots);
        break;
    case 4:
        prefix_scan_quads(way, points, 4, 0, 1, dots);
        break;
    default:
        prefix_scan_quads(way, points, PREFIX_SCAN_QUADS, 0, 1, dots);
    }
}

void
prefix_scan_close(const scan *way, const double *half, double *dots)
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
close_raised(const scan *way, const prefix_scan_sample *samples, const prefix_scan_left_out *out,
    double *dots)
{
    const double rate = out->largest / out->weight, rounded = out->rounded / out->weight;
    double weight = 0.0, halves = 0.0, tails = 0.0, most = 0.0;
    for (ptrdiff_t t = 0; t < way->n; ++t) {
        const prefix_scan_sample here = samples[way->ids[t]];
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
prefix_scan_leading(const scan *way, const float *points, const prefix_scan_sample *samples,
                    const prefix_scan_left_out *out, double *dots)
{
    prefix_scan_quads(way, (const char *)points, PREFIX_SCAN_LEADING / QUAD, 1, 0, dots);
    close_raised(way, samples, out, dots);
}
