/* The cuts within one block of a leaf's table, one by one: where the scan's bound is not enough. */
#include <math.h>
#include <string.h>

#include "points/tile.h"

/* The cuts of a block as they come: at its rows, or after its samples, which are summed. */
typedef struct {
    ptrdiff_t at, end; /* the end is the last cut */
    double count, weight;
    const double *sum;
} cut_scan;

AGATHIS_INLINE cut_scan
prefix_scan_of(const point_table *table, const cut_range *range, ptrdiff_t b, const double *zeros)
{
    cut_scan scan = {0, 0, 0.0, 0.0, zeros};
    if (b > range->begin) {
        scan.sum = table->sum + (b - 1) * table->width;
        scan.count = table->count[b - 1];
        scan.weight = table->weight[b - 1];
    }
    if (table->row) {
        /* The first block of a feature has one row. */
        scan.at = b > range->begin ? table->row[b - 1] + 1 : table->row[b];
        scan.end = table->row[b];
    } else {
        scan.at = (ptrdiff_t)scan.count;
        scan.end = (ptrdiff_t)table->count[b] - 1;
    }
    if (b == range->last) /* its end is no cut */
        --scan.end;
    return scan;
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
    cut_scan scan = prefix_scan_of(table, &range, b, p->running);
    reached->count = -1;
    while (scan.at <= scan.end) {
        ptrdiff_t length = 0;
        for (; scan.at <= scan.end && length < SCAN_TILE - 1; ++scan.at) {
            if (table->row) {
                for (int left = 0; left < ways(&range, b); ++left)
                    put(p, length++, table->row_sum + scan.at * width,
                        table->row_count[scan.at], table->row_weight[scan.at], scan.at, table, f,
                        left);
                continue;
            }
            const ptrdiff_t i = samples->order[scan.at];
            const double w = samples->weight[i];
            const double *restrict phi = samples->phi + i * width;
            const double *from = scan.sum;
            double *out = p->spare + length * width;
            for (ptrdiff_t j = 0; j < width; j += POINT_PAD) {
                f64x8 sum = f64x8_load(from + j);
                f64x8_add_scaled(&sum, w, f64x8_load(phi + j));
                f64x8_store(out + j, sum);
            }
            scan.sum = out;
            scan.count += 1.0;
            scan.weight += w;
            put(p, length, out, scan.count, scan.weight, -1, table, f, 0);
            length += samples->cut[scan.at];
        }
        if (scan.sum >= p->spare && scan.sum < p->running) {
            /* The next tile writes over the rows of this one. */
            memcpy(p->running, scan.sum, (size_t)width * sizeof(double));
            scan.sum = p->running;
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
