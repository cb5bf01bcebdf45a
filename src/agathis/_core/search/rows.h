/* The rows of a search, and what a node asks of them.
 *
 * Columns are searched in the order of their values.  The order is found once: `order` has the rows
 * of a column from the lowest value to the highest, without those that miss it, `place` says where
 * in it a row is, and `rank` numbers the values, so that two places of one rank are not cut apart.
 * A cut of a column is a place: rows up to it go left.
 */
#ifndef AGATHIS_SEARCH_ROWS_H
#define AGATHIS_SEARCH_ROWS_H

#include <stddef.h>
#include <stdint.h>

enum { CUT_NONE, CUT_COLUMN, CUT_SOURCE, CUT_PAIR };
enum { IDENTIFIER_WORDS = 4, MAX_GROUP_CATEGORIES = 64 * IDENTIFIER_WORDS };

typedef struct {
    ptrdiff_t n, columns, width, sources;
    const double *point;     /* [n][width] */
    const double *weight;    /* [n] */
    const int32_t *order;    /* [columns][n] */
    const int32_t *place;    /* [columns][n], -1 where the value is missing */
    const int32_t *rank;     /* [columns][n], of the value at a place */
    const int32_t *present;  /* [columns] */
    const int32_t *category; /* [sources][n], -1 where it is missing */
    const int32_t *n_categories;  /* [sources] */
    const double *value;     /* [columns][n] */
} search_rows;

/* What a node asks.  A row goes left where its place in the column is no larger than `cut`; where
 * the category of its source is not in `right`; where a x + b y of two columns is no larger than
 * `threshold`. */
typedef struct {
    int32_t kind, column, other, cut, missing_left, unused;
    double a, b, threshold;
    uint64_t right[IDENTIFIER_WORDS];
} search_condition;

/* A split that was found. */
typedef struct {
    double gain; /* what it gains, exactly or about; -inf: there is none */
    int32_t side, target; /* the functions that find splits say what these are */
    search_condition asks;
} split_candidate;

static inline int
in_codes(const uint64_t *codes, int32_t code)
{
    return (int)(codes[code >> 6] >> (code & 63) & 1);
}

static inline int
goes_left(const search_rows *rows, const search_condition *asks, int32_t row)
{
    if (asks->kind == CUT_COLUMN) {
        const int32_t place = rows->place[asks->column * rows->n + row];
        return place < 0 ? asks->missing_left : place <= asks->cut;
    }
    if (asks->kind == CUT_SOURCE) {
        const int32_t code = rows->category[asks->column * rows->n + row];
        return code < 0 ? asks->missing_left : !in_codes(asks->right, code);
    }
    const double sum = asks->a * rows->value[asks->column * rows->n + row] +
                       asks->b * rows->value[asks->other * rows->n + row];
    return sum != sum ? asks->missing_left : sum <= asks->threshold;
}

#endif
