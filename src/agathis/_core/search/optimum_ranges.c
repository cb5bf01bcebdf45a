/* Stretches of thresholds that wait for their turn, in a binary heap: which of them are worth it,
 * and where they are looked at next.
 */
#include "search/optimum_internal.h"

#include <string.h>

enum { MARGIN = 16 }; /* this part of a stretch is off at least, whatever is guessed */

static int
precedes(const optimum_range *a, const optimum_range *b)
{
    if (a->bound != b->bound) {
        return a->bound < b->bound;
    }
    if (a->feature != b->feature) {
        return a->feature < b->feature;
    }
    return a->leaves != b->leaves ? a->leaves < b->leaves : a->first < b->first;
}

void
heap_push(optimum_search *s, optimum_heap *heap, optimum_range item)
{
    if (heap->count == heap->capacity) {
        const ptrdiff_t capacity = heap->capacity > 0 ? 2 * heap->capacity : 256;
        optimum_range *more = optimum_take(s, capacity, sizeof *more);
        if (more == NULL) {
            return;
        }
        if (heap->count > 0) {
            memcpy(more, heap->items, heap->count * sizeof *more);
        }
        heap->items = more;
        heap->capacity = capacity;
    }
    ptrdiff_t i = heap->count++;
    while (i > 0 && precedes(&item, heap->items + (i - 1) / 2)) {
        heap->items[i] = heap->items[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap->items[i] = item;
}

optimum_range
heap_pop(optimum_heap *heap)
{
    optimum_range *items = heap->items;
    const optimum_range top = items[0], item = items[--heap->count];
    ptrdiff_t i = 0;
    for (ptrdiff_t child = 1; child < heap->count; child = 2 * i + 1) {
        child += child + 1 < heap->count && precedes(items + child + 1, items + child);
        if (!precedes(items + child, &item)) {
            break;
        }
        items[i] = items[child];
        i = child;
    }
    items[i] = item;
    return top;
}

void
level_wait(optimum_search *s, optimum_level *l, int leaves, double under, optimum_range x)
{
    const ptrdiff_t n = s->data->n;
    const double *before = l->before + x.feature * n, *after = l->after + x.feature * n;
    const int one_left = x.leaves == 1, one_right = x.leaves == leaves - 1;
    while (x.first <= x.last) {
        x.left = one_left ? before[x.first] : x.left;
        x.right = one_right ? after[x.last] : x.right;
        x.bound = x.left + x.right;
        const double last = one_left ? before[x.last] + x.right : 0.0;
        const double first = one_right ? after[x.first] + x.left : 0.0;
        if (last < under && first < under) {
            heap_push(s, &l->heap, x);
            return;
        }
        const double bound = last >= under ? last : first;
        l->dropped = bound < l->dropped ? bound : l->dropped;
        x.last -= last >= under;
        x.first += last < under;
    }
}

int32_t
level_balance(const optimum_level *l, ptrdiff_t n, int leaves, const double *share,
              const optimum_range *x)
{
    const double *before = l->before + x->feature * n, *after = l->after + x->feature * n;
    const double of_left = share[x->leaves], of_right = share[leaves - x->leaves];
    const int32_t margin = (x->last - x->first) / MARGIN;
    int32_t low = x->first + margin, high = x->last - margin;
    while (low < high) {
        const int32_t k = low + (high - low) / 2;
        const double left = of_left * before[k], right = of_right * after[k];
        const double down = x->left + (right > x->right ? right : x->right);
        const double up = x->right + (left > x->left ? left : x->left);
        if (up < down) {
            low = k + 1;
        }
        else {
            high = k;
        }
    }
    return low;
}
