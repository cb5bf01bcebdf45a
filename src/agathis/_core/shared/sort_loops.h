/* Orders of numbers, by their bits. */
#ifndef AGATHIS_SORT_LOOPS_H
#define AGATHIS_SORT_LOOPS_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that `work` must hold for n numbers. */
size_t sort_work(ptrdiff_t n);

/* OUT order: the places of n finite numbers from the lowest to the highest, equal ones as they
 * stand; cut[p]: whether the number at place p of the order is less than the next one. */
void sort_order(const double *values, ptrdiff_t n, void *work, int32_t *order, uint8_t *cut);

#endif
