/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The K consecutive blocks of nearly equal size (the first N mod K have one sample more) that the samples are split
 * into. */
#ifndef LAGGARD_CORE_PARTITION_H
#define LAGGARD_CORE_PARTITION_H

#include <stddef.h>

#include "core/dataset.h"

/* A view: x (n × d, row-major) and y borrowed from the data set. */
struct partition {
    size_t n, d;
    const double *x, *y;
};

/* Embedded; `part` is owned, what it points into is the data set's. */
struct partition_set {
    size_t count;
    struct partition *part;
};

/* The first sample of block k of `count`; for k = count: samples. */
size_t partition_first(size_t samples, size_t count, size_t k);

/* Fails when there are fewer samples than partitions. */
MUST_CHECK int partition_split(const struct dataset *data, size_t count, struct partition_set *out, struct error *err);
void partition_set_clear(struct partition_set *set);

#endif
