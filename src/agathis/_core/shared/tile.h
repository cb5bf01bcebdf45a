/* The moves of a tile of thresholds.
 *
 * A tile holds, for some thresholds of a leaf T, sums over its left side L and right side
 * R: |L|, sigma(L^2), sigma(R^2), and sigma(L x C_k) for each cluster in `prefix`.  From these,
 * cluster by cluster, come the best (and second best) arrival of each side, and then the
 * best move of each threshold.  Every loop is a straight line over the tile.  Where the
 * sums come from is not this file's business.
 */
#ifndef AGATHIS_TILE_H
#define AGATHIS_TILE_H

#include <math.h>

#include "shared/clones.h"
#include "shared/gains.h"
#include "shared/scan.h"

typedef double tile[SCAN_TILE];

/* Numbers of clusters.  They are as wide as the doubles that choose between them: with 32 bits a
 * tree of 30 clusters and 300 leaves took 18 % longer. */
typedef int64_t target_tile[SCAN_TILE];

enum { NO_TARGET = -1 }; /* in the place of a cluster where none was arrived at */

/* What is kept of a tile. */
typedef struct {
    tile weight;   /* |L| */
    tile self;     /* sigma(L^2) */
    tile far_self; /* sigma(R^2) */
    tile inv_near, inv_far;
    tile new_near, new_far; /* gain of founding a cluster, of L and of R */
    tile go_near, go_far;   /* of leaving the own one; -inf where the cut is shut */
    tile shut;              /* 0, or -inf where the limits forbid the cut */
    tile best, second;      /* of L: the two best arrivals, */
    target_tile target;     /* and where the best goes */
    tile far_best, far_second;
    target_tile far_target;
    tile gain_near, gain_far, gain_both;
    tile spread_near, spread_far;
    int32_t count[SCAN_TILE]; /* samples of L */
} scan_tile;

