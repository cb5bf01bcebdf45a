#include "search/node_cuts.h"

#include <math.h>
#include <string.h>

#include "search/ordered.h"
#include "shared/clones.h"

AGATHIS_CLONES void
row_changes(const search_rows *rows, const int32_t *restrict ids, ptrdiff_t m,
            const double *restrict mean, const double *restrict square,
            const int32_t *restrict left, const int32_t *restrict right, double *restrict change)
{
    const ptrdiff_t width = rows->width;
    for (ptrdiff_t i = 0; i < m; ++i) {
        const int32_t row = ids[i];
        if (left[i] == right[i]) {
            change[row] = 0.0;
            continue;
        }
        const double *restrict x = rows->point + row * width;
        const double *restrict from = mean + left[i] * width;
        const double *restrict to = mean + right[i] * width;
        double dot = 0.0;
        for (ptrdiff_t j = 0; j < width; ++j) {
            dot += x[j] * (from[j] - to[j]);
        }
        change[row] = rows->weight[row] * (square[left[i]] - square[right[i]] - 2.0 * dot);
    }
}

static void
keep(node_cut *best, double worth, int swapped, ptrdiff_t column, int32_t cut, int missing_left)
{
    memset(best, 0, sizeof *best);
    best->worth = worth;
    best->swapped = swapped;
    best->found = 1;
    best->asks.kind = CUT_COLUMN;
    best->asks.column = (int32_t)column;
    best->asks.cut = cut;
    best->asks.missing_left = missing_left;
}

void
column_cuts(const search_rows *rows, ptrdiff_t column, const int32_t *restrict ids, ptrdiff_t m,
            const double *restrict change, const double lightest[2], uint64_t *restrict field,
            int32_t *restrict places, node_cut out[2])
{
    const int32_t *restrict order = rows->order + column * rows->n;
    const int32_t *restrict rank = rows->rank + column * rows->n;
    const ptrdiff_t count = ordered_places(rows, column, ids, m, field, places);
    double missing = 0.0, absent = 0.0, total = 0.0, all = 0.0;
    out[0].found = out[1].found = 0;
    if (count == 0) {
        return;
    }
    for (ptrdiff_t i = 0; i < m; ++i) {
        all += change[ids[i]];
    }
    const int weighs = lightest[0] > 0.0 || lightest[1] > 0.0;
    if (weighs || count < m) {
        for (ptrdiff_t i = 0; i < m; ++i) {
            total += rows->weight[ids[i]];
            if (rows->place[column * rows->n + ids[i]] < 0) {
                missing += change[ids[i]];
                absent += rows->weight[ids[i]];
            }
        }
    }
    /* Missing values go where they cost less, whatever the cut is. */
    const int left0 = missing < 0.0, left1 = missing > 0.0;
    const double start0 = left0 ? missing : 0.0, start1 = left1 ? missing : 0.0;
    const double held0 = left0 ? absent : 0.0, held1 = left1 ? absent : 0.0;
    double low = INFINITY, high = -INFINITY, sum = 0.0, held = 0.0;
    int32_t at_low = -1, at_high = -1;
    if (!weighs) {
        for (ptrdiff_t i = 0; i + 1 < count; ++i) {
            const int32_t p = places[i];
            sum += change[order[p]];
            if (rank[p] != rank[places[i + 1]]) {
                if (sum < low) {
                    low = sum;
                    at_low = p;
                }
                if (sum > high) {
                    high = sum;
                    at_high = p;
                }
            }
        }
    } else {
        for (ptrdiff_t i = 0; i + 1 < count; ++i) {
            const int32_t p = places[i], row = order[p];
            sum += change[row];
            held += rows->weight[row];
            if (rank[p] != rank[places[i + 1]]) {
                if (sum < low && held + held0 >= lightest[0] &&
                    total - held - held0 >= lightest[1]) {
                    low = sum;
                    at_low = p;
                }
                /* Swapped, the rows on the left come to the right subtree. */
                if (sum > high && held + held1 >= lightest[1] &&
                    total - held - held1 >= lightest[0]) {
                    high = sum;
                    at_high = p;
                }
            }
        }
    }
    if (at_low >= 0) {
        keep(&out[0], low + start0, 0, column, last_equal(rows, column, at_low), left0);
    }
    if (at_high >= 0) {
        keep(&out[1], all - high - start1, 1, column, last_equal(rows, column, at_high), left1);
    }
    if (count < m) {
        /* All values left, missing ones right. */
        const int32_t last = last_equal(rows, column, places[count - 1]);
        const double whole = all - missing;
        if ((at_low < 0 || whole < out[0].worth) && total - absent >= lightest[0] &&
            absent >= lightest[1]) {
            keep(&out[0], whole, 0, column, last, 0);
        }
        if ((at_high < 0 || missing < out[1].worth) && total - absent >= lightest[1] &&
            absent >= lightest[0]) {
            keep(&out[1], missing, 1, column, last, 0);
        }
    }
}

void
source_cut(const search_rows *rows, ptrdiff_t source, const int32_t *restrict ids, ptrdiff_t m,
           const double *restrict change, node_cut *out)
{
    const int32_t *restrict category = rows->category + source * rows->n;
    double sum[MOST_CODES + 1] = {0.0};
    ptrdiff_t count[MOST_CODES + 1] = {0};
    const int32_t codes = rows->n_codes[source];
    for (ptrdiff_t i = 0; i < m; ++i) {
        const int32_t code = category[ids[i]] < 0 ? codes : category[ids[i]];
        sum[code] += change[ids[i]];
        ++count[code];
    }
    uint64_t left[CODE_WORDS] = {0}, right[CODE_WORDS] = {0};
    ptrdiff_t n_left = 0, n_right = 0;
    int missing_left = 0;
    memset(out, 0, sizeof *out);
    out->asks.kind = CUT_SOURCE;
    out->asks.column = (int32_t)source;
    for (int32_t code = 0; code <= codes; ++code) {
        if (count[code] == 0) {
            continue;
        }
        const int goes = sum[code] <= 0.0;
        out->worth += goes ? sum[code] : 0.0;
        n_left += goes ? count[code] : 0;
        n_right += goes ? 0 : count[code];
        if (code == codes) {
            missing_left = goes;
        } else {
            (goes ? left : right)[code >> 6] |= UINT64_C(1) << (code & 63);
        }
    }
    if (n_left == 0 || n_right == 0) {
        return;
    }
    /* Rows of the fewer categories go right: what nobody has seen goes with the others.  Rows that
     * have none of them, the last code, go left: a tree asks for the categories that are on. */
    out->swapped = count[codes - 1] ? in_codes(right, codes - 1) : n_right > n_left;
    memcpy(out->asks.right, out->swapped ? left : right, sizeof left);
    out->asks.missing_left = count[codes] ? missing_left != out->swapped : 0;
    out->found = 1;
}
