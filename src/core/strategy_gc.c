/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gc: gradient coding. Everybody answers with its row of B; the round ends at the first set that decodes. Slot m:
 * worker m's answer. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/strategy_private.h"
#include "core/vector.h"

struct gc {
    struct strategy base;
    struct coded coded;
    bool *everything; /* M flags, all set */
};

static void destroy(struct strategy *strategy)
{
    struct gc *gc = (struct gc *)strategy;
    if (gc == NULL)
        return;
    free(gc->everything);
    coded_clear(&gc->coded);
    strategy_clear(&gc->base);
    free(gc);
}

static struct strategy *create(const struct strategy_config *config, struct error *err)
{
    if (coded_check(config, err) < 0 || strategy_check_step(config, false, err) < 0)
        return NULL;
    struct gc *gc = mem_zalloc(sizeof *gc);
    strategy_init(&gc->base, &strategy_gc, config, config->redundancy, 0);
    gc->everything = mem_array(config->workers, sizeof *gc->everything);
    memset(gc->everything, true, config->workers * sizeof *gc->everything);
    if (coded_init(&gc->coded, config, err) == 0)
        return &gc->base;
    destroy(&gc->base);
    return NULL;
}

static const struct plan *plan(struct strategy *strategy, uint32_t round, const double *theta,
                               const struct history *history, const bool *lost)
{
    struct gc *gc = (struct gc *)strategy;
    (void)theta;
    (void)history;
    strategy_begin(strategy, round, lost);
    coded_plan(&gc->coded, strategy, gc->everything, TASK_GRADIENT);
    return &strategy->plan;
}

static enum offer offer(struct strategy *strategy, const struct answer *answer)
{
    return coded_offer(&((struct gc *)strategy)->coded, strategy, answer);
}

static bool is_stuck(const struct strategy *strategy)
{
    return coded_is_stuck(&((const struct gc *)strategy)->coded, strategy);
}

static void finish(struct strategy *strategy, double *gradient, bool *used)
{
    strategy->open = false;
    vector_zero(gradient, strategy->config.d);
    coded_add(&((struct gc *)strategy)->coded, strategy, gradient, used);
}

const struct strategy_ops strategy_gc = {
    .name = "gc",
    .summary = "gradient coding: any M - r + 1 coded answers decode the sum",
    .uses_redundancy = true,
    .fixed_contributors = false,
    .check = coded_check,
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
