/* Branch and bound for the tree of at most t leaves that costs least.
 *
 * Let best(S, t) be what the best tree of the rows S costs.  For one leaf it is the scatter, for
 * two a scan of all cuts.  For more, the first cut parts S at some threshold of some column into t1
 * and t - t1 leaves.  Fewer rows never cost more: a tree of S, given some rows of S, has costs no
 * higher.  So along a column best(left side, t1) only grows and best(right side, t2) only shrinks,
 * and no threshold of a stretch first..last costs less than
 *
 *     best(left side of first, t1) + best(right side of last, t2).
 *
 * Stretches wait in a heap, the lowest bound first.  One is taken, its middle threshold worked out
 * (by this same search), which is a tree, and a better bound for the two stretches around it.  Once
 * the lowest bound is not below the best tree, that is the best.  Either best() may be replaced by
 * what it is known not to be below: a side is only searched as far as it takes to rule it out.
 *
 * Least weights of leaves break this order: fewer rows may allow fewer cuts.  Then bounds are of
 * trees without these limits, and where they do not rule a threshold out, the sides are searched
 * again within the limits.
 */
#include "search/optimum_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORK_BETWEEN_POLLS = 1 << 23 }; /* numbers added: some milliseconds */

#define ADAPT 0.3 /* how fast a guess follows what is seen */

typedef struct {
    int leaves, depth, limited;
} task;

static void solve(optimum_search *s, int at, task what, double scatter, double cap,
                  optimum_answer *answer);

static void
worked(optimum_search *s, ptrdiff_t m)
{
    s->scanned += 1;
    s->work += (double)m * s->data->d * (s->data->width + 8);
    if (s->work > WORK_BETWEEN_POLLS) {
        s->work = 0.0;
        s->stopped |= s->poll(s->self, s->cost, s->bound);
    }
}

/* ---- one side of a cut ---- */

static void
name_of(const optimum_data *data, const int32_t *rows, ptrdiff_t m, task what, uint64_t key[2])
{
    key[0] = what.leaves * 0x9E3779B97F4A7C15u + what.limited * 0xC2B2AE3D27D4EB4Fu;
    key[1] = what.depth * 0x165667B19E3779F9u;
    for (ptrdiff_t i = 0; i < m; ++i) {
        key[0] ^= data->key[2 * rows[i]];
        key[1] ^= data->key[2 * rows[i] + 1];
    }
}

/* The best tree of the rows on one side of a cut, or a proof that it costs `cap` or more. */
static void
side(optimum_search *s, int at, int32_t feature, ptrdiff_t cut, int right, task what, double cap,
     optimum_answer *answer)
{
    const optimum_data *data = s->data;
    const optimum_level *l = s->levels + at;
    const ptrdiff_t which = feature * data->n + cut, from = l->place[which];
    const int32_t *rows = l->order + feature * data->n + (right ? from : 0);
    const ptrdiff_t m = right ? l->m - from : from;
    answer->cost = right ? l->after[which] : l->before[which];
    answer->is_exact = 1;
    answer->n_cuts = 0;
    if (what.leaves > m) {
        what.leaves = (int)m;
    }
    if (what.depth < 8 && what.leaves > 1 << what.depth) {
        what.leaves = 1 << what.depth;
    }
    if (what.depth > what.leaves - 1) {
        what.depth = what.leaves - 1;
    }
    if (what.leaves == 1 || answer->cost <= 0.0) {
        return;
    }
    if (cap <= 0.0) {
        answer->cost = 0.0;
        answer->is_exact = 0;
        return;
    }
    uint64_t key[2];
    const double scatter = answer->cost;
    name_of(data, rows, m, what, key);
    if (memo_find(&s->memo, key, cap, answer)) {
        s->known += 1;
        return;
    }
    optimum_level *below = s->levels + at + 1;
    const int32_t *code = data->code + feature * data->n;
    const int32_t last = code[l->order[feature * data->n + from - 1]];
    for (ptrdiff_t f = 0; f < data->d; ++f) {
        int32_t *out = below->order + f * data->n;
        if (f == feature) {
            memcpy(out, rows, m * sizeof *out);
        }
        else {
            optimum_filter(l->order + f * data->n, l->m, code, last, right, out);
        }
    }
    below->m = m;
    solve(s, at + 1, what, scatter, cap, answer);
    if (!s->stopped) {
        memo_keep(&s->memo, key, what.leaves, answer);
    }
}

/* ---- a set of rows ---- */

