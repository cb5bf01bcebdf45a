/* Cuts of a node whose two subtrees stay as they are. */
#ifndef AGATHIS_SEARCH_NODE_SPLITS_H
#define AGATHIS_SEARCH_NODE_SPLITS_H

#include "search/rows.h"

/* A cut by what it is worth with the centres held where they are. */
typedef struct {
    double worth;
    int32_t swapped; /* whether the subtrees change places */
    int32_t found;
    search_condition asks;
} node_split;

/* The best cuts of a column, as it is and swapped.
 *
 * `change` is, for each row, what it costs more on the left than on the right.  Rows that are sent
 * left add it up: the least sum is best, and with the subtrees swapped the largest.  Neither side
 * may weigh less than `lightest` allows: its left subtree's and its right one's needs. */
void column_splits(const search_rows *rows, ptrdiff_t column, const int32_t *ids, ptrdiff_t m,
                   const double *change, const double lightest[2], uint64_t *field, int32_t *places,
                   node_split out[2]);

/* The best cut of a source: each category goes where it costs less. */
void categories_split(const search_rows *rows, ptrdiff_t source, const int32_t *ids, ptrdiff_t m,
                      const double *change, node_split *out);

/* What rows cost more at one centre than at another: centres are means, `square` their squared
 * lengths, `to[0]` and `to[1]` the cluster of each of the rows on either way. */
void row_changes(const search_rows *rows, const int32_t *ids, ptrdiff_t m, const double *mean,
                 const double *square, const int32_t *left, const int32_t *right, double *change);

#endif
