/* AGATHIS_CLONES before a function: the compiler builds it for AVX-512, for AVX2 and
 * for the plain machine, and the loader picks one when the module is opened.  The
 * build defines the list of targets where compiler and C library can do this; else
 * the macro is empty and the plain one serves.
 */
#ifndef AGATHIS_CLONES_H
#define AGATHIS_CLONES_H

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

#endif
