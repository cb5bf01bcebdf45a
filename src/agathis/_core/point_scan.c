/* The scan of a leaf's table: points.h says what it rests on.
 *
 * Some cuts at a time are gathered in a tile, as rows of sums; inner products with the sums
 * of the clusters and with themselves make of them what tile.h asks for.
 */
#include "points.h"

#include <math.h>
#include <string.h>

#include "clones.h"
#include "lanes.h"
#include "tile.h"

/* A tile of cuts.  The clusters' prefix sums and SCAN_TILE spare rows follow in memory. */
typedef struct {
    scan_tile tile;
    tile_slack slack;
    const double *row[SCAN_TILE];
    int32_t at[SCAN_TILE]; /* the block that the cut ends, or the row it is at */
    uint8_t missing_left[SCAN_TILE];
} point_tile;

size_t
point_work(int32_t n_clusters, ptrdiff_t width)
{
    const size_t lanes = ((size_t)n_clusters + SCAN_LANES - 1) / SCAN_LANES * SCAN_LANES;
    return sizeof(point_tile) / sizeof(double) + 1 + SCAN_TILE * (lanes + (size_t)width) +
           (size_t)n_clusters + 1 + (size_t)width;
}

AGATHIS_INLINE tile *
prefix_of(point_tile *p)
{
    return (tile *)(p + 1);
}

AGATHIS_INLINE double *
spare_of(point_tile *p, const scan_clusters *c)
{
    const ptrdiff_t lanes = (c->count + SCAN_LANES - 1) / SCAN_LANES * SCAN_LANES;
    return (double *)(prefix_of(p) + lanes);
}

/* sigma(L^2), sigma(R^2) and sigma(L x C_k) of each cut. */
AGATHIS_INLINE void
products(point_tile *p, const scan_clusters *c, const point_clusters *sums,
         const double *restrict total, ptrdiff_t width, ptrdiff_t length)
{
    tile *prefix = prefix_of(p);
    lanes none;
    lanes_clear(&none);
    for (ptrdiff_t t = 0; t < length; ++t) {
        const double *row = p->row[t];
        lanes self = none, far = none;
        for (ptrdiff_t j = 0; j < width; j += POINT_PAD) {
            const lanes x = lanes_load(row + j);
            lanes_add_square(&self, x, none);
            lanes_add_square(&far, lanes_load(total + j), x);
        }
        p->tile.self[t] = lanes_sum(self);
        p->tile.far_self[t] = lanes_sum(far);
    }
    for (ptrdiff_t t = 0; t < length; t += 4) {
        const double *row[4];
        for (int u = 0; u < 4; ++u)
            row[u] = p->row[t + u < length ? t + u : length - 1];
        for (int32_t k = 0; k < c->count; k += SCAN_LANES) {
            lanes sum[4] = {none, none, none, none};
            for (ptrdiff_t j = 0; j < width; ++j) {
                const lanes centre = lanes_load(sums->sum + j * sums->lanes + k);
                for (int u = 0; u < 4; ++u)
                    lanes_add_scaled(&sum[u], row[u][j], centre);
            }
            for (int u = 0; u < 4 && t + u < length; ++u) {
                double each[SCAN_LANES];
                lanes_store(each, sum[u]);
                for (int v = 0; v < SCAN_LANES; ++v)
                    prefix[k + v][t + u] = each[v];
            }
        }
    }
}

AGATHIS_INLINE double
gain_at(const scan_tile *s, ptrdiff_t t)
{
    return larger(larger(s->gain_near[t], s->gain_far[t]), s->gain_both[t]);
}

