#include "separation/silhouette_loops.h"

#include "shared/clones.h"

/* Rows at a time, so that what is known of them stays in the first cache. */
enum { ROWS = 256 };

AGATHIS_CLONES double
silhouette_sum(const silhouette_rows *rows, const silhouette_parts *parts)
{
    double own[ROWS], nearest[ROWS], share[ROWS];
    double total = 0.0;

    for (ptrdiff_t first = 0; first < rows->count; first += ROWS) {
        const ptrdiff_t left = rows->count - first, n = left < ROWS ? left : ROWS;
        const double *restrict part = rows->part + first;
        const double *restrict weight = rows->weight + first;
        for (ptrdiff_t i = 0; i < n; ++i) {
            own[i] = rows->own[first + i];
            nearest[i] = rows->nearest[first + i];
            share[i] = rows->share[first + i];
        }
        for (ptrdiff_t k = 0; k < parts->count; ++k) {
            const double *restrict sums = parts->sums + k * rows->count + first;
            const double inverse = parts->inverse[k], inverse_own = parts->inverse_own[k];
            const double counts = parts->counts[k], id = (double)k;
            for (ptrdiff_t i = 0; i < n; ++i) {
                const double mean = sums[i] * inverse, inner = sums[i] * inverse_own;
                const double closer = mean < nearest[i] ? mean : nearest[i];
                const double kept = counts * weight[i];
                const int is_own = part[i] == id;
                nearest[i] = is_own ? nearest[i] : closer;
                own[i] = is_own ? inner : own[i];
                share[i] = is_own ? kept : share[i];
            }
        }
        for (ptrdiff_t i = 0; i < n; ++i) {
            const double larger = own[i] > nearest[i] ? own[i] : nearest[i];
            /* Rows at no distance from two clusters are between them. */
            const double over = larger > 0.0 ? larger : 1.0;
            total += share[i] * ((nearest[i] - own[i]) / over);
        }
    }
    return total;
}

AGATHIS_CLONES void
silhouette_add(double *restrict sums, const double *restrict distance, double weight, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; ++i)
        sums[i] += weight * distance[i];
}
