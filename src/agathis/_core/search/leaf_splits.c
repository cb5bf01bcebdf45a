#include "search/leaf_splits.h"

#include <math.h>
#include <string.h>

#include "search/ordered.h"
#include "shared/clones.h"
#include "shared/gains.h"

AGATHIS_CLONES void
row_crosses(const search_rows *rows, const int32_t *restrict ids, ptrdiff_t m,
            const double *restrict vectors, double *restrict cross)
{
    const ptrdiff_t width = rows->width;
    for (ptrdiff_t i = 0; i < m; ++i) {
        const double *restrict x = rows->point + ids[i] * width;
        double *restrict own = cross + (ptrdiff_t)ids[i] * CROSSES;
        for (int c = 0; c < CROSSES; ++c) {
            own[c] = dot_of(x, vectors + c * width, width) * rows->weight[ids[i]];
        }
    }
}

AGATHIS_CLONES void
leaf_pulls(const search_rows *rows, const int32_t *restrict ids, ptrdiff_t m,
           const double *restrict mean, const double *restrict square, ptrdiff_t clusters,
           ptrdiff_t own, double *restrict pull)
{
    const ptrdiff_t width = rows->width;
    memset(pull, 0, (size_t)clusters * sizeof *pull);
    for (ptrdiff_t i = 0; i < m; ++i) {
        const double *restrict x = rows->point + ids[i] * width;
        const double here = square[own] - 2.0 * dot_of(x, mean + own * width, width);
        for (ptrdiff_t k = 0; k < clusters; ++k) {
            const double nearer = here - (square[k] - 2.0 * dot_of(x, mean + k * width, width));
            pull[k] += nearer > 0.0 ? nearer * rows->weight[ids[i]] : 0.0;
        }
    }
}

/* The best move of a side of weight w and squared length self, with its products `cross`. */
AGATHIS_INLINE double
best_move(const leaf_view *leaf, const double *restrict cross, double self, double w,
          int32_t *target)
{
    const double leaves = leave(leaf->own_kernel_sum, cross[MAX_TARGETS], self,
                                1.0 / (leaf->own_size - w), leaf->own_share);
    double best = -INFINITY;
    for (ptrdiff_t k = 0; k < leaf->targets; ++k) {
        const double gain = arrive(leaf->kernel_sum[k], cross[k], self, 1.0 / (leaf->size[k] + w),
                                   leaf->share[k]);
        if (gain > best) {
            best = gain;
            *target = (int32_t)k;
        }
    }
    if (leaf->may_found) {
        const double gain = found(self, 1.0 / w);
        if (gain > best) {
            best = gain;
            *target = (int32_t)leaf->targets;
        }
    }
    return best + leaves;
}

/* Look at one cut: the side of sum s, and the rest of the leaf. */
AGATHIS_INLINE int
look(const leaf_view *leaf, const double *restrict cross, double self, double w, split_candidate *out)
{
    double rest_cross[CROSSES];
    int32_t target = 0;
    int better = 0;
    const double gain = best_move(leaf, cross, self, w, &target);
    if (gain > out->gain) {
        out->gain = gain;
        out->target = target;
        out->side = 1;
        better = 1;
    }
    for (int c = 0; c < CROSSES; ++c) {
        rest_cross[c] = leaf->leaf_cross[c] - cross[c];
    }
    const double rest = leaf->self - 2.0 * cross[MAX_TARGETS + 1] + self;
    const double other = best_move(leaf, rest_cross, rest, leaf->weight - w, &target);
    if (other > out->gain) {
        out->gain = other;
        out->target = target;
        out->side = 0;
        better = 1;
    }
    return better;
}

