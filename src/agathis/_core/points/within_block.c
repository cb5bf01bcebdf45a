/* The cuts within one block of a leaf's table, one by one: where the scan's bound is not enough. */
#include <math.h>
#include <string.h>

#include "points/tile.h"

/* The cuts of a block as they come: at its rows, or after its samples, which are summed. */
typedef struct {
    ptrdiff_t at, end; /* the end is the last cut */
    double count, weight;
    const double *sum;
} cut_walk;

AGATHIS_INLINE cut_walk
prefix_scan_of(const point_table *table, const cut_range *range, ptrdiff_t b, const double *zeros)
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
             double floor, double *work, point_split *reached)
{
    point_tile cuts, *p = &cuts;
    const ptrdiff_t width = table->width;
    const cut_range range = cuts_of(table, f);
    double best = -INFINITY;

    use_work(p, work, clusters->count, width);
    cut_walk walk = prefix_scan_of(table, &range, b, p->running);
    reached->count = -1;
    while (walk.at <= walk.end) {
        ptrdiff_t length = 0;
        for (; walk.at <= walk.end && length < SCAN_TILE - 1; ++walk.at) {
            if (table->row) {
                for (int left = 0; left < ways(&range, b); ++left)
                    put(p, length++, table->row_sum + walk.at * width,
                        table->row_count[walk.at], table->row_weight[walk.at], walk.at, table, f,
                        left);
                continue;
            }
            const ptrdiff_t i = samples->order[walk.at];
            const double w = samples->weight[i];
            const double *restrict phi = samples->phi + i * width;
            const double *from = walk.sum;
            double *out = p->spare + length * width;
            for (ptrdiff_t j = 0; j < width; j += POINT_PAD) {
                f64x8 sum = f64x8_load(from + j);
                f64x8_add_scaled(&sum, w, f64x8_load(phi + j));
                f64x8_store(out + j, sum);
            }
            walk.sum = out;
            walk.count += 1.0;
            walk.weight += w;
            put(p, length, out, walk.count, walk.weight, -1, table, f, 0);
            length += samples->cut[walk.at];
        }
        if (walk.sum >= p->spare && walk.sum < p->running) {
            /* The next tile writes over the rows of this one. */
            memcpy(p->running, walk.sum, (size_t)width * sizeof(double));
            walk.sum = p->running;
        }
        if (length == 0)
            continue;
        for (ptrdiff_t t = 0; t < length; ++t)
            self_products(p->row[t], table->total, width, p->tile.self + t, p->tile.far_self + t);
        products(p, clusters, sums, width, length);
        evaluate(leaf, clusters, p->prefix, length, &p->tile, NULL);
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
