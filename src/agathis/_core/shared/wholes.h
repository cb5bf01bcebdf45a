/* Eight whole numbers of 64 bits side by side; sums wrap around. */
#ifndef AGATHIS_WHOLES_H
#define AGATHIS_WHOLES_H

#include <stdint.h>
#include <string.h>

#include "shared/clones.h"

#if defined(__GNUC__) || defined(__clang__)
typedef uint64_t wholes __attribute__((vector_size(64), aligned(64)));
#else
typedef struct {
    uint64_t v[8];
} wholes;
#endif

AGATHIS_INLINE wholes
wholes_load(const int64_t *from)
{
    wholes a;
    memcpy(&a, from, sizeof a);
    return a;
}

AGATHIS_INLINE void
wholes_store(int64_t *to, wholes a)
{
    memcpy(to, &a, sizeof a);
}

AGATHIS_INLINE wholes
wholes_plus(wholes a, wholes b)
{
#if defined(__GNUC__) || defined(__clang__)
    return a + b;
#else
    for (int v = 0; v < 8; ++v)
        a.v[v] += b.v[v];
    return a;
#endif
}

#endif
