/* The room that a search for the best tree takes, made once and given back. */
#include <stdlib.h>

#include "search/optimum_internal.h"

optimum_search *
optimum_open(const optimum_data *data, optimum_poll poll, void *self)
{
    const size_t n = data->n;
    const int n_leaves = data->limits->max_leaves;
    optimum_search *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->data = data;
    s->poll = poll;
    s->self = self;
    s->n_levels = n_leaves > 1 ? n_leaves - 1 : 1;
    s->memo = memo_open(n_leaves - 2);
    s->own = malloc(n * sizeof(double));
    s->left = malloc(n * sizeof(double));
    s->gain = malloc(n * sizeof(double));
    s->centre = malloc(data->width * sizeof(double));
    s->room = malloc((data->width + 2) * (n / 8 + 1) * sizeof(double));
    s->levels = calloc(s->n_levels, sizeof(optimum_level));
    int whole = s->memo && s->own && s->left && s->gain && s->centre && s->room && s->levels;
    for (int i = 0; whole && i < s->n_levels; ++i) {
        whole = level_open(s->levels + i, data);
    }
    if (!whole) {
        optimum_close(s);
        return NULL;
    }
    return s;
}

void
optimum_close(optimum_search *s)
{
    if (s == NULL) {
        return;
    }
    for (int i = 0; s->levels != NULL && i < s->n_levels; ++i) {
        level_close(s->levels + i);
    }
    memo_close(s->memo);
    free(s->levels);
    free(s->own);
    free(s->left);
    free(s->gain);
    free(s->centre);
    free(s->room);
    free(s);
}
