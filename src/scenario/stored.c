/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "scenario/stored.h"

#include <stdlib.h>

#include "base/mem.h"

bool stored_needs_smoothness(const struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->n_strategies; i++)
        if (scenario->strategy[i].assign == ASSIGN_SMOOTHNESS)
            return true;
    return false;
}

uint32_t stored_by(const struct scenario *scenario, const double *smoothness, uint32_t worker, uint32_t *parts)
{
    uint32_t m = scenario->cluster.workers, count = 0;
    bool *has = mem_array(m, sizeof *has);
    for (size_t i = 0; i < scenario->n_strategies; i++) {
        struct session_config config;
        scenario_session_config(scenario, i, 0, &config);
        config.strategy.smoothness = smoothness;
        uint32_t n = config.ops->stored(&config.strategy, worker, parts);
        for (uint32_t j = 0; j < n; j++)
            has[parts[j]] = true;
    }
    for (uint32_t k = 0; k < m; k++)
        if (has[k])
            parts[count++] = k;
    free(has);
    return count;
}
