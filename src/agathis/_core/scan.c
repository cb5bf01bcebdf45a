/* Where is the best threshold of a leaf along a feature?
 *
 * For each prefix L of the leaf T in the feature's order three sums are needed:
 * sigma(L^2), sigma(L x T) and sigma(L x C_k).  They are running sums of what is kept
 * for each sample.  The thresholds are taken a tile at a time: first the running sums
 * of a tile, several clusters side by side so that no addition waits for the last one;
 * then, cluster by cluster, the best (and second best) arrival of each side; then the
 * best move of each threshold.  All loops of the second and third kind are straight
 * lines over a tile.
 */
#include "scan.h"

#include <math.h>

#include "clones.h"
#include "gains.h"

typedef double tile[SCAN_TILE];

/* What is kept of a tile; the prefix sums of the clusters follow it in memory. */
typedef struct {
    tile weight;   /* |L| */
    tile self;     /* sigma(L^2) */
    tile within;   /* sigma(L x T) */
    tile far_self; /* sigma(R^2) */
    tile inv_near, inv_far;
    tile best, second, target; /* of L: the two best arrivals, and where the best goes */
    tile far_best, far_second, far_target;
    tile gain;        /* of each threshold */
    tile top, spread; /* the largest so far, place by place: a maximum that vectorises */
} scan_tile;

