/* What the files of the search for the best tree give each other: see optimum.h. */
#ifndef AGATHIS_OPTIMUM_INTERNAL_H
#define AGATHIS_OPTIMUM_INTERNAL_H

#include "search/optimum.h"

/* What is known of m rows as a whole. */
typedef struct {
    ptrdiff_t m;
    double total, squares, scatter; /* weight, data->square, squared distances to the mean */
    double length;                  /* squared, of the mean */
    const double *centre;           /* the mean */
} optimum_set;

/* OUT centre, set; own[row], where it is not NULL: what each row adds to the scatter. */
void optimum_gather(const optimum_data *data, const int32_t *rows, ptrdiff_t m, double scatter,
                    double *centre, double *own, optimum_set *set);

/* What the cuts of rows along a column gain.  OUT for each of them place[k]: how many rows are on
 * its left, left[k]: their weight, gain[k]: what it takes off the scatter.  Returns how many. */
ptrdiff_t optimum_along(const optimum_data *data, const optimum_set *set, const int32_t *order,
                        const int32_t *code, int32_t *place, double *left, double *gain);

/* The scatter on either side of these cuts.  OUT before, after. */
void optimum_sides(const optimum_set *set, const int32_t *order, const double *own,
                   const int32_t *place, const double *left, const double *gain, ptrdiff_t count,
                   double *before, double *after);

/* The best cut of rows along a column that gains more than `most` and leaves `least` on both sides.
 * OUT most.  Returns how many rows are on its left, 0 for none.  workspace: (width + 2) *
 * (m / 8 + 1) values. */
ptrdiff_t optimum_best_along(const optimum_data *data, const optimum_set *set, const int32_t *order,
                             const int32_t *code, double least, double *workspace, double *most);

/* The rows of `order` whose code is at most `last`, or above it; returns how many. */
ptrdiff_t optimum_filter(const int32_t *order, ptrdiff_t m, const int32_t *code, int32_t last,
                         int right, int32_t *out);

/* What is known of sets of rows: a table of fixed size (optimum_memo.c). */
typedef struct memo_entry memo_entry;
typedef struct {
    int most;            /* cuts that are kept of a tree */
    memo_entry *entries; /* [place] */
    optimum_split *cuts; /* [place * most + cut] */
} optimum_memo;

/* Whether something is known of a set that is exact or not below `cap`; then OUT answer.  To keep
 * something, say how many leaves were looked for: what took less effort gives way first. */
int memo_find(const optimum_memo *memo, const uint64_t key[2], double cap, optimum_answer *answer);
void memo_keep(optimum_memo *memo, const uint64_t key[2], int effort,
               const optimum_answer *answer);

/* Thresholds first..last of a column, with so many leaves on the left of them. */
typedef struct {
    double bound, left, right; /* left + right; of the left side of first, the right side of last */
    int32_t feature, leaves, first, last;
} optimum_range;

/* Stretches that wait, the lowest bound first; among equals by column, leaves, threshold. */
typedef struct {
    optimum_range *items;
    ptrdiff_t count, capacity;
} optimum_heap;

/* A set of rows that is searched. */
typedef struct {
    ptrdiff_t m;
    int32_t *order;         /* [column * n + place]: its rows */
    int32_t *place;         /* [column * n + cut]: rows on the left */
    double *before, *after; /* [column * n + cut]: scatter of both sides */
    int32_t *allowed;       /* [column * 2]: first and last cut that leaves enough on both sides */
    optimum_heap heap;
    double dropped; /* the least bound of what was not put on the heap */
} optimum_level;

/* A search, and its workspace. */
struct optimum_search {
    const optimum_data *data;
    int n_levels, stopped, failed;
    optimum_level *levels;
    optimum_memo memo;
    double *own, *left, *gain, *centre, *workspace;
    optimum_poll poll;
    void *self;
    struct optimum_block *blocks; /* all memory that was taken */
    double work, cost, bound;
    int64_t scanned, known;
};

/* Zeros, given back when the search is closed; where memory does not suffice NULL, and the search
 * has failed and stops. */
void *optimum_take(optimum_search *s, size_t count, size_t size);

/* Put a place for what is known of sets into a search for trees of up to so many cuts. */
void memo_open(optimum_search *s, int n_cuts);

/* A stretch that waits, and the one of the lowest bound. */
void heap_push(optimum_search *s, optimum_heap *heap, optimum_range item);
optimum_range heap_pop(optimum_heap *heap);

/* Let a stretch wait, without the ends that cost `under` or more where a side is one leaf: what
 * these cost is known. */
void level_wait(optimum_search *s, optimum_level *l, int leaves, double under, optimum_range x);

/* The threshold of a stretch that should leave the same bound on both sides of it, estimated by the
 * share of the scatter that so many leaves leave elsewhere. */
int32_t level_balance(const optimum_level *l, ptrdiff_t n, int leaves, const double *share,
                      const optimum_range *x);

#endif
