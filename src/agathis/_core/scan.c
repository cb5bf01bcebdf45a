/* Where is the best threshold of a leaf along a feature?
 *
 * For each prefix L of the leaf T in the feature's order three sums are needed:
 * sigma(L^2), sigma(L x T) and sigma(L x C_k).  They are running sums of what is kept
 * for each sample.  The thresholds are taken a tile at a time: first the running sums
 * where a threshold fits, several clusters side by side so that no addition waits for
 * the last one; then, cluster by cluster, the best (and second best) arrival of each
 * side; then the best move of each threshold.  All loops of the second and third kind
 * are straight lines over a tile.
 */
#include "scan.h"

#include <math.h>
#include <string.h>

#include "clones.h"
#include "gains.h"

typedef double tile[SCAN_TILE];

/* What is kept of a tile; the prefix sums of the clusters follow it in memory. */
typedef struct {
    tile weight;   /* |L| */
    tile self;     /* sigma(L^2) */
    tile within;   /* sigma(L x T) */
    tile far_self; /* sigma(R^2) */
    tile inv_near, inv_far, inv_stay_near, inv_stay_far;
    tile best, second, target; /* of L: the two best arrivals, and where the best goes */
    tile far_best, far_second, far_target;
    tile gain_near, gain_far, gain_both, spread_near, spread_far;
    int32_t count[SCAN_TILE]; /* samples of L */
} scan_tile;

/* What runs on from one tile to the next. */
typedef struct {
    double weight, self, within;
    double *clusters;
} scan_sums;

static size_t
lanes_for(int32_t n_clusters)
{
    return ((size_t)n_clusters + SCAN_LANES - 1) / SCAN_LANES * SCAN_LANES;
}

size_t
scan_work(int32_t n_clusters)
{
    return sizeof(scan_tile) / sizeof(double) + lanes_for(n_clusters) * (SCAN_TILE + 1);
}

AGATHIS_INLINE double
larger(double a, double b)
{
    return a > b ? a : b;
}

AGATHIS_INLINE double
smaller(double a, double b)
{
    return a < b ? a : b;
}

/* 1 / (size + |L|) for each threshold. The table serves where sizes are whole numbers and
 * the thresholds of the tile follow one another without a gap (`dense`). */
AGATHIS_INLINE const double *
inverse_with_near(const scan_clusters *c, double size, const scan_tile *s, ptrdiff_t length,
                  int dense, double *restrict out)
{
    if (dense)
        return c->inv + (ptrdiff_t)size + s->count[0];
    for (ptrdiff_t t = 0; t < length; ++t)
        out[t] = 1.0 / (size + s->weight[t]);
    return out;
}

/* 1 / (size - |L|) */
AGATHIS_INLINE const double *
inverse_without_near(const scan_clusters *c, double size, const scan_tile *s, ptrdiff_t length,
                     int dense, double *restrict out)
{
    if (dense)
        return c->back + (c->n - (ptrdiff_t)size) + s->count[0];
    for (ptrdiff_t t = 0; t < length; ++t)
        out[t] = 1.0 / (size - s->weight[t]);
    return out;
}

/* Running sums from sample `from` on, kept where a threshold fits; fills the tile and says
 * with *length how far. Returns the first sample that was not taken. */
AGATHIS_INLINE ptrdiff_t
accumulate(const scan_leaf *leaf, int32_t n_clusters, const int32_t *restrict order,
           const uint8_t *restrict cut, const double *restrict alpha,
           const double *restrict rows, ptrdiff_t stride, ptrdiff_t from, scan_tile *s,
           scan_sums *sums, tile *restrict prefix, ptrdiff_t *length)
{
    double weight = sums->weight, self = sums->self, within = sums->within;
    ptrdiff_t i, t = 0;
    for (i = from; i < leaf->n && t < SCAN_TILE; ++i) {
        const double *row = rows + order[i] * stride;
        weight += row[STOCK_WEIGHT];
        within += row[STOCK_LEAF];
        self += 2.0 * alpha[order[i]];
        s->weight[t] = weight;
        s->within[t] = within;
        s->self[t] = self;
        s->count[t] = (int32_t)(i + 1);
        t += cut[i];
    }
    sums->weight = weight;
    sums->self = self;
    sums->within = within;
    for (int32_t k = 0; k < n_clusters; k += SCAN_LANES) {
        const double *column = rows + STOCK_CLUSTER + k;
        double *sum = sums->clusters + k;
        double p0 = sum[0], p1 = sum[1], p2 = sum[2], p3 = sum[3];
        ptrdiff_t u = 0;
        for (ptrdiff_t j = from; j < i; ++j) {
            const double *row = column + order[j] * stride;
            /* Written at every sample, kept at thresholds; u is in the tile as t was. */
            p0 += row[0];
            p1 += row[1];
            p2 += row[2];
            p3 += row[3];
            prefix[k][u] = p0;
            prefix[k + 1][u] = p1;
            prefix[k + 2][u] = p2;
            prefix[k + 3][u] = p3;
            u += cut[j];
        }
        sum[0] = p0;
        sum[1] = p1;
        sum[2] = p2;
        sum[3] = p3;
    }
    for (ptrdiff_t u = 0; u < t; ++u)
        s->far_self[u] = leaf->self - 2.0 * s->within[u] + s->self[u];
    *length = t;
    return i;
}

