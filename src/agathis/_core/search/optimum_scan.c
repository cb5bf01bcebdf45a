/* Sums along the orders of a set of rows: what each cut into two leaves costs.
 *
 * Points are taken relative to the mean of the set.  With s the weighted sum of the rows on the
 * left, w their weight and W that of all, a cut gains |s|^2 W / (w (W - w)), and the left side
 * scatters by its squared distances to the mean minus |s|^2 / w.
 */
#include "search/optimum_internal.h"

#include <string.h>

#include "shared/clones.h"
#include "shared/f64x8.h"

enum {
    BLOCK = 8, /* rows between two looks at the sums */
    FEW = 4    /* as many lanes stay in registers */
};

/* Sums of points, `wide` times LANES numbers each. */
AGATHIS_INLINE void
add_point(f64x8 *restrict sum, ptrdiff_t wide, const double *restrict point)
{
    for (ptrdiff_t c = 0; c < wide; ++c) {
        sum[c] = f64x8_plus(sum[c], f64x8_load(point + c * LANES));
    }
}

/* sum += by * centre */
AGATHIS_INLINE void
add_centre(f64x8 *restrict sum, ptrdiff_t wide, const double *restrict centre, double by)
{
    for (ptrdiff_t c = 0; c < wide; ++c) {
        f64x8_add_scaled(sum + c, by, f64x8_load(centre + c * LANES));
    }
}

AGATHIS_INLINE double
squared(const f64x8 *restrict sum, ptrdiff_t wide)
{
    f64x8 all = f64x8_zero();
    for (ptrdiff_t c = 0; c < wide; ++c) {
        f64x8_add_product(&all, sum[c], sum[c]);
    }
    return f64x8_sum(all);
}

AGATHIS_INLINE double
inner_product(const f64x8 *restrict sum, ptrdiff_t wide, const double *restrict other)
{
    f64x8 all = f64x8_zero();
    for (ptrdiff_t c = 0; c < wide; ++c) {
        f64x8_add_product(&all, sum[c], f64x8_load(other + c * LANES));
    }
    return f64x8_sum(all);
}

AGATHIS_INLINE ptrdiff_t
along(const ptrdiff_t wide, f64x8 *restrict sum, const optimum_data *data, const optimum_set *set,
      const int32_t *restrict order, const int32_t *restrict code, int32_t *restrict place,
      double *restrict left, double *restrict gain)
{
    const ptrdiff_t width = wide * LANES;
    ptrdiff_t count = 0;
    double total = 0.0;
    int32_t row = order[0], now = code[row];
    memset(sum, 0, wide * sizeof *sum);
    for (ptrdiff_t i = 1; i < set->m; ++i) {
        total += data->weight[row];
        add_point(sum, wide, data->point + row * width);
        add_centre(sum, wide, set->centre, -data->weight[row]);
        row = order[i];
        const int32_t next = code[row];
        if (next != now) {
            gain[count] = squared(sum, wide);
            left[count] = total;
            place[count] = (int32_t)i;
            ++count;
            now = next;
        }
    }
    for (ptrdiff_t k = 0; k < count; ++k) {
        gain[k] *= set->total / (left[k] * (set->total - left[k]));
    }
    return count;
}

/* Costs of the left side grow and those of the right side shrink along the order.  So no cut within
 * some rows gains more than what the left cost before them and the right cost after them leave of
 * the scatter, and only where that is more than the best cut are they looked at one by one. */
AGATHIS_INLINE ptrdiff_t
best_along(const ptrdiff_t wide, f64x8 *restrict sum, const optimum_data *data,
           const optimum_set *set, const int32_t *restrict order, const int32_t *restrict code,
           double least, double *restrict workspace, double *restrict most)
{
    const ptrdiff_t width = wide * LANES, m = set->m, n_blocks = (m + BLOCK - 1) / BLOCK;
    const double *restrict centre = set->centre;
    double *restrict sums = workspace, *restrict left = sums + n_blocks * width;
    double *restrict bound = left + n_blocks;
    double total = 0.0, squares = 0.0, start = 0.0;
    memset(sum, 0, wide * sizeof *sum);
    for (ptrdiff_t b = 0; b < n_blocks; ++b) {
        const ptrdiff_t stop = (b + 1) * BLOCK < m ? (b + 1) * BLOCK : m;
        left[b] = total;
        memcpy(sums + b * width, sum, wide * sizeof *sum);
        for (ptrdiff_t i = b * BLOCK; i < stop; ++i) {
            const ptrdiff_t row = order[i];
            total += data->weight[row];
            squares += data->square[row];
            add_point(sum, wide, data->point + row * width);
        }
        const double length = squared(sum, wide), inner = inner_product(sum, wide, centre);
        const double other = set->total * (set->total * set->length - 2.0 * inner) + length;
        const double rest = set->squares - squares - other / (set->total - total);
        bound[b] = set->scatter - start - (b + 1 < n_blocks ? rest : 0.0);
        start = squares - length / total;
    }
    ptrdiff_t best = 0;
    for (ptrdiff_t b = 0; b < n_blocks; ++b) {
        if (bound[b] <= *most) {
            continue;
        }
        const ptrdiff_t stop = (b + 1) * BLOCK < m ? (b + 1) * BLOCK : m - 1;
        total = left[b];
        memcpy(sum, sums + b * width, wide * sizeof *sum);
        add_centre(sum, wide, centre, -total);
        for (ptrdiff_t i = b * BLOCK; i < stop; ++i) {
            const ptrdiff_t row = order[i];
            total += data->weight[row];
            add_point(sum, wide, data->point + row * width);
            add_centre(sum, wide, centre, -data->weight[row]);
            if (code[row] != code[order[i + 1]]) {
                const double rest = set->total - total;
                const double gain = squared(sum, wide) * set->total / (total * rest);
                if (gain > *most && total >= least && rest >= least) {
                    *most = gain;
                    best = i + 1;
                }
            }
        }
    }
    return best;
}

