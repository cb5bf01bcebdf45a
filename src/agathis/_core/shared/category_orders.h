#ifndef AGATHIS_CATEGORY_ORDERS_H
#define AGATHIS_CATEGORY_ORDERS_H

#include "shared/category_ways.h"

/* Look at the ways that seem good; `work` is what subset_work counts for vectors by item. */
void subset_good_ways(subset_way_search *r, double *work);

#endif
