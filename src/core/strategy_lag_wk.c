/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lag-wk: everybody computes, and sends only what has changed enough since it last sent (the trigger is the worker's).
 *
 * Slot m: worker m's gradient as the PS knows it, the sum of the δ it sent. The worker keeps the same sum by the same
 * additions, so that its next δ takes back the rounding of the last: no drift. */
#include "config.h"

#include <stdlib.h>

#include "base/mem.h"
#include "core/strategy_private.h"
#include "core/vector.h"

static struct strategy *create(const struct strategy_config *config, struct error *err)
{
    if (strategy_check_lazy(config, err) < 0 || strategy_check_step(config, false, err) < 0)
        return NULL;
    struct strategy *lag = mem_zalloc(sizeof *lag);
    strategy_init(lag, &strategy_lag_wk, config, 1, 1);
    return lag;
}

static void destroy(struct strategy *lag)
{
    if (lag != NULL)
        strategy_clear(lag);
    free(lag);
}

static const struct plan *plan(struct strategy *lag, uint32_t round, const double *theta, const struct history *history,
                               const bool *lost)
{
    const struct strategy_config *config = &lag->config;
    (void)theta;
    strategy_begin(lag, round, lost);
    double threshold = trigger_threshold(history, config->xi, config->alpha, config->workers);
    if (round == 0 || config->always)
        threshold = -1;
    for (uint32_t worker = 0; worker < config->workers; worker++)
        if (!lost[worker])
            strategy_assign(lag, strategy_contact(lag, worker, TASK_LAZY, threshold), worker, 1);
    return &lag->plan;
}

static enum offer offer(struct strategy *lag, const struct answer *answer)
{
    enum offer verdict = strategy_take(lag, answer);
    if (verdict != OFFER_MORE)
        return verdict;
    if (answer->vector != NULL)
        vector_add(strategy_slot(lag, answer->worker), 1, answer->vector, lag->config.d);
    return strategy_all_in(lag);
}

const struct strategy_ops strategy_lag_wk = {
    .name = "lag-wk",
    .summary = "lazy, decided at the workers: a worker sends when its gradient has changed enough",
    .uses_redundancy = false,
    .fixed_contributors = true,
    .check = strategy_check_lazy,
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
