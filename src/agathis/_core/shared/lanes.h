/* Eight doubles side by side, where a compiler left alone finds no vectors. */
#ifndef AGATHIS_LANES_H
#define AGATHIS_LANES_H

#include <string.h>

#include "shared/clones.h"

enum { LANES = 8 };

#if defined(__GNUC__) || defined(__clang__)
typedef double lanes __attribute__((vector_size(64), aligned(64)));
#else
typedef struct {
    double v[8];
} lanes;
#endif

AGATHIS_INLINE void
lanes_clear(lanes *a)
{
    memset(a, 0, sizeof *a);
}

AGATHIS_INLINE lanes
lanes_load(const double *from)
{
    lanes a;
    memcpy(&a, from, sizeof a);
    return a;
}

AGATHIS_INLINE void
lanes_store(double *to, lanes a)
{
    memcpy(to, &a, sizeof a);
}

AGATHIS_INLINE lanes
lanes_plus(lanes a, lanes b)
{
#if defined(__GNUC__) || defined(__clang__)
    return a + b;
#else
    for (int v = 0; v < 8; ++v)
        a.v[v] += b.v[v];
    return a;
#endif
}

AGATHIS_INLINE lanes
lanes_minus(lanes a, lanes b)
{
#if defined(__GNUC__) || defined(__clang__)
    return a - b;
#else
    for (int v = 0; v < 8; ++v)
        a.v[v] -= b.v[v];
    return a;
#endif
}

/* Lane by lane the larger one. */
AGATHIS_INLINE lanes
lanes_larger(lanes a, lanes b)
{
#if defined(__GNUC__) || defined(__clang__)
    typedef long long bits __attribute__((vector_size(64), aligned(64)));
    const bits first = (bits)(a > b);
    return (lanes)((first & (bits)a) | (~first & (bits)b));
#else
    for (int v = 0; v < 8; ++v)
        a.v[v] = a.v[v] > b.v[v] ? a.v[v] : b.v[v];
    return a;
#endif
}

/* a += b c */
AGATHIS_INLINE void
lanes_add_product(lanes *a, lanes b, lanes c)
{
#if defined(__GNUC__) || defined(__clang__)
    *a += b * c;
#else
    for (int v = 0; v < 8; ++v)
        a->v[v] += b.v[v] * c.v[v];
#endif
}

/* a += x b */
AGATHIS_INLINE void
lanes_add_scaled(lanes *a, double x, lanes b)
{
#if defined(__GNUC__) || defined(__clang__)
    *a += x * b;
#else
    for (int v = 0; v < 8; ++v)
        a->v[v] += x * b.v[v];
#endif
}

/* a += (b - c)^2 */
AGATHIS_INLINE void
lanes_add_square(lanes *a, lanes b, lanes c)
{
#if defined(__GNUC__) || defined(__clang__)
    const lanes off = b - c;
    *a += off * off;
#else
    for (int v = 0; v < 8; ++v)
        a->v[v] += (b.v[v] - c.v[v]) * (b.v[v] - c.v[v]);
#endif
}

AGATHIS_INLINE double
lanes_sum(lanes a)
{
    double v[8];
    memcpy(v, &a, sizeof v);
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

#if defined(__clang__)
#define LANES_TURNED(A, ...) __builtin_shufflevector(A, A, __VA_ARGS__)
#elif defined(__GNUC__)
typedef long long lane_places __attribute__((vector_size(64), aligned(64)));
#define LANES_TURNED(A, ...) __builtin_shuffle(A, (lane_places){__VA_ARGS__})
#endif

/* The sum of all lanes, in each of them; summed as by lanes_sum. */
AGATHIS_INLINE lanes
lanes_all(lanes a)
{
#if defined(__GNUC__) || defined(__clang__)
    a += LANES_TURNED(a, 4, 5, 6, 7, 0, 1, 2, 3);
    a += LANES_TURNED(a, 2, 3, 0, 1, 6, 7, 4, 5);
    return a + LANES_TURNED(a, 1, 0, 3, 2, 5, 4, 7, 6);
#else
    const double sum = lanes_sum(a);
    for (int v = 0; v < 8; ++v)
        a.v[v] = sum;
    return a;
#endif
}

#endif
