#include "search/node_splits.h"

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

/* Where the sum of prices is lowest, and where it is highest; places are -1 where there is none. */
typedef struct {
    double low, high;
    int32_t at_low, at_high;
} extreme_sums;

/* With `weighs` among the cuts that leave each side what it needs: `before` is the weight on the
 * left before the first row, of the cut as it is and of the swapped one. */
AGATHIS_INLINE extreme_sums
find_extremes(const search_rows *rows, const ordered_scan scan, const double *restrict change,
              int weighs, double total, const double least[2], const double before[2])
{
    extreme_sums found = {INFINITY, -INFINITY, -1, -1};
    double sum = 0.0, w = 0.0;
    for (ptrdiff_t i = 0; i < scan.cuts; ++i) {
        const ordered_row at = row_at(&scan, i);
        sum += change[at.row];
        w += weighs ? rows->weight[at.row] : 0.0;
        if (!at.fits) {
            continue;
        }
        if (sum < found.low && (!weighs || (w + before[0] >= least[0] &&
                                            total - w - before[0] >= least[1]))) {
            found.low = sum;
            found.at_low = at.place;
        }
        /* Swapped, the rows on the left come to the right subtree. */
        if (sum > found.high && (!weighs || (w + before[1] >= least[1] &&
                                             total - w - before[1] >= least[0]))) {
            found.high = sum;
            found.at_high = at.place;
        }
    }
    return found;
}

void
column_splits(const search_rows *rows, ptrdiff_t column, const search_node *node,
              uint64_t *restrict field, int32_t *restrict places, split_candidate out[2])
{
    const int32_t *restrict ids = node->ids;
    const double *restrict change = node->price, *least = node->least;
    const ptrdiff_t m = node->m;
    const ptrdiff_t count = ordered_places(rows, column, ids, m, field, places);
    double missing = 0.0, absent = 0.0, total = 0.0, all = 0.0;
    out[0].gain = out[1].gain = -INFINITY;
    if (count == 0) {
        return;
    }
    for (ptrdiff_t i = 0; i < m; ++i) {
        all += change[ids[i]];
    }
    const int weighs = least[0] > 0.0 || least[1] > 0.0;
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
    const double before[2] = {left0 ? absent : 0.0, left1 ? absent : 0.0};
    const ordered_scan scan = scan_along(rows, column, places, count);
    const extreme_sums found =
        weighs ? find_extremes(rows, scan, change, 1, total, least, before)
               : find_extremes(rows, scan, change, 0, total, least, before);
    if (found.at_low >= 0) {
        out[0] = (split_candidate){-(found.low + start0), 0, 0,
                                   column_condition(rows, column, found.at_low, left0)};
    }
    if (found.at_high >= 0) {
        out[1] = (split_candidate){-(all - found.high - start1), 1, 0,
                                   column_condition(rows, column, found.at_high, left1)};
    }
    if (count < m) {
        /* All values left, missing ones right. */
        const search_condition asks = column_condition(rows, column, places[count - 1], 0);
        const double whole = all - missing;
        if (-whole > out[0].gain && total - absent >= least[0] && absent >= least[1]) {
            out[0] = (split_candidate){-whole, 0, 0, asks};
        }
        if (-missing > out[1].gain && total - absent >= least[1] && absent >= least[0]) {
            out[1] = (split_candidate){-missing, 1, 0, asks};
        }
    }
}

void
categories_split(const search_rows *rows, ptrdiff_t source, const search_node *node,
                 split_candidate *out)
{
    const int32_t *restrict ids = node->ids;
    const double *restrict change = node->price;
    const ptrdiff_t m = node->m;
    const int32_t *restrict category = rows->category + source * rows->n;
    double sum[MAX_GROUP_CATEGORIES + 1] = {0.0};
    ptrdiff_t count[MAX_GROUP_CATEGORIES + 1] = {0};
    const int32_t codes = rows->n_categories[source];
    for (ptrdiff_t i = 0; i < m; ++i) {
        const int32_t code = category[ids[i]] < 0 ? codes : category[ids[i]];
        sum[code] += change[ids[i]];
        ++count[code];
    }
    uint64_t left[IDENTIFIER_WORDS] = {0}, right[IDENTIFIER_WORDS] = {0};
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
        out->gain -= goes ? sum[code] : 0.0;
        n_left += goes ? count[code] : 0;
        n_right += goes ? 0 : count[code];
        if (code == codes) {
            missing_left = goes;
        } else {
            (goes ? left : right)[code >> 6] |= UINT64_C(1) << (code & 63);
        }
    }
    if (n_left == 0 || n_right == 0) {
        out->gain = -INFINITY;
        return;
    }
    /* Rows of the fewer categories go right: what nobody has seen goes with the others.  Rows that
     * have none of them, the last code, go left: a tree asks for the categories that are on. */
    out->side = count[codes - 1] ? in_codes(right, codes - 1) : n_right > n_left;
    memcpy(out->asks.right, out->side ? left : right, sizeof left);
    out->asks.missing_left = count[codes] ? missing_left != out->side : 0;
}
