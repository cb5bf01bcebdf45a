/* Which columns of a leaf are worth an exact look.
 *
 * An exact look adds up whole points along a column.  Where there are many columns each is first
 * scanned with a few numbers per row, and only those with the highest bounds are evaluated. */
#include <math.h>
#include <string.h>

#include "search/leaf_splits.h"
#include "search/ordered.h"
#include "shared/clones.h"

/* Turns of the power method: the axis need not be exact. */
enum { TURNS = 3 };

/* Make the length of an axis one; 0 where it has none. */
static int
normalise(double *axis, ptrdiff_t width)
{
    const double square = dot_of(axis, axis, width);
    if (!(square > 0.0)) {
        return 0;
    }
    const double scale = 1.0 / sqrt(square);
    for (ptrdiff_t j = 0; j < width; ++j) {
        axis[j] *= scale;
    }
    return 1;
}

/* The direction in which the rows of a leaf differ most, about; 0 where they do not. */
AGATHIS_CLONES static int
main_axis(const search_rows *rows, const leaf_view *leaf, const int32_t *restrict ids, ptrdiff_t m,
          double *restrict axis, double *restrict next)
{
    const ptrdiff_t width = rows->width;
    const double share = 1.0 / leaf->weight;
    double farthest = -1.0;
    ptrdiff_t first = 0;
    for (ptrdiff_t i = 0; i < m; ++i) {
        const double *restrict x = rows->point + ids[i] * width;
        double apart = 0.0;
        for (ptrdiff_t j = 0; j < width; ++j) {
            const double d = x[j] - share * leaf->sum[j];
            apart += d * d;
        }
        if (apart > farthest) {
            farthest = apart;
            first = i;
        }
    }
    for (ptrdiff_t j = 0; j < width; ++j) {
        axis[j] = rows->point[ids[first] * width + j] - share * leaf->sum[j];
    }
    for (int turn = 0; turn < TURNS; ++turn) {
        if (!normalise(axis, width)) {
            return 0;
        }
        const double middle = share * dot_of(leaf->sum, axis, width);
        memset(next, 0, (size_t)width * sizeof *next);
        for (ptrdiff_t i = 0; i < m; ++i) {
            const double *restrict x = rows->point + ids[i] * width;
            const double along = rows->weight[ids[i]] * (dot_of(x, axis, width) - middle);
            for (ptrdiff_t j = 0; j < width; ++j) {
                next[j] += along * x[j];
            }
        }
        memcpy(axis, next, (size_t)width * sizeof *axis);
    }
    return normalise(axis, width);
}

void
leaf_leads(const search_rows *rows, leaf_view *leaf, const int32_t *restrict ids, ptrdiff_t m,
           double *restrict axis, double *restrict lead)
{
    const ptrdiff_t width = rows->width;
    const int has_axis = leaf->may_found && main_axis(rows, leaf, ids, m, axis, axis + width);
    const double middle = has_axis ? dot_of(leaf->sum, axis, width) / leaf->weight : 0.0;
    const double own = leaf->own_share / leaf->own_size;
    memset(leaf->lead_sum, 0, sizeof leaf->lead_sum);
    for (ptrdiff_t i = 0; i < m; ++i) {
        const int32_t row = ids[i];
        const double w = rows->weight[row];
        const double *cross = leaf->cross + (ptrdiff_t)row * CROSSES;
        double *out = lead + (ptrdiff_t)row * LEADS;
        out[LEADING_TARGETS] =
            has_axis ? w * (dot_of(rows->point + row * width, axis, width) - middle) : 0.0;
        for (ptrdiff_t k = 0; k < LEADING_TARGETS; ++k) {
            out[k] = 0.0;
            if (k < leaf->targets) {
                out[k] = w * (own - leaf->share[k] / leaf->size[k]) +
                         2.0 * (cross[k] / leaf->size[k] - cross[MAX_TARGETS] / leaf->own_size);
            }
            leaf->lead_sum[k] += out[k];
        }
    }
}

AGATHIS_CLONES double
column_gain_bound(const search_rows *rows, ptrdiff_t column, const leaf_view *leaf,
                  const double *restrict lead, const int32_t *restrict ids, ptrdiff_t m,
                  uint64_t *restrict field, int32_t *restrict places)
{
    const ptrdiff_t count = ordered_places(rows, column, ids, m, field, places);
    double sum[LEADS] = {0.0}, low[LEADS] = {0.0}, high[LEADS] = {0.0}, w = 0.0, best = 0.0;
    const ordered_scan scan = scan_along(rows, column, places, count);
    for (ptrdiff_t i = 0; i < scan.cuts; ++i) {
        const ordered_row at = row_at(&scan, i);
        const double *restrict own = lead + (ptrdiff_t)at.row * LEADS;
        for (int k = 0; k < LEADS; ++k) {
            sum[k] += own[k];
        }
        w += rows->weight[at.row];
        if (!at.fits || !sides_weigh(leaf, w)) {
            continue;
        }
        for (int k = 0; k < LEADING_TARGETS; ++k) {
            low[k] = sum[k] < low[k] ? sum[k] : low[k];
            high[k] = sum[k] > high[k] ? sum[k] : high[k];
        }
        /* What the cut parts along the axis: with both sides a cluster each. */
        const double side = sum[LEADING_TARGETS];
        const double found = side * side * leaf->weight / (w * (leaf->weight - w));
        best = found > best ? found : best;
    }
    for (int k = 0; k < LEADING_TARGETS; ++k) {
        /* Either side may be the one that goes. */
        const double total = leaf->lead_sum[k];
        best = high[k] > best ? high[k] : best;
        best = low[k] < 0.0 && total - low[k] > best ? total - low[k] : best;
    }
    return best;
}
