/* The best way to part the categories of a leaf in two: see category_subsets.c.
 *
 * The items of a leaf are its categories, and, where there are such samples, those of no
 * category and those that miss it.  What a cut gains depends on sums over the items on each
 * side alone, so it does not matter here what the sums are made of.
 */
#ifndef AGATHIS_CATEGORY_SUBSETS_H
#define AGATHIS_CATEGORY_SUBSETS_H

#include "shared/category_ways.h"

enum { SUBSET_EXACT = 10 }; /* items up to which every way is looked at */

/* Doubles that `work` must hold, and those that keep it apart from the work of the next thread. */
size_t subset_work(int32_t n_clusters, int32_t n_items);

/* The best gain of all ways to part the items, of all moves; -inf where there is none.
 * Every way is looked at where there are up to `exact` items, else those that seem good.
 *
 * OUT right, where `floor` is finite: which items go right (1) in the first of
 * the ways that gain `floor`.  By the limits of a tree samples of no category go left; else the
 * lighter side goes right, or, where they weigh the same, the one without the first category.  The
 * first way is that with the fewest categories on the right, of these the one with the first
 * column, and missing values go right rather than left. */
double subset_search(const scan_leaf *leaf, const scan_clusters *clusters,
                     const subset_items *items, int32_t exact, double floor, double tolerance,
                     double *work, subset_seen seen, void *context, uint8_t *right);

#endif
