/* Four doubles side by side, a vector of AVX2. */
#ifndef AGATHIS_F64X4_H
#define AGATHIS_F64X4_H

#include <string.h>

#include "shared/clones.h"

enum { QUAD = 4 };

#if defined(__GNUC__) || defined(__clang__)
typedef double f64x4 __attribute__((vector_size(32)));
#else
typedef struct {
    double v[4];
} f64x4;
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

/* a b */
AGATHIS_INLINE f64x4
f64x4_product(f64x4 a, f64x4 b)
{
#if defined(__GNUC__) || defined(__clang__)
    return a * b;
#else
    for (int v = 0; v < QUAD; ++v)
        a.v[v] *= b.v[v];
    return a;
#endif
}

/* a + b */
AGATHIS_INLINE f64x4
f64x4_plus(f64x4 a, f64x4 b)
{
#if defined(__GNUC__) || defined(__clang__)
    return a + b;
#else
    for (int v = 0; v < QUAD; ++v)
        a.v[v] += b.v[v];
    return a;
#endif
}

/* a - b */
AGATHIS_INLINE f64x4
f64x4_minus(f64x4 a, f64x4 b)
{
#if defined(__GNUC__) || defined(__clang__)
    return a - b;
#else
    for (int v = 0; v < QUAD; ++v)
        a.v[v] -= b.v[v];
    return a;
#endif
}

/* Place by place the larger one. */
AGATHIS_INLINE f64x4
f64x4_larger(f64x4 a, f64x4 b)
{
#if defined(__GNUC__) || defined(__clang__)
    typedef long long bits __attribute__((vector_size(32)));
    const bits first = (bits)(a > b);
    return (f64x4)((first & (bits)a) | (~first & (bits)b));
#else
    for (int v = 0; v < QUAD; ++v)
        a.v[v] = a.v[v] > b.v[v] ? a.v[v] : b.v[v];
    return a;
#endif
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

/* The sum of all four, in each place; summed as by f64x4_sum. */
AGATHIS_INLINE f64x4
f64x4_all(f64x4 a)
{
#if defined(__clang__)
    a = a + __builtin_shufflevector(a, a, 2, 3, 0, 1);
    return a + __builtin_shufflevector(a, a, 1, 0, 3, 2);
#elif defined(__GNUC__)
    typedef long long places __attribute__((vector_size(32)));
    a = a + __builtin_shuffle(a, (places){2, 3, 0, 1});
    return a + __builtin_shuffle(a, (places){1, 0, 3, 2});
#else
    return f64x4_of(f64x4_sum(a));
#endif
}

#endif
