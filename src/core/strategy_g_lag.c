/* SPDX-License-Identifier: GPL-3.0-or-later */
/* g-lag: lazy and grouped. The PS selects groups by the smoothness of their summed loss; all r workers of a selected
 * group are contacted and the fastest answers for it. Slot g: the last gradient of group g. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/strategy_private.h"

struct g_lag {
    struct strategy base;
    struct lazy lazy; /* per group */
    struct race race;
    uint32_t *parts; /* groups × r */
};

/* Partitions in the order in which groups take them: as they stand, or by smoothness. order: out, K values. */
static void order_parts(const struct strategy_config *config, uint32_t *order)
{
    for (uint32_t k = 0; k < config->partitions; k++) {
        uint32_t place = k; /* insertion keeps the order of equals */
        while (config->by_smoothness && place > 0 && config->smoothness[order[place - 1]] > config->smoothness[k]) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = k;
    }
}

static int compare_parts(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* The partitions of each group, ascending: out, groups × r values. */
static void assign_parts(const struct strategy_config *config, uint32_t *parts)
{
    uint32_t r = config->redundancy;
    order_parts(config, parts);
    for (uint32_t first = 0; first < config->partitions; first += r)
        qsort(parts + first, r, sizeof *parts, compare_parts);
}

static uint32_t stored(const struct strategy_config *config, uint32_t worker, uint32_t *parts)
{
    uint32_t r = config->redundancy, *all = mem_array(config->partitions, sizeof *all);
    assign_parts(config, all);
    memcpy(parts, all + worker / r * r, r * sizeof *parts);
    free(all);
    return r;
}

static int check(const struct strategy_config *config, struct error *err)
{
    return strategy_check_groups(config, err) < 0 ? -1 : strategy_check_lazy(config, err);
}

static struct strategy *create(const struct strategy_config *config, struct error *err)
{
    if (check(config, err) < 0 || strategy_check_step(config, config->by_smoothness, err) < 0)
        return NULL;
    if (config->group_smoothness == NULL) {
        error_set(err, "g-lag needs a function that gives the smoothness of a group");
        return NULL;
    }
    uint32_t r = config->redundancy;
    struct g_lag *lag = mem_zalloc(sizeof *lag);
    strategy_init(&lag->base, &strategy_g_lag, config, r, 10);
    race_init(&lag->race, config);
    lag->parts = mem_array(config->partitions, sizeof *lag->parts);
    assign_parts(config, lag->parts);
    lazy_init(&lag->lazy, lag->race.groups, config->d);
    for (uint32_t group = 0; group < lag->race.groups; group++)
        lag->lazy.smoothness[group] = config->group_smoothness(config->context, lag->parts + (size_t)group * r, r);
    return &lag->base;
}

static void destroy(struct strategy *strategy)
{
    struct g_lag *lag = (struct g_lag *)strategy;
    if (lag == NULL)
        return;
    lazy_clear(&lag->lazy);
    free(lag->parts);
    race_clear(&lag->race);
    strategy_clear(&lag->base);
    free(lag);
}

/* The trigger counts workers, not groups: with groups it gets too lazy as r grows. */
static const struct plan *plan(struct strategy *strategy, uint32_t round, const double *theta,
                               const struct history *history, const bool *lost)
{
    struct g_lag *lag = (struct g_lag *)strategy;
    const struct strategy_config *config = &strategy->config;
    uint32_t r = config->redundancy;
    strategy_begin(strategy, round, lost);
    double threshold = trigger_threshold(history, config->xi, config->alpha, config->workers);
    uint32_t groups = lazy_select(&lag->lazy, round, theta, threshold, round == 0 || config->always);
    strategy->selected = groups * r;
    race_begin(&lag->race, strategy, groups);
    for (uint32_t worker = 0; worker < config->workers; worker++) {
        uint32_t group = worker / r;
        if (lost[worker] || !lag->lazy.selected[group])
            continue;
        struct task *task = strategy_contact(strategy, worker, TASK_GRADIENT, 0);
        for (uint32_t j = 0; j < r; j++)
            strategy_assign(strategy, task, lag->parts[group * r + j], 1);
    }
    return &strategy->plan;
}

static enum offer offer(struct strategy *strategy, const struct answer *answer)
{
    return race_offer(&((struct g_lag *)strategy)->race, strategy, answer);
}

static bool needs(const struct strategy *strategy, uint32_t worker)
{
    return race_needs(&((const struct g_lag *)strategy)->race, strategy, worker);
}

static void finish(struct strategy *strategy, double *gradient, bool *used)
{
    race_finish(&((struct g_lag *)strategy)->race, strategy, gradient, used);
}

const struct strategy_ops strategy_g_lag = {
    .name = "g-lag",
    .summary = "lazy grouping: the fastest worker of each selected group",
    .uses_redundancy = true,
    .fixed_contributors = true,
    .check = check,
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