size_t
scan_work(int32_t n_clusters)
{
    const size_t lanes = ((size_t)n_clusters + SCAN_LANES - 1) / SCAN_LANES * SCAN_LANES;
    return sizeof(scan_tile) / sizeof(double) + lanes * SCAN_TILE + lanes;
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

/* out[t] = 1 / (size + |L|), from the table where sizes are whole numbers. */
AGATHIS_INLINE const double *
inverse_with_near(const scan_clusters *c, double size, const scan_tile *s, ptrdiff_t first,
                  ptrdiff_t length, double *restrict out)
{
    if (c->inv)
        return c->inv + (ptrdiff_t)size + first + 1;
    for (ptrdiff_t t = 0; t < length; ++t)
        out[t] = 1.0 / (size + s->weight[t]);
    return out;
}

/* out[t] = 1 / (size - |L|) */
AGATHIS_INLINE const double *
inverse_without_near(const scan_clusters *c, double size, const scan_tile *s, ptrdiff_t first,
                     ptrdiff_t length, double *restrict out)
{
    if (c->inv)
        return c->back + (c->n - (ptrdiff_t)size) + first + 1;
    for (ptrdiff_t t = 0; t < length; ++t)
        out[t] = 1.0 / (size - s->weight[t]);
    return out;
}

/* Running sums of a tile. `sums` holds those of the clusters up to the tile. */
AGATHIS_INLINE void
accumulate(const scan_leaf *leaf, int32_t n_clusters, const int32_t *restrict order,
           const double *restrict alpha, const double *restrict rows, ptrdiff_t stride,
           ptrdiff_t length, scan_tile *s, double *carry, double *restrict sums,
           tile *restrict prefix)
{
    double weight = carry[0], self = carry[1], within = carry[2];
    for (ptrdiff_t t = 0; t < length; ++t) {
        const int32_t i = order[t];
        const double *row = rows + i * stride;
        weight += row[STOCK_WEIGHT];
        within += row[STOCK_LEAF];
        self += 2.0 * alpha[i];
        s->weight[t] = weight;
        s->within[t] = within;
        s->self[t] = self;
    }
    carry[0] = weight;
    carry[1] = self;
    carry[2] = within;
    for (ptrdiff_t t = 0; t < length; ++t)
        s->far_self[t] = leaf->self - 2.0 * s->within[t] + s->self[t];
    for (int32_t k = 0; k < n_clusters; k += SCAN_LANES) {
        const double *column = rows + STOCK_CLUSTER + k;
        double p0 = sums[k], p1 = sums[k + 1], p2 = sums[k + 2], p3 = sums[k + 3];
        for (ptrdiff_t t = 0; t < length; ++t) {
            const double *row = column + order[t] * stride;
            prefix[k][t] = p0 += row[0];
            prefix[k + 1][t] = p1 += row[1];
            prefix[k + 2][t] = p2 += row[2];
            prefix[k + 3][t] = p3 += row[3];
        }
        sums[k] = p0;
        sums[k + 1] = p1;
        sums[k + 2] = p2;
        sums[k + 3] = p3;
    }
}

/* The best arrival of each side at any cluster but the leaf's own. */
AGATHIS_INLINE void
best_arrivals(const scan_leaf *leaf, const scan_clusters *c, tile *prefix, ptrdiff_t first,
              ptrdiff_t length, scan_tile *s, int two)
{
    for (ptrdiff_t t = 0; t < length; ++t) {
        s->best[t] = s->second[t] = s->far_best[t] = s->far_second[t] = -INFINITY;
        s->target[t] = s->far_target[t] = -1.0;
    }
    for (int32_t k = 0; k < c->count; ++k) {
        if (k == leaf->own)
            continue;
        const double stock = c->stock[k], share = c->share[k], cross = leaf->cross[k];
        const double *restrict near = inverse_with_near(c, c->size[k], s, first, length, s->inv_near);
        const double *restrict far =
            inverse_without_near(c, c->size[k] + leaf->weight, s, first, length, s->inv_far);
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

/* The best move of each threshold. */
AGATHIS_INLINE void
best_moves(const scan_leaf *leaf, const scan_clusters *c, const double *restrict own,
           const uint8_t *restrict cut, ptrdiff_t first, ptrdiff_t length, scan_tile *s)
{
    const int32_t p = leaf->own;
    const double stock = c->stock[p], share = c->share[p], cross = leaf->cross[p];
    const double one = leaf->open_one, two = leaf->open_two;
    tile stay_near, stay_far;
    const double *restrict near = inverse_with_near(c, 0.0, s, first, length, s->inv_near);
    const double *restrict far =
        inverse_without_near(c, leaf->weight, s, first, length, s->inv_far);
    const double *restrict without_near =
        inverse_without_near(c, c->size[p], s, first, length, stay_near);
    const double *restrict without_far =
        inverse_with_near(c, c->size[p] - leaf->weight, s, first, length, stay_far);
    for (ptrdiff_t t = 0; t < length; ++t) {
        const double new_near = found(s->self[t], near[t]);
        const double new_far = found(s->far_self[t], far[t]);
        const double go_near = leave(stock, own[t], s->self[t], without_near[t], share);
        const double go_far = leave(stock, cross - own[t], s->far_self[t], without_far[t], share);
        const double l = s->best[t], r = s->far_best[t];
        /* one side goes: star or switch */
        const double single = larger(go_near + larger(new_near + one, l),
                                     go_far + larger(new_far + one, r));
        /* both go: double star, mixed, reallocation to two different clusters */
        const double apart = s->target[t] != s->far_target[t]
                                 ? l + r
                                 : larger(l + s->far_second[t], s->second[t] + r);
        const double both = larger(larger(new_near + new_far + two, apart),
                                   larger(new_near + r, l + new_far) + one);
        const double value = larger(single, leaf->leave_all + both);
        const int fits = (cut[t] != 0) & (s->weight[t] >= leaf->min_leaf) &
                         (leaf->weight - s->weight[t] >= leaf->min_leaf);
        const double spread = larger(fabs(new_near), fabs(new_far));
        s->gain[t] = fits ? value : -INFINITY;
        s->top[t] = larger(s->top[t], s->gain[t]);
        s->spread[t] = larger(s->spread[t], fits ? spread : 0.0);
    }
}

AGATHIS_CLONES scan_result
scan_feature(const scan_leaf *leaf, const scan_clusters *clusters, const int32_t *order,
             const uint8_t *cut, const double *alpha, const double *rows, ptrdiff_t stride,
             double floor, double *work)
{
    const ptrdiff_t lanes =
        ((ptrdiff_t)clusters->count + SCAN_LANES - 1) / SCAN_LANES * SCAN_LANES;
    scan_tile *s = (scan_tile *)work;
    tile *prefix = (tile *)(s + 1);
    double *sums = (double *)(prefix + lanes);
    double carry[3] = {0.0, 0.0, 0.0};
    const int two = clusters->count > 2 && leaf->leave_all > -INFINITY;
    scan_result result = {-INFINITY, 0.0, -1};

    for (ptrdiff_t k = 0; k < lanes; ++k)
        sums[k] = 0.0;
    for (ptrdiff_t t = 0; t < SCAN_TILE; ++t) {
        s->top[t] = -INFINITY;
        s->spread[t] = 0.0;
    }
    for (ptrdiff_t first = 0; first < leaf->n; first += SCAN_TILE) {
        const ptrdiff_t length = leaf->n - first < SCAN_TILE ? leaf->n - first : SCAN_TILE;
        accumulate(leaf, clusters->count, order + first, alpha, rows, stride, length, s, carry,
                   sums, prefix);
        best_arrivals(leaf, clusters, prefix, first, length, s, two);
        best_moves(leaf, clusters, prefix[leaf->own], cut + first, first, length, s);
        if (floor < INFINITY)
            for (ptrdiff_t t = 0; t < length && result.first < 0; ++t)
                if (s->gain[t] >= floor)
                    result.first = first + t;
    }
    for (ptrdiff_t t = 0; t < SCAN_TILE; ++t) {
        result.best = larger(result.best, s->top[t]);
        result.spread = larger(result.spread, s->spread[t]);
    }
    return result;
}
