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
    uint8_t misses[SCAN_TILE]; /* whether the feature misses values */
    uint8_t begins[SCAN_TILE]; /* whether a block of the table begins at the cut */
    tile old_best, old_second, old_target, old_far_best, old_far_second, old_far_target;
    tile moves; /* the best gain of each cut */
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

/* sigma(A^2) of a sum of points, and of the rest of the leaf. */
AGATHIS_INLINE void
self_products(const double *row, const double *total, ptrdiff_t width, double *self, double *far)
{
    lanes none, near_sum, far_sum;
    lanes_clear(&none);
    near_sum = far_sum = none;
    for (ptrdiff_t j = 0; j < width; j += POINT_PAD) {
        const lanes x = lanes_load(row + j);
        lanes_add_square(&near_sum, x, none);
        lanes_add_square(&far_sum, lanes_load(total + j), x);
    }
    *self = lanes_sum(near_sum);
    *far = lanes_sum(far_sum);
}

/* sigma(L x C_k) of each cut. */
AGATHIS_INLINE void
products(point_tile *p, const scan_clusters *c, const point_clusters *sums, ptrdiff_t width,
         ptrdiff_t length)
{
    tile *prefix = prefix_of(p);
    lanes none;
    lanes_clear(&none);
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

/* The squared distance of the mean of the left side from the leaf's, times the squared weight of
 * that side; of the right side it is the same. */
AGATHIS_INLINE double
squared_moment(const double *row, double share, const double *total, ptrdiff_t width)
{
    lanes squared;
    lanes_clear(&squared);
    for (ptrdiff_t j = 0; j < width; j += POINT_PAD) {
        lanes mean;
        lanes_clear(&mean);
        lanes_add_scaled(&mean, share, lanes_load(total + j));
        lanes_add_square(&squared, lanes_load(row + j), mean);
    }
    return lanes_sum(squared);
}

ptrdiff_t
point_cuts(const point_table *table, ptrdiff_t f)
{
    const cut_range range = cuts_of(table, f);
    ptrdiff_t cuts = 0;
    for (ptrdiff_t b = range.begin; b < range.last; ++b)
        cuts += ways(&range, b);
    return cuts;
}

/* What is kept of the cuts, from cut c on. */
AGATHIS_INLINE double *
kept_of(const point_table *table, int what, ptrdiff_t c)
{
    return table->kept + what * table->cuts + c;
}

/* The slack of a cut is that of the blocks on both of its sides. */
AGATHIS_INLINE void
widen(const point_table *table, const cut_range *range, ptrdiff_t first)
{
    double *wide = kept_of(table, CUT_WIDE, first) - range->begin;
    double *near = kept_of(table, CUT_NEAR, first) - range->begin;
    double *far = kept_of(table, CUT_FAR, first) - range->begin;
    double near_before = 0.0, far_before = 0.0;
    for (ptrdiff_t b = range->begin; b < range->last; ++b) {
        const double near_here = near[b], far_here = far[b];
        const double radius = b > range->begin ? table->radius[b] : 0.0;
        wide[b] = near[b] = far[b] = 0.0;
        if (radius > 0.0 && radius < INFINITY)
            for (ptrdiff_t u = b - 1; u <= b; ++u) {
                wide[u] = larger(wide[u], 2.0 * radius);
                near[u] = larger(near[u], larger(near_before, near_here));
                far[u] = larger(far[u], larger(far_before, far_here));
            }
        near_before = near_here;
        far_before = far_here;
    }
}

AGATHIS_CLONES void
point_moments(const point_table *table, double leaf_weight, ptrdiff_t first,
              ptrdiff_t n_features)
{
    const ptrdiff_t width = table->width;
    for (ptrdiff_t f = first; f < first + n_features; ++f) {
        const cut_range range = cuts_of(table, f);
        if (range.misses) {
            /* No block has several cuts, and there is no slack.  The sums are made as they are
             * looked at, with the missing on either side. */
            memset(kept_of(table, CUT_WIDE, table->cut_first[f]), 0,
                   (size_t)point_cuts(table, f) * sizeof(double));
            continue;
        }
        for (ptrdiff_t b = range.begin; b < range.last; ++b) {
            const ptrdiff_t c = table->cut_first[f] + b - range.begin;
            const double *row = table->sum + b * width;
            const double weight = table->weight[b];
            const double moment =
                sqrt(squared_moment(row, weight / leaf_weight, table->total, width));
            self_products(row, table->total, width, kept_of(table, CUT_SELF, c),
                          kept_of(table, CUT_FAR_SELF, c));
            *kept_of(table, CUT_NEAR, c) = moment / weight;
            *kept_of(table, CUT_FAR, c) = moment / (leaf_weight - weight);
        }
        widen(table, &range, table->cut_first[f]);
    }
}

AGATHIS_INLINE void
copy(double *restrict to, const double *restrict from, ptrdiff_t length)
{
    for (ptrdiff_t t = 0; t < length; ++t)
        to[t] = from[t];
}

/* Bring what is kept of the leaf's own, from cut c on, into the tile. */
AGATHIS_INLINE void
recall(point_tile *p, const point_clusters *sums, const point_table *table, ptrdiff_t c,
       ptrdiff_t length)
{
    tile_slack *slack = &p->slack;
    copy(p->tile.self, kept_of(table, CUT_SELF, c), length);
    copy(p->tile.far_self, kept_of(table, CUT_FAR_SELF, c), length);
    copy(slack->wide, kept_of(table, CUT_WIDE, c), length);
    copy(slack->near, kept_of(table, CUT_NEAR, c), length);
    copy(slack->far, kept_of(table, CUT_FAR, c), length);
    for (ptrdiff_t t = 0; t < length; ++t)
        if (p->misses[t]) {
            self_products(p->row[t], table->total, table->width, p->tile.self + t,
                          p->tile.far_self + t);
            slack->near[t] = slack->far[t] = 0.0;
        }
    for (ptrdiff_t t = length; t % SCAN_PAD; ++t)
        slack->wide[t] = slack->near[t] = slack->far[t] = 0.0;
    /* Four times R^2: within a block no side is less than a quarter of what it is at an end. */
    for (ptrdiff_t t = 0; t < length || t % SCAN_PAD; ++t)
        slack->square[t] = slack->wide[t] * slack->wide[t];
    slack->reach = sums->reach;
    slack->rest = sums->rest;
}

/* Keep the best arrivals of both sides. */
AGATHIS_INLINE void
keep_arrivals(const point_tile *p, const point_table *table, ptrdiff_t c, ptrdiff_t length)
{
    const scan_tile *s = &p->tile;
    copy(kept_of(table, CUT_BEST, c), s->best, length);
    copy(kept_of(table, CUT_SECOND, c), s->second, length);
    copy(kept_of(table, CUT_TARGET, c), s->target, length);
    copy(kept_of(table, CUT_FAR_BEST, c), s->far_best, length);
    copy(kept_of(table, CUT_FAR_SECOND, c), s->far_second, length);
    copy(kept_of(table, CUT_FAR_TARGET, c), s->far_target, length);
}

/* The two best arrivals of a side at any cluster. */
typedef struct {
    double best, second, target;
} arrivals;

AGATHIS_INLINE arrivals
merged(arrivals a, arrivals b)
{
    const arrivals both = {
        larger(a.best, b.best),
        larger(smaller(a.best, b.best), larger(a.second, b.second)),
        a.best >= b.best ? a.target : b.target,
    };
    return both;
}

/* The most that both sides gain together where one goes to one of `news`, the other to one of
 * `others`, and not to the same. */
AGATHIS_INLINE double
together(arrivals news, arrivals others)
{
    return larger(news.best + (others.target == news.target ? others.second : others.best),
                  news.second + others.best);
}

/* What was kept of the best arrivals, without the clusters that changed: where the best went to
 * one of these, what is left is not more than the second, at a cluster that is not known. */
AGATHIS_INLINE void
recall_arrivals(point_tile *p, const scan_clusters *clusters, const point_table *table,
                ptrdiff_t c, ptrdiff_t length)
{
    copy(p->old_best, kept_of(table, CUT_BEST, c), length);
    copy(p->old_second, kept_of(table, CUT_SECOND, c), length);
    copy(p->old_target, kept_of(table, CUT_TARGET, c), length);
    copy(p->old_far_best, kept_of(table, CUT_FAR_BEST, c), length);
    copy(p->old_far_second, kept_of(table, CUT_FAR_SECOND, c), length);
    copy(p->old_far_target, kept_of(table, CUT_FAR_TARGET, c), length);
    for (int32_t k = 1; k < clusters->count; ++k) {
        const double id = (double)clusters->id[k];
        for (ptrdiff_t t = 0; t < length; ++t) {
            const int near = p->old_target[t] == id, far = p->old_far_target[t] == id;
            p->old_best[t] = near ? p->old_second[t] : p->old_best[t];
            p->old_target[t] = near ? -2.0 : p->old_target[t];
            p->old_far_best[t] = far ? p->old_far_second[t] : p->old_far_best[t];
            p->old_far_target[t] = far ? -3.0 : p->old_far_target[t];
        }
    }
}

/* The tile holds the best arrivals at the changed clusters: the best move by one of them, and
 * the best arrivals of all, in their place. */
AGATHIS_INLINE void
renew(point_tile *p, const scan_leaf *leaf, ptrdiff_t length)
{
    const double leave_all = leaf->leave_all, open_one = leaf->open_one;
    scan_tile *s = &p->tile;
    for (ptrdiff_t t = 0; t < length; ++t) {
        const arrivals near = {s->best[t], s->second[t], s->target[t]};
        const arrivals far = {s->far_best[t], s->far_second[t], s->far_target[t]};
        const arrivals old = {p->old_best[t], p->old_second[t], p->old_target[t]};
        const arrivals old_far = {p->old_far_best[t], p->old_far_second[t], p->old_far_target[t]};
        const arrivals all = merged(old, near), far_all = merged(old_far, far);
        const double founding = larger(near.best + s->new_far[t], s->new_near[t] + far.best);
        const double both = larger(together(near, far_all), together(far, all));
        p->moves[t] = larger(larger(s->go_near[t] + near.best, s->go_far[t] + far.best),
                             leave_all + larger(both, founding + open_one));
        s->best[t] = all.best;
        s->second[t] = all.second;
        s->target[t] = all.target;
        s->far_best[t] = far_all.best;
        s->far_second[t] = far_all.second;
        s->far_target[t] = far_all.target;
    }
}

/* The gains of a tile's cuts, the first of them c, at all clusters or by moves to those that
 * changed. */
AGATHIS_INLINE void
bound_moves(point_tile *p, const scan_leaf *leaf, const scan_clusters *clusters,
            const point_clusters *sums, const point_table *table, ptrdiff_t c, ptrdiff_t length,
            double *targets)
{
    scan_tile *s = &p->tile;
    recall(p, sums, table, c, length);
    products(p, clusters, sums, table->width, length);
    if (clusters->id) {
        const ptrdiff_t padded = pad(s, prefix_of(p), clusters->count, length);
        departures(leaf, clusters, *prefix_of(p), length, padded, 0, s, &p->slack);
        best_arrivals(leaf, clusters, prefix_of(p), padded, 0, s, 1, &p->slack, targets);
        recall_arrivals(p, clusters, table, c, length);
        renew(p, leaf, length);
        if (sums->own_changed)
            best_moves(leaf, padded, s);
    } else {
        evaluate(leaf, clusters, prefix_of(p), length, 0, s, &p->slack, targets);
    }
    if (!clusters->id || sums->own_changed)
        for (ptrdiff_t t = 0; t < length; ++t)
            p->moves[t] = gain_at(s, t);
    keep_arrivals(p, table, c, length);
}

AGATHIS_CLONES void
point_scan(const scan_leaf *leaf, const scan_clusters *clusters, const point_clusters *sums,
           const point_table *table, ptrdiff_t first, ptrdiff_t n_features,
           const uint8_t *drawn, double *work, double *bound)
{
    point_tile *p = (point_tile *)work;
    double *spare = spare_of(p, clusters), *targets = spare + SCAN_TILE * table->width;
    ptrdiff_t length = 0, f = first, b = -1, c = 0;
    cut_range range = {0, 0, 0, 0};
    scan_leaf any = *leaf;
    any.min_leaf = -INFINITY; /* a cut within a block may be allowed where its ends are not */
    memset(targets, 0, (size_t)(clusters->count + 1) * sizeof(double));

    for (;;) {
        while (length < SCAN_TILE - 1 && f < first + n_features) {
            if (b < 0) {
                const int looked_at = !drawn || drawn[f];
                if (!looked_at && length > 0)
                    break; /* the cuts of a tile follow one another */
                range = cuts_of(table, f);
                for (b = range.begin; b < range.end; ++b)
                    if (looked_at && table->radius[b] == INFINITY)
                        bound[b] = INFINITY;
                    else if (!clusters->id || sums->own_changed)
                        bound[b] = -INFINITY;
                b = looked_at ? range.begin : range.last;
                if (length == 0)
                    c = table->cut_first[f];
            }
            if (b >= range.last) {
                ++f;
                b = -1;
                continue;
            }
            for (int left = 0; left < ways(&range, b); ++left) {
                p->begins[length] = b + 1 < range.end;
                p->misses[length] = (uint8_t)range.misses;
                put(p, length++, table->sum + b * table->width, table->count[b],
                    table->weight[b], b, table, f, left, spare);
            }
            ++b;
        }
        if (length == 0) {
            if (f >= first + n_features)
                break;
            continue;
        }
        bound_moves(p, &any, clusters, sums, table, c, length, targets);
        for (ptrdiff_t t = 0; t < length; ++t) {
            double *own = bound + p->at[t], *next = own + 1;
            *own = larger(*own, p->moves[t]);
            if (p->begins[t] && table->radius[p->at[t] + 1] > 0.0)
                *next = larger(*next, p->moves[t]);
        }
        c += length;
        length = 0;
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
        for (ptrdiff_t t = 0; t < length; ++t)
            self_products(p->row[t], table->total, width, p->tile.self + t, p->tile.far_self + t);
        products(p, clusters, sums, width, length);
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
