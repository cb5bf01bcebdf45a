/* AGATHIS_CLONES before a function: the compiler builds it for AVX-512, for AVX2 and
 * for the plain machine, and the loader picks one when the module is opened.  The
 * build defines the list of targets where compiler and C library can do this; else
 * the macro is empty and the plain one serves.
 */
#ifndef AGATHIS_CLONES_H
#define AGATHIS_CLONES_H

#include <stddef.h>

#ifdef AGATHIS_CLONE_TARGETS
#define AGATHIS_CLONES __attribute__((target_clones(AGATHIS_CLONE_TARGETS)))
#else
#define AGATHIS_CLONES
#endif

#if defined(__GNUC__) || defined(__clang__)
#define AGATHIS_INLINE static inline __attribute__((always_inline))
#else
#define AGATHIS_INLINE static inline
#endif

/* Ask for memory that is needed soon: rows are often taken in any order. */
AGATHIS_INLINE void
fetch(const void *from, ptrdiff_t bytes)
{
#if defined(__GNUC__) || defined(__clang__)
    for (ptrdiff_t b = 0; b < bytes; b += 64)
        __builtin_prefetch((const char *)from + b);
    __builtin_prefetch((const char *)from + bytes - 1);
#else
    (void)from;
    (void)bytes;
#endif
}

#endif
