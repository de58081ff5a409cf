/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gd: everybody computes its own partition, everybody must answer. Slot m: worker m's answer. */
#include "config.h"

#include <stdlib.h>

#include "base/mem.h"
#include "core/strategy_private.h"
#include "core/vector.h"

static struct strategy *create(const struct strategy_config *config, struct error *err)
{
    if (strategy_check_common(config, err) < 0 || strategy_check_step(config, false, err) < 0)
        return NULL;
    struct strategy *gd = mem_zalloc(sizeof *gd);
    strategy_init(gd, &strategy_gd, config, 1, 0);
    return gd;
}

static void destroy(struct strategy *gd)
{
    if (gd != NULL)
        strategy_clear(gd);
    free(gd);
}

static const struct plan *plan(struct strategy *gd, uint32_t round, const double *theta, const struct history *history,
                               const bool *lost)
{
    (void)theta;
    (void)history;
    strategy_begin(gd, round, lost);
    for (uint32_t worker = 0; worker < gd->config.workers; worker++)
        if (!lost[worker])
            strategy_assign(gd, strategy_contact(gd, worker, TASK_GRADIENT, 0), worker, 1);
    return &gd->plan;
}

static enum offer offer(struct strategy *gd, const struct answer *answer)
{
    enum offer verdict = strategy_take(gd, answer);
    if (verdict != OFFER_MORE)
        return verdict;
    vector_copy(strategy_slot(gd, answer->worker), answer->vector, gd->config.d);
    return strategy_all_in(gd);
}

const struct strategy_ops strategy_gd = {
    .name = "gd",
    .summary = "gradient descent: waits for every worker",
    .uses_redundancy = false,
    .fixed_contributors = true,
    .check = strategy_check_common,
    .create = create,
    .destroy = destroy,
    .stored = strategy_stored_own,
    .plan = plan,
    .offer = offer,
    .lose = strategy_lose,
    .is_stuck = strategy_lacks_any,
    .finish = strategy_finish_all,
    .selected = strategy_selected,
};
