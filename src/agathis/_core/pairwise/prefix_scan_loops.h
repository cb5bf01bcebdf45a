/* Sums over pairs of points, by prefix sums along a feature: see prefix_scans.pyx for what they are
 * for. */
#ifndef AGATHIS_PREFIX_SCAN_LOOPS_H
#define AGATHIS_PREFIX_SCAN_LOOPS_H

#include <stddef.h>
#include <stdint.h>

enum {
    /* Vectors of components (shared/f64x4.h) that are summed at a time, at most: their sums
     * stay in registers, and that part of all points in the cache.  Points are kept part by part.
     * */
    PREFIX_SCAN_QUADS = 8,
    PREFIX_SCAN_LEADING = 32, /* components of a scan with some of them only */
    PREFIX_SCAN_AHEAD = 16 /* how many further on are fetched: there are so many more ids than samples */
};

/* A scan passes `n` samples in the order of a feature; PREFIX_SCAN_AHEAD more ids may be any. */
typedef struct {
    const int32_t *ids;
    const double *weight;
    ptrdiff_t n;
} scan;

/* INOUT dots[t] += <x_t, sum of w x over the samples before t>, in one part of the components: 2, 4
 * or PREFIX_SCAN_QUADS vectors. */
void prefix_scan_part(const scan *way, const double *part, int n_quads, double *dots);

/* INOUT dots[t]: the same in distance form, and times the weight of t: the sum over the samples j
 * before t of w_t w_j (<x_t, x_j> - half[t] - half[j]). */
void prefix_scan_close(const scan *way, const double *half, double *dots);

/* A sample whose leading components are scanned; lengths are about the mean of its leaf. */
typedef struct {
    double half; /* half of the squared length of the whole point */
    double tail; /* the squared length of what is left out */
    double kept; /* that of the components that are scanned, as they are */
} prefix_scan_sample;

/* Of what is left out of a leaf: the largest eigenvalue of its scatter, or more; the same of what
 * rounding takes off the leading components; and sums over the leaf of w and of w tail. */
typedef struct {
    double largest, rounded, weight, tail;
} prefix_scan_left_out;

/* OUT dots[t] as by prefix_scan_part with PREFIX_SCAN_LEADING components, closed, and raised for
 * the rest: twice their sum over the first samples is not less than the kernel sum of these with
 * themselves. */
void prefix_scan_leading(const scan *way, const float *points, const prefix_scan_sample *samples,
                         const prefix_scan_left_out *out, double *dots);

#endif
