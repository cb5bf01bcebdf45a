/* Cuts of a leaf whose one side goes to another cluster or founds one. */
#ifndef AGATHIS_SEARCH_LEAF_SPLITS_H
#define AGATHIS_SEARCH_LEAF_SPLITS_H

#include "search/rows.h"
#include "shared/limits.h"

enum { MAX_TARGETS = 6, CROSSES = MAX_TARGETS + 2 };

/* Numbers of a row by which columns are chosen: along the axis of a leaf, and what it gains in the
 * clusters that pull most. */
enum { LEADING_TARGETS = 2, LEADS = LEADING_TARGETS + 1 };

/* A leaf, the cluster that it is in, and those that a side may go to.
 *
 * `cross` has for each row its products with the sums of the targets, then of its own cluster, then
 * of the leaf; entries that are not used are 0. */
typedef struct {
    const double *sum;         /* [width], of the leaf */
    double self, weight;       /* its squared length, its weight */
    double own_kernel_sum, own_size, own_share;
    ptrdiff_t targets;
    double kernel_sum[MAX_TARGETS], size[MAX_TARGETS], share[MAX_TARGETS];
    double leaf_cross[CROSSES]; /* sums over the rows of the leaf */
    const double *cross;        /* [n][CROSSES] */
    double lead_sum[LEADING_TARGETS + 1]; /* of the leads, where there are any */
    int may_found;
    const tree_limits *limits;
} leaf_view;

/* Whether both sides may be leaves where one has the weight w. */
static inline int
sides_weigh(const leaf_view *leaf, double w)
{
    const double least = leaf->limits->min_leaf;
    return w >= least && leaf->weight - w >= least;
}

/* The best cut of a column.  OUT target: a place among the targets, or the number of them where a
 * cluster is founded; side: 1 where the left side leaves.  `scratch` has room for width doubles. */
void leaf_column_split(const search_rows *rows, ptrdiff_t column, const leaf_view *leaf,
                       const int32_t *ids, ptrdiff_t m, uint64_t *field, int32_t *places,
                       double *scratch, split_candidate *out);

/* The same of a source of categories; `scratch` has room for (MAX_GROUP_CATEGORIES + 3) width doubles. */
void leaf_categories_split(const search_rows *rows, ptrdiff_t source, const leaf_view *leaf,
                           const int32_t *ids, ptrdiff_t m, double *scratch, split_candidate *out);

/* Products of rows with some vectors, into rows of CROSSES numbers; `vectors` is
 * [CROSSES][width]. */
void row_crosses(const search_rows *rows, const int32_t *ids, ptrdiff_t m, const double *vectors,
                 double *cross);

/* The leads of the rows of a leaf, into rows of LEADS numbers: their place along the axis on which
 * they differ most, and for the first targets what they gain there where centres stay.  `axis` has
 * room for two times width doubles. */
void leaf_leads(const search_rows *rows, leaf_view *leaf, const int32_t *ids, ptrdiff_t m,
                double *axis, double *lead);

/* About what a cut of a column gains at most, by the leads alone.  Missing values are left out. */
double column_gain_bound(const search_rows *rows, ptrdiff_t column, const leaf_view *leaf,
                         const double *lead, const int32_t *ids, ptrdiff_t m, uint64_t *field,
                         int32_t *places);

/* For each cluster what the rows that are nearer to it than to their own gain by that. */
void leaf_pulls(const search_rows *rows, const int32_t *ids, ptrdiff_t m, const double *mean,
                const double *square, ptrdiff_t clusters, ptrdiff_t own, double *pull);

#endif
