/* Four doubles side by side, a vector of AVX2. */
#ifndef AGATHIS_QUADS_H
#define AGATHIS_QUADS_H

#include <string.h>

#include "shared/clones.h"

enum { QUAD = 4 };

#if defined(__GNUC__) || defined(__clang__)
typedef double quad __attribute__((vector_size(32)));
#else
typedef struct {
    double v[4];
} quad;
#endif

AGATHIS_INLINE quad
quad_load(const double *from)
{
    quad a;
    memcpy(&a, from, sizeof a);
    return a;
}

AGATHIS_INLINE void
quad_store(double *to, quad a)
{
    memcpy(to, &a, sizeof a);
}

/* Written out: compilers make one instruction of it, but not of __builtin_convertvector. */
AGATHIS_INLINE quad
quad_load_single(const float *from)
{
    const double four[QUAD] = {from[0], from[1], from[2], from[3]};
    return quad_load(four);
}

/* a b */
AGATHIS_INLINE quad
quad_product(quad a, quad b)
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
AGATHIS_INLINE quad
quad_plus(quad a, quad b)
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
AGATHIS_INLINE quad
quad_minus(quad a, quad b)
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
AGATHIS_INLINE quad
quad_larger(quad a, quad b)
{
#if defined(__GNUC__) || defined(__clang__)
    typedef long long bits __attribute__((vector_size(32)));
    const bits first = (bits)(a > b);
    return (quad)((first & (bits)a) | (~first & (bits)b));
#else
    for (int v = 0; v < QUAD; ++v)
        a.v[v] = a.v[v] > b.v[v] ? a.v[v] : b.v[v];
    return a;
#endif
}

AGATHIS_INLINE quad
quad_of(double x)
{
    const double four[QUAD] = {x, x, x, x};
    return quad_load(four);
}

AGATHIS_INLINE double
quad_sum(quad a)
{
    double v[QUAD];
    memcpy(v, &a, sizeof v);
    return (v[0] + v[2]) + (v[1] + v[3]);
}

/* The sum of all four, in each place; summed as by quad_sum. */
AGATHIS_INLINE quad
quad_all(quad a)
{
#if defined(__clang__)
    a = a + __builtin_shufflevector(a, a, 2, 3, 0, 1);
    return a + __builtin_shufflevector(a, a, 1, 0, 3, 2);
#elif defined(__GNUC__)
    typedef long long places __attribute__((vector_size(32)));
    a = a + __builtin_shuffle(a, (places){2, 3, 0, 1});
    return a + __builtin_shuffle(a, (places){1, 0, 3, 2});
#else
    return quad_of(quad_sum(a));
#endif
}

#endif
