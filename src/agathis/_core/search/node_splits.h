/* Cuts of an inner node: those whose two subtrees stay as they are, and those that split some rows
 * off as a leaf above it. */
#ifndef AGATHIS_SEARCH_NODE_SPLITS_H
#define AGATHIS_SEARCH_NODE_SPLITS_H

#include "search/rows.h"

/* The rows of a node.  `price` is for each row the result of row_changes or row_contributions. */
typedef struct {
    const int32_t *ids;
    ptrdiff_t m;
    const double *price; /* [n] */
    double least[2];     /* the least weights of the two subtrees' rows, or of the new leaf */
    const double *sum;   /* [width] of all rows, and */
    double weight;       /* their weight: for split-offs only */
} search_node;

/* What rows cost more at one centre than at another: centres are means, `square` their squared
 * lengths, `left` and `right` the cluster of each of the rows on either way. */
void row_changes(const search_rows *rows, const int32_t *ids, ptrdiff_t m, const double *mean,
                 const double *square, const int32_t *left, const int32_t *right, double *change);

/* The best cuts of a column with the centres fixed, as it is and swapped.
 *
 * Rows that are sent left add up what they cost more on the left: the least sum is best, and with
 * the subtrees swapped the largest.  OUT side: 1 where the subtrees change places. */
void column_splits(const search_rows *rows, ptrdiff_t column, const search_node *node,
                   uint64_t *field, int32_t *places, split_candidate out[2]);

/* The best cut of a source: each category goes where it costs less. */
void categories_split(const search_rows *rows, ptrdiff_t source, const search_node *node,
                      split_candidate *out);

/* What each row adds to the objective with the centres fixed; `to` is the cluster of each of the
 * rows. */
void row_contributions(const search_rows *rows, const int32_t *ids, ptrdiff_t m,
                       const double *mean, const double *square, const int32_t *to,
                       double *contribution);

/* The best cut of a column that splits off a leaf, by a lower bound of its gain: the rows that stay
 * keep the centres that they have, and those that miss the column stay.  OUT side: 1 if the new leaf
 * is on the left.  `scratch` has 2 * width doubles. */
void off_column_split(const search_rows *rows, ptrdiff_t column, const search_node *node,
                      uint64_t *field, int32_t *places, double *scratch, split_candidate *out);

/* The best category of a source to split off; `scratch` has room for MAX_GROUP_CATEGORIES times
 * width. */
void off_categories_split(const search_rows *rows, ptrdiff_t source, const search_node *node,
                          double *scratch, split_candidate *out);

#endif
