/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grouping: the r workers of a group store the same partitions, and the fastest answers for it. Slot g: group g's
 * answer. */
#include "config.h"

#include <stdlib.h>

#include "base/mem.h"
#include "core/strategy_private.h"

struct grouping {
    struct strategy base;
    struct race race;
};

static uint32_t stored(const struct strategy_config *config, uint32_t worker, uint32_t *parts)
{
    return code_support(CODE_FRACTIONAL, config->workers, config->redundancy, worker, parts);
}

static struct strategy *create(const struct strategy_config *config, struct error *err)
{
    if (strategy_check_groups(config, err) < 0 || strategy_check_step(config, false, err) < 0)
        return NULL;
    struct grouping *grouping = mem_zalloc(sizeof *grouping);
    strategy_init(&grouping->base, &strategy_grouping, config, config->redundancy, 0);
    race_init(&grouping->race, config);
    return &grouping->base;
}

static void destroy(struct strategy *strategy)
{
    struct grouping *grouping = (struct grouping *)strategy;
    if (grouping == NULL)
        return;
    race_clear(&grouping->race);
    strategy_clear(&grouping->base);
    free(grouping);
}

static const struct plan *plan(struct strategy *strategy, uint32_t round, const double *theta,
                               const struct history *history, const bool *lost)
{
    struct grouping *grouping = (struct grouping *)strategy;
    uint32_t r = strategy->config.redundancy;
    (void)theta;
    (void)history;
    strategy_begin(strategy, round, lost);
    race_begin(&grouping->race, strategy, grouping->race.groups);
    for (uint32_t worker = 0; worker < strategy->config.workers; worker++) {
        if (lost[worker])
            continue;
        struct task *task = strategy_contact(strategy, worker, TASK_GRADIENT, 0);
        for (uint32_t j = 0; j < r; j++)
            strategy_assign(strategy, task, worker / r * r + j, 1);
    }
    return &strategy->plan;
}

static enum offer offer(struct strategy *strategy, const struct answer *answer)
{
    return race_offer(&((struct grouping *)strategy)->race, strategy, answer);
}

static bool needs(const struct strategy *strategy, uint32_t worker)
{
    return race_needs(&((const struct grouping *)strategy)->race, strategy, worker);
}

static void finish(struct strategy *strategy, double *gradient, bool *used)
{
    race_finish(&((struct grouping *)strategy)->race, strategy, gradient, used);
}

const struct strategy_ops strategy_grouping = {
    .name = "grouping",
    .summary = "fractional repetition: the fastest of each group of r workers",
    .uses_redundancy = true,
    .fixed_contributors = true,
    .check = strategy_check_groups,
    .create = create,
    .destroy = destroy,
    .stored = stored,
    .plan = plan,
    .offer = offer,
    .lose = strategy_lose,
    .is_stuck = strategy_lacks_group,
    .needs = needs,
    .finish = finish,
    .selected = strategy_selected,
};
