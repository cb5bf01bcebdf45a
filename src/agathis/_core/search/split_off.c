#include "search/node_splits.h"

#include <math.h>
#include <string.h>

#include "search/ordered.h"
#include "shared/clones.h"
#include "shared/gains.h"

AGATHIS_CLONES void
row_contributions(const search_rows *rows, const int32_t *restrict ids, ptrdiff_t m,
                  const double *restrict mean, const double *restrict square,
                  const int32_t *restrict to, double *restrict contribution)
{
    const ptrdiff_t width = rows->width;
    for (ptrdiff_t i = 0; i < m; ++i) {
        const double *restrict x = rows->point + ids[i] * width;
        const double dot = dot_of(x, mean + to[i] * width, width);
        contribution[ids[i]] = rows->weight[ids[i]] * (2.0 * dot - square[to[i]]);
    }
}

AGATHIS_CLONES void
off_column_split(const search_rows *rows, ptrdiff_t column, const search_node *node,
                 uint64_t *restrict field, int32_t *restrict places, double *restrict sum,
                 split_candidate *out)
{
    const int32_t *restrict order = rows->order + column * rows->n;
    const int32_t *restrict rank = rows->rank + column * rows->n;
    const ptrdiff_t width = rows->width;
    const ptrdiff_t count = ordered_places(rows, column, node->ids, node->m, field, places);
    double w = 0.0, contribution = 0.0, present = node->weight, all_rows = 0.0;
    out->gain = -INFINITY;
    if (count < 2) {
        return;
    }
    for (ptrdiff_t i = 0; i < count; ++i) {
        all_rows += node->price[order[places[i]]];
    }
    /* The sum of the rows that do not miss the column: the others stay. */
    double *restrict rest = sum + width;
    memcpy(rest, node->sum, (size_t)width * sizeof *rest);
    if (count < node->m) {
        for (ptrdiff_t i = 0; i < node->m; ++i) {
            const int32_t row = node->ids[i];
            if (rows->place[column * rows->n + row] < 0) {
                const double *restrict x = rows->point + row * width;
                for (ptrdiff_t j = 0; j < width; ++j) {
                    rest[j] -= rows->weight[row] * x[j];
                }
                present -= rows->weight[row];
            }
        }
    }
    memset(sum, 0, (size_t)width * sizeof *sum);
    /* Not `row_at` of ordered.h: with it this loop took a quarter longer (gcc 12). */
    for (ptrdiff_t i = 0; i + 1 < count; ++i) {
        const int32_t p = places[i], row = order[p];
        const double *restrict x = rows->point + row * width;
        const double mass = rows->weight[row];
        for (ptrdiff_t j = 0; j < width; ++j) {
            sum[j] += mass * x[j];
        }
        w += mass;
        contribution += node->price[row];
        if (rank[p] == rank[places[i + 1]] || !(w > 0.0) || !(present - w > 0.0)) {
            continue;
        }
        double near = 0.0, far = 0.0;
        for (ptrdiff_t j = 0; j < width; ++j) {
            const double other = rest[j] - sum[j];
            near += sum[j] * sum[j];
            far += other * other;
        }
        const double left = w < node->least[0] ? -INFINITY : found(near, 1.0 / w) - contribution;
        const double right = present - w < node->least[0]
                                 ? -INFINITY
                                 : found(far, 1.0 / (present - w)) - (all_rows - contribution);
        if (left > out->gain || right > out->gain) {
            out->gain = left > right ? left : right;
            out->side = left > right;
            out->asks = column_condition(rows, column, p, !out->side);
        }
    }
}

void
off_categories_split(const search_rows *rows, ptrdiff_t source, const search_node *node,
                     double *restrict scratch, split_candidate *out)
{
    const ptrdiff_t width = rows->width;
    const int32_t codes = rows->n_categories[source];
    double weights[MAX_GROUP_CATEGORIES] = {0.0}, holds[MAX_GROUP_CATEGORIES] = {0.0};
    ptrdiff_t counts[MAX_GROUP_CATEGORIES] = {0};
    uint64_t present[IDENTIFIER_WORDS] = {0};
    out->gain = -INFINITY;
    memset(scratch, 0, (size_t)(codes * width) * sizeof *scratch);
    for (ptrdiff_t i = 0; i < node->m; ++i) {
        const int32_t row = node->ids[i], code = rows->category[source * rows->n + row];
        if (code < 0) {
            continue;
        }
        add_row(rows, row, scratch + code * width);
        weights[code] += rows->weight[row];
        holds[code] += node->price[row];
        ++counts[code];
        present[code >> 6] |= UINT64_C(1) << (code & 63);
    }
    for (int32_t code = 0; code < codes; ++code) {
        /* Where all rows have one category there is nothing to part. */
        if (counts[code] == 0 || counts[code] == node->m || !(weights[code] > 0.0) ||
            weights[code] < node->least[0]) {
            continue;
        }
        const double *sum = scratch + code * width;
        const double self = dot_of(sum, sum, width);
        const double worth = found(self, 1.0 / weights[code]) - holds[code];
        if (!(worth > out->gain)) {
            continue;
        }
        out->gain = worth;
        /* Rows that have no category, the last code, are always on the left. */
        out->side = code == codes - 1;
        memset(&out->asks, 0, sizeof out->asks);
        out->asks.kind = CUT_SOURCE;
        out->asks.column = (int32_t)source;
        out->asks.missing_left = !out->side;
        if (out->side) {
            memcpy(out->asks.right, present, sizeof present);
        }
        out->asks.right[code >> 6] ^= UINT64_C(1) << (code & 63);
    }
}