/* Clusters whose sums are kept side by side, in full lanes. */
AGATHIS_INLINE size_t
padded_to_lanes(int32_t n_clusters)
{
    return ((size_t)n_clusters + SCAN_LANES - 1) / SCAN_LANES * SCAN_LANES;
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

/* OUT out: 1 / (size + sign |L|) for each threshold. */
AGATHIS_INLINE const double *
inverse_sizes(double size, double sign, const scan_tile *s, ptrdiff_t length, double *restrict out)
{
    for (ptrdiff_t t = 0; t < length; ++t)
        out[t] = 1.0 / (size + sign * s->weight[t]);
    return out;
}

/* Fill the tile up to a multiple of the vectors' length with something harmless, so that no
 * loop has a remainder; what is found there is not looked at. */
AGATHIS_INLINE ptrdiff_t
pad(scan_tile *s, tile *prefix, int32_t n_clusters, ptrdiff_t length)
{
    const ptrdiff_t padded = (length + SCAN_PAD - 1) / SCAN_PAD * SCAN_PAD;
    for (ptrdiff_t t = length; t < padded; ++t) {
        s->weight[t] = s->self[t] = s->far_self[t] = 0.0;
        for (int32_t k = 0; k < n_clusters; ++k)
            prefix[k][t] = 0.0;
    }
    return padded;
}

/* How much more than at a threshold t of the tile may be gained by a cut near it (points/points.h).
 * A set that gets or loses samples, with its mean within r of the leaf's before and after, gains
 * at most wide[t] r + square[t] / (its size) on top. */
typedef struct {
    tile wide, square;
    tile near, far;      /* r of the two sides */
    const double *reach; /* [k] r of cluster k */
    double rest;         /* r of the leaf's own cluster without the leaf */
} tile_slack;

/* What each side gains by leaving its cluster, and by founding one. `own` is the prefix sum of its
 * cluster; where the leaf is all of that, neither it nor leaf->cross is looked at, and while
 * clusters are founded (count 0) there is none. */
AGATHIS_INLINE void
departures(const scan_leaf *leaf, const scan_clusters *c, const double *restrict own,
           ptrdiff_t length, ptrdiff_t padded, scan_tile *s, const tile_slack *slack)
{
    const int32_t p = leaf->own;
    const double share = c->share[p];
    const double *restrict near = inverse_sizes(0.0, 1.0, s, padded, s->inv_near);
    const double *restrict far = inverse_sizes(leaf->weight, -1.0, s, padded, s->inv_far);
    for (ptrdiff_t t = 0; t < padded; ++t) {
        s->new_near[t] = found(s->self[t], near[t]);
        s->new_far[t] = found(s->far_self[t], far[t]);
        if (slack) {
            s->new_near[t] += slack->wide[t] * slack->near[t] + slack->square[t] * near[t];
            s->new_far[t] += slack->wide[t] * slack->far[t] + slack->square[t] * far[t];
        }
        s->spread_near[t] = fabs(s->new_near[t]);
        s->spread_far[t] = fabs(s->new_far[t]);
    }
    if (leaf->leave_all == -INFINITY) {
        /* T is all of its cluster: what stays is the other side, and is known without the
         * difference of large sums that leave() would take. */
        for (ptrdiff_t t = 0; t < padded; ++t) {
            s->go_near[t] = s->new_far[t] - share;
            s->go_far[t] = s->new_near[t] - share;
        }
    } else {
        const double kernel_sum = c->kernel_sum[p], cross = leaf->cross[p];
        const double *restrict without_near =
            inverse_sizes(c->size[p], -1.0, s, padded, s->inv_near);
        const double *restrict without_far =
            inverse_sizes(c->size[p] - leaf->weight, 1.0, s, padded, s->inv_far);
        for (ptrdiff_t t = 0; t < padded; ++t) {
            s->go_near[t] = leave(kernel_sum, own[t], s->self[t], without_near[t], share);
            s->go_far[t] =
                leave(kernel_sum, cross - own[t], s->far_self[t], without_far[t], share);
            if (slack) {
                s->go_near[t] += slack->wide[t] * larger(slack->rest, slack->far[t]) +
                                 slack->square[t] * without_near[t];
                s->go_far[t] += slack->wide[t] * larger(slack->rest, slack->near[t]) +
                                slack->square[t] * without_far[t];
            }
        }
    }
    for (ptrdiff_t t = 0; t < padded; ++t) {
        const int fits = (s->weight[t] >= leaf->min_leaf) &
                         (leaf->weight - s->weight[t] >= leaf->min_leaf);
        s->shut[t] = fits ? 0.0 : -INFINITY;
        s->go_near[t] += s->shut[t];
        s->go_far[t] += s->shut[t];
    }
    for (ptrdiff_t t = length; t < padded; ++t)
        s->shut[t] = s->go_near[t] = s->go_far[t] = -INFINITY;
}

/* The best arrival of each side at any cluster but the leaf's own; with `two`, also the second
 * best arrival and where the best goes. */
AGATHIS_INLINE void
best_arrivals(const scan_leaf *leaf, const scan_clusters *c, tile *prefix, ptrdiff_t padded,
              scan_tile *s, int two, const tile_slack *slack)
{
    for (ptrdiff_t t = 0; t < padded; ++t) {
        s->best[t] = s->second[t] = s->far_best[t] = s->far_second[t] = -INFINITY;
        s->target[t] = s->far_target[t] = NO_TARGET;
    }
    for (int32_t k = 0; k < c->count; ++k) {
        if (k == leaf->own)
            continue;
        const double kernel_sum = c->kernel_sum[k], share = c->share[k], cross = leaf->cross[k];
        const int64_t target = c->id ? c->id[k] : k;
        const double *restrict near =
            inverse_sizes(c->size[k], 1.0, s, padded, s->inv_near);
        const double *restrict far =
            inverse_sizes(c->size[k] + leaf->weight, -1.0, s, padded, s->inv_far);
        const double *restrict sum = prefix[k];
        for (ptrdiff_t t = 0; t < padded; t += SCAN_PAD)
            for (ptrdiff_t v = 0, u = t; v < SCAN_PAD; ++v, ++u) {
                double l = arrive(kernel_sum, sum[u], s->self[u], near[u], share);
                double r = arrive(kernel_sum, cross - sum[u], s->far_self[u], far[u], share);
                if (slack) {
                    l += slack->wide[u] * larger(slack->reach[k], slack->near[u]) +
                         slack->square[u] * near[u];
                    r += slack->wide[u] * larger(slack->reach[k], slack->far[u]) +
                         slack->square[u] * far[u];
                }
                const double l1 = s->best[u], r1 = s->far_best[u];
                if (two) {
                    s->second[u] = larger(s->second[u], smaller(l1, l));
                    s->far_second[u] = larger(s->far_second[u], smaller(r1, r));
                    s->target[u] = l > l1 ? target : s->target[u];
                    s->far_target[u] = r > r1 ? target : s->far_target[u];
                }
                s->best[u] = larger(l1, l);
                s->far_best[u] = larger(r1, r);
            }
    }
}

/* The best move of each threshold: of the left side, of the right side, of both. */
AGATHIS_INLINE void
best_moves(const scan_leaf *leaf, ptrdiff_t padded, scan_tile *s)
{
    const double one = leaf->open_one, two = leaf->open_two;
    for (ptrdiff_t t = 0; t < padded; ++t) {
        const double new_near = s->new_near[t], new_far = s->new_far[t];
        const double l = s->best[t], r = s->far_best[t];
        const double apart = s->target[t] != s->far_target[t]
                                 ? l + r
                                 : larger(l + s->far_second[t], s->second[t] + r);
        const double both = larger(larger(new_near + new_far + two, apart),
                                   larger(new_near + r, l + new_far) + one);
        s->gain_near[t] = s->go_near[t] + larger(new_near + one, l);
        s->gain_far[t] = s->go_far[t] + larger(new_far + one, r);
        s->gain_both[t] = leaf->leave_all + both + s->shut[t];
    }
}

/* The best of them. */
AGATHIS_INLINE double
gain_at(const scan_tile *s, ptrdiff_t t)
{
    return larger(larger(s->gain_near[t], s->gain_far[t]), s->gain_both[t]);
}

/* All of the above, for the thresholds of a tile.  With slack (NULL: none) the gains are bounds of
 * what cuts near by gain. */
AGATHIS_INLINE void
evaluate(const scan_leaf *leaf, const scan_clusters *c, tile *prefix, ptrdiff_t length,
         scan_tile *s, const tile_slack *slack)
{
    const ptrdiff_t padded = pad(s, prefix, c->count, length);
    const double *own = c->count > 0 ? prefix[leaf->own] : NULL;
    departures(leaf, c, own, length, padded, s, slack);
    /* Arrivals that are kept may be asked about when the leaf is no longer all of its cluster. */
    if (c->count > 1 && (slack || leaf->leave_all > -INFINITY))
        best_arrivals(leaf, c, prefix, padded, s, 1, slack);
    else
        best_arrivals(leaf, c, prefix, padded, s, 0, slack);
    best_moves(leaf, padded, s);
}

#endif
