/* The tree of few leaves that costs least: what its search is given, and what it gives back.
 *
 * A set of rows costs the weighted squared distances to its mean, a tree the sum over its leaves.
 * See optimum_search.c for branch and bound, optimum_scan.c for sums along an order,
 * optimum_ranges.c for what waits, optimum_memo.c for what is known of sets.
 */
#ifndef AGATHIS_OPTIMUM_H
#define AGATHIS_OPTIMUM_H

#include <stddef.h>
#include <stdint.h>

#include "shared/limits.h"

enum {
    OPTIMUM_LEAVES = 16, /* the most that a tree may have */
    OPTIMUM_WIDE = 1024 /* the most components of a point, filled up */
};

/* Rows, no two of which have the same values in all columns, and no column with one value. */
typedef struct {
    ptrdiff_t n, d, width;
    const double *point;   /* [row * width + c]: weight times point, filled up with zeros */
    const double *weight;  /* [row]: more than 0 */
    const double *square;  /* [row]: weight times the squared length of the point */
    const int32_t *code;   /* [column * n + row]: the value's number among those of the column */
    const int32_t *order;  /* [column * n + place]: rows by code */
    const uint64_t *key;   /* [row * 2 + c]: random; a set of rows is known by the xor of them */
    const tree_limits *limits;
    int limited; /* whether their weights exclude any tree */
    double slack; /* costs that differ by less are the same */
} optimum_data;

/* Rows with codes up to `last` go left; the cuts of the left side follow, then the others. */
typedef struct {
    int32_t feature, last, n_left;
} optimum_split;

typedef struct {
    double cost; /* of the best tree, or what no tree is below where is_exact is 0 */
    int is_exact;
    int n_cuts;
    optimum_split cuts[OPTIMUM_LEAVES - 1];
} optimum_answer;

typedef struct optimum_search optimum_search;

/* Asked now and then, with the cost and the bound so far; other than 0 ends the search. */
typedef int (*optimum_poll)(void *self, double cost, double bound);

/* NULL where memory does not suffice. */
optimum_search *optimum_open(const optimum_data *data, optimum_poll poll, void *self);
void optimum_close(optimum_search *s);

/* The best tree within the limits below `cap`.
 * OUT answer: the best tree if there is one (is_exact is 1, cost < cap); bound: what no tree of so
 * many leaves is below, the cost itself where it was proven; counts: sets scanned, sets that were
 * known.  Returns 1 if the search was ended by `poll`, -1 if memory did not suffice, else 0. */
int optimum_run(optimum_search *s, double scatter, double cap, optimum_answer *answer,
                double *bound, int64_t counts[2]);

#endif