/* A call for each small number of lanes, so that loops over them unroll. */
#define FOR_WIDTH(CALL)                                   \
    f64x8 few[FEW], many[OPTIMUM_WIDE / LANES];           \
    switch (data->width / LANES) {                        \
    case 1: return CALL(1, few);                          \
    case 2: return CALL(2, few);                          \
    case 3: return CALL(3, few);                          \
    case 4: return CALL(4, few);                          \
    default: return CALL(data->width / LANES, many);      \
    }
#define ALONG(wide, sum) along(wide, sum, data, set, order, code, place, left, gain)
#define BEST_ALONG(wide, sum) \
    best_along(wide, sum, data, set, order, code, least, workspace, most)

AGATHIS_CLONES ptrdiff_t
optimum_along(const optimum_data *data, const optimum_set *set, const int32_t *order,
              const int32_t *code, int32_t *place, double *left, double *gain)
{
    FOR_WIDTH(ALONG)
}

AGATHIS_CLONES ptrdiff_t
optimum_best_along(const optimum_data *data, const optimum_set *set, const int32_t *order,
                   const int32_t *code, double least, double *workspace, double *most)
{
    FOR_WIDTH(BEST_ALONG)
}

AGATHIS_CLONES void
optimum_gather(const optimum_data *data, const int32_t *rows, ptrdiff_t m, double scatter,
               double *restrict centre, double *restrict own, optimum_set *set)
{
    const ptrdiff_t width = data->width;
    double total = 0.0, length = 0.0;
    memset(centre, 0, width * sizeof *centre);
    for (ptrdiff_t i = 0; i < m; ++i) {
        const double *x = data->point + rows[i] * width;
        total += data->weight[rows[i]];
        for (ptrdiff_t c = 0; c < width; ++c) {
            centre[c] += x[c];
        }
    }
    for (ptrdiff_t c = 0; c < width; ++c) {
        centre[c] /= total;
        length += centre[c] * centre[c];
    }
    for (ptrdiff_t i = 0; own != NULL && i < m; ++i) {
        const ptrdiff_t row = rows[i];
        const double *x = data->point + row * width;
        double inner = 0.0;
        for (ptrdiff_t c = 0; c < width; ++c) {
            inner += x[c] * centre[c];
        }
        const double apart = data->square[row] - 2.0 * inner + data->weight[row] * length;
        own[row] = apart > 0.0 ? apart : 0.0;
    }
    *set = (optimum_set){m, total, scatter + total * length, scatter, length, centre};
}

void
optimum_sides(const optimum_set *set, const int32_t *restrict order, const double *restrict own,
              const int32_t *restrict place, const double *restrict left,
              const double *restrict gain, ptrdiff_t count, double *restrict before,
              double *restrict after)
{
    double apart = 0.0;
    ptrdiff_t i = 0;
    for (ptrdiff_t k = 0; k < count; ++k) {
        for (; i < place[k]; ++i) {
            apart += own[order[i]];
        }
        const double cost = apart - gain[k] * (1.0 - left[k] / set->total);
        const double rest = set->scatter - gain[k] - cost;
        before[k] = cost > 0.0 ? cost : 0.0;
        after[k] = rest > 0.0 ? rest : 0.0;
    }
}

AGATHIS_CLONES ptrdiff_t
optimum_filter(const int32_t *restrict order, ptrdiff_t m, const int32_t *restrict code,
               int32_t last, int right, int32_t *restrict out)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < m; ++i) {
        const int32_t row = order[i];
        out[count] = row;
        count += (code[row] > last) == right;
    }
    return count;
}
