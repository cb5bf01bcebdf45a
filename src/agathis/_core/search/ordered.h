/* Some rows in the order of a column, in time that is linear in their number.
 *
 * The places of the rows are marked in a field of bits, one a place, and the field is then read
 * from its first bit to its last.  It is left empty.
 */
#ifndef AGATHIS_SEARCH_ORDERED_H
#define AGATHIS_SEARCH_ORDERED_H

#include "search/rows.h"

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

#endif
