/* The best way to part the categories of a leaf in two.
 *
 * Of m items there are 2^(m - 1) - 1 ways.  Where these are few, all of them are put in tiles,
 * 128 at a time, and shared/tile.h says what each gains by its best move.  Where they are many,
 * those that seem good are: category_orders.c.
 */
#include <string.h>

#include "shared/category_subsets.h"

enum { LOW_BITS = 7 };

/* Doubles for n bytes. */
static size_t
bytes(size_t n)
{
    return (n + sizeof(double) - 1) / sizeof(double);
}

size_t
subset_work(int32_t n_clusters, int32_t n_items)
{
    const size_t m = (size_t)n_items, lanes = padded_to_lanes(n_clusters);
    size_t size = lanes * SCAN_TILE;
    size += bytes(SCAN_TILE * m) + 4 * bytes(m) + SCAN_APART;
    /* Either tables by subset, or vectors by item. */
    const size_t tables = 3 * ((size_t)1 << SUBSET_EXACT) + lanes * SCAN_TILE;
    const size_t vectors = 6 * m + (size_t)n_clusters + bytes(m * sizeof(int32_t));
    return size + (tables > vectors ? tables : vectors);
}

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
    evaluate(r->leaf, r->clusters, r->prefix, r->length, r->s, NULL);
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

AGATHIS_CLONES static void
fill_tile(tile *restrict prefix, tile *restrict low, const double *restrict high,
          int32_t n_clusters, ptrdiff_t length)
{
    for (int32_t k = 0; k < n_clusters; ++k)
        for (ptrdiff_t t = 0; t < length; ++t)
            prefix[k][t] = low[k][t] + high[k];
}

/* The last item is always on the right; the bits of a mask are the items on the left. */
static void
every_way(subset_way_search *r, double *work)
{
    const subset_items *items = r->items;
    const int32_t m = items->count, K = r->clusters->count;
    const size_t masks = (size_t)1 << m, ways = masks >> 1;
    double *weight = work, *self = weight + masks, *samples = self + masks;
    tile *low = (tile *)(samples + masks);
    weight[0] = self[0] = samples[0] = 0.0;
    for (size_t mask = 1; mask < masks; ++mask) {
        const size_t rest = mask & (mask - 1);
        int32_t i = 0;
        while (!(mask >> i & 1))
            ++i;
        double between = 0.0;
        for (int32_t j = i + 1; j < m; ++j)
            if (mask >> j & 1)
                between += items->kernel_sum[i * m + j];
        weight[mask] = weight[rest] + items->weight[i];
        samples[mask] = samples[rest] + items->samples[i];
        self[mask] = self[rest] + 2.0 * between + items->kernel_sum[i * m + i];
    }
    const size_t in_tile = ways < SCAN_TILE ? ways : SCAN_TILE;
    for (int32_t k = 0; k < K; ++k) {
        low[k][0] = 0.0;
        for (size_t t = 1; t < in_tile; ++t) {
            int32_t i = 0;
            while (!(t >> i & 1))
                ++i;
            low[k][t] = low[k][t & (t - 1)] + items->cross[i * K + k];
        }
    }
    double high[1 << 3]; /* some clusters at a time */
    for (size_t base = 0; base < ways; base += SCAN_TILE) {
        scan_tile *s = r->s;
        for (int32_t begin = 0; begin < K; begin += 8) {
            const int32_t some = K - begin < 8 ? K - begin : 8;
            for (int32_t k = 0; k < some; ++k) {
                high[k] = 0.0;
                for (int32_t i = LOW_BITS; i < m - 1; ++i)
                    if (base >> i & 1)
                        high[k] += items->cross[i * K + begin + k];
            }
            fill_tile(r->prefix + begin, low + begin, high, some, (ptrdiff_t)in_tile);
        }
        for (size_t t = 0; t < in_tile; ++t) {
            const size_t mask = base + t;
            uint8_t *set = r->sets + t * (size_t)m;
            s->weight[t] = weight[mask];
            s->self[t] = self[mask];
            s->far_self[t] = self[masks - 1 - mask];
            s->count[t] = (int32_t)samples[mask];
            for (int32_t i = 0; i < m; ++i)
                set[i] = mask >> i & 1;
        }
        if (base == 0) {
            /* No item on the left is no way; the next one stands in its place. */
            s->weight[0] = s->weight[1];
            s->self[0] = s->self[1];
            s->far_self[0] = s->far_self[1];
            s->count[0] = s->count[1];
            for (int32_t k = 0; k < K; ++k)
                r->prefix[k][0] = r->prefix[k][1];
            memcpy(r->sets, r->sets + m, (size_t)m);
        }
        r->length = (ptrdiff_t)in_tile;
        subset_flush(r);
    }
}

double
subset_search(const scan_leaf *leaf, const scan_clusters *clusters, const subset_items *items,
              int32_t exact, double floor, double tolerance, double *work, subset_seen seen,
              void *context, uint8_t *right)
{
    const size_t m = (size_t)items->count;
    scan_tile ways;
    subset_way_search r = {.leaf = leaf, .clusters = clusters, .items = items, .floor = floor,
                           .tolerance = tolerance, .seen = seen, .context = context,
                           .right = right, .s = &ways, .prefix = (tile *)work,
                           .best = -INFINITY, .local = -INFINITY};
    double *rest = work + padded_to_lanes(clusters->count) * SCAN_TILE;
    r.sets = (uint8_t *)rest;
    rest += bytes(SCAN_TILE * m);
    r.local_set = (uint8_t *)rest;
    rest += bytes(m);
    r.spare = (uint8_t *)rest; /* and two more sets behind it */
    rest += 3 * bytes(m);
    if (items->count <= exact && items->count <= SUBSET_EXACT)
        every_way(&r, rest);
    else
        subset_good_ways(&r, rest);
    return r.best;
}
