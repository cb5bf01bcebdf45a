/* Leaves of samples that are points: tables of sums, and their scan (points/scan.c).
 *
 * Where the kernel is an inner product, what a cut of the leaf T into L and R gains is a
 * function of the sum s and the weight m of the points of L alone.  A table holds these for
 * some cuts along each feature.  The cuts in between need not be looked at one by one: every
 * gain is a sum of terms |s|^2 / m, so it is convex in (s, m).  Between two cuts of a table a
 * third one, (s, m), lies a little off the straight line between them,
 *
 *     s = s0 + (m - m0)/(m1 - m0) (s1 - s0) + r,
 *
 * and on the line a gain is at most the larger one of its two ends.  The offset r adds, for a
 * set of mean mu and size n that gets it, 2 <mu, r> + |r|^2/n, and takes the same from another
 * set.  So with the radius R, the largest |r| between the two, and means measured from any
 * point o, here the leaf's mean,
 *
 *     gain <= larger end + 2 R (|mu_to - o| + |mu_from - o|) + R^2 (1/n_to + 1/n_from)
 *
 * Only where this reaches the best gain are the cuts in between looked at.
 *
 * A split of another leaf changes two or three clusters, and moves to the others gain what they
 * did.  So the bounds stay, and of each cut of the table the two best arrivals of both sides are
 * kept: only the arrivals at changed clusters are worked out anew, and the bound rises where one
 * of them, alone or with the best other arrival of the other side, gains more.  Where the leaf's
 * own cluster is one of the changed, it is the same arrivals, and other departures.
 *
 * Most clusters need not be asked about at all.  Where a side S of mean m joins a cluster of
 * size c and mean mu, it gains what founding a cluster would gain, less
 *
 *     c |S| / (c + |S|) |m - mu|^2,   |m - mu|^2 = D^2 - 2 D a + |m - o|^2,
 *
 * o the leaf's mean, D = |mu - o|, and a how far m lies towards mu.  That is at most what the
 * furthest of the leaf's points p does, and v the leaf's scatter along that direction, a side can
 * take no more of it than there is: a^2 <= v (1/|S| - 1/|T|).  So a leaf keeps what its sides would
 * gain if each could found a cluster, the bound of its gains, in classes of about the same |S|;
 * and what of it is left after some share of |S| |m - o|^2 is paid, which D does not change.
 * From these, D, p and v alone comes a bound of what a move to a cluster may gain, and a cluster
 * is asked about once that reaches the best gain; until then it is pending.  That bound counts the
 * best arrival of the other side at a cluster that is not pending.  Where both sides go to pending
 * ones, the heavier side, at least half of the leaf, pays for its way.
 */
#ifndef AGATHIS_POINTS_H
#define AGATHIS_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "shared/scan.h"

enum { POINT_PAD = 8 }; /* points are padded with zeros to a multiple of it */

/* What is kept of a cut of the table from one scan to the next. */
enum {
    CUT_SELF,     /* sigma(L^2), */
    CUT_FAR_SELF, /* sigma(R^2), */
    CUT_WIDE,     /* and the slack of cuts near by (shared/tile.h): these are the leaf's alone */
    CUT_NEAR,
    CUT_FAR,
    CUT_MOMENT, /* |L| |m - o|, m the left side's mean and o the leaf's; of R it is the same */
    CUT_LEAST, /* the least weight of L, and of R, of the cut and those near it */
    CUT_FAR_LEAST,
    CUT_BEST, /* the two best arrivals of L: not less than they are, */
    CUT_SECOND,
    CUT_FAR_BEST, /* and of R */
    CUT_FAR_SECOND,
    CUT_KEPT
};

/* And the clusters that the best arrivals are at. */
enum { CUT_TARGET, CUT_FAR_TARGET, CUT_TARGETS };

/* The table of a leaf.  The samples in the order of feature f are in blocks first[f] ..
 * stop[f] - 1, and what is kept of a block are sums up to its end.  The end of the last block
 * is no cut: it is the leaf, without the samples that miss a value.  Where there are bins, a
 * block is some of them, and there are rows of sums for each bin too. */
typedef struct {
    ptrdiff_t width;   /* doubles of a padded point */
    const int32_t *first;
    int32_t *stop;
    double *sum;            /* [b * width] */
    double *count, *weight; /* [b] samples and their weight */
    double *radius; /* [b] R of the cuts within; 0: there is none; inf: not known */
    const int32_t *row;   /* [b] the last row of the block; NULL: there are no bins */
    const double *row_sum, *row_count, *row_weight;
    const double *missing; /* [f * width] samples that miss a value; NULL: no feature has any */
    const double *missing_count, *missing_weight; /* [f] */
    const double *total; /* [width] sum over the leaf */
    double *kept;             /* [CUT_... * cuts + c] */
    int64_t *kept_target;     /* [CUT_..TARGET * cuts + c] */
    const int32_t *cut_first; /* [f] cuts are numbered as they come: block by block, and with
                                 missing values on the right before those on the left */
    ptrdiff_t cuts;
} point_table;

/* The clusters: component j of the sum of cluster k is sum[j * lanes + k].  Reach and rest are
 * those of tile_slack, for the leaf that is scanned.  Where only some clusters are looked at
 * (they have an `id`), the leaf's own is the first of them. */
