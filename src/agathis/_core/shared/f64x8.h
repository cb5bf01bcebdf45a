/* Eight doubles side by side, where a compiler left alone finds no vectors: two vectors of four, as
 * compilers keep one of eight in memory where the machine has none. */
#ifndef AGATHIS_F64X8_H
#define AGATHIS_F64X8_H

#include "shared/clones.h"
#include "shared/f64x4.h"

enum { LANES = 8 };

typedef struct {
    f64x4 low, high;
} f64x8;

AGATHIS_INLINE f64x8
f64x8_zero(void)
{
    const f64x8 a = {f64x4_of(0.0), f64x4_of(0.0)};
    return a;
}

AGATHIS_INLINE f64x8
f64x8_load(const double *from)
{
    const f64x8 a = {f64x4_load(from), f64x4_load(from + QUAD)};
    return a;
}

AGATHIS_INLINE void
f64x8_store(double *to, f64x8 a)
{
    f64x4_store(to, a.low);
    f64x4_store(to + QUAD, a.high);
}

AGATHIS_INLINE f64x8
f64x8_plus(f64x8 a, f64x8 b)
{
    const f64x8 sum = {f64x4_plus(a.low, b.low), f64x4_plus(a.high, b.high)};
    return sum;
}

AGATHIS_INLINE f64x8
f64x8_minus(f64x8 a, f64x8 b)
{
    const f64x8 off = {f64x4_minus(a.low, b.low), f64x4_minus(a.high, b.high)};
    return off;
}

/* a += b c */
AGATHIS_INLINE void
f64x8_add_product(f64x8 *a, f64x8 b, f64x8 c)
{
    a->low = f64x4_plus(a->low, f64x4_product(b.low, c.low));
    a->high = f64x4_plus(a->high, f64x4_product(b.high, c.high));
}

/* a += x b */
AGATHIS_INLINE void
f64x8_add_scaled(f64x8 *a, double x, f64x8 b)
{
    const f64x4 all = f64x4_of(x);
    a->low = f64x4_plus(a->low, f64x4_product(all, b.low));
    a->high = f64x4_plus(a->high, f64x4_product(all, b.high));
}

/* a += (b - c)^2 */
AGATHIS_INLINE void
f64x8_add_square(f64x8 *a, f64x8 b, f64x8 c)
{
    const f64x8 off = f64x8_minus(b, c);
    f64x8_add_product(a, off, off);
}

AGATHIS_INLINE double
f64x8_sum(f64x8 a)
{
    return f64x4_sum(f64x4_plus(a.low, a.high));
}

#endif