static void
along(const search_rows *rows, ptrdiff_t column, const leaf_view *leaf,
      const int32_t *restrict places, ptrdiff_t count, double *restrict sum,
      double *restrict cross, double w, int missing_left, int has_missing, split_candidate *out)
{
    const ptrdiff_t width = rows->width;
    ordered_scan scan = scan_along(rows, column, places, count);
    scan.cuts += has_missing && !missing_left;
    for (ptrdiff_t i = 0; i < scan.cuts; ++i) {
        const ordered_row at = row_at(&scan, i);
        const double *restrict own = leaf->cross + (ptrdiff_t)at.row * CROSSES;
        add_row(rows, at.row, sum);
        for (int c = 0; c < CROSSES; ++c) {
            cross[c] += own[c];
        }
        w += rows->weight[at.row];
        if (!at.fits || !sides_weigh(leaf, w)) {
            continue;
        }
        if (look(leaf, cross, dot_of(sum, sum, width), w, out)) {
            out->asks = column_condition(rows, column, at.place, missing_left);
        }
    }
}

AGATHIS_CLONES void
leaf_column_split(const search_rows *rows, ptrdiff_t column, const leaf_view *leaf,
                  const int32_t *restrict ids, ptrdiff_t m, uint64_t *restrict field,
                  int32_t *restrict places, double *restrict scratch, split_candidate *out)
{
    const ptrdiff_t count = ordered_places(rows, column, ids, m, field, places);
    const ptrdiff_t width = rows->width;
    double cross[CROSSES] = {0.0};
    out->gain = -INFINITY;
    if (count == 0) {
        return;
    }
    memset(scratch, 0, (size_t)width * sizeof *scratch);
    along(rows, column, leaf, places, count, scratch, cross, 0.0, 0, count < m, out);
    if (count == m) {
        return;
    }
    double w = 0.0;
    memset(scratch, 0, (size_t)width * sizeof *scratch);
    memset(cross, 0, sizeof cross);
    for (ptrdiff_t i = 0; i < m; ++i) {
        const int32_t row = ids[i];
        if (rows->place[column * rows->n + row] < 0) {
            add_row(rows, row, scratch);
            for (int c = 0; c < CROSSES; ++c) {
                cross[c] += leaf->cross[(ptrdiff_t)row * CROSSES + c];
            }
            w += rows->weight[row];
        }
    }
    along(rows, column, leaf, places, count, scratch, cross, w, 1, 1, out);
}

typedef struct {
    double key;
    int32_t code;
} keyed;

static void
sort_codes(keyed *item, int count)
{
    for (int i = 1; i < count; ++i) {
        const keyed own = item[i];
        int at = i;
        while (at > 0 && item[at - 1].key > own.key) {
            item[at] = item[at - 1];
            --at;
        }
        item[at] = own;
    }
}

/* Look at all cuts along an order of the categories. */
static void
along_codes(const search_rows *rows, ptrdiff_t source, const leaf_view *leaf, const keyed *item,
            int count, const double *sums, const double *crosses, const double *weights,
            const ptrdiff_t *counts, ptrdiff_t m, double *restrict sum, split_candidate *out)
{
    const ptrdiff_t width = rows->width;
    const int32_t codes = rows->n_categories[source];
    double cross[CROSSES] = {0.0}, w = 0.0;
    memset(sum, 0, (size_t)width * sizeof *sum);
    ptrdiff_t n_left = 0;
    int none = -1;
    for (int e = 0; e < count; ++e) {
        if (item[e].code == codes - 1) {
            none = e;
        }
    }
    for (int i = 0; i + 1 < count; ++i) {
        const int32_t code = item[i].code;
        double self = 0.0;
        for (ptrdiff_t j = 0; j < width; ++j) {
            sum[j] += sums[code * width + j];
            self += sum[j] * sum[j];
        }
        for (int c = 0; c < CROSSES; ++c) {
            cross[c] += crosses[code * CROSSES + c];
        }
        w += weights[code];
        n_left += counts[code];
        if (!sides_weigh(leaf, w) || !look(leaf, cross, self, w, out)) {
            continue;
        }
        /* Rows of the fewer categories go right; never those that have none, the last code: a
         * tree asks for the categories that are on. */
        const int first_right = none < 0 ? 2 * n_left <= m : none > i;
        memset(&out->asks, 0, sizeof out->asks);
        out->asks.kind = CUT_SOURCE;
        out->asks.column = (int32_t)source;
        for (int e = 0; e < count; ++e) {
            const int right = (e <= i) == first_right;
            if (item[e].code == codes) {
                out->asks.missing_left = !right;
            } else if (right) {
                out->asks.right[item[e].code >> 6] |= UINT64_C(1) << (item[e].code & 63);
            }
        }
        /* `look` has set whether the first ones are moved. */
        out->side = out->side != first_right;
    }
}

