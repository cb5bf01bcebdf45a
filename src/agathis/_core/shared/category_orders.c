/* The ways to part many categories that seem good.
 *
 * The ways that are looked at are the prefixes of orders of the items: along the line between the
 * centres of the two sides of a good way, which gives a better way, and so on until it is no
 * better; then single items change sides.  It begins with the best item alone, with the line
 * between the leaf's cluster and each other one, and with the line along which the items spread
 * most.
 */
#include <string.h>

#include "shared/category_ways.h"

enum { MAX_ROUNDS = 32, POWER_STEPS = 16 };

/* Buffers of a search among many items. */
typedef struct {
    double *with_left, *with_right; /* [i] kernel sum of an item with each side */
    double *projection, *tail, *axis, *mean;
    double *cross; /* [k] */
    int32_t *order;
    uint8_t *set, *kept;
} buffers;

static void
begin(subset_way_search *r)
{
    r->local = -INFINITY;
}

/* One more way: its sums, and its left side. */
static void
put_way(subset_way_search *r, const uint8_t *left, double weight, double self, double far_self,
        double samples, const double *cross)
{
    const ptrdiff_t t = r->length++;
    r->s->weight[t] = weight;
    r->s->self[t] = self;
    r->s->far_self[t] = far_self;
    r->s->count[t] = (int32_t)samples;
    for (int32_t k = 0; k < r->clusters->count; ++k)
        r->prefix[k][t] = cross[k];
    memcpy(r->sets + t * r->items->count, left, (size_t)r->items->count);
    if (r->length == SCAN_TILE)
        subset_flush(r);
}

/* The items by their projection, lowest first; those that differ by rounding alone as they
 * stand. */
static void
sort_items(const double *projection, int32_t m, int32_t *order)
{
    double low = projection[0], high = projection[0];
    for (int32_t i = 0; i < m; ++i) {
        int32_t at = i;
        low = smaller(low, projection[i]);
        high = larger(high, projection[i]);
        while (at > 0 && projection[order[at - 1]] > projection[i]) {
            order[at] = order[at - 1];
            --at;
        }
        order[at] = i;
    }
    const double same = SAME * (high - low);
    for (int32_t i = 1; i < m; ++i) {
        const int32_t item = order[i];
        int32_t at = i;
        /* Back within the run of projections that are the same. */
        while (at > 0 && order[at - 1] > item &&
               projection[item] - projection[order[at - 1]] <= same) {
            order[at] = order[at - 1];
            --at;
        }
        order[at] = item;
    }
}

/* Every prefix of the order of the projections. */
static void
prefixes(subset_way_search *r, buffers *w)
{
    const subset_items *items = r->items;
    const int32_t m = items->count, K = r->clusters->count;
    double *with = w->with_left;
    sort_items(w->projection, m, w->order);
    begin(r);
    memset(with, 0, (size_t)m * sizeof(double));
    double self = 0.0;
    for (int32_t t = m - 1; t > 0; --t) {
        const double *row = items->kernel_sum + (ptrdiff_t)w->order[t] * m;
        self += 2.0 * with[w->order[t]] + row[w->order[t]];
        w->tail[t] = self;
        for (int32_t i = 0; i < m; ++i)
            with[i] += row[i];
    }
    memset(with, 0, (size_t)m * sizeof(double));
    memset(w->set, 0, (size_t)m);
    memset(w->cross, 0, (size_t)K * sizeof(double));
    double weight = 0.0, samples = 0.0;
    self = 0.0;
    for (int32_t t = 0; t < m - 1; ++t) {
        const int32_t item = w->order[t];
        const double *row = items->kernel_sum + (ptrdiff_t)item * m;
        self += 2.0 * with[item] + row[item];
        weight += items->weight[item];
        samples += items->samples[item];
        w->set[item] = 1;
        for (int32_t i = 0; i < m; ++i)
            with[i] += row[i];
        for (int32_t k = 0; k < K; ++k)
            w->cross[k] += items->cross[(ptrdiff_t)item * K + k];
        put_way(r, w->set, weight, self, w->tail[t + 1], samples, w->cross);
    }
    subset_flush(r);
}

/* Stocks of the items with the two sides of a way, and the weights of these. */
static void
sides(const subset_items *items, const uint8_t *left, buffers *w, double weight[2])
{
    const int32_t m = items->count;
    memset(w->with_left, 0, (size_t)m * sizeof(double));
    memset(w->with_right, 0, (size_t)m * sizeof(double));
    weight[0] = weight[1] = 0.0;
    for (int32_t j = 0; j < m; ++j) {
        const double *row = items->kernel_sum + (ptrdiff_t)j * m;
        double *with = left[j] ? w->with_left : w->with_right;
        weight[left[j]] += items->weight[j];
        for (int32_t i = 0; i < m; ++i)
            with[i] += row[i];
    }
}

