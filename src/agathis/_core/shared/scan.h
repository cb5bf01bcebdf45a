/* The scan of a leaf along its features: see scan.c. */
#ifndef AGATHIS_SCAN_H
#define AGATHIS_SCAN_H

#include <stddef.h>
#include <stdint.h>

enum {
    SCAN_TILE = 128,  /* thresholds evaluated together; all of a tile stays in the first cache */
    SCAN_LANES = 8,   /* clusters whose prefix sums run side by side; rows are padded to it */
    SCAN_PAD = 8,     /* tables may be read that far past their end */
    STOCK_WEIGHT = 0, /* columns of a stock row: the sample's weight, */
    STOCK_LEAF = 1,   /* sigma({i} x its leaf), */
    STOCK_CLUSTER = 2, /* then sigma({i} x C_k) for each cluster k */
    SCAN_BOTH = 16,    /* kinds of move: of one side by its samples, 1-3, 4-15, 16-63, ... */
    SCAN_KINDS = 17    /* and of both sides */
};

/* The clusters as a scan sees them. */
typedef struct {
    int32_t count;       /* K */
    const double *stock; /* sigma(C_k^2) */
    const double *size;  /* |C_k| */
    const double *share; /* stock / size */
    const double *inv;   /* 1 / m for m = 0..n (0 at 0), or NULL where weights are not all 1 */
    const double *back;  /* the same backwards: back[j] = 1 / (n - j); both padded by SCAN_PAD */
    ptrdiff_t n;
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

/* The data of the leaf; feature f is `step` further on in order and cut, and in alpha. */
typedef struct {
    const int32_t *order; /* samples in the order of feature 0 */
    const uint8_t *cut;   /* 1 where a threshold fits after the sample, else 0 */
    const double *alpha;  /* by sample */
    ptrdiff_t step;
    const double *rows; /* stock rows, `stride` doubles each */
    ptrdiff_t stride;
} scan_data;

typedef struct {
    double gain[SCAN_KINDS];   /* the best of each kind, -inf if there is none */
    double spread[SCAN_KINDS]; /* the largest |sigma(S^2)| / |S| over the sides S that move */
    ptrdiff_t first;           /* the first threshold that gains `floor`, -1 if none does */
} scan_result;

/* Doubles that `work` must hold for K clusters and a leaf of n samples. */
size_t scan_work(int32_t n_clusters, ptrdiff_t n);

/* Scan the features first .. first + n_features - 1, those of them with drawn[f] != 0 (NULL:
 * all). OUT best[f]: the best gain along f; result: of all of them; targets[k]: the best gain
 * of a move of one side to cluster k, with targets[K] for a new one. `floor` is for a scan of
 * one feature. */
void scan_features(
    const scan_leaf *leaf, const scan_clusters *clusters, const scan_data *data,
    ptrdiff_t first, ptrdiff_t n_features, const uint8_t *drawn, double floor, double *work,
    double *best, double *targets, scan_result *result);

#endif
