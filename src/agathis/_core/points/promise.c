/* What the cuts of a leaf promise, and what is left of it at a cluster: points.h says what it rests
 * on.
 */
#include <math.h>

#include "points/points.h"
#include "points/tile.h"

void
point_promise_clear(point_promise *promise)
{
    for (int i = 0; i < PROMISE_CLASSES; ++i) {
        for (int u = 0; u < PROMISE_SHARES; ++u)
            promise->gain[i][u] = -INFINITY;
        promise->least[i] = INFINITY;
        promise->most[i] = promise->off[i] = 0.0;
    }
    promise->both = promise->top = -INFINITY;
    promise->moment = 0.0;
    promise->blind = 0;
}

void
point_promise_add(point_promise *promise, const point_promise *more)
{
    for (int i = 0; i < PROMISE_CLASSES; ++i) {
        for (int u = 0; u < PROMISE_SHARES; ++u)
            promise->gain[i][u] = larger(promise->gain[i][u], more->gain[i][u]);
        promise->least[i] = smaller(promise->least[i], more->least[i]);
        promise->most[i] = larger(promise->most[i], more->most[i]);
        promise->off[i] = larger(promise->off[i], more->off[i]);
        promise->top = larger(promise->top, promise->gain[i][0]);
    }
    promise->both = larger(promise->both, more->both);
    promise->top = larger(promise->top, promise->both);
    promise->moment = larger(promise->moment, more->moment);
    promise->blind |= more->blind;
    if (promise->blind)
        promise->top = INFINITY;
}

/* c |S| / (c + |S|) */
static double
joint(double size, double weight)
{
    return size * weight / (size + weight);
}

/* How far the mean of a side of at least this weight lies towards the cluster's, at most. */
static double
towards(const point_way *way, double weight, double leaf_weight, double off)
{
    const double spread = way->scatter * larger(1.0 / weight - 1.0 / leaf_weight, 0.0);
    return smaller(smaller(off, way->furthest), sqrt(spread));
}

double
point_promised(const point_promise *promise, double leaf_weight, double size,
               const point_way *way, double enough)
{
    const double reach = way->reach;
    double bound = enough;
    if (promise->blind)
        return INFINITY;
    for (int i = 0; i < PROMISE_CLASSES; ++i) {
        const double least = promise->least[i], most = promise->most[i], off = promise->off[i];
        if (!(promise->gain[i][0] > bound))
            continue;
        const double apart = larger(reach - off, 0.0);
        double here = promise->gain[i][0] - joint(size, least) * apart * apart;
        if (here <= bound)
            continue;
        /* The larger the cluster, the more of |S| |m - o|^2 is paid. */
        int u = 0;
        while (u + 1 < PROMISE_SHARES && promise_share(u + 1) * (size + most) <= size)
            ++u;
        const double rest = reach * (reach - 2.0 * towards(way, least, leaf_weight, off));
        const double paid = joint(size, rest > 0.0 ? least : most) * rest;
        here = smaller(here, promise->gain[i][u] - paid);
        bound = larger(bound, here);
    }
    if (promise->both > bound) {
        const double half = 0.5 * leaf_weight, off = promise->moment / half;
        const double rest = reach * (reach - 2.0 * towards(way, half, leaf_weight, off));
        const double apart = larger(reach - off, 0.0);
        bound = larger(bound, promise->both - joint(size, half) *
                                                  larger(apart * apart, larger(rest, 0.0)));
    }
    return bound;
}

AGATHIS_CLONES void
point_look(const double *points, const double *weight, ptrdiff_t n, ptrdiff_t width,
           const double *direction, point_way *way)
{
    double scatter = 0.0, furthest = 0.0;
    for (ptrdiff_t i = 0; i < n; ++i) {
        lanes sum;
        lanes_clear(&sum);
        for (ptrdiff_t j = 0; j < width; j += POINT_PAD)
            lanes_add_product(&sum, lanes_load(points + i * width + j),
                              lanes_load(direction + j));
        const double far = lanes_sum(sum);
        scatter += weight[i] * far * far;
        furthest = larger(furthest, far);
    }
    way->scatter = scatter;
    way->furthest = furthest;
}
