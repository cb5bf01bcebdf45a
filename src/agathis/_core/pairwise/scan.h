/* The scan of a leaf along its features, by sums over pairs of samples: see scan.c. */
#ifndef AGATHIS_PAIR_SCAN_H
#define AGATHIS_PAIR_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "shared/scan.h"
#include "shared/category_subsets.h"

enum {
    SUM_WEIGHT = 0,  /* columns of a row of kernel sums: the sample's weight, */
    SUM_CLUSTER = 1, /* then sigma({i} x C_k) for each cluster k */
    MOVE_BOTH = 16,    /* kinds of move: of one side by its samples, 1-3, 4-15, 16-63, ... */
    MOVE_KINDS = 17    /* and of both sides */
};

/* The data of the leaf; feature f is `step` further on in order and cut, and in alpha. */
typedef struct {
    const int32_t *order; /* samples in the order of feature 0 */
    const uint8_t *cut;   /* 1 where a threshold fits after the sample, else 0 */
    const double *alpha;  /* by sample, or in the order of the feature where `in_order` */
    const double *within; /* [i] sigma({i} x its leaf): read for every feature, so it lies apart */
    ptrdiff_t step;
    int in_order;
    const double *rows; /* rows of kernel sums, `stride` doubles each */
    ptrdiff_t stride;
} scan_data;

typedef struct {
    double gain[MOVE_KINDS];   /* the best of each kind, -inf if there is none */
    double spread[MOVE_KINDS]; /* the largest |sigma(S^2)| / |S| over the sides S that move */
    ptrdiff_t first;           /* the first threshold that gains `floor`, -1 if none does */
} scan_result;

/* Doubles that `work` must hold for K clusters and a leaf of n samples, and those that keep it
 * apart from the work of the next thread. */
size_t scan_work(int32_t n_clusters, ptrdiff_t n);

/* Scan the features first .. first + n_features - 1, those of them with drawn[f] != 0 (NULL:
 * all). OUT best[f]: the best gain along f; result: of all of them. `floor` is for a scan of one
 * feature. */
void scan_features(
    const scan_leaf *leaf, const scan_clusters *clusters, const scan_data *data,
    ptrdiff_t first, ptrdiff_t n_features, const uint8_t *drawn, double floor, double *work,
    double *best, scan_result *result);

/* The ways to part the categories of a leaf (shared/category_subsets.h): their best gain, with
 * the same OUT result as of thresholds. */
double scan_subsets(
    const scan_leaf *leaf, const scan_clusters *clusters, const subset_items *items,
    double tolerance, double *work, scan_result *result);

#endif