typedef struct {
    const double *sum;
    ptrdiff_t lanes;
    const double *reach;
    double rest;
    int own_changed; /* whether bounds are made anew, of the arrivals that are kept */
} point_clusters;

/* Samples in the order of a feature; the points are of the table's width. */
typedef struct {
    const double *phi, *weight; /* by sample */
    const int32_t *order;
    const uint8_t *cut; /* 1 where a threshold fits after the sample */
} point_samples;

/* A cut after `count` samples (those that miss a value not counted), at a row of the table
 * where it has rows; and whether missing values go left. */
typedef struct {
    ptrdiff_t count, row;
    int missing_left;
} point_split;

/* What the sides of a leaf's cuts would gain by founding a cluster, in classes by their weight,
 * two to each power of two.  Of each class: the largest gain (-inf where it is empty) after i of
 * the BOUND_SHARES of |S| |m - o|^2 are paid, the least and the largest weight, and how far a
 * mean is off the leaf's at most.  `both` is the most that two sides together would gain,
 * `moment` the largest |S| |m - o|, and `top` the largest gain of all.  Where cuts of the leaf are
 * not covered, `blind` is set. */
enum { BOUND_CLASSES = 32, BOUND_SHARES = 6 };
typedef struct {
    double gain[BOUND_CLASSES][BOUND_SHARES];
    double least[BOUND_CLASSES], most[BOUND_CLASSES], off[BOUND_CLASSES];
    double both, moment, top;
    int blind;
} point_gain_bound;

/* How a leaf lies towards a cluster: the distance of their means, and in that direction the
 * leaf's scatter and how far the furthest of its points is from its mean; infinite where they are
 * not known. */
typedef struct {
    double reach, scatter, furthest;
} point_option;

void point_gain_bound_clear(point_gain_bound *gain_bound);

/* Add the bounds of other cuts of the leaf. */
void point_gain_bound_add(point_gain_bound *gain_bound, const point_gain_bound *more);

/* No move of a side of the leaf to a pending cluster of this size gains more; alone or with the
 * other side going anywhere.  A bound below `enough` is not computed. */
double point_pending_bound(const point_gain_bound *gain_bound, double leaf_weight, double size,
                      const point_option *way, double enough);

/* OUT scatter and furthest of a way, from the leaf's points about their mean. */
void point_look(const double *points, const double *weight, ptrdiff_t n, ptrdiff_t width,
                const double *direction, point_option *way);

/* Doubles that `work` must hold, and those that keep it apart from the work of the next thread. */
size_t point_work(int32_t n_clusters, ptrdiff_t width);

/* How many cuts the ends of a feature's blocks make. */
ptrdiff_t point_splits(const point_table *table, ptrdiff_t f);

/* What is kept of the leaf's own cuts of features first .. first + n_features - 1. */
void point_moments(const point_table *table, double leaf_weight, ptrdiff_t first,
                   ptrdiff_t n_features);

/* OUT bound[b], for the blocks of features first .. first + n_features - 1: no cut within
 * block b or at its end gains more.  It is -inf where drawn[f] is 0 (drawn NULL: nowhere).
 * Where only some clusters are looked at, the bound is raised to what moves to them may gain, and
 * the bound of these cuts is added to `gain_bound`. */
void point_scan(const scan_leaf *leaf, const scan_clusters *clusters,
                const point_clusters *sums, const point_table *table, ptrdiff_t first,
                ptrdiff_t n_features, const uint8_t *drawn, double *work, double *bound,
                point_gain_bound *gain_bound);

/* The best gain of the cuts within block b of feature f and at its end.  The cuts within are
 * at the table's rows, or between samples where it has none.  OUT reached: the first cut that
 * gains `floor`, count -1 if none does. */
double point_refine(const scan_leaf *leaf, const scan_clusters *clusters,
                    const point_clusters *sums, const point_table *table, ptrdiff_t f,
                    ptrdiff_t b, const point_samples *samples, double floor, double *work,
                    point_split *reached);

/* How many samples a block has at most: `few`, or where that is more the leaf's samples over
 * `parts`, and `most` in any leaf. */
typedef struct {
    ptrdiff_t few, parts, most;
} point_grain;

/* How many samples a block has that begins after `done` of n; and how many rows, by the weights
 * up to each. */
ptrdiff_t point_block(ptrdiff_t done, ptrdiff_t n, const point_grain *grain);
ptrdiff_t point_rows(const double *weight, ptrdiff_t done, ptrdiff_t n, ptrdiff_t most);

/* The blocks of n samples of weight `total` along one feature.  OUT sum, count, weight and
 * radius of each; returns how many there are. */
ptrdiff_t point_sums(const point_samples *samples, ptrdiff_t n, ptrdiff_t width,
                     const point_grain *grain, double total, double *sum, double *count,
                     double *weight,
                     double *radius);

/* The radius of the block that ends with row `end` of a feature, of the weight `total`;
 * `before` is the end of the block before it, -1 for none. */
double point_radius(const double *sum, const double *weight, ptrdiff_t width, ptrdiff_t before,
                    ptrdiff_t end, double total);

#endif
