/* The memory that a search for the best tree takes, given back as one. */
#include <stdlib.h>

#include "search/optimum_internal.h"

struct optimum_block {
    struct optimum_block *next;
    double memory[];
};

void *
optimum_take(optimum_search *s, size_t count, size_t size)
{
    struct optimum_block *block = calloc(1, sizeof *block + count * size);
    if (block == NULL) {
        s->failed = s->stopped = 1;
        return NULL;
    }
    block->next = s->blocks;
    s->blocks = block;
    return block->memory;
}

optimum_search *
optimum_open(const optimum_data *data, optimum_poll poll, void *self)
{
    const size_t n = data->n, cells = n * data->d;
    const int n_leaves = data->limits->max_leaves;
    optimum_search *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->data = data;
    s->poll = poll;
    s->self = self;
    s->n_levels = n_leaves > 1 ? n_leaves - 1 : 1;
    memo_open(s, n_leaves - 2);
    s->own = optimum_take(s, n, sizeof(double));
    s->left = optimum_take(s, n, sizeof(double));
    s->gain = optimum_take(s, n, sizeof(double));
    s->centre = optimum_take(s, data->width, sizeof(double));
    s->workspace = optimum_take(s, (data->width + 2) * (n / 8 + 1), sizeof(double));
    s->levels = optimum_take(s, s->n_levels, sizeof(optimum_level));
    for (int i = 0; !s->failed && i < s->n_levels; ++i) {
        optimum_level *l = s->levels + i;
        l->order = optimum_take(s, cells, sizeof *l->order);
        l->place = optimum_take(s, cells, sizeof *l->place);
        l->before = optimum_take(s, cells, sizeof *l->before);
        l->after = optimum_take(s, cells, sizeof *l->after);
        l->allowed = optimum_take(s, 2 * data->d, sizeof *l->allowed);
    }
    if (s->failed) {
        optimum_close(s);
        return NULL;
    }
    return s;
}

void
optimum_close(optimum_search *s)
{
    for (struct optimum_block *block = s->blocks, *next; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    free(s);
}
