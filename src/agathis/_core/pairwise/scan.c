/* Where is the best threshold of a leaf?
 *
 * For each cut of the leaf T into L and R along a feature three sums are needed:
 * sigma(L^2), sigma(R^2) and sigma(L x C_k).  They are running sums of what is kept
 * for each sample: alpha[i], its kernel sum with those before it, from the left; its kernel sum
 * with the leaf less alpha[i], that with those after it, from the right; and its kernel sum
 * with each cluster.  (sigma(R^2) also is sigma(T^2) - 2 sigma(L x T) + sigma(L^2), but
 * for a small R that is nothing but the rounding of large sums.)  The thresholds are
 * taken a tile at a time: first the sums where a threshold fits, several clusters side
 * by side so that no addition waits for the last one; then shared/tile.h finds the moves.  A
 * tile takes thresholds of several features where these have few, so that its loops are
 * long for small leaves too.
 */
#include "pairwise/scan.h"

#include <math.h>
#include <string.h>

#include "shared/clones.h"
#include "shared/tile.h"

/* A run of thresholds in a tile that belong to one feature. */
typedef struct {
    ptrdiff_t feature, begin, end;
} scan_segment;

/* What runs on from one tile to the next. */
typedef struct {
    double weight, self;
    double *clusters;
    double *after; /* [i] sigma(R^2) of the cut after sample i */
    double *alpha; /* [i] of sample i of the order: side by side, as it is read twice */
} scan_sums;

/* `work` is one thread's: the tiles of the clusters' prefix sums, the clusters' running sums and
 * those from the right, alpha, then nothing for SCAN_APART doubles. */
size_t
scan_work(int32_t n_clusters, ptrdiff_t n)
{
    return padded_to_lanes(n_clusters) * (SCAN_TILE + 1) + 2 * (size_t)n + SCAN_APART;
}

/* Start along feature f: sums from the right for all cuts, from the left none yet. */
AGATHIS_INLINE void
start_feature(const scan_leaf *leaf, size_t lanes, const scan_data *data, ptrdiff_t f,
              scan_sums *sums)
{
    const int32_t *restrict order = data->order + f * data->step;
    const double *restrict alpha = data->alpha + f * data->step;
    const double *restrict within = data->within;
    double *restrict own = sums->alpha;
    double after = 0.0;
    for (ptrdiff_t i = 0; i < leaf->n; ++i)
        own[i] = alpha[data->in_order ? i : order[i]];
    for (ptrdiff_t i = leaf->n - 1; i >= 0; --i) {
        sums->after[i] = after;
        after += 2.0 * (within[order[i]] - own[i]);
    }
    sums->weight = sums->self = 0.0;
    memset(sums->clusters, 0, lanes * sizeof(double));
}

/* Prefix sums of the clusters' kernel sums over n samples, kept where a threshold fits: row by row,
 * then transposed. */
AGATHIS_INLINE void
sum_clusters(int32_t n_clusters, const int32_t *restrict order, const uint8_t *restrict cut,
             const double *restrict rows, ptrdiff_t stride, ptrdiff_t n, double *restrict sums,
             tile *restrict prefix, ptrdiff_t begin)
{
    double kept[SCAN_TILE][SCAN_LANES];
    for (int32_t k = 0; k < n_clusters; k += SCAN_LANES) {
        double sum[SCAN_LANES];
        ptrdiff_t u = 0;
        for (int c = 0; c < SCAN_LANES; ++c)
            sum[c] = sums[k + c];
        for (ptrdiff_t j = 0; j < n; ++j) {
            const double *row = rows + SUM_CLUSTER + k + order[j] * stride;
            for (int c = 0; c < SCAN_LANES; ++c)
                sum[c] += row[c];
            for (int c = 0; c < SCAN_LANES; ++c)
                kept[u][c] = sum[c];
            u += cut[j];
        }
        for (int c = 0; c < SCAN_LANES; ++c) {
            sums[k + c] = sum[c];
            for (ptrdiff_t t = 0; t < u; ++t)
                prefix[k + c][begin + t] = kept[t][c];
        }
    }
}

/* Running sums along feature f from sample `from` on, kept where a threshold fits, in the
 * tile from *length on. Returns the first sample that found no place. */
AGATHIS_INLINE ptrdiff_t
accumulate(const scan_leaf *leaf, int32_t n_clusters, const scan_data *data, ptrdiff_t f,
           ptrdiff_t from, scan_tile *s, scan_sums *sums, tile *restrict prefix,
           ptrdiff_t *length)
{
    const int32_t *restrict order = data->order + f * data->step;
    const uint8_t *restrict cut = data->cut + f * data->step;
    const double *restrict alpha = sums->alpha;
    const double *restrict rows = data->rows;
    const ptrdiff_t stride = data->stride, begin = *length;
    double weight = sums->weight, self = sums->self;
    ptrdiff_t i, t = begin;
    for (i = from; i < leaf->n && t < SCAN_TILE; ++i) {
        const double *row = rows + order[i] * stride;
        weight += row[SUM_WEIGHT];
        self += 2.0 * alpha[i];
        s->weight[t] = weight;
        s->self[t] = self;
        s->far_self[t] = sums->after[i];
        s->count[t] = (int32_t)(i + 1);
        t += cut[i];
    }
    sums->weight = weight;
    sums->self = self;
    sum_clusters(n_clusters, order + from, cut + from, rows, stride, i - from, sums->clusters,
                 prefix, begin);
    *length = t;
    return i;
}

