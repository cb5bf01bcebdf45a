/* Four doubles side by side, a vector of AVX2. */
#ifndef AGATHIS_F64X4_H
#define AGATHIS_F64X4_H

#include <string.h>

#include "shared/clones.h"

enum { QUAD = 4 };

/* a OP b, element by element. */
#if defined(__GNUC__) || defined(__clang__)
typedef double f64x4 __attribute__((vector_size(32)));
#define F64X4_EACH(a, OP, b) return a OP b
#else
typedef struct {
    double v[4];
} f64x4;
#define F64X4_EACH(a, OP, b)       \
    for (int i = 0; i < QUAD; ++i) \
        a.v[i] = a.v[i] OP b.v[i]; \
    return a
#endif

AGATHIS_INLINE f64x4
f64x4_load(const double *from)
{
    f64x4 a;
    memcpy(&a, from, sizeof a);
    return a;
}

AGATHIS_INLINE void
f64x4_store(double *to, f64x4 a)
{
    memcpy(to, &a, sizeof a);
}

/* Written out: compilers make one instruction of it, but not of __builtin_convertvector. */
AGATHIS_INLINE f64x4
f64x4_load_single(const float *from)
{
    const double four[QUAD] = {from[0], from[1], from[2], from[3]};
    return f64x4_load(four);
}

AGATHIS_INLINE f64x4
f64x4_product(f64x4 a, f64x4 b)
{
    F64X4_EACH(a, *, b);
}

AGATHIS_INLINE f64x4
f64x4_plus(f64x4 a, f64x4 b)
{
    F64X4_EACH(a, +, b);
}

AGATHIS_INLINE f64x4
f64x4_minus(f64x4 a, f64x4 b)
{
    F64X4_EACH(a, -, b);
}

AGATHIS_INLINE f64x4
f64x4_of(double x)
{
    const double four[QUAD] = {x, x, x, x};
    return f64x4_load(four);
}

AGATHIS_INLINE double
f64x4_sum(f64x4 a)
{
    double v[QUAD];
    memcpy(v, &a, sizeof v);
    return (v[0] + v[2]) + (v[1] + v[3]);
}

#endif