/* The best arrival of each side at any cluster but the leaf's own; with `two`, also the
 * second best and where the best goes. */
AGATHIS_INLINE void
best_arrivals(const scan_leaf *leaf, const scan_clusters *c, tile *prefix, ptrdiff_t length,
              int dense, scan_tile *s, int two)
{
    for (ptrdiff_t t = 0; t < length; ++t) {
        s->best[t] = s->second[t] = s->far_best[t] = s->far_second[t] = -INFINITY;
        s->target[t] = s->far_target[t] = -1.0;
    }
    for (int32_t k = 0; k < c->count; ++k) {
        if (k == leaf->own)
            continue;
        const double stock = c->stock[k], share = c->share[k], cross = leaf->cross[k];
        const double *restrict near =
            inverse_with_near(c, c->size[k], s, length, dense, s->inv_near);
        const double *restrict far =
            inverse_without_near(c, c->size[k] + leaf->weight, s, length, dense, s->inv_far);
        const double *restrict sum = prefix[k];
        if (!two) {
            for (ptrdiff_t t = 0; t < length; ++t) {
                const double l = arrive(stock, sum[t], s->self[t], near[t], share);
                const double r = arrive(stock, cross - sum[t], s->far_self[t], far[t], share);
                s->best[t] = larger(s->best[t], l);
                s->far_best[t] = larger(s->far_best[t], r);
            }
            continue;
        }
        const double target = (double)k;
        for (ptrdiff_t t = 0; t < length; ++t) {
            const double l = arrive(stock, sum[t], s->self[t], near[t], share);
            const double r = arrive(stock, cross - sum[t], s->far_self[t], far[t], share);
            const double l1 = s->best[t], r1 = s->far_best[t];
            s->second[t] = larger(s->second[t], smaller(l1, l));
            s->far_second[t] = larger(s->far_second[t], smaller(r1, r));
            s->target[t] = l > l1 ? target : s->target[t];
            s->far_target[t] = r > r1 ? target : s->far_target[t];
            s->best[t] = larger(l1, l);
            s->far_best[t] = larger(r1, r);
        }
    }
}

/* The best move of each threshold: of the left side, of the right side, of both. */
AGATHIS_INLINE void
best_moves(const scan_leaf *leaf, const scan_clusters *c, const double *restrict own,
           ptrdiff_t length, int dense, scan_tile *s)
{
    const int32_t p = leaf->own;
    const double stock = c->stock[p], share = c->share[p], cross = leaf->cross[p];
    const double one = leaf->open_one, two = leaf->open_two;
    const double *restrict near = inverse_with_near(c, 0.0, s, length, dense, s->inv_near);
    const double *restrict far =
        inverse_without_near(c, leaf->weight, s, length, dense, s->inv_far);
    const double *restrict without_near =
        inverse_without_near(c, c->size[p], s, length, dense, s->inv_stay_near);
    const double *restrict without_far =
        inverse_with_near(c, c->size[p] - leaf->weight, s, length, dense, s->inv_stay_far);
    for (ptrdiff_t t = 0; t < length; ++t) {
        const double new_near = found(s->self[t], near[t]);
        const double new_far = found(s->far_self[t], far[t]);
        const double go_near = leave(stock, own[t], s->self[t], without_near[t], share);
        const double go_far = leave(stock, cross - own[t], s->far_self[t], without_far[t], share);
        const double l = s->best[t], r = s->far_best[t];
        const double apart = s->target[t] != s->far_target[t]
                                 ? l + r
                                 : larger(l + s->far_second[t], s->second[t] + r);
        const double both = larger(larger(new_near + new_far + two, apart),
                                   larger(new_near + r, l + new_far) + one);
        const int fits = (s->weight[t] >= leaf->min_leaf) &
                         (leaf->weight - s->weight[t] >= leaf->min_leaf);
        s->gain_near[t] = fits ? go_near + larger(new_near + one, l) : -INFINITY;
        s->gain_far[t] = fits ? go_far + larger(new_far + one, r) : -INFINITY;
        s->gain_both[t] = fits ? leaf->leave_all + both : -INFINITY;
        s->spread_near[t] = fabs(new_near);
        s->spread_far[t] = fabs(new_far);
    }
}

