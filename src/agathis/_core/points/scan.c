/* The scan of a leaf's table: points.h says what it rests on. */
#include <math.h>
#include <string.h>

#include "points/tile.h"

/* In the place of a cluster that is not known.  It differs from the one of the other side: two
 * that are not known need not be the same. */
enum { UNKNOWN_TARGET = -2, UNKNOWN_FAR_TARGET = -3 };

/* What use_work (tile.h) deals, then nothing for SCAN_APART doubles. */
size_t
point_work(int32_t n_clusters, ptrdiff_t width)
{
    return SCAN_TILE * (padded_to_lanes(n_clusters) + (size_t)width) + (size_t)width + SCAN_APART;
}

/* Bring what is kept of the leaf's own, from cut c on, into the tile. */
AGATHIS_INLINE void
recall(point_tile *p, const scan_leaf *leaf, const point_clusters *sums, const point_table *table,
       ptrdiff_t c, ptrdiff_t length)
{
    tile_slack *slack = &p->slack;
    double *own[] = {p->tile.self, p->tile.far_self, slack->wide, slack->near,
                     slack->far,   p->moment,        p->least,    p->far_least};
    for (int what = CUT_SELF; what <= CUT_FAR_LEAST; ++what)
        memcpy(own[what], kept_of(table, what, c), (size_t)length * sizeof(double));
    for (ptrdiff_t t = 0; t < length; ++t)
        if (p->misses[t]) {
            self_products(p->row[t], table->total, table->width, p->tile.self + t,
                          p->tile.far_self + t);
            slack->near[t] = slack->far[t] = 0.0;
            p->moment[t] = sqrt(squared_moment(p->row[t], p->tile.weight[t] / leaf->weight,
                                               table->total, table->width));
            p->least[t] = p->tile.weight[t];
            p->far_least[t] = leaf->weight - p->tile.weight[t];
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
    const double *best[] = {s->best, s->second, s->far_best, s->far_second};
    const int64_t *target[] = {s->target, s->far_target};
    for (int i = 0; i < CUT_KEPT - CUT_BEST; ++i)
        memcpy(kept_of(table, CUT_BEST + i, c), best[i], (size_t)length * sizeof(double));
    for (int i = 0; i < CUT_TARGETS; ++i)
        memcpy(kept_target_of(table, i, c), target[i], (size_t)length * sizeof(int64_t));
}

/* The two best arrivals of a side at any cluster. */
typedef struct {
    double best, second;
    int64_t target;
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
    double *best[] = {p->old_best, p->old_second, p->old_far_best, p->old_far_second};
    int64_t *target[] = {p->old_target, p->old_far_target};
    for (int i = 0; i < CUT_KEPT - CUT_BEST; ++i)
        memcpy(best[i], kept_of(table, CUT_BEST + i, c), (size_t)length * sizeof(double));
    for (int i = 0; i < CUT_TARGETS; ++i)
        memcpy(target[i], kept_target_of(table, i, c), (size_t)length * sizeof(int64_t));
    for (int32_t k = 1; k < clusters->count; ++k) {
        const int64_t id = clusters->id[k];
        for (ptrdiff_t t = 0; t < length; ++t) {
            const int near = p->old_target[t] == id, far = p->old_far_target[t] == id;
            p->old_best[t] = near ? p->old_second[t] : p->old_best[t];
            p->old_target[t] = near ? UNKNOWN_TARGET : p->old_target[t];
            p->old_far_best[t] = far ? p->old_far_second[t] : p->old_far_best[t];
            p->old_far_target[t] = far ? UNKNOWN_FAR_TARGET : p->old_far_target[t];
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

/* The class of a side: two to each power of two below the leaf's weight. */
AGATHIS_INLINE int
bound_class(double weight, double leaf_weight)
{
    int64_t bits, top;
    memcpy(&bits, &weight, sizeof bits);
    memcpy(&top, &leaf_weight, sizeof top);
    const int64_t below = (top >> 51) - (bits >> 51);
    return below < 0 ? 0 : below < BOUND_CLASSES ? (int)below : BOUND_CLASSES - 1;
}

/* `paid` is |S| |m - o|^2, or less. */
AGATHIS_INLINE void
note_side(point_gain_bound *gain_bound, double gain, double weight, double least, double off,
          double paid, double leaf_weight)
{
    const int i = bound_class(weight, leaf_weight);
    for (int u = 0; u < BOUND_SHARES; ++u)
        gain_bound->gain[i][u] = larger(gain_bound->gain[i][u], gain - bound_share(u) * paid);
    gain_bound->least[i] = smaller(gain_bound->least[i], least);
    gain_bound->most[i] = larger(gain_bound->most[i], weight);
    gain_bound->off[i] = larger(gain_bound->off[i], off);
}

/* Upper bounds of the gains of the sides of a tile's cuts.  The mean of a cut within a block is off
 * the line between the means of the block's ends by the radius over the weight, at most. */
AGATHIS_INLINE void
note_gain_bound(const point_tile *p, const scan_leaf *leaf, ptrdiff_t length,
    point_gain_bound *gain_bound)
{
    const scan_tile *s = &p->tile;
    const tile_slack *slack = &p->slack;
    for (ptrdiff_t t = 0; t < length; ++t) {
        const double near = s->weight[t], far = leaf->weight - near, radius = 0.5 * slack->wide[t];
        const double moment = p->moment[t], squared = radius > 0.0 ? 0.0 : moment * moment;
        const double other = larger(s->far_best[t], s->new_far[t] + leaf->open_one);
        const double far_other = larger(s->best[t], s->new_near[t] + leaf->open_one);
        note_side(gain_bound, s->new_near[t] + larger(s->go_near[t], leaf->leave_all + other), near,
                  p->least[t], larger(slack->near[t], moment / near) + radius / p->least[t],
                  squared / near, leaf->weight);
        note_side(gain_bound, s->new_far[t] + larger(s->go_far[t], leaf->leave_all + far_other),
            far,
                  p->far_least[t],
                  larger(slack->far[t], moment / far) + radius / p->far_least[t], squared / far,
                  leaf->weight);
        gain_bound->both =
            larger(gain_bound->both, leaf->leave_all + s->new_near[t] + s->new_far[t]);
        gain_bound->moment = larger(gain_bound->moment, moment + radius);
    }
}

/* The gains of a tile's cuts, the first of them c, at all clusters or by moves to those that
 * changed. */
AGATHIS_INLINE void
bound_moves(point_tile *p, const scan_leaf *leaf, const scan_clusters *clusters,
            const point_clusters *sums, const point_table *table, ptrdiff_t c, ptrdiff_t length,
            point_gain_bound *gain_bound)
{
    scan_tile *s = &p->tile;
    recall(p, leaf, sums, table, c, length);
    products(p, clusters, sums, table->width, length);
    if (clusters->id) {
        const ptrdiff_t padded = pad(s, p->prefix, clusters->count, length);
        departures(leaf, clusters, *p->prefix, length, padded, s, &p->slack);
        best_arrivals(leaf, clusters, p->prefix, padded, s, 1, &p->slack);
        recall_arrivals(p, clusters, table, c, length);
        renew(p, leaf, length);
        if (sums->own_changed)
            best_moves(leaf, padded, s);
    } else {
        evaluate(leaf, clusters, p->prefix, length, s, &p->slack);
    }
    if (!clusters->id || sums->own_changed)
        for (ptrdiff_t t = 0; t < length; ++t)
            p->moves[t] = gain_at(s, t);
    keep_arrivals(p, table, c, length);
    if (gain_bound)
        note_gain_bound(p, leaf, length, gain_bound);
}

AGATHIS_CLONES void
point_scan(const scan_leaf *leaf, const scan_clusters *clusters, const point_clusters *sums,
           const point_table *table, ptrdiff_t first, ptrdiff_t n_features,
           const uint8_t *drawn, double *work, double *bound,
           point_gain_bound *gain_bound)
{
    point_tile cuts, *p = &cuts;
    ptrdiff_t length = 0, f = first, b = -1, c = 0;
    cut_range range = {0, 0, 0, 0};
    scan_leaf any = *leaf;
    any.min_leaf = -INFINITY; /* a cut within a block may be allowed where its ends are not */
    use_work(p, work, clusters->count, table->width);

    for (;;) {
        while (length < SCAN_TILE - 1 && f < first + n_features) {
            if (b < 0) {
                const int looked_at = !drawn || drawn[f];
                if (!looked_at && length > 0)
                    break; /* the cuts of a tile follow one another */
                range = cuts_of(table, f);
                for (b = range.begin; b < range.end; ++b)
                    if (looked_at && table->radius[b] == INFINITY) {
                        bound[b] = INFINITY;
                        if (gain_bound)
                            gain_bound->blind = 1;
                    }
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
                    table->weight[b], b, table, f, left);
            }
            ++b;
        }
        if (length == 0) {
            if (f >= first + n_features)
                break;
            continue;
        }
        bound_moves(p, &any, clusters, sums, table, c, length, gain_bound);
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
