/* A tile of cuts of a leaf's table: what the scan and its refinement share.
 *
 * Some cuts at a time are gathered in a tile, as rows of sums; inner products with the sums
 * of the clusters and with themselves make of them what shared/tile.h asks for.
 */
#ifndef AGATHIS_POINT_TILE_H
#define AGATHIS_POINT_TILE_H

#include <string.h>

#include "shared/clones.h"
#include "shared/f64x8.h"
#include "points/points.h"
#include "shared/tile.h"

/* A tile of cuts; what grows with the clusters and the width lies in the thread's `work`. */
typedef struct {
    scan_tile tile;
    tile *prefix;    /* [k] sigma(L x C_k) of each cut */
    double *spare;   /* SCAN_TILE rows: of cuts that are not in the table */
    double *running; /* one more row, the sum of a block's samples so far */
    tile_slack slack;
    const double *row[SCAN_TILE];
    int32_t at[SCAN_TILE]; /* the block that the cut ends, or the row it is at */
    uint8_t missing_left[SCAN_TILE];
    uint8_t misses[SCAN_TILE]; /* whether the feature misses values */
    uint8_t begins[SCAN_TILE]; /* whether a block of the table begins at the cut */
    tile old_best, old_second, old_far_best, old_far_second;
    target_tile old_target, old_far_target;
    tile moves;  /* the best gain of each cut */
    tile moment, least, far_least; /* CUT_MOMENT and so on */
} point_tile;

/* Deal the doubles that point_work counts. */
AGATHIS_INLINE void
use_work(point_tile *p, double *work, int32_t n_clusters, ptrdiff_t width)
{
    p->prefix = (tile *)work;
    p->spare = work + SCAN_TILE * padded_to_lanes(n_clusters);
    p->running = p->spare + SCAN_TILE * width;
    memset(p->running, 0, (size_t)width * sizeof(double));
}

/* sigma(A^2) of a sum of points, and of the rest of the leaf. */
AGATHIS_INLINE void
self_products(const double *row, const double *total, ptrdiff_t width, double *self, double *far)
{
    const f64x8 none = f64x8_zero();
    f64x8 near_sum = none, far_sum = none;
    for (ptrdiff_t j = 0; j < width; j += POINT_PAD) {
        const f64x8 x = f64x8_load(row + j);
        f64x8_add_square(&near_sum, x, none);
        f64x8_add_square(&far_sum, f64x8_load(total + j), x);
    }
    *self = f64x8_sum(near_sum);
    *far = f64x8_sum(far_sum);
}

/* sigma(L x C_k) of each cut. */
AGATHIS_INLINE void
products(point_tile *p, const scan_clusters *c, const point_clusters *sums, ptrdiff_t width,
         ptrdiff_t length)
{
    tile *prefix = p->prefix;
    f64x8 none = f64x8_zero();
    for (ptrdiff_t t = 0; t < length; t += 4) {
        const double *row[4];
        for (int u = 0; u < 4; ++u)
            row[u] = p->row[t + u < length ? t + u : length - 1];
        for (int32_t k = 0; k < c->count; k += SCAN_LANES) {
            f64x8 sum[4] = {none, none, none, none};
            for (ptrdiff_t j = 0; j < width; ++j) {
                const f64x8 centre = f64x8_load(sums->sum + j * sums->lanes + k);
                for (int u = 0; u < 4; ++u)
                    f64x8_add_scaled(&sum[u], row[u][j], centre);
            }
            for (int u = 0; u < 4 && t + u < length; ++u) {
                double each[SCAN_LANES];
                f64x8_store(each, sum[u]);
                for (int v = 0; v < SCAN_LANES; ++v)
                    prefix[k + v][t + u] = each[v];
            }
        }
    }
}

/* The squared distance of the mean of the left side from the leaf's, times the squared weight of
 * that side; of the right side it is the same. */
AGATHIS_INLINE double
squared_moment(const double *row, double share, const double *total, ptrdiff_t width)
{
    f64x8 squared = f64x8_zero();
    for (ptrdiff_t j = 0; j < width; j += POINT_PAD) {
        f64x8 mean = f64x8_zero();
        f64x8_add_scaled(&mean, share, f64x8_load(total + j));
        f64x8_add_square(&squared, f64x8_load(row + j), mean);
    }
    return f64x8_sum(squared);
}

/* One more cut: its sums, with those of the samples that miss a value where they go left. */
AGATHIS_INLINE void
put(point_tile *p, ptrdiff_t t, const double *row, double count, double weight, ptrdiff_t at,
    const point_table *table, ptrdiff_t f, int missing_left)
{
    p->row[t] = row;
    if (missing_left) {
        double *restrict out = p->spare + t * table->width;
        const double *restrict more = table->missing + f * table->width;
        for (ptrdiff_t j = 0; j < table->width; ++j)
            out[j] = row[j] + more[j];
        p->row[t] = out;
        count += table->missing_count[f];
        weight += table->missing_weight[f];
    }
    p->tile.count[t] = (int32_t)count;
    p->tile.weight[t] = weight;
    p->at[t] = (int32_t)at;
    p->missing_left[t] = (uint8_t)missing_left;
}

/* The cuts of a feature at the ends of blocks: begin .. last - 1. */
typedef struct {
    ptrdiff_t begin, end, last;
    int misses;
} cut_range;

AGATHIS_INLINE cut_range
cuts_of(const point_table *table, ptrdiff_t f)
{
    cut_range range = {table->first[f], table->stop[f], 0, 0};
    range.misses = table->missing && table->missing_count[f] > 0.0;
    /* The end of the last block is a cut where it leaves the missing. */
    range.last = range.misses ? range.end : range.end - 1;
    return range;
}

/* With missing values on the right, and where that is another cut, on the left. */
AGATHIS_INLINE int
ways(const cut_range *range, ptrdiff_t b)
{
    return range->misses && b < range->end - 1 ? 2 : 1;
}

/* What is kept of the cuts, from cut c on. */
AGATHIS_INLINE double *
kept_of(const point_table *table, int what, ptrdiff_t c)
{
    return table->kept + what * table->cuts + c;
}

AGATHIS_INLINE int64_t *
kept_target_of(const point_table *table, int which, ptrdiff_t c)
{
    return table->kept_target + which * table->cuts + c;
}

/* One half, three quarters, ... of what is paid; nothing at first. */
AGATHIS_INLINE double
bound_share(int u)
{
    return 1.0 - 1.0 / (double)(1 << u);
}

#endif
