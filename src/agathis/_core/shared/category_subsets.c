/* The best way to part the categories of a leaf in two.
 *
 * Of m items there are 2^(m - 1) - 1 ways.  Where these are few, all of them are put in tiles,
 * 128 at a time, and shared/tile.h says what each gains by its best move.  Where they are many,
 * the ways that are looked at are the prefixes of orders of the items: along the line between
 * the centres of the two sides of a good way, which gives a better way, and so on until it is no
 * better; then single items change sides.  It begins with the best item alone, with the line
 * between the leaf's cluster and each other one, and with the line along which the items spread
 * most.
 */
#include <string.h>

#include "shared/category_subsets.h"
#include "shared/tile.h"

enum { MOST_ROUNDS = 32, POWER_STEPS = 16, LOW_BITS = 7 };

/* Weights closer than this share of the leaf are the same but for rounding, and projections
 * closer than this share of their range. */
static const double SAME = 1e-10;

/* A search on its way. */
typedef struct {
    const scan_leaf *leaf;
    const scan_clusters *clusters;
    const subset_items *items;
    double floor, tolerance;
    double *targets;
    subset_seen seen;
    void *context;
    uint8_t *right; /* OUT */
    int found;      /* whether something is in `right` */
    scan_tile *s;
    tile *prefix;
    uint8_t *sets; /* [t * count] the left side of each way of the tile */
    uint8_t *spare;
    ptrdiff_t length;
    double best;        /* of all */
    double local;       /* of those since `begin`, */
    uint8_t *local_set; /* and which */
} search;

static size_t
lanes_of(int32_t n_clusters)
{
    return (size_t)(n_clusters + SCAN_LANES - 1) / SCAN_LANES * SCAN_LANES;
}

/* Doubles for n bytes. */
static size_t
bytes(size_t n)
{
    return (n + sizeof(double) - 1) / sizeof(double);
}

size_t
subset_work(int32_t n_clusters, int32_t n_items)
{
    const size_t m = (size_t)n_items, lanes = lanes_of(n_clusters);
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
offer(search *r, const uint8_t *left, double gain)
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
evaluate_tile(search *r)
{
    evaluate(r->leaf, r->clusters, r->prefix, r->length, 0, r->s, NULL, r->targets);
}

/* Look at the ways that are in the tile. */
static void
flush(search *r)
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

/* ---- every way ---- */

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
every_way(search *r, double *work)
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
                between += items->stock[i * m + j];
        weight[mask] = weight[rest] + items->weight[i];
        samples[mask] = samples[rest] + items->samples[i];
        self[mask] = self[rest] + 2.0 * between + items->stock[i * m + i];
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
        flush(r);
    }
}

/* ---- ways that seem good ---- */

/* Room for a search among many items. */
typedef struct {
    double *with_left, *with_right; /* [i] stock of an item with each side */
    double *projection, *tail, *axis, *mean;
    double *cross; /* [k] */
    int32_t *order;
    uint8_t *set, *kept;
} room;

static void
begin(search *r)
{
    r->local = -INFINITY;
}

/* One more way: its sums, and its left side. */
static void
put_way(search *r, const uint8_t *left, double weight, double self, double far_self,
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
        flush(r);
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
prefixes(search *r, room *w)
{
    const subset_items *items = r->items;
    const int32_t m = items->count, K = r->clusters->count;
    double *with = w->with_left;
    sort_items(w->projection, m, w->order);
    begin(r);
    memset(with, 0, (size_t)m * sizeof(double));
    double self = 0.0;
    for (int32_t t = m - 1; t > 0; --t) {
        const double *row = items->stock + (ptrdiff_t)w->order[t] * m;
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
        const double *row = items->stock + (ptrdiff_t)item * m;
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
    flush(r);
}

/* Stocks of the items with the two sides of a way, and the weights of these. */
static void
sides(const subset_items *items, const uint8_t *left, room *w, double weight[2])
{
    const int32_t m = items->count;
    memset(w->with_left, 0, (size_t)m * sizeof(double));
    memset(w->with_right, 0, (size_t)m * sizeof(double));
    weight[0] = weight[1] = 0.0;
    for (int32_t j = 0; j < m; ++j) {
        const double *row = items->stock + (ptrdiff_t)j * m;
        double *with = left[j] ? w->with_left : w->with_right;
        weight[left[j]] += items->weight[j];
        for (int32_t i = 0; i < m; ++i)
            with[i] += row[i];
    }
}

/* Every way in which one item is on the other side. */
static void
neighbours(search *r, room *w, const uint8_t *left)
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
        const double sign = left[i] ? -1.0 : 1.0, own = items->stock[(ptrdiff_t)i * m + i];
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
    flush(r);
}

/* From the way in `kept`, of that gain, to better ones. */
static void
climb(search *r, room *w, double gain)
{
    const subset_items *items = r->items;
    const int32_t m = items->count;
    for (int round = 0; round < MOST_ROUNDS && gain > -INFINITY; ++round) {
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
principal(const subset_items *items, room *w)
{
    const int32_t m = items->count;
    double total = 0.0, all = 0.0;
    for (int32_t i = 0; i < m; ++i)
        total += items->weight[i];
    for (int32_t i = 0; i < m; ++i) {
        w->mean[i] = 0.0;
        for (int32_t j = 0; j < m; ++j)
            w->mean[i] += items->stock[(ptrdiff_t)i * m + j];
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
                value += items->stock[(ptrdiff_t)i * m + j] / items->weight[j] * w->axis[j];
            w->projection[i] = value / items->weight[i] - w->mean[i] * sum - towards + all * sum;
            size = larger(size, fabs(w->projection[i]));
        }
        if (!(size > 0.0) || size == INFINITY)
            return;
        for (int32_t i = 0; i < m; ++i)
            w->projection[i] /= size;
    }
}

static void
good_ways(search *r, double *work)
{
    const subset_items *items = r->items;
    const scan_clusters *c = r->clusters;
    const int32_t m = items->count, K = c->count, own = r->leaf->own;
    room w;
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

double
subset_search(const scan_leaf *leaf, const scan_clusters *clusters, const subset_items *items,
              int32_t exact, double floor, double tolerance, double *work, double *targets,
              subset_seen seen, void *context, uint8_t *right)
{
    const size_t m = (size_t)items->count;
    search r = {leaf,  clusters, items, floor, tolerance, targets, seen, context,
                right, 0,        NULL,  NULL,  NULL,      NULL,    0,    -INFINITY,
                -INFINITY, NULL};
    scan_tile ways;
    r.s = &ways;
    r.prefix = (tile *)work;
    double *rest = work + lanes_of(clusters->count) * SCAN_TILE;
    r.sets = (uint8_t *)rest;
    rest += bytes(SCAN_TILE * m);
    r.local_set = (uint8_t *)rest;
    rest += bytes(m);
    r.spare = (uint8_t *)rest; /* and two more sets behind it */
    rest += 3 * bytes(m);
    if (items->count <= exact && items->count <= SUBSET_EXACT)
        every_way(&r, rest);
    else
        good_ways(&r, rest);
    return r.best;
}