/* Two leaves: all cuts of all columns. */
static void
best_of_two(optimum_search *s, int at, task what, const optimum_set *set, optimum_answer *answer)
{
    const optimum_data *data = s->data;
    const optimum_level *l = s->levels + at;
    const double least = what.limited ? data->limits->min_leaf : 0.0;
    double most = 0.0;
    for (int32_t f = 0; f < data->d; ++f) {
        const int32_t *order = l->order + f * data->n, *code = data->code + f * data->n;
        const ptrdiff_t n_left =
            optimum_best_along(data, set, order, code, least, s->workspace, &most);
        if (n_left > 0) {
            answer->n_cuts = 1;
            answer->cuts[0] = (optimum_split){f, code[order[n_left - 1]], 0};
        }
    }
    answer->cost = set->scatter - most > 0.0 ? set->scatter - most : 0.0;
    worked(s, l->m);
}

static void
join(optimum_answer *best, int32_t feature, int32_t last, const optimum_answer *left,
     const optimum_answer *right)
{
    best->cost = left->cost + right->cost;
    best->is_exact = 1;
    best->n_cuts = 1 + left->n_cuts + right->n_cuts;
    best->cuts[0] = (optimum_split){feature, last, left->n_cuts};
    memcpy(best->cuts + 1, left->cuts, left->n_cuts * sizeof(optimum_split));
    memcpy(best->cuts + 1 + left->n_cuts, right->cuts, right->n_cuts * sizeof(optimum_split));
}

/* The cuts of a set, its best tree of two leaves, and all stretches.  Returns the share of the
 * scatter that two leaves leave. */
static double
lay_out(optimum_search *s, int at, task what, const optimum_set *set, optimum_answer *best)
{
    const optimum_data *data = s->data;
    const ptrdiff_t n = data->n;
    optimum_level *l = s->levels + at;
    const double least = what.limited ? data->limits->min_leaf : 0.0, slack = data->slack;
    const double total = set->total, scatter = set->scatter;
    const int leaves = what.leaves;
    double two = 1.0; /* what two leaves leave of the scatter */
    l->heap.count = 0;
    l->dropped = INFINITY;
    for (int32_t f = 0; f < data->d; ++f) {
        const int32_t *order = l->order + f * n, *code = data->code + f * n;
        int32_t *place = l->place + f * n;
        const ptrdiff_t count = optimum_along(data, set, order, code, place, s->left, s->gain);
        optimum_sides(set, order, s->own, place, s->left, s->gain, count, l->before + f * n,
                      l->after + f * n);
        int32_t first = 0, last = (int32_t)count - 1;
        while (first <= last && s->left[first] < least) {
            ++first;
        }
        while (first <= last && total - s->left[last] < least) {
            --last;
        }
        for (int32_t k = first; k <= last; ++k) {
            two = 1.0 - s->gain[k] / scatter < two ? 1.0 - s->gain[k] / scatter : two;
            if (scatter - s->gain[k] < best->cost - slack) {
                best->cost = scatter - s->gain[k];
                best->is_exact = best->n_cuts = 1;
                best->cuts[0] = (optimum_split){f, code[order[place[k] - 1]], 0};
            }
        }
        l->allowed[2 * f] = first;
        l->allowed[2 * f + 1] = last;
    }
    worked(s, l->m);
    const int half = what.depth < 8 ? 1 << (what.depth - 1) : OPTIMUM_LEAVES;
    for (int32_t f = 0; f < data->d; ++f) {
        const int32_t first = l->allowed[2 * f], last = l->allowed[2 * f + 1];
        for (int32_t t = 1; t < leaves; ++t) {
            if (t <= half && leaves - t <= half) {
                const optimum_range all = {0.0, 0.0, 0.0, f, t, first, last};
                level_wait(s, l, leaves, best->cost - slack, all);
            }
        }
    }
    return two;
}

/* Three leaves or more.  OUT best: a tree below `best->cost`, if there is one (is_exact then is 1);
 * the bound of all others is returned. */