/* The largest of n values; of many, eight running maxima side by side. */
AGATHIS_INLINE double
largest(const double *restrict values, ptrdiff_t n)
{
    double most = values[0];
    ptrdiff_t t = 1;
    if (n >= 16) {
        double lane[8];
        for (int v = 0; v < 8; ++v)
            lane[v] = values[v];
        for (t = 8; t + 8 <= n; t += 8)
            for (int v = 0; v < 8; ++v)
                lane[v] = larger(lane[v], values[t + v]);
        for (int v = 0; v < 8; ++v)
            most = larger(most, lane[v]);
    }
    for (; t < n; ++t)
        most = larger(most, values[t]);
    return most;
}

/* The kind of a move of one side of `count` samples. */
AGATHIS_INLINE int
kind_of(ptrdiff_t count)
{
    int kind = 0;
    while (count >>= 2)
        ++kind;
    return kind;
}

/* Into the result, run by run of thresholds of the same kinds. The best gain of them all. */
AGATHIS_INLINE double
record(const scan_leaf *leaf, const scan_tile *s, ptrdiff_t begin, ptrdiff_t end,
       scan_result *result)
{
    double best = -INFINITY;
    for (ptrdiff_t t = begin; t < end;) {
        const int near = kind_of(s->count[t]), far = kind_of(leaf->n - s->count[t]);
        const ptrdiff_t most = ((ptrdiff_t)1 << (2 * near + 2)) - 1; /* of the left side */
        const ptrdiff_t least = (ptrdiff_t)1 << (2 * far);           /* of the right side */
        const ptrdiff_t last = most < leaf->n - least ? most : leaf->n - least;
        ptrdiff_t stop = t + 1;
        if (s->count[end - 1] <= last)
            stop = end;
        while (stop < end && s->count[stop] <= last)
            ++stop;
        const double gain_near = largest(s->gain_near + t, stop - t);
        const double gain_far = largest(s->gain_far + t, stop - t);
        const double spread_near = largest(s->spread_near + t, stop - t);
        const double spread_far = largest(s->spread_far + t, stop - t);
        best = larger(best, larger(gain_near, gain_far));
        result->gain[near] = larger(result->gain[near], gain_near);
        result->gain[far] = larger(result->gain[far], gain_far);
        result->spread[near] = larger(result->spread[near], spread_near);
        result->spread[far] = larger(result->spread[far], spread_far);
        if (leaf->leave_all > -INFINITY) {
            const double gain_both = largest(s->gain_both + t, stop - t);
            best = larger(best, gain_both);
            result->gain[MOVE_BOTH] = larger(result->gain[MOVE_BOTH], gain_both);
            result->spread[MOVE_BOTH] =
                larger(result->spread[MOVE_BOTH], spread_near + spread_far);
        }
        t = stop;
    }
    return best;
}

/* Nothing is found yet. */
static void
clear(scan_result *result)
{
    result->first = -1;
    for (int kind = 0; kind < MOVE_KINDS; ++kind) {
        result->gain[kind] = -INFINITY;
        result->spread[kind] = 0.0;
    }
}

AGATHIS_CLONES void
scan_features(const scan_leaf *leaf, const scan_clusters *clusters, const scan_data *data,
              ptrdiff_t first, ptrdiff_t n_features, const uint8_t *drawn, double floor,
              double *work, double *best, scan_result *result)
{
    const size_t lanes = padded_to_lanes(clusters->count);
    scan_tile thresholds, *s = &thresholds;
    tile *prefix = (tile *)work;
    double *clusters_sums = work + lanes * SCAN_TILE;
    double *after = clusters_sums + lanes;
    scan_sums sums = {0.0, 0.0, clusters_sums, after, after + leaf->n};
    scan_segment segments[SCAN_TILE]; /* of the tile; each has a threshold */
    ptrdiff_t length = 0, n_segments = 0, f = first, from = 0;

    clear(result);
    while (f < first + n_features) {
        if (from == 0)
            best[f] = -INFINITY;
        if ((!drawn || drawn[f]) && memchr(data->cut + f * data->step + from, 1,
                                           (size_t)(leaf->n - from))) {
            scan_segment *segment = &segments[n_segments++];
            if (from == 0)
                start_feature(leaf, lanes, data, f, &sums);
            segment->feature = f;
            segment->begin = length;
            from = accumulate(leaf, clusters->count, data, f, from, s, &sums, prefix, &length);
            segment->end = length;
        } else {
            from = leaf->n;
        }
        if (from == leaf->n) {
            ++f;
            from = 0;
        }
        if (length == 0 || (length < SCAN_TILE && f < first + n_features))
            continue;

        evaluate(leaf, clusters, prefix, length, s, NULL);
        for (ptrdiff_t j = 0; j < n_segments; ++j) {
            const scan_segment *segment = &segments[j];
            const double gain = record(leaf, s, segment->begin, segment->end, result);
            best[segment->feature] = larger(best[segment->feature], gain);
        }
        if (floor < INFINITY)
            for (ptrdiff_t t = 0; t < length && result->first < 0; ++t)
                if (gain_at(s, t) >= floor)
                    result->first = s->count[t] - 1;
        length = n_segments = 0;
    }
}

/* What is kept of the ways to part the categories of a leaf: the same as of thresholds. */
static void
record_ways(const scan_leaf *leaf, const void *tile, ptrdiff_t length, void *result)
{
    const scan_tile *s = tile;
    for (ptrdiff_t t = 0; t < length; ++t)
        if (s->shut[t] == 0.0)
            record(leaf, s, t, t + 1, result);
}

double
scan_subsets(const scan_leaf *leaf, const scan_clusters *clusters, const subset_items *items,
             double tolerance, double *work, scan_result *result)
{
    clear(result);
    return subset_search(leaf, clusters, items, SUBSET_EXACT, INFINITY, tolerance, work,
                         record_ways, result, NULL);
}
