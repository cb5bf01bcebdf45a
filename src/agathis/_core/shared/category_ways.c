#include <string.h>

#include "shared/category_ways.h"

/* Which side of a way is the right one: OUT right[i], from left[i]. */
static void
canonical(const subset_items *items, const uint8_t *left, uint8_t *right)
{
    const int32_t m = items->count, there = m - (items->missing ? 1 : 0);
    double weight[2] = {0.0, 0.0};
    int32_t count[2] = {0, 0};
    int chosen; /* the value of `left` that the right side has */
    for (int32_t i = 0; i < there; ++i) {
        weight[left[i]] += items->weight[i];
        ++count[left[i]];
    }
    if (there > items->categories)
        chosen = !left[there - 1];
    else if (count[0] == 0 || count[1] == 0)
        chosen = count[1] == 0;
    else {
        const double apart = weight[1] - weight[0];
        const double same = SAME * (weight[0] + weight[1]);
        chosen = apart > same ? 0 : apart < -same ? 1 : !left[0];
    }
    for (int32_t i = 0; i < m; ++i)
        right[i] = left[i] == chosen;
}

/* Whether way a comes before way b. */
static int
comes_before(const subset_items *items, const uint8_t *a, const uint8_t *b)
{
    int32_t more = 0;
    for (int32_t i = 0; i < items->categories; ++i)
        more += a[i] - b[i];
    if (more != 0)
        return more < 0;
    for (int32_t i = 0; i < items->count; ++i)
        if (a[i] != b[i])
            return a[i] > b[i];
    return 0;
}

static void
offer(subset_way_search *r, const uint8_t *left, double gain)
{
    r->best = larger(r->best, gain);
    if (!(gain >= r->floor) || gain == -INFINITY)
        return;
    canonical(r->items, left, r->spare);
    if (!r->found || comes_before(r->items, r->spare, r->right)) {
        memcpy(r->right, r->spare, (size_t)r->items->count);
        r->found = 1;
    }
}

AGATHIS_CLONES static void
evaluate_tile(subset_way_search *r)
{
    evaluate(r->leaf, r->clusters, r->prefix, r->length, 0, r->s, NULL, r->targets);
}

void
subset_flush(subset_way_search *r)
{
    const int32_t m = r->items->count;
    if (r->length == 0)
        return;
    evaluate_tile(r);
    if (r->seen)
        r->seen(r->leaf, r->s, r->length, r->context);
    for (ptrdiff_t t = 0; t < r->length; ++t) {
        const double gain = gain_at(r->s, t);
        offer(r, r->sets + t * m, gain);
        /* Of ways that gain the same the first, however their sums were rounded. */
        if (gain > r->local + (r->local > -INFINITY ? r->tolerance : 0.0)) {
            r->local = gain;
            memcpy(r->local_set, r->sets + t * m, (size_t)m);
        }
    }
    r->length = 0;
}
