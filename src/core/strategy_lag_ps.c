/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lag-ps: the PS contacts the workers whose gradient may have changed enough, by their smoothness and the way that θ
 * went since. Slot m: the last gradient of worker m. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/strategy_private.h"
#include "core/vector.h"

struct lag_ps {
    struct strategy base;
    struct lazy lazy; /* per worker */
};

static struct strategy *create(const struct strategy_config *config, struct error *err)
{
    if (strategy_check_lazy(config, err) < 0 || strategy_check_step(config, true, err) < 0)
        return NULL;
    struct lag_ps *lag = mem_zalloc(sizeof *lag);
    strategy_init(&lag->base, &strategy_lag_ps, config, 1, 10);
    lazy_init(&lag->lazy, config->workers, config->d);
    memcpy(lag->lazy.smoothness, config->smoothness, config->workers * sizeof *config->smoothness);
    return &lag->base;
}

static void destroy(struct strategy *strategy)
{
    struct lag_ps *lag = (struct lag_ps *)strategy;
    if (lag == NULL)
        return;
    lazy_clear(&lag->lazy);
    strategy_clear(&lag->base);
    free(lag);
}

static const struct plan *plan(struct strategy *strategy, uint32_t round, const double *theta,
                               const struct history *history, const bool *lost)
{
    struct lag_ps *lag = (struct lag_ps *)strategy;
    const struct strategy_config *config = &strategy->config;
    strategy_begin(strategy, round, lost);
    double threshold = trigger_threshold(history, config->xi, config->alpha, config->workers);
    strategy->selected = lazy_select(&lag->lazy, round, theta, threshold, round == 0 || config->always);
    strategy->done = strategy->selected == 0;
    for (uint32_t worker = 0; worker < config->workers; worker++)
        if (lag->lazy.selected[worker] && !lost[worker])
            strategy_assign(strategy, strategy_contact(strategy, worker, TASK_GRADIENT, 0), worker, 1);
    return &strategy->plan;
}

static enum offer offer(struct strategy *strategy, const struct answer *answer)
{
    enum offer verdict = strategy_take(strategy, answer);
    if (verdict != OFFER_MORE)
        return verdict;
    vector_copy(strategy_slot(strategy, answer->worker), answer->vector, strategy->config.d);
    return strategy_all_in(strategy);
}

const struct strategy_ops strategy_lag_ps = {
    .name = "lag-ps",
    .summary = "lazy, decided at the PS: contacts the workers whose gradient may have changed enough",
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
