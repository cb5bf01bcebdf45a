/* A radix sort: 11 bits at a time from the lowest, each pass keeping the order of the one before.
 * A pass in which all numbers have the same bits, as the highest ones often are, is left out.
 */
#include "shared/sort_loops.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, PASSES = 6 };

size_t
sort_work(ptrdiff_t n)
{
    const size_t bytes = (size_t)n * (2 * sizeof(uint64_t) + sizeof(int32_t)) +
                         sizeof(uint32_t) * DIGITS * PASSES;
    return (bytes + 63) / 64 * 64; /* the next thread's begins there */
}

/* Bits that are in the order of the numbers: of negative ones all are turned, of others the sign. */
static inline uint64_t
key_of(double value)
{
    const uint64_t sign = (uint64_t)1 << 63;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (bits == sign) /* -0 is 0 */
        bits = 0;
    return bits & sign ? ~bits : bits | sign;
}

static inline uint32_t
digit_of(uint64_t key, int pass)
{
    return (uint32_t)(key >> (pass * DIGIT_BITS)) & (DIGITS - 1);
}

void
sort_order(const double *values, ptrdiff_t n, void *work, int32_t *order, uint8_t *cut)
{
    uint64_t *keys = work, *next_keys = keys + n;
    int32_t *places = order, *next_places = (int32_t *)(next_keys + n);
    uint32_t(*count)[DIGITS] = (void *)(next_places + n);

    memset(count, 0, sizeof(uint32_t) * DIGITS * PASSES);
    for (ptrdiff_t i = 0; i < n; ++i) {
        keys[i] = key_of(values[i]);
        places[i] = (int32_t)i;
        for (int pass = 0; pass < PASSES; ++pass)
            ++count[pass][digit_of(keys[i], pass)];
    }
    for (int pass = 0; pass < PASSES; ++pass) {
        uint32_t before = 0;
        if (n == 0 || count[pass][digit_of(keys[0], pass)] == (uint32_t)n)
            continue;
        for (int digit = 0; digit < DIGITS; ++digit) {
            const uint32_t here = count[pass][digit];
            count[pass][digit] = before;
            before += here;
        }
        for (ptrdiff_t i = 0; i < n; ++i) {
            const uint32_t to = count[pass][digit_of(keys[i], pass)]++;
            next_keys[to] = keys[i];
            next_places[to] = places[i];
        }
        uint64_t *const other_keys = keys;
        int32_t *const other_places = places;
        keys = next_keys;
        places = next_places;
        next_keys = other_keys;
        next_places = other_places;
    }
    for (ptrdiff_t i = 0; i < n; ++i)
        cut[i] = i + 1 < n && keys[i] < keys[i + 1];
    if (places != order)
        memcpy(order, places, (size_t)n * sizeof(int32_t));
}
