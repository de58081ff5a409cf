/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The books of a round that all strategies keep alike: who was contacted, who answered, who is gone; and the trigger at
 * the PS. */
#include "config.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/strategy_private.h"
#include "core/vector.h"

void strategy_init(struct strategy *strategy, const struct strategy_ops *ops, const struct strategy_config *config,
                   uint32_t width, double xi)
{
    uint32_t m = config->workers;
    strategy->ops = ops;
    strategy->config = *config;
    if (config->smoothness != NULL) {
        strategy->smoothness = mem_array(config->partitions, sizeof *strategy->smoothness);
        memcpy(strategy->smoothness, config->smoothness, config->partitions * sizeof *strategy->smoothness);
        strategy->config.smoothness = strategy->smoothness;
    }
    if (isnan(config->xi) && config->history > 0)
        strategy->config.xi = xi / config->history;
    strategy->contacted = mem_array(m, sizeof *strategy->contacted);
    strategy->answered = mem_array(m, sizeof *strategy->answered);
    strategy->lost = mem_array(m, sizeof *strategy->lost);
    strategy->tasks = mem_array(m, sizeof *strategy->tasks);
    strategy->plan.tasks = strategy->tasks;
    strategy->width = width;
    strategy->task_parts = mem_array((size_t)m * width, sizeof *strategy->task_parts);
    strategy->task_weights = mem_array((size_t)m * width, sizeof *strategy->task_weights);
    strategy->slot = mem_array(m, sizeof *strategy->slot);
}

void strategy_clear(struct strategy *strategy)
{
    for (uint32_t k = 0; k < strategy->config.workers; k++)
        free(strategy->slot[k]);
    free(strategy->slot);
    free(strategy->task_weights);
    free(strategy->task_parts);
    free(strategy->tasks);
    free(strategy->lost);
    free(strategy->answered);
    free(strategy->contacted);
    free(strategy->smoothness);
}

int strategy_check_common(const struct strategy_config *config, struct error *err)
{
    if (config->workers < 1)
        return error_set(err, "there must be at least 1 worker");
    if (config->partitions != config->workers)
        return error_set(err, "%u partitions for %u workers: there must be as many partitions as workers",
                         config->partitions, config->workers);
    return 0;
}

int strategy_check_lazy(const struct strategy_config *config, struct error *err)
{
    if (strategy_check_common(config, err) < 0)
        return -1;
    if (config->history < 1)
        return error_set(err, "history is 0: a lazy strategy needs at least 1 round of it (10 is usual)");
    if (config->xi < 0 || isinf(config->xi))
        return error_set(err, "xi is %g: it must be 0 or a positive number", config->xi);
    return 0;
}

int strategy_check_step(const struct strategy_config *config, bool smoothness, struct error *err)
{
    if (config->d < 1)
        return error_set(err, "there must be at least 1 feature");
    if (!(config->alpha > 0) || isinf(config->alpha))
        return error_set(err, "the step is %g: it must be a positive number", config->alpha);
    if (smoothness && config->smoothness == NULL)
        return error_set(err, "a trigger at the PS needs the smoothness of every partition");
    return 0;
}

void strategy_begin(struct strategy *strategy, uint32_t round, const bool *lost)
{
    uint32_t m = strategy->config.workers;
    strategy->round = round;
    strategy->answers = 0;
    strategy->selected = strategy->config.partitions;
    strategy->open = true;
    strategy->done = false;
    memset(strategy->contacted, 0, m * sizeof *strategy->contacted);
    memset(strategy->answered, 0, m * sizeof *strategy->answered);
    memcpy(strategy->lost, lost, m * sizeof *strategy->lost);
    strategy->plan.n = 0;
}

struct task *strategy_contact(struct strategy *strategy, uint32_t worker, enum task_op op, double threshold)
{
    uint32_t n = strategy->plan.n;
    assert(worker < strategy->config.workers && !strategy->lost[worker]);
    assert(n == 0 || strategy->tasks[n - 1].worker < worker);
    strategy->contacted[worker] = true;
    struct task *task = &strategy->tasks[n];
    *task = (struct task){.worker = worker,
                          .op = op,
                          .threshold = threshold,
                          .parts = strategy->task_parts + (size_t)n * strategy->width,
                          .weights = strategy->task_weights + (size_t)n * strategy->width};
    strategy->plan.n++;
    return task;
}

void strategy_assign(struct strategy *strategy, struct task *task, uint32_t part, double weight)
{
    assert(task->n < strategy->width);
    size_t place = (size_t)(task - strategy->tasks) * strategy->width + task->n++;
    strategy->task_parts[place] = part;
    strategy->task_weights[place] = weight;
}

