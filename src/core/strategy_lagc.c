/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lagc: lazy and coded (LAGC paper). The PS selects partitions; the workers that store one of them answer with their
 * coded changes; the round ends at the first set of answers that decodes the sum of the changes.
 *
 * G^i = G^{i−1} + Σ_{k selected} δ_k drifts by rounding. A refresh asks for the gradients themselves and puts their sum
 * in the place of G. Slot m: worker m's answer. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/strategy_private.h"
#include "core/vector.h"

struct lagc {
    struct strategy base;
    struct coded coded;
    struct lazy lazy; /* per partition */
    double *gradient; /* G */
    bool refreshing;
};

static int check(const struct strategy_config *config, struct error *err)
{
    return strategy_check_lazy(config, err) < 0 ? -1 : coded_check(config, err);
}

static void destroy(struct strategy *strategy)
{
    struct lagc *lagc = (struct lagc *)strategy;
    if (lagc == NULL)
        return;
    free(lagc->gradient);
    lazy_clear(&lagc->lazy);
    coded_clear(&lagc->coded);
    strategy_clear(&lagc->base);
    free(lagc);
}

static struct strategy *create(const struct strategy_config *config, struct error *err)
{
    if (check(config, err) < 0 || strategy_check_step(config, true, err) < 0)
        return NULL;
    struct lagc *lagc = mem_zalloc(sizeof *lagc);
    strategy_init(&lagc->base, &strategy_lagc, config, config->redundancy, 10);
    lazy_init(&lagc->lazy, config->partitions, config->d);
    memcpy(lagc->lazy.smoothness, config->smoothness, config->partitions * sizeof *config->smoothness);
    lagc->gradient = mem_array(config->d, sizeof *lagc->gradient);
    if (coded_init(&lagc->coded, config, err) == 0)
        return &lagc->base;
    destroy(&lagc->base);
    return NULL;
}

static const struct plan *plan(struct strategy *strategy, uint32_t round, const double *theta,
                               const struct history *history, const bool *lost)
{
    struct lagc *lagc = (struct lagc *)strategy;
    const struct strategy_config *config = &strategy->config;
    strategy_begin(strategy, round, lost);
    double threshold = trigger_threshold(history, config->xi, config->alpha, config->partitions);
    lagc->refreshing = config->refresh > 0 && round > 0 && round % config->refresh == 0;
    bool all = round == 0 || config->always || lagc->refreshing;
    lazy_select(&lagc->lazy, round, theta, threshold, all);
    coded_plan(&lagc->coded, strategy, lagc->lazy.selected, lagc->refreshing ? TASK_GRADIENT : TASK_DELTA);
    return &strategy->plan;
}

static enum offer offer(struct strategy *strategy, const struct answer *answer)
{
    return coded_offer(&((struct lagc *)strategy)->coded, strategy, answer);
}

static bool is_stuck(const struct strategy *strategy)
{
    return coded_is_stuck(&((const struct lagc *)strategy)->coded, strategy);
}

static void finish(struct strategy *strategy, double *gradient, bool *used)
{
    struct lagc *lagc = (struct lagc *)strategy;
    strategy->open = false;
    if (lagc->refreshing)
        vector_zero(lagc->gradient, strategy->config.d);
    coded_add(&lagc->coded, strategy, lagc->gradient, used);
    vector_copy(gradient, lagc->gradient, strategy->config.d);
}

const struct strategy_ops strategy_lagc = {
    .name = "lagc",
    .summary = "lazy gradient coding: coded changes of the selected partitions",
    .uses_redundancy = true,
    .fixed_contributors = false,
    .check = check,
    .create = create,
    .destroy = destroy,
    .stored = coded_stored,
    .plan = plan,
    .offer = offer,
    .lose = strategy_lose,
    .is_stuck = is_stuck,
    .finish = finish,
    .selected = strategy_selected,
};
