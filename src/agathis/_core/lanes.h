/* Eight doubles side by side, where a compiler left alone finds no vectors. */
#ifndef AGATHIS_LANES_H
#define AGATHIS_LANES_H

#include <string.h>

#include "clones.h"

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

#endif
