/* Eight whole numbers of 64 bits side by side; sums wrap around. */
#ifndef AGATHIS_I64X8_H
#define AGATHIS_I64X8_H

#include <stdint.h>
#include <string.h>

#include "shared/clones.h"

#if defined(__GNUC__) || defined(__clang__)
typedef uint64_t i64x8 __attribute__((vector_size(64), aligned(64)));
#else
typedef struct {
    uint64_t v[8];
} i64x8;
#endif

AGATHIS_INLINE i64x8
i64x8_load(const int64_t *from)
{
    i64x8 a;
    memcpy(&a, from, sizeof a);
    return a;
}

AGATHIS_INLINE void
i64x8_store(int64_t *to, i64x8 a)
{
    memcpy(to, &a, sizeof a);
}

AGATHIS_INLINE i64x8
i64x8_plus(i64x8 a, i64x8 b)
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
