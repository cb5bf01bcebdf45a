/* Loops over rows and centres.
 *
 * What a row costs with a centre is how much further that centre is than the row's nearest one,
 * times the row's weight: never negative, so that sums along an order only grow, and zero where
 * nothing is lost, so that small losses keep their digits.
 */
#include "centres/loops.h"

#include <math.h>
#include <string.h>

#include "shared/clones.h"

enum {
    STEP = 16,      /* rows between two looks at the sums */
    ROWS_AHEAD = 24 /* rows lie anywhere: the next ones are asked for before they are needed */
};

AGATHIS_CLONES void
centre_distances(const double *restrict x, ptrdiff_t n, ptrdiff_t d, const double *restrict centre,
                 ptrdiff_t width, double *restrict out)
{
    for (ptrdiff_t i = 0; i < n; ++i) {
        for (ptrdiff_t k = 0; k < width; k += CENTRE_PAD) {
            double sum[CENTRE_PAD] = {0.0};
            for (ptrdiff_t f = 0; f < d; ++f) {
                const double value = x[i * d + f];
                const double *at = centre + f * width + k;
                for (int c = 0; c < CENTRE_PAD; ++c) {
                    const double apart = value - at[c];
                    sum[c] += apart * apart;
                }
            }
            memcpy(out + i * width + k, sum, sizeof sum);
        }
    }
}

AGATHIS_INLINE double
least(const double *restrict sum, ptrdiff_t n_centres)
{
    double low = INFINITY;
    for (ptrdiff_t k = 0; k < n_centres; ++k) {
        low = sum[k] < low ? sum[k] : low;
    }
    return low;
}

AGATHIS_INLINE double
least_of_rest(const double *restrict total, const double *restrict sum, ptrdiff_t n_centres)
{
    double low = INFINITY;
    for (ptrdiff_t k = 0; k < n_centres; ++k) {
        const double rest = total[k] - sum[k];
        low = rest < low ? rest : low;
    }
    return low;
}

AGATHIS_INLINE void
add_row(double *restrict sum, const double *restrict row, ptrdiff_t width)
{
    for (ptrdiff_t k = 0; k < width; k += CENTRE_PAD) {
        for (int c = 0; c < CENTRE_PAD; ++c) {
            sum[k + c] += row[k + c];
        }
    }
}

/* Costs of the left side grow and those of the right side shrink along the order.  So no cut
 * within a few rows is below the left cost before them plus the right cost after them, and only
 * where that is promising are they looked at one by one. */
AGATHIS_CLONES ptrdiff_t
centre_best_pair(const double *restrict cost, ptrdiff_t width, const int32_t *restrict order,
                 const uint8_t *restrict cut, ptrdiff_t m, ptrdiff_t n_centres,
                 const double *restrict total, double slack, double *restrict workspace,
                 double *restrict best)
{
    double *restrict sum = workspace;
    double *restrict before = workspace + width;
    double low = *best, left_before = 0.0;
    ptrdiff_t found = 0;
    memset(sum, 0, (size_t)width * sizeof *sum);
    for (ptrdiff_t begin = 0; begin < m; begin += STEP) {
        const ptrdiff_t end = begin + STEP < m ? begin + STEP : m;
        memcpy(before, sum, (size_t)width * sizeof *sum);
        for (ptrdiff_t p = begin; p < end; ++p) {
            if (p + ROWS_AHEAD < m) {
                fetch(cost + (ptrdiff_t)order[p + ROWS_AHEAD] * width,
                      width * (ptrdiff_t)sizeof *cost);
            }
            add_row(sum, cost + (ptrdiff_t)order[p] * width, width);
        }
        const double left_after = least(sum, n_centres);
        if (left_before + least_of_rest(total, sum, n_centres) < low - slack) {
            for (ptrdiff_t p = begin; p < end; ++p) {
                add_row(before, cost + (ptrdiff_t)order[p] * width, width);
                if (cut[p]) {
                    const double both =
                        least(before, n_centres) + least_of_rest(total, before, n_centres);
                    if (both < low - slack) {
                        low = both;
                        found = p + 1;
                    }
                }
            }
        }
        left_before = left_after;
    }
    *best = low;
    return found;
}

/* One side: the centres are passed from the first one on, or from the last. */
AGATHIS_INLINE void
pass_centres(const double *cost, ptrdiff_t stride, const int32_t *restrict which,
             const double *restrict at, const double *restrict value, ptrdiff_t m,
             ptrdiff_t n_centres, int left, double *restrict known, double *restrict between)
{
    double near[CENTRE_BLOCK];
    for (ptrdiff_t i = 0; i < m; ++i) {
        near[i] = INFINITY;
        between[i] = 0.0;
    }
    for (ptrdiff_t t = 0; t + 1 < n_centres; ++t) {
        const ptrdiff_t j = left ? t : n_centres - 2 - t;
        const double *restrict own = cost + which[left ? j : j + 1] * stride;
        const double here = at[j], next = at[j + 1];
        double sum = 0.0;
        for (ptrdiff_t i = 0; i < m; ++i) {
            const double closest = own[i] < near[i] ? own[i] : near[i];
            near[i] = closest;
            const double passed = (left ? value[i] <= here : value[i] >= next) ? closest : 0.0;
            sum += passed;
            between[i] += ((left ? value[i] <= next : value[i] > here) ? closest : 0.0) - passed;
        }
        known[j] += sum;
    }
}

AGATHIS_CLONES void
centre_sides(const double *cost, ptrdiff_t stride, const int32_t *which, const double *at,
             const double *value, ptrdiff_t m, ptrdiff_t n_centres, double *before, double *after,
             double *left, double *right)
{
    pass_centres(cost, stride, which, at, value, m, n_centres, 1, before, left);
    pass_centres(cost, stride, which, at, value, m, n_centres, 0, after, right);
}