/* The largest of n values, eight running maxima side by side. */
AGATHIS_INLINE double
largest(const double *restrict values, ptrdiff_t n)
{
    double lane[8];
    double most = -INFINITY;
    ptrdiff_t t = 0;
    for (int v = 0; v < 8; ++v)
        lane[v] = -INFINITY;
    for (; t + 8 <= n; t += 8)
        for (int v = 0; v < 8; ++v)
            lane[v] = larger(lane[v], values[t + v]);
    for (; t < n; ++t)
        most = larger(most, values[t]);
    for (int v = 0; v < 8; ++v)
        most = larger(most, lane[v]);
    return most;
}

/* Into the result, by kind. Left sides grow along the tile, right sides shrink. */
AGATHIS_INLINE void
record(const scan_leaf *leaf, const scan_tile *s, ptrdiff_t length, scan_result *result)
{
    ptrdiff_t t = 0;
    while (t < length) {
        const int kind = scan_kind(s->count[t]);
        const ptrdiff_t limit = (ptrdiff_t)1 << (2 * (kind + 1));
        ptrdiff_t end = length;
        while (s->count[end - 1] >= limit)
            --end;
        result->gain[kind] = larger(result->gain[kind], largest(s->gain_near + t, end - t));
        result->spread[kind] = larger(result->spread[kind], largest(s->spread_near + t, end - t));
        t = end;
    }
    t = 0;
    while (t < length) {
        const int kind = scan_kind(leaf->n - s->count[t]);
        const ptrdiff_t least = (ptrdiff_t)1 << (2 * kind);
        ptrdiff_t end = length;
        while (leaf->n - s->count[end - 1] < least)
            --end;
        result->gain[kind] = larger(result->gain[kind], largest(s->gain_far + t, end - t));
        result->spread[kind] = larger(result->spread[kind], largest(s->spread_far + t, end - t));
        t = end;
    }
    if (leaf->leave_all > -INFINITY) {
        double *spread = result->spread + SCAN_BOTH;
        result->gain[SCAN_BOTH] = larger(result->gain[SCAN_BOTH], largest(s->gain_both, length));
        *spread = larger(*spread, largest(s->spread_near, length) + largest(s->spread_far, length));
    }
}

AGATHIS_CLONES void
scan_feature(const scan_leaf *leaf, const scan_clusters *clusters, const int32_t *order,
             const uint8_t *cut, const double *alpha, const double *rows, ptrdiff_t stride,
             double floor, double *work, scan_result *result)
{
    const size_t lanes = lanes_for(clusters->count);
    scan_tile *s = (scan_tile *)work;
    tile *prefix = (tile *)(s + 1);
    scan_sums sums = {0.0, 0.0, 0.0, (double *)(prefix + lanes)};
    const int two = clusters->count > 2 && leaf->leave_all > -INFINITY;
    ptrdiff_t length;

    result->best = -INFINITY;
    result->first = -1;
    for (int kind = 0; kind < SCAN_KINDS; ++kind) {
        result->gain[kind] = -INFINITY;
        result->spread[kind] = 0.0;
    }
    if (!memchr(cut, 1, (size_t)leaf->n))
        return;
    memset(sums.clusters, 0, lanes * sizeof(double));
    for (ptrdiff_t from = 0; from < leaf->n;) {
        from = accumulate(leaf, clusters->count, order, cut, alpha, rows, stride, from, s, &sums,
                          prefix, &length);
        if (length == 0)
            break;
        const int dense = clusters->inv && s->count[length - 1] - s->count[0] == length - 1;
        best_arrivals(leaf, clusters, prefix, length, dense, s, two);
        best_moves(leaf, clusters, prefix[leaf->own], length, dense, s);
        record(leaf, s, length, result);
        if (floor < INFINITY)
            for (ptrdiff_t t = 0; t < length && result->first < 0; ++t)
                if (larger(larger(s->gain_near[t], s->gain_far[t]), s->gain_both[t]) >= floor)
                    result->first = s->count[t] - 1;
    }
    result->best = largest(result->gain, SCAN_KINDS);
}