/* May this worker answer this round's task with a skip? */
static bool may_skip(const struct strategy *strategy, uint32_t worker)
{
    for (uint32_t k = 0; k < strategy->plan.n; k++)
        if (strategy->tasks[k].worker == worker)
            return strategy->tasks[k].op == TASK_LAZY && strategy->tasks[k].threshold >= 0;
    return false;
}

enum offer strategy_take(struct strategy *strategy, const struct answer *answer)
{
    uint32_t worker = answer->worker;
    if (worker >= strategy->config.workers || answer->round > strategy->round)
        return OFFER_STRAY;
    if (answer->round < strategy->round || !strategy->open)
        return OFFER_LATE;
    if (!strategy->contacted[worker] || strategy->lost[worker])
        return OFFER_STRAY;
    if (strategy->answered[worker])
        return OFFER_DUPLICATE;
    if (answer->vector == NULL && !may_skip(strategy, worker))
        return OFFER_STRAY;
    strategy->answered[worker] = true;
    strategy->answers++;
    return strategy->done ? OFFER_DONE : OFFER_MORE;
}

double *strategy_slot(struct strategy *strategy, uint32_t k)
{
    if (strategy->slot[k] == NULL)
        strategy->slot[k] = mem_array(strategy->config.d, sizeof **strategy->slot);
    return strategy->slot[k];
}

bool strategy_awaits(const struct strategy *strategy, uint32_t worker)
{
    return strategy->contacted[worker] && !strategy->answered[worker] && !strategy->lost[worker];
}

uint32_t strategy_stored_own(const struct strategy_config *config, uint32_t worker, uint32_t *parts)
{
    (void)config;
    parts[0] = worker;
    return 1;
}

enum offer strategy_all_in(struct strategy *strategy)
{
    strategy->done = strategy->answers == strategy->plan.n;
    return strategy->done ? OFFER_DONE : OFFER_MORE;
}

bool strategy_lacks_any(const struct strategy *strategy)
{
    for (uint32_t worker = 0; worker < strategy->config.workers; worker++)
        if (strategy->lost[worker] && !strategy->done)
            return true;
    return false;
}

enum offer strategy_lose(struct strategy *strategy, uint32_t worker)
{
    assert(worker < strategy->config.workers);
    strategy->lost[worker] = true;
    if (strategy->done)
        return OFFER_DONE;
    return strategy->ops->is_stuck(strategy) ? OFFER_STUCK : OFFER_MORE;
}

uint32_t strategy_selected(const struct strategy *strategy)
{
    return strategy->selected;
}

void strategy_sum_slots(const struct strategy *strategy, uint32_t n, double *sum)
{
    vector_zero(sum, strategy->config.d);
    for (uint32_t k = 0; k < n; k++)
        if (strategy->slot[k] != NULL)
            vector_add(sum, 1, strategy->slot[k], strategy->config.d);
}

void strategy_finish_all(struct strategy *strategy, double *gradient, bool *used)
{
    strategy->open = false;
    strategy_sum_slots(strategy, strategy->config.workers, gradient);
    memcpy(used, strategy->answered, strategy->config.workers * sizeof *used);
}

void lazy_init(struct lazy *lazy, uint32_t n, size_t d)
{
    lazy->n = n;
    lazy->d = d;
    lazy->smoothness = mem_array(n, sizeof *lazy->smoothness);
    lazy->hat = mem_array(n, sizeof *lazy->hat);
    lazy->selected = mem_array(n, sizeof *lazy->selected);
}

void lazy_clear(struct lazy *lazy)
{
    for (uint32_t k = 0; k < lazy->n; k++)
        theta_unref(lazy->hat[k]);
    free(lazy->selected);
    free(lazy->hat);
    free(lazy->smoothness);
}

uint32_t lazy_select(struct lazy *lazy, uint32_t round, const double *theta, double threshold, bool all)
{
    struct theta *now = theta_new(round, lazy->d);
    vector_copy(now->value, theta, lazy->d);
    const struct theta *last = NULL; /* neighbours often share θ̂: one distance serves them */
    double distance = 0;
    uint32_t count = 0;
    for (uint32_t k = 0; k < lazy->n; k++) {
        struct theta *hat = lazy->hat[k];
        if (hat != NULL && hat != last)
            distance = vector_distance_square(hat->value, theta, lazy->d);
        last = hat;
        double l = lazy->smoothness[k];
        lazy->selected[k] = all || hat == NULL || !(l * l * distance <= threshold);
        count += lazy->selected[k];
    }
    for (uint32_t k = 0; k < lazy->n; k++)
        if (lazy->selected[k]) {
            theta_unref(lazy->hat[k]);
            lazy->hat[k] = theta_ref(now);
        }
    theta_unref(now);
    return count;
}
