/* What is known of sets of rows: their best trees, or what no tree of them is below.
 *
 * A table of fixed size, in which a set has a few places; where all are taken, the one that was
 * cheapest to find out gives way.  Two sets are taken for one if 128 random bits agree.
 */
#include "search/optimum_internal.h"

#include <string.h>

enum {
    PLACES = 1 << 18,
    WAYS = 4 /* places that a set may be in */
};

struct memo_entry {
    uint64_t key[2];
    double cost;
    int32_t effort; /* leaves of the tree that was looked for; 0: a free place */
    int16_t is_exact, n_cuts;
};

void
memo_open(optimum_search *s, int n_cuts)
{
    s->memo.most = n_cuts > 0 ? n_cuts : 1;
    /* Zeros from the system: pages that are never touched take no memory. */
    s->memo.entries = optimum_take(s, PLACES, sizeof *s->memo.entries);
    s->memo.cuts = optimum_take(s, (size_t)PLACES * s->memo.most, sizeof *s->memo.cuts);
}

int
memo_find(const optimum_memo *memo, const uint64_t key[2], double cap, optimum_answer *answer)
{
    const size_t first = (size_t)(key[0] & (PLACES / WAYS - 1)) * WAYS;
    for (size_t at = first; at < first + WAYS; ++at) {
        const memo_entry *e = memo->entries + at;
        if (e->effort > 0 && e->key[0] == key[0] && e->key[1] == key[1]) {
            if (!e->is_exact && e->cost < cap) {
                return 0;
            }
            answer->cost = e->cost;
            answer->is_exact = e->is_exact;
            answer->n_cuts = e->n_cuts;
            memcpy(answer->cuts, memo->cuts + at * memo->most, e->n_cuts * sizeof(optimum_split));
            return 1;
        }
    }
    return 0;
}

void
memo_keep(optimum_memo *memo, const uint64_t key[2], int effort, const optimum_answer *answer)
{
    const size_t first = (size_t)(key[0] & (PLACES / WAYS - 1)) * WAYS;
    size_t to = first;
    for (size_t at = first; at < first + WAYS; ++at) {
        const memo_entry *e = memo->entries + at;
        if (e->effort > 0 && e->key[0] == key[0] && e->key[1] == key[1]) {
            to = at;
            break;
        }
        if (e->effort < memo->entries[to].effort) {
            to = at;
        }
    }
    memo_entry *e = memo->entries + to;
    e->key[0] = key[0];
    e->key[1] = key[1];
    e->cost = answer->cost;
    e->effort = effort;
    e->is_exact = (int16_t)answer->is_exact;
    e->n_cuts = (int16_t)(answer->is_exact ? answer->n_cuts : 0);
    memcpy(memo->cuts + to * memo->most, answer->cuts, e->n_cuts * sizeof(optimum_split));
}
