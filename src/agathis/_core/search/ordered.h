/* Some rows in the order of a column: the scan that all cuts along columns are found by.
 *
 * The places of the rows are marked in a field of bits, one a place, and the field is then read
 * from its first bit to its last, in time that is linear in their number.  It is left empty.
 *
 *     const ordered_scan scan = scan_along(rows, column, places, count);
 *     for (ptrdiff_t i = 0; i < scan.cuts; ++i) {
 *         const ordered_row at = row_at(&scan, i);
 *         ... take at.row to the left side ...
 *         if (at.fits)
 *             ... look at the cut after it ...
 *     }
 */
#ifndef AGATHIS_SEARCH_ORDERED_H
#define AGATHIS_SEARCH_ORDERED_H

#include <string.h>

#include "search/rows.h"
#include "shared/clones.h"

/* The places of some rows, rising; how many of them do not miss the column. */
static inline ptrdiff_t
ordered_places(const search_rows *rows, ptrdiff_t column, const int32_t *restrict ids, ptrdiff_t m,
               uint64_t *restrict field, int32_t *restrict out)
{
    const int32_t *restrict place = rows->place + column * rows->n;
    const ptrdiff_t present = rows->present[column];
    if (m == rows->n) {
        for (ptrdiff_t p = 0; p < present; ++p) {
            out[p] = (int32_t)p;
        }
        return present;
    }
    for (ptrdiff_t i = 0; i < m; ++i) {
        const int32_t p = place[ids[i]];
        if (p >= 0) {
            field[p >> 6] |= UINT64_C(1) << (p & 63);
        }
    }
    ptrdiff_t count = 0;
    const ptrdiff_t words = (present + 63) >> 6;
    for (ptrdiff_t word = 0; word < words; ++word) {
        uint64_t bits = field[word];
        field[word] = 0;
        while (bits) {
#if defined(__GNUC__) || defined(__clang__)
            const int bit = __builtin_ctzll(bits);
#else
            int bit = 0;
            while (!(bits >> bit & 1)) {
                ++bit;
            }
#endif
            out[count++] = (int32_t)((word << 6) + bit);
            bits &= bits - 1;
        }
    }
    return count;
}

/* Rows in order.  `cuts` is how many rows may have a cut after them: not the last one, unless
 * rows that miss the column are on the right. */
typedef struct {
    const int32_t *order, *rank, *places;
    ptrdiff_t count, cuts;
} ordered_scan;

/* A row that goes to the left side, its place, and whether a threshold fits after it, which it does
 * not between equal values. */
typedef struct {
    int32_t row, place;
    int fits;
} ordered_row;

AGATHIS_INLINE ordered_scan
scan_along(const search_rows *rows, ptrdiff_t column, const int32_t *places, ptrdiff_t count)
{
    const ptrdiff_t first = column * rows->n;
    const ordered_scan scan = {rows->order + first, rows->rank + first, places, count, count - 1};
    return scan;
}

AGATHIS_INLINE ordered_row
row_at(const ordered_scan *scan, ptrdiff_t i)
{
    const int32_t place = scan->places[i];
    const ordered_row at = {
        scan->order[place], place,
        i + 1 == scan->count || scan->rank[place] != scan->rank[scan->places[i + 1]]};
    return at;
}

/* <a, b> */
AGATHIS_INLINE double
dot_of(const double *restrict a, const double *restrict b, ptrdiff_t width)
{
    double dot = 0.0;
    for (ptrdiff_t j = 0; j < width; ++j) {
        dot += a[j] * b[j];
    }
    return dot;
}

/* sum += weight x of a row. */
AGATHIS_INLINE void
add_row(const search_rows *rows, int32_t row, double *restrict sum)
{
    const double *restrict x = rows->point + row * rows->width;
    const double w = rows->weight[row];
    for (ptrdiff_t j = 0; j < rows->width; ++j) {
        sum[j] += w * x[j];
    }
}

/* The last place of the value at a place.  A cut there parts no equal values, of rows either that
 * come to the node later. */
static inline int32_t
last_equal(const search_rows *rows, ptrdiff_t column, int32_t place)
{
    const int32_t *restrict rank = rows->rank + column * rows->n;
    while (place + 1 < rows->present[column] && rank[place + 1] == rank[place]) {
        ++place;
    }
    return place;
}

/* Rows up to a place go left. */
static inline search_condition
column_condition(const search_rows *rows, ptrdiff_t column, int32_t place, int missing_left)
{
    search_condition asks;
    memset(&asks, 0, sizeof asks);
    asks.kind = CUT_COLUMN;
    asks.column = (int32_t)column;
    asks.cut = last_equal(rows, column, place);
    asks.missing_left = missing_left;
    return asks;
}

#endif
