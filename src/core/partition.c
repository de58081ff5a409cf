/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/partition.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

size_t partition_first(size_t samples, size_t count, size_t k)
{
    assert(count > 0 && k <= count);
    size_t larger = samples % count;
    return samples / count * k + (k < larger ? k : larger);
}

int partition_split(const struct dataset *data, size_t count, struct partition_set *out, struct error *err)
{
    *out = (struct partition_set){0};
    if (count == 0)
        return error_set(err, "the samples cannot be split into 0 partitions: at least 1 is needed");
    if (data->n < count)
        return error_set(err, "%zu samples cannot be split into %zu partitions: at least one sample each is needed",
                         data->n, count);
    out->count = count;
    out->part = mem_array(count, sizeof *out->part);
    for (size_t k = 0; k < count; k++) {
        size_t first = partition_first(data->n, count, k);
        out->part[k] = (struct partition){
            .n = partition_first(data->n, count, k + 1) - first,
            .d = data->d,
            .x = data->x + first * data->d,
            .y = data->y + first,
        };
    }
    return 0;
}

void partition_set_clear(struct partition_set *set)
{
    free(set->part);
    *set = (struct partition_set){0};
}
