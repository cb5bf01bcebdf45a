/* Upper bounds of the gains of the cuts of a leaf, and what is left of them at a cluster: points.h
 * has the derivation.
 */
#include <math.h>

#include "points/points.h"
#include "points/tile.h"

void
point_gain_bound_clear(point_gain_bound *gain_bound)
{
    for (int i = 0; i < BOUND_CLASSES; ++i) {
        for (int u = 0; u < BOUND_SHARES; ++u)
            gain_bound->gain[i][u] = -INFINITY;
        gain_bound->least[i] = INFINITY;
        gain_bound->most[i] = gain_bound->off[i] = 0.0;
    }
    gain_bound->both = gain_bound->top = -INFINITY;
    gain_bound->moment = 0.0;
    gain_bound->blind = 0;
}

void
point_gain_bound_add(point_gain_bound *gain_bound, const point_gain_bound *more)
{
    for (int i = 0; i < BOUND_CLASSES; ++i) {
        for (int u = 0; u < BOUND_SHARES; ++u)
            gain_bound->gain[i][u] = larger(gain_bound->gain[i][u], more->gain[i][u]);
        gain_bound->least[i] = smaller(gain_bound->least[i], more->least[i]);
        gain_bound->most[i] = larger(gain_bound->most[i], more->most[i]);
        gain_bound->off[i] = larger(gain_bound->off[i], more->off[i]);
        gain_bound->top = larger(gain_bound->top, gain_bound->gain[i][0]);
    }
    gain_bound->both = larger(gain_bound->both, more->both);
    gain_bound->top = larger(gain_bound->top, gain_bound->both);
    gain_bound->moment = larger(gain_bound->moment, more->moment);
    gain_bound->blind |= more->blind;
    if (gain_bound->blind)
        gain_bound->top = INFINITY;
}

/* c |S| / (c + |S|) */
static double
joint(double size, double weight)
{
    return size * weight / (size + weight);
}

/* How far the mean of a side of at least this weight lies towards the cluster's, at most. */
static double
towards(const point_option *way, double weight, double leaf_weight, double off)
{
    const double spread = way->scatter * larger(1.0 / weight - 1.0 / leaf_weight, 0.0);
    return smaller(smaller(off, way->furthest), sqrt(spread));
}

double
point_pending_bound(const point_gain_bound *gain_bound, double leaf_weight, double size,
               const point_option *way, double enough)
{
    const double reach = way->reach;
    double bound = enough;
    if (gain_bound->blind)
        return INFINITY;
    for (int i = 0; i < BOUND_CLASSES; ++i) {
        const double least = gain_bound->least[i], most = gain_bound->most[i],
            off = gain_bound->off[i];
        if (!(gain_bound->gain[i][0] > bound))
            continue;
        const double apart = larger(reach - off, 0.0);
        double here = gain_bound->gain[i][0] - joint(size, least) * apart * apart;
        if (here <= bound)
            continue;
        /* The larger the cluster, the more of |S| |m - o|^2 is paid. */
        int u = 0;
        while (u + 1 < BOUND_SHARES && bound_share(u + 1) * (size + most) <= size)
            ++u;
        const double rest = reach * (reach - 2.0 * towards(way, least, leaf_weight, off));
        const double paid = joint(size, rest > 0.0 ? least : most) * rest;
        here = smaller(here, gain_bound->gain[i][u] - paid);
        bound = larger(bound, here);
    }
    if (gain_bound->both > bound) {
        const double half = 0.5 * leaf_weight, off = gain_bound->moment / half;
        const double rest = reach * (reach - 2.0 * towards(way, half, leaf_weight, off));
        const double apart = larger(reach - off, 0.0);
        bound = larger(bound, gain_bound->both - joint(size, half) *
                                                  larger(apart * apart, larger(rest, 0.0)));
    }
    return bound;
}

AGATHIS_CLONES void
point_look(const double *points, const double *weight, ptrdiff_t n, ptrdiff_t width,
           const double *direction, point_option *way)
{
    double scatter = 0.0, furthest = 0.0;
    for (ptrdiff_t i = 0; i < n; ++i) {
        f64x8 sum = f64x8_zero();
        for (ptrdiff_t j = 0; j < width; j += POINT_PAD)
            f64x8_add_product(&sum, f64x8_load(points + i * width + j),
                              f64x8_load(direction + j));
        const double far = f64x8_sum(sum);
        scatter += weight[i] * far * far;
        furthest = larger(furthest, far);
    }
    way->scatter = scatter;
    way->furthest = furthest;
}