static double
branch(optimum_search *s, int at, task what, const optimum_set *set, optimum_answer *best)
{
    const optimum_data *data = s->data;
    const ptrdiff_t n = data->n;
    optimum_level *l = s->levels + at;
    const double slack = data->slack;
    const int leaves = what.leaves;
    const double two = lay_out(s, at, what, set, best);
    double share[OPTIMUM_LEAVES + 1] = {1.0, 1.0};
    for (int t = 2; t < leaves; ++t) {
        share[t] = share[t - 1] * two;
    }
    while (l->heap.count > 0 && !s->stopped) {
        const optimum_range x = heap_pop(&l->heap);
        if (at == 0) {
            s->cost = best->cost;
            s->bound = x.bound;
        }
        if (x.bound >= best->cost - slack) {
            return x.bound < l->dropped ? x.bound : l->dropped;
        }
        const int32_t middle = level_balance(l, n, leaves, share, &x);
        const ptrdiff_t which = x.feature * n + middle;
        task go[2] = {{x.leaves, what.depth - 1, 0}, {leaves - x.leaves, what.depth - 1, 0}};
        double low[2] = {x.left, x.right};
        optimum_answer found[2];
        const int small = go[0].leaves > go[1].leaves; /* the side that is cheaper to search */
        for (int turn = 0; turn < 2 && !s->stopped; ++turn) {
            const int now = turn ? !small : small;
            /* As far as it takes to rule out all of the stretch on the other side of the middle. */
            const double cap = best->cost - (now ? x.left : x.right);
            side(s, at, x.feature, middle, now, go[now], cap, found + now);
            low[now] = found[now].cost > low[now] ? found[now].cost : low[now];
            const double all = now ? l->after[which] : l->before[which];
            if (all > 0.0 && go[now].leaves > 1) {
                share[go[now].leaves] += ADAPT * (found[now].cost / all - share[go[now].leaves]);
            }
        }
        if (what.limited && low[0] + low[1] < best->cost - slack) {
            double rest = low[1];
            for (int now = 0; now < 2 && !s->stopped; ++now) {
                go[now].limited = 1;
                side(s, at, x.feature, middle, now, go[now], best->cost - rest, found + now);
                rest = found[0].cost;
            }
        }
        if (s->stopped) {
            /* What was found out until now stays true. */
            const optimum_range here = {low[0] + low[1], low[0], low[1],
                                        x.feature, x.leaves, middle, middle};
            heap_push(s, &l->heap, here);
        }
        else if (found[0].is_exact && found[1].is_exact
                 && found[0].cost + found[1].cost < best->cost - slack) {
            const int32_t *code = data->code + x.feature * n;
            const int32_t last = code[l->order[x.feature * n + l->place[which] - 1]];
            join(best, x.feature, last, found, found + 1);
        }
        optimum_range down = x, up = x;
        down.right = low[1];
        down.last = middle - 1;
        up.left = low[0];
        up.first = middle + 1;
        level_wait(s, l, leaves, best->cost - slack, down);
        level_wait(s, l, leaves, best->cost - slack, up);
    }
    const double bound = best->cost < l->dropped ? best->cost : l->dropped;
    return l->heap.count > 0 && l->heap.items[0].bound < bound ? l->heap.items[0].bound : bound;
}

/* The rows of a level: a tree below `cap`, or what none is below. */
static void
solve(optimum_search *s, int at, task what, double scatter, double cap, optimum_answer *answer)
{
    const optimum_data *data = s->data;
    const optimum_level *l = s->levels + at;
    optimum_set set;
    optimum_gather(data, l->order, l->m, scatter, s->centre, what.leaves > 2 ? s->own : NULL, &set);
    answer->cost = scatter;
    answer->is_exact = 1;
    answer->n_cuts = 0;
    if (what.leaves == 1 || (what.limited && set.total < data->limits->min_split)) {
        return;
    }
    if (what.leaves == 2) {
        best_of_two(s, at, what, &set, answer);
        return;
    }
    if (cap <= scatter) {
        answer->cost = cap;
        answer->is_exact = 0;
    }
    const double bound = branch(s, at, what, &set, answer);
    if (s->stopped || !answer->is_exact) {
        answer->is_exact = 0;
        answer->cost = bound;
    }
}

int
optimum_run(optimum_search *s, double scatter, double cap, optimum_answer *answer, double *bound,
            int64_t counts[2])
{
    const optimum_data *data = s->data;
    const int n_leaves = data->limits->max_leaves, depth = data->limits->max_depth;
    optimum_level *l = s->levels;
    counts[0] = counts[1] = 0;
    task what = {n_leaves, depth < n_leaves ? depth : n_leaves - 1, data->limited};
    if (depth < 8 && what.leaves > 1 << depth) {
        what.leaves = 1 << depth;
    }
    memcpy(l->order, data->order, data->n * data->d * sizeof(int32_t));
    l->m = data->n;
    optimum_set set;
    optimum_gather(data, l->order, l->m, scatter, s->centre, s->own, &set);
    answer->cost = scatter;
    answer->is_exact = scatter < cap;
    answer->n_cuts = 0;
    *bound = scatter;
    if (what.leaves == 1 || (what.limited && set.total < data->limits->min_split)) {
        return 0;
    }
    if (what.leaves == 2) {
        best_of_two(s, 0, what, &set, answer);
        answer->is_exact = answer->cost < cap;
        *bound = answer->cost;
    }
    else {
        answer->cost = scatter < cap ? scatter : cap;
        *bound = branch(s, 0, what, &set, answer);
    }
    *bound = *bound < answer->cost ? *bound : answer->cost;
    counts[0] = s->scanned;
    counts[1] = s->known;
    return s->failed ? -1 : s->stopped;
}
