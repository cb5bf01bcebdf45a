/* Ways to part the items of a leaf in two: those that wait in a tile, and the best ones so far.
 *
 * category_subsets.c looks at every way, category_orders.c at those that seem good. */
#ifndef AGATHIS_CATEGORY_WAYS_H
#define AGATHIS_CATEGORY_WAYS_H

#include <stddef.h>
#include <stdint.h>

#include "shared/tile.h"

/* Weights closer than this share of the leaf are the same but for rounding, and projections
 * closer than this share of their range. */
#define SAME 1e-10

/* The items of a leaf, two at least: first the categories, which have a column each, then
 * maybe the samples of no category, then maybe those that miss it. */
typedef struct {
    int32_t count, categories;
    int missing;           /* whether the last item is those that miss it */
    const double *weight;  /* [i] */
    const double *samples; /* [i] */
    const double *cross;   /* [i * K + k] sigma(i x C_k), of the K clusters that are looked at */
    const double *kernel_sum;   /* [i * count + j] sigma(i x j) */
} subset_items;

/* Called with the ways that were evaluated together; `tile` is a scan_tile. */
typedef void (*subset_seen)(const scan_leaf *leaf, const void *tile, ptrdiff_t length,
                            void *context);

/* A search on its way. */
typedef struct {
    const scan_leaf *leaf;
    const scan_clusters *clusters;
    const subset_items *items;
    double floor, tolerance;
    subset_seen seen;
    void *context;
    uint8_t *right; /* OUT */
    int found;      /* whether something is in `right` */
    scan_tile *s;
    tile *prefix;
    uint8_t *sets; /* [t * count] the left side of each way of the tile */
    uint8_t *spare;
    ptrdiff_t length;
    double best;        /* of all */
    double local;       /* of those since `begin`, */
    uint8_t *local_set; /* and which */
} subset_way_search;

/* Look at the ways that are in the tile. */
void subset_flush(subset_way_search *r);

/* Look at the ways that seem good; `work` is what subset_work counts for vectors by item. */
void subset_good_ways(subset_way_search *r, double *work);

#endif
