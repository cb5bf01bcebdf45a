/* Cuts that part some rows of an inner node off as a leaf, before anything else is asked of
 * them. */
#ifndef AGATHIS_SEARCH_SPLIT_OFF_H
#define AGATHIS_SEARCH_SPLIT_OFF_H

#include "search/rows.h"
#include "shared/limits.h"

/* A cut by what it gains at least: the rows that stay are counted with the centres that they have.
 * -inf where there is none. */
typedef struct {
    double worth;
    int32_t leaf_left; /* on which side the new leaf is */
    search_condition asks;
} off_cut;

/* The rows of a node. `held` is for each row what it adds to the objective with its centre held. */
typedef struct {
    const int32_t *ids;
    ptrdiff_t m;
    const double *sum; /* [width], of all of them */
    double weight;
    const tree_limits *limits;
    const double *held; /* [n] */
} off_node;

/* What each row adds to the objective with the centres held; `mean` and `square` are those of the
 * clusters, `to` the cluster of each of the rows. */
void row_holds(const search_rows *rows, const int32_t *ids, ptrdiff_t m, const double *mean,
               const double *square, const int32_t *to, double *held);

/* The best cut of a column; rows that miss it stay.  `scratch` has room for two times width
 * doubles. */
void off_column_split(const search_rows *rows, ptrdiff_t column, const off_node *node,
                      uint64_t *field, int32_t *places, double *scratch, off_cut *out);

/* The best category of a source to part off; `scratch` has room for MAX_GROUP_CATEGORIES times
 * width. */
void off_categories_split(const search_rows *rows, ptrdiff_t source, const off_node *node,
                          double *scratch, off_cut *out);

#endif
