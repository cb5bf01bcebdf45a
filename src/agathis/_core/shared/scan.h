/* A leaf and the clusters as the scans of thresholds see them, of pairs and of points alike. */
#ifndef AGATHIS_SCAN_H
#define AGATHIS_SCAN_H

#include <stddef.h>
#include <stdint.h>

enum {
    SCAN_TILE = 128,  /* thresholds evaluated together; all of a tile stays in the first cache */
    SCAN_LANES = 8,   /* clusters whose prefix sums run side by side; rows are padded to it */
    SCAN_PAD = 8,     /* tiles are filled up to a multiple of it */
    SCAN_APART = 8    /* doubles between the work of two threads: a cache line is one's alone */
};

/* The clusters as a scan sees them. */
typedef struct {
    int32_t count;       /* K */
    const double *kernel_sum; /* sigma(C_k^2) */
    const double *size;  /* |C_k| */
    const double *share; /* kernel_sum / size */
    const int32_t *id; /* their numbers where these are not 0 .. K - 1, else NULL */
} scan_clusters;

/* The leaf T, of cluster p = own. -inf closes a move. */
typedef struct {
    ptrdiff_t n;         /* samples */
    int32_t own;         /* p */
    double weight;       /* |T| */
    const double *cross; /* sigma(T x C_k) */
    double leave_all;    /* leave(T), -inf where T is all of C_p */
    double open_one;     /* 0 where one more cluster is allowed, else -inf */
    double open_two;     /* 0 where two more are */
    double min_leaf;     /* least weight of a side */
} scan_leaf;

#endif