void
leaf_categories_split(const search_rows *rows, ptrdiff_t source, const leaf_view *leaf,
                      const int32_t *restrict ids, ptrdiff_t m, double *restrict scratch,
                      split_candidate *out)
{
    enum { TURNS = 8 };
    const ptrdiff_t width = rows->width;
    const int32_t codes = rows->n_categories[source];
    double crosses[(MAX_GROUP_CATEGORIES + 1) * CROSSES], weights[MAX_GROUP_CATEGORIES + 1] = {0.0};
    ptrdiff_t counts[MAX_GROUP_CATEGORIES + 1] = {0};
    double *sums = scratch, *axis = scratch + (MAX_GROUP_CATEGORIES + 1) * width, *sum = axis
        + width;
    keyed item[MAX_GROUP_CATEGORIES + 1];
    int count = 0;
    out->gain = -INFINITY;
    memset(sums, 0, (size_t)((codes + 1) * width) * sizeof *sums);
    memset(crosses, 0, (size_t)((codes + 1) * CROSSES) * sizeof *crosses);
    for (ptrdiff_t i = 0; i < m; ++i) {
        const int32_t row = ids[i], own = rows->category[source * rows->n + row];
        const int32_t code = own < 0 ? codes : own;
        add_row(rows, row, sums + code * width);
        for (int c = 0; c < CROSSES; ++c) {
            crosses[code * CROSSES + c] += leaf->cross[(ptrdiff_t)row * CROSSES + c];
        }
        weights[code] += rows->weight[row];
        ++counts[code];
    }
    for (int32_t code = 0; code <= codes; ++code) {
        if (counts[code]) {
            item[count++].code = code;
        }
    }
    if (count < 2) {
        return;
    }
    /* Towards each target, by what a category gains per weight where centres stay. */
    for (ptrdiff_t k = 0; k < leaf->targets; ++k) {
        for (int e = 0; e < count; ++e) {
            const double *cross = crosses + item[e].code * CROSSES;
            item[e].key = (cross[MAX_TARGETS] / leaf->own_size - cross[k] / leaf->size[k]) /
                          weights[item[e].code];
        }
        sort_codes(item, count);
        along_codes(rows, source, leaf, item, count, sums, crosses, weights, counts, m, sum, out);
    }
    /* Along the direction in which the means of the categories differ most. */
    for (ptrdiff_t j = 0; j < width; ++j) {
        axis[j] = 1.0 + 1e-3 * (double)j;
    }
    for (int turn = 0; turn < TURNS; ++turn) {
        memset(sum, 0, (size_t)width * sizeof *sum);
        for (int e = 0; e < count; ++e) {
            const int32_t code = item[e].code;
            const double share = weights[code] / leaf->weight;
            double dot = 0.0;
            for (ptrdiff_t j = 0; j < width; ++j) {
                dot += axis[j] * (sums[code * width + j] - share * leaf->sum[j]);
            }
            for (ptrdiff_t j = 0; j < width; ++j) {
                sum[j] += dot / weights[code] * (sums[code * width + j] - share * leaf->sum[j]);
            }
        }
        const double length = dot_of(sum, sum, width);
        if (!(length > 0.0)) {
            break;
        }
        for (ptrdiff_t j = 0; j < width; ++j) {
            axis[j] = sum[j] / sqrt(length);
        }
    }
    for (int e = 0; e < count; ++e) {
        item[e].key = dot_of(axis, sums + item[e].code * width, width) / weights[item[e].code];
    }
    sort_codes(item, count);
    along_codes(rows, source, leaf, item, count, sums, crosses, weights, counts, m, sum, out);
}