/* One more cut: its sums, with those of the samples that miss a value where they go left. */
AGATHIS_INLINE void
put(point_tile *p, ptrdiff_t t, const double *row, double count, double weight, ptrdiff_t at,
    const point_table *table, ptrdiff_t f, int missing_left, double *spare)
{
    p->row[t] = row;
    if (missing_left) {
        double *restrict out = spare + t * table->width;
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

/* The squared distance of the mean of the left side from the leaf's, times the squared weight of
 * that side; of the right side it is the same. */
AGATHIS_INLINE double
squared_moment(const point_tile *p, ptrdiff_t t, const scan_leaf *leaf,
               const double *restrict total, ptrdiff_t width)
{
    const double *restrict x = p->row[t];
    const double share = p->tile.weight[t] / leaf->weight;
    lanes squared;
    lanes_clear(&squared);
    for (ptrdiff_t j = 0; j < width; j += POINT_PAD) {
        lanes mean;
        lanes_clear(&mean);
        lanes_add_scaled(&mean, share, lanes_load(total + j));
        lanes_add_square(&squared, lanes_load(x + j), mean);
    }
    return lanes_sum(squared);
}

/* What may be gained near each cut of the tile, on top of what the cut gains. */
AGATHIS_INLINE void
widen(point_tile *p, const scan_leaf *leaf, const point_clusters *sums, const point_table *table,
      ptrdiff_t length)
{
    tile_slack *slack = &p->slack;
    tile near, far;
    memset(slack, 0, sizeof *slack);
    slack->reach = sums->reach;
    slack->rest = sums->rest;
    for (ptrdiff_t t = 0; t < length; ++t)
        near[t] = squared_moment(p, t, leaf, table->total, table->width);
    for (ptrdiff_t t = 0; t < length; ++t) {
        const double moment = sqrt(near[t]);
        near[t] = moment / p->tile.weight[t];
        far[t] = moment / (leaf->weight - p->tile.weight[t]);
    }
    for (ptrdiff_t t = 1; t < length; ++t) {
        const double radius = table->radius[p->at[t]];
        if (p->at[t] != p->at[t - 1] + 1 || radius == 0.0 || radius == INFINITY)
            continue;
        for (ptrdiff_t u = t - 1; u <= t; ++u) {
            slack->wide[u] = larger(slack->wide[u], 2.0 * radius);
            slack->near[u] = larger(slack->near[u], larger(near[t - 1], near[t]));
            slack->far[u] = larger(slack->far[u], larger(far[t - 1], far[t]));
        }
    }
    /* Four times R^2: within a block no side is less than a quarter of what it is at an end. */
    for (ptrdiff_t t = 0; t < length; ++t)
        slack->square[t] = slack->wide[t] * slack->wide[t];
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

AGATHIS_CLONES void
point_scan(const scan_leaf *leaf, const scan_clusters *clusters, const point_clusters *sums,
           const point_table *table, ptrdiff_t first, ptrdiff_t n_features,
           const uint8_t *drawn, double *work, double *bound)
{
    point_tile *p = (point_tile *)work;
    double *spare = spare_of(p, clusters), *targets = spare + SCAN_TILE * table->width;
    ptrdiff_t length = 0, f = first, b = -1;
    cut_range range = {0, 0, 0, 0};
    scan_leaf any = *leaf;
    any.min_leaf = -INFINITY; /* a cut within a block may be allowed where its ends are not */
    memset(targets, 0, (size_t)(clusters->count + 1) * sizeof(double));

    for (;;) {
        while (length < SCAN_TILE - 1 && f < first + n_features) {
            if (b < 0) {
                const int looked_at = !drawn || drawn[f];
                range = cuts_of(table, f);
                for (b = range.begin; b < range.end; ++b)
                    bound[b] = looked_at && table->radius[b] == INFINITY ? INFINITY : -INFINITY;
                b = looked_at ? range.begin : range.last;
            }
            if (b >= range.last) {
                ++f;
                b = -1;
                continue;
            }
            for (int left = 0; left < ways(&range, b); ++left)
                put(p, length++, table->sum + b * table->width, table->count[b],
                    table->weight[b], b, table, f, left, spare);
            ++b;
        }
        if (length == 0)
            break;
        products(p, clusters, sums, table->total, table->width, length);
        widen(p, leaf, sums, table, length);
        evaluate(&any, clusters, prefix_of(p), length, 0, &p->tile, &p->slack, targets);
        for (ptrdiff_t t = 0; t < length; ++t) {
            const double gain = gain_at(&p->tile, t);
            double *own = bound + p->at[t], *next = own + 1;
            *own = larger(*own, gain);
            if (t + 1 < length && p->at[t + 1] == p->at[t] + 1 && table->radius[p->at[t] + 1] > 0.0)
                *next = larger(*next, gain);
        }
        length = 0;
        /* Both ends of a block must be in one tile. */
        if (b > range.begin && b < range.last && !range.misses)
            --b;
    }
}

/* The cuts of a block as they come: at its rows, or after its samples, which are summed. */
typedef struct {
    ptrdiff_t at, end; /* the end is the last cut */
    double count, weight;
    const double *sum;
} cut_walk;

AGATHIS_INLINE cut_walk
walk_of(const point_table *table, const cut_range *range, ptrdiff_t b, const double *zeros)
{
    cut_walk walk = {0, 0, 0.0, 0.0, zeros};
    if (b > range->begin) {
        walk.sum = table->sum + (b - 1) * table->width;
        walk.count = table->count[b - 1];
        walk.weight = table->weight[b - 1];
    }
    if (table->row) {
        /* The first block of a feature has one row. */
        walk.at = b > range->begin ? table->row[b - 1] + 1 : table->row[b];
        walk.end = table->row[b];
    } else {
        walk.at = (ptrdiff_t)walk.count;
        walk.end = (ptrdiff_t)table->count[b] - 1;
    }
    if (b == range->last) /* its end is no cut */
        --walk.end;
    return walk;
}

AGATHIS_CLONES double
point_refine(const scan_leaf *leaf, const scan_clusters *clusters, const point_clusters *sums,
             const point_table *table, ptrdiff_t f, ptrdiff_t b, const point_samples *samples,
             double floor, double *work, point_cut *reached)
{
    point_tile *p = (point_tile *)work;
    double *spare = spare_of(p, clusters), *targets = spare + SCAN_TILE * table->width;
    double *running = targets + clusters->count + 1;
    const ptrdiff_t width = table->width;
    const cut_range range = cuts_of(table, f);
    double best = -INFINITY;

    memset(targets, 0, (size_t)(clusters->count + 1) * sizeof(double));
    memset(running, 0, (size_t)width * sizeof(double));
    cut_walk walk = walk_of(table, &range, b, running);
    reached->count = -1;
    while (walk.at <= walk.end) {
        ptrdiff_t length = 0;
        for (; walk.at <= walk.end && length < SCAN_TILE - 1; ++walk.at) {
            if (table->row) {
                for (int left = 0; left < ways(&range, b); ++left)
                    put(p, length++, table->row_sum + walk.at * width,
                        table->row_count[walk.at], table->row_weight[walk.at], walk.at, table, f,
                        left, spare);
                continue;
            }
            const ptrdiff_t i = samples->order[walk.at];
            const double w = samples->weight[i];
            const double *restrict phi = samples->phi + i * width;
            const double *from = walk.sum;
            double *out = spare + length * width;
            for (ptrdiff_t j = 0; j < width; j += POINT_PAD) {
                lanes sum = lanes_load(from + j);
                lanes_add_scaled(&sum, w, lanes_load(phi + j));
                lanes_store(out + j, sum);
            }
            walk.sum = out;
            walk.count += 1.0;
            walk.weight += w;
            put(p, length, out, walk.count, walk.weight, -1, table, f, 0, spare);
            length += samples->cut[walk.at];
        }
        if (walk.sum != running && walk.sum >= spare && walk.sum < targets) {
            /* The next tile writes over the rows of this one. */
            memcpy(running, walk.sum, (size_t)width * sizeof(double));
            walk.sum = running;
        }
        if (length == 0)
            continue;
        products(p, clusters, sums, table->total, width, length);
        evaluate(leaf, clusters, prefix_of(p), length, 0, &p->tile, NULL, targets);
        for (ptrdiff_t t = 0; t < length; ++t) {
            const double gain = gain_at(&p->tile, t);
            best = larger(best, gain);
            if (gain >= floor && reached->count < 0) {
                reached->count = p->tile.count[t];
                if (p->missing_left[t])
                    reached->count -= (ptrdiff_t)table->missing_count[f];
                reached->row = p->at[t];
                reached->missing_left = p->missing_left[t];
            }
        }
    }
    return best;
}
