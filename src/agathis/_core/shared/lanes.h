/* Eight doubles side by side, where a compiler left alone finds no vectors: two vectors of four, as
 * compilers keep one of eight in memory where the machine has none. */
#ifndef AGATHIS_LANES_H
#define AGATHIS_LANES_H

#include "shared/clones.h"
#include "shared/quads.h"

enum { LANES = 8 };

typedef struct {
    quad low, high;
} lanes;

AGATHIS_INLINE void
lanes_clear(lanes *a)
{
    a->low = a->high = quad_of(0.0);
}

AGATHIS_INLINE lanes
lanes_load(const double *from)
{
    const lanes a = {quad_load(from), quad_load(from + QUAD)};
    return a;
}

AGATHIS_INLINE void
lanes_store(double *to, lanes a)
{
    quad_store(to, a.low);
    quad_store(to + QUAD, a.high);
}

AGATHIS_INLINE lanes
lanes_plus(lanes a, lanes b)
{
    const lanes sum = {quad_plus(a.low, b.low), quad_plus(a.high, b.high)};
    return sum;
}

AGATHIS_INLINE lanes
lanes_minus(lanes a, lanes b)
{
    const lanes off = {quad_minus(a.low, b.low), quad_minus(a.high, b.high)};
    return off;
}

/* Lane by lane the larger one. */
AGATHIS_INLINE lanes
lanes_larger(lanes a, lanes b)
{
    const lanes most = {quad_larger(a.low, b.low), quad_larger(a.high, b.high)};
    return most;
}

/* a += b c */
AGATHIS_INLINE void
lanes_add_product(lanes *a, lanes b, lanes c)
{
    a->low = quad_plus(a->low, quad_product(b.low, c.low));
    a->high = quad_plus(a->high, quad_product(b.high, c.high));
}

/* a += x b */
AGATHIS_INLINE void
lanes_add_scaled(lanes *a, double x, lanes b)
{
    const quad all = quad_of(x);
    a->low = quad_plus(a->low, quad_product(all, b.low));
    a->high = quad_plus(a->high, quad_product(all, b.high));
}

/* a += (b - c)^2 */
AGATHIS_INLINE void
lanes_add_square(lanes *a, lanes b, lanes c)
{
    const lanes off = lanes_minus(b, c);
    lanes_add_product(a, off, off);
}

AGATHIS_INLINE double
lanes_sum(lanes a)
{
    return quad_sum(quad_plus(a.low, a.high));
}

/* The sum of all lanes, in each of them; summed as by lanes_sum. */
AGATHIS_INLINE lanes
lanes_all(lanes a)
{
    const quad sum = quad_all(quad_plus(a.low, a.high));
    const lanes all = {sum, sum};
    return all;
}

#endif
