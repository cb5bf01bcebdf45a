/* What is kept of the leaf's own cuts, from one scan to the next: their products with themselves
 * and their slack.  points.h says what it rests on.
 */
#include <math.h>
#include <string.h>

#include "points/tile.h"

ptrdiff_t
point_splits(const point_table *table, ptrdiff_t f)
{
    const cut_range range = cuts_of(table, f);
    ptrdiff_t cuts = 0;
    for (ptrdiff_t b = range.begin; b < range.last; ++b)
        cuts += ways(&range, b);
    return cuts;
}

/* The slack of a cut is that of the blocks on both of its sides. */
AGATHIS_INLINE void
widen(const point_table *table, const cut_range *range, ptrdiff_t first, double leaf_weight)
{
    double *least = kept_of(table, CUT_LEAST, first) - range->begin;
    double *far_least = kept_of(table, CUT_FAR_LEAST, first) - range->begin;
    double *wide = kept_of(table, CUT_WIDE, first) - range->begin;
    double *near = kept_of(table, CUT_NEAR, first) - range->begin;
    double *far = kept_of(table, CUT_FAR, first) - range->begin;
    double near_before = 0.0, far_before = 0.0;
    for (ptrdiff_t b = range->begin; b < range->last; ++b) {
        const double near_here = near[b], far_here = far[b];
        const double radius = b > range->begin ? table->radius[b] : 0.0;
        wide[b] = near[b] = far[b] = 0.0;
        least[b] = table->weight[b];
        far_least[b] = leaf_weight - table->weight[b];
        if (radius > 0.0 && radius < INFINITY) {
            least[b] = table->weight[b - 1];
            far_least[b - 1] = far_least[b];
            for (ptrdiff_t u = b - 1; u <= b; ++u) {
                wide[u] = larger(wide[u], 2.0 * radius);
                near[u] = larger(near[u], larger(near_before, near_here));
                far[u] = larger(far[u], larger(far_before, far_here));
            }
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
        if (range.begin >= range.last)
            continue; /* of a leaf without cuts nothing is kept, nowhere */
        if (range.misses) {
            /* No block has several cuts, and there is no slack.  The sums are made as they are
             * looked at, with the missing on either side. */
            memset(kept_of(table, CUT_WIDE, table->cut_first[f]), 0,
                   (size_t)point_splits(table, f) * sizeof(double));
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
            *kept_of(table, CUT_MOMENT, c) = moment;
            *kept_of(table, CUT_NEAR, c) = moment / weight;
            *kept_of(table, CUT_FAR, c) = moment / (leaf_weight - weight);
        }
        widen(table, &range, table->cut_first[f], leaf_weight);
    }
}