/* Every way in which one item is on the other side. */
static void
neighbours(subset_way_search *r, buffers *w, const uint8_t *left)
{
    const subset_items *items = r->items;
    const int32_t m = items->count, K = r->clusters->count;
    double weight[2], self[2] = {0.0, 0.0}, samples = 0.0;
    int32_t count = 0;
    sides(items, left, w, weight);
    for (int32_t i = 0; i < m; ++i) {
        self[left[i]] += left[i] ? w->with_left[i] : w->with_right[i];
        samples += left[i] ? items->samples[i] : 0.0;
        count += left[i];
    }
    memcpy(w->set, left, (size_t)m);
    begin(r);
    for (int32_t i = 0; i < m; ++i) {
        const double sign = left[i] ? -1.0 : 1.0, own = items->kernel_sum[(ptrdiff_t)i * m + i];
        if (count + (left[i] ? -1 : 1) == 0 || count + (left[i] ? -1 : 1) == m)
            continue;
        memset(w->cross, 0, (size_t)K * sizeof(double));
        w->set[i] = !left[i];
        for (int32_t j = 0; j < m; ++j)
            if (w->set[j])
                for (int32_t k = 0; k < K; ++k)
                    w->cross[k] += items->cross[(ptrdiff_t)j * K + k];
        put_way(r, w->set, weight[1] + sign * items->weight[i],
                self[1] + sign * 2.0 * w->with_left[i] + own,
                self[0] - sign * 2.0 * w->with_right[i] + own,
                samples + sign * items->samples[i], w->cross);
        w->set[i] = left[i];
    }
    subset_flush(r);
}

/* From the way in `kept`, of that gain, to better ones. */
static void
climb(subset_way_search *r, buffers *w, double gain)
{
    const subset_items *items = r->items;
    const int32_t m = items->count;
    for (int round = 0; round < MAX_ROUNDS && gain > -INFINITY; ++round) {
        double weight[2];
        sides(items, w->kept, w, weight);
        for (int32_t i = 0; i < m; ++i)
            w->projection[i] = (w->with_right[i] / weight[0] - w->with_left[i] / weight[1]) /
                               items->weight[i];
        prefixes(r, w);
        if (!(r->local > gain + r->tolerance)) {
            neighbours(r, w, w->kept);
            if (!(r->local > gain + r->tolerance))
                break;
        }
        gain = r->local;
        memcpy(w->kept, r->local_set, (size_t)m);
    }
}

/* Project the items on the line along which they spread most, by powers of their centred inner
 * products, from what is in `projection`. */
static void
principal(const subset_items *items, buffers *w)
{
    const int32_t m = items->count;
    double total = 0.0, all = 0.0;
    for (int32_t i = 0; i < m; ++i)
        total += items->weight[i];
    for (int32_t i = 0; i < m; ++i) {
        w->mean[i] = 0.0;
        for (int32_t j = 0; j < m; ++j)
            w->mean[i] += items->kernel_sum[(ptrdiff_t)i * m + j];
        all += w->mean[i];
        w->mean[i] /= total * items->weight[i];
    }
    all /= total * total;
    for (int step = 0; step < POWER_STEPS; ++step) {
        double sum = 0.0, towards = 0.0, size = 0.0;
        for (int32_t i = 0; i < m; ++i) {
            w->axis[i] = items->weight[i] * w->projection[i];
            sum += w->axis[i];
            towards += w->axis[i] * w->mean[i];
        }
        for (int32_t i = 0; i < m; ++i) {
            double value = 0.0;
            for (int32_t j = 0; j < m; ++j)
                value += items->kernel_sum[(ptrdiff_t)i * m + j] / items->weight[j] * w->axis[j];
            w->projection[i] = value / items->weight[i] - w->mean[i] * sum - towards + all * sum;
            size = larger(size, fabs(w->projection[i]));
        }
        if (!(size > 0.0) || size == INFINITY)
            return;
        for (int32_t i = 0; i < m; ++i)
            w->projection[i] /= size;
    }
}

void
subset_good_ways(subset_way_search *r, double *work)
{
    const subset_items *items = r->items;
    const scan_clusters *c = r->clusters;
    const int32_t m = items->count, K = c->count, own = r->leaf->own;
    buffers w;
    w.with_left = work;
    w.with_right = w.with_left + m;
    w.projection = w.with_right + m;
    w.tail = w.projection + m;
    w.axis = w.tail + m;
    w.mean = w.axis + m;
    w.cross = w.mean + m;
    w.order = (int32_t *)(w.cross + K);
    w.set = r->spare + m;
    w.kept = w.set + m;

    /* Each item alone: the neighbours of a way that is none. */
    memset(w.kept, 0, (size_t)m);
    neighbours(r, &w, w.kept);
    const double alone = r->local;
    memcpy(w.kept, r->local_set, (size_t)m);
    climb(r, &w, alone);

    /* `axis` is free here, and `projection` is that of the last way.  Where no item alone may be a
     * leaf there is none, and the order of the items is the start. */
    if (alone == -INFINITY)
        for (int32_t i = 0; i < m; ++i)
            w.projection[i] = i;
    principal(items, &w);
    prefixes(r, &w);
    memcpy(w.kept, r->local_set, (size_t)m);
    climb(r, &w, r->local);

    double gain = -INFINITY;
    for (int32_t k = 0; k < K; ++k) {
        if (k == own)
            continue;
        for (int32_t i = 0; i < m; ++i)
            w.projection[i] = (items->cross[(ptrdiff_t)i * K + k] / c->size[k] -
                               items->cross[(ptrdiff_t)i * K + own] / c->size[own]) /
                              items->weight[i];
        prefixes(r, &w);
        if (r->local > gain + (gain > -INFINITY ? r->tolerance : 0.0)) {
            gain = r->local;
            memcpy(w.kept, r->local_set, (size_t)m);
        }
    }
    climb(r, &w, gain);
}
