/* What a tree may become, as compiled loops read it.
 *
 * The one record in which limits travel from Python: its NumPy dtype is LIMITS in limits.pyx, and
 * agathis._growth.limits.Limits fills it.  A new limit that a loop checks is a new member here and
 * there; members are ordered by size, so that no compiler pads between them. */
#ifndef AGATHIS_LIMITS_H
#define AGATHIS_LIMITS_H

#include <stdint.h>

typedef struct {
    double min_split;   /* minimum weight of a node that is split */
    double min_leaf;    /* and of a leaf */
    int32_t max_depth;  /* maximum number of splits above a leaf; INT32_MAX: no limit */
    int32_t max_leaves;
} tree_limits;

#endif
