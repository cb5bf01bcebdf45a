/* The scan of one leaf along one feature: see scan.c. */
#ifndef AGATHIS_SCAN_H
#define AGATHIS_SCAN_H

#include <stddef.h>
#include <stdint.h>

enum {
    SCAN_TILE = 128,  /* thresholds evaluated together; all of a tile stays in the first cache */
    SCAN_LANES = 4,   /* clusters whose prefix sums run side by side */
    STOCK_WEIGHT = 0, /* columns of a stock row: the sample's weight, */
    STOCK_LEAF = 1,   /* sigma({i} x its leaf), */
    STOCK_CLUSTER = 2, /* then sigma({i} x C_k) for each cluster k */
    SCAN_SIZES = 16,   /* moves of one side, by the samples that move: 1-3, 4-15, 16-63, ... */
    SCAN_BOTH = 16,    /* moves of both sides */
    SCAN_KINDS = 17
};

/* The clusters as a scan sees them. */
typedef struct {
    int32_t count;       /* K */
    const double *stock; /* sigma(C_k^2) */
    const double *size;  /* |C_k| */
    const double *share; /* stock / size */
    const double *inv;   /* 1 / m for m = 0..n (0 at 0), or NULL where weights are not all 1 */
    const double *back;  /* the same backwards: back[j] = 1 / (n - j) */
    ptrdiff_t n;
} scan_clusters;

/* The leaf T, of cluster p = own. -inf closes a move. */
typedef struct {
    ptrdiff_t n;         /* samples */
    int32_t own;         /* p */
    double weight;       /* |T| */
    double self;         /* sigma(T^2) */
    const double *cross; /* sigma(T x C_k) */
    double leave_all;    /* leave(T), -inf where T is all of C_p */
    double open_one;     /* 0 where one more cluster is allowed, else -inf */
    double open_two;     /* 0 where two more are */
    double min_leaf;     /* least weight of a side */
} scan_leaf;

typedef struct {
    double best;               /* the best gain of any threshold and move, -inf if there is none */
    double gain[SCAN_KINDS];   /* the best of each kind */
    double spread[SCAN_KINDS]; /* the largest |sigma(S^2)| / |S| over the sides S that move */
    ptrdiff_t first;           /* the first threshold that gains `floor`, -1 if none does */
} scan_result;

/* Doubles that `work` must hold for K clusters. */
size_t scan_work(int32_t n_clusters);

/* The kind of a move of one side of `count` samples. */
static inline int
scan_kind(ptrdiff_t count)
{
    int kind = 0;
    while (count >>= 2)
        ++kind;
    return kind;
}

/* IN order, cut: the leaf's samples in the order of the feature, and whether a threshold
 * fits after each; alpha: by sample; rows: stock rows, `stride` doubles each. */
void scan_feature(
    const scan_leaf *leaf, const scan_clusters *clusters, const int32_t *order,
    const uint8_t *cut, const double *alpha, const double *rows, ptrdiff_t stride,
    double floor, double *work, scan_result *result);

#endif
