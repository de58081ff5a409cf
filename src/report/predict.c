/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "report/predict.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/random.h"

enum wait { WAIT_UNKNOWN, WAIT_ALL, WAIT_ANY, WAIT_GROUPS };

static enum wait wait_of(const struct strategy_choice *choice)
{
    static const struct {
        const char *name;
        enum wait wait;
    } known[] = {{"gd", WAIT_ALL}, {"lag-wk", WAIT_ALL}, {"gc", WAIT_ANY}, {"grouping", WAIT_GROUPS}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(choice->ops->name, known[i].name) == 0)
            return known[i].wait == WAIT_ANY && choice->code == CODE_FRACTIONAL ? WAIT_GROUPS : known[i].wait;
    return WAIT_UNKNOWN;
}

static bool models_are_alike(const struct scenario *scenario)
{
    const struct dist *first = &scenario->compute[0];
    for (uint32_t w = 1; w < scenario->cluster.workers; w++) {
        const struct dist *dist = &scenario->compute[w];
        if (dist->kind != first->kind || dist->mean != first->mean || dist->shape != first->shape ||
            dist->probability != first->probability || dist->factor != first->factor || dist->scale != first->scale ||
            dist->table != first->table)
            return false;
    }
    return true;
}

double predict_expected(const struct scenario *scenario, size_t which)
{
    const struct strategy_choice *choice = &scenario->strategy[which];
    const struct dist *dist = &scenario->compute[0];
    uint32_t workers = scenario->cluster.workers, r = choice->redundancy;
    if (dist->kind == DIST_NONE || dist->kind == DIST_TRACE || !models_are_alike(scenario))
        return NAN;
    switch (wait_of(choice)) {
    case WAIT_ALL:
        return dist_order_mean(dist, workers, workers);
    case WAIT_ANY:
        return r * dist_order_mean(dist, workers - r + 1, workers);
    case WAIT_GROUPS:
        return r * dist_group_mean(dist, workers / r, r);
    case WAIT_UNKNOWN:
        break;
    }
    return NAN;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Workers of a group store the same partitions: the first of them names the group. */
static double slowest_group(const struct scenario *scenario, size_t which, uint32_t repeat, const double *draw)
{
    uint32_t workers = scenario->cluster.workers;
    struct session_config config;
    scenario_session_config(scenario, which, repeat, &config);
    uint32_t *parts = mem_array(workers, sizeof *parts);
    double *fastest = mem_array(workers, sizeof *fastest), slowest = 0;
    for (uint32_t w = 0; w < workers; w++)
        fastest[w] = INFINITY;
    for (uint32_t w = 0; w < workers; w++) {
        config.ops->stored(&config.strategy, w, parts);
        fastest[parts[0]] = fmin(fastest[parts[0]], draw[w]);
    }
    for (uint32_t k = 0; k < workers; k++)
        if (isfinite(fastest[k]))
            slowest = fmax(slowest, fastest[k]);
    free(fastest);
    free(parts);
    return slowest;
}

double predict_drawn(const struct scenario *scenario, size_t which, uint32_t repeat, uint32_t round)
{
    const struct strategy_choice *choice = &scenario->strategy[which];
    uint32_t workers = scenario->cluster.workers, r = choice->redundancy;
    uint64_t seed = random_repeat_seed(scenario->seed, repeat);
    enum wait wait = wait_of(choice);
    if (wait == WAIT_UNKNOWN)
        return NAN;
    double *draw = mem_array(workers, sizeof *draw), result = NAN;
    for (uint32_t w = 0; w < workers; w++)
        draw[w] = scenario->compute[w].kind == DIST_NONE ? 0 : dist_compute_draw(&scenario->compute[w], seed, w, round);
    if (wait == WAIT_GROUPS) {
        result = r * slowest_group(scenario, which, repeat, draw);
    } else {
        qsort(draw, workers, sizeof *draw, ascending);
        result = wait == WAIT_ALL ? draw[workers - 1] : r * draw[workers - r];
    }
    free(draw);
    return result;
}
