/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "tests/unit/driver.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/random.h"
#include "core/vector.h"

enum { VECTOR_BYTES = 1000, TASK_BYTES = 1100, NOTICE_BYTES = 20, STEP_ROWS = 40, MS = 1000000 };

struct driver {
    struct problem *problem;
    const struct driver_options *options;
    struct session *session;
    struct engine *engine[DRIVER_WORKERS_MAX];
    struct driver_result result;
    uint32_t workers;
    double due[DRIVER_WORKERS_MAX]; /* when each would answer in this round */
    bool late[DRIVER_WORKERS_MAX];  /* still has the task of the round before */
    bool lost[DRIVER_WORKERS_MAX];
    bool sent[DRIVER_WORKERS_MAX];
    double time;
};

struct session_config driver_config(struct problem *problem, const struct driver_options *options)
{
    uint32_t m = (uint32_t)problem->parts.count;
    return (struct session_config){
        .ops = strategy_find(options->strategy),
        .strategy = {.workers = m,
                     .partitions = m,
                     .redundancy = options->redundancy ? options->redundancy : 1,
                     .d = problem->data.d,
                     .alpha = problem->alpha,
                     .history = 10,
                     .xi = NAN,
                     .always = options->always,
                     .refresh = options->refresh,
                     .by_smoothness = options->by_smoothness,
                     .code = options->code,
                     .seed = 1,
                     .smoothness = problem->smoothness,
                     .group_smoothness = problem_group_smoothness,
                     .context = problem},
        .target_kind = options->target_kind,
        .target = options->target,
        .max_rounds = options->max_rounds ? options->max_rounds : 5000,
    };
}

static void open_run(struct driver *driver)
{
    struct error err = {""};
    struct session_config config = driver_config(driver->problem, driver->options);
    driver->session = session_new(&config, &err);
    if (driver->session == NULL) {
        fprintf(stderr, "driver: %s\n", err.text);
        abort();
    }
    driver->workers = config.strategy.workers;
    assert(driver->workers <= DRIVER_WORKERS_MAX);
    uint32_t *stored = mem_array(driver->workers, sizeof *stored);
    for (uint32_t m = 0; m < driver->workers; m++) {
        driver->engine[m] = engine_new(&driver->problem->model, &driver->problem->parts);
        engine_reset(driver->engine[m], stored, config.ops->stored(&config.strategy, m, stored));
    }
    free(stored);
    driver->result.d = (uint32_t)driver->problem->data.d;
}

/* Tell the session the error of its newest iterate, and keep both. */
static void evaluate(struct driver *driver)
{
    struct driver_result *result = &driver->result;
    const double *theta = session_theta(driver->session)->value;
    uint32_t i = result->iterates++;
    result->theta = mem_resize(result->theta, (size_t)result->iterates * result->d, sizeof *result->theta);
    result->loss = mem_resize(result->loss, result->iterates, sizeof *result->loss);
    vector_copy(result->theta + (size_t)i * result->d, theta, result->d);
    double error = problem_error(driver->problem, theta);
    result->loss[i] = error + driver->problem->lowest;
    if (driver->options->target_kind == TARGET_GRADIENT)
        error = problem_gradient_norm(driver->problem, theta);
    session_error(driver->session, i, error);
}

/* The worker computes to the end, and its answer comes in. */
static enum offer deliver(struct driver *driver, uint32_t worker)
{
    struct engine *engine = driver->engine[worker];
    while (engine_step(engine, STEP_ROWS) == ENGINE_BUSY)
        ;
    struct answer answer = engine_commit(engine);
    if (answer.vector != NULL) {
        driver->result.uplinks[worker]++;
        driver->sent[worker] = answer.round == session_round(driver->session);
    }
    return session_answer(driver->session, &answer, answer.vector ? VECTOR_BYTES : NOTICE_BYTES, 0);
}

static void give_tasks(struct driver *driver, const struct plan *plan)
{
    struct error err = {""};
    uint32_t round = session_round(driver->session);
    for (uint32_t k = 0; k < plan->n; k++) {
        const struct task *task = &plan->tasks[k];
        if (driver->late[task->worker] && deliver(driver, task->worker) != OFFER_LATE)
            abort();
        driver->late[task->worker] = false;
        if (engine_start(driver->engine[task->worker], task, session_theta(driver->session), &err) < 0) {
            fprintf(stderr, "driver: %s\n", err.text);
            abort();
        }
        session_sent_task(driver->session, task->worker, TASK_BYTES);
        driver->result.contacts++;
        driver->result.assigned += task->n;
        struct random_key key = {driver->options->order, RANDOM_TEST, task->worker, round};
        const struct dist *times = driver->options->times;
        driver->due[task->worker] =
            times ? task->n * dist_compute_draw(times, driver->options->order, task->worker, round)
                  : random_uniform(key, 0);
    }
}

/* The next of those pending to answer, or `workers`. */
static uint32_t next_due(const struct driver *driver)
{
    const bool *pending = session_pending(driver->session);
    uint32_t next = driver->workers;
    for (uint32_t m = 0; m < driver->workers; m++)
        if (pending[m] && (next == driver->workers || driver->due[m] < driver->due[next]))
            next = m;
    return next;
}

static void cancel(struct driver *driver, uint32_t worker)
{
    uint32_t round = session_round(driver->session);
    session_sent_cancel(driver->session, worker, NOTICE_BYTES);
    engine_step(driver->engine[worker], STEP_ROWS); /* as far as it got */
    session_cancelled(driver->session, worker, round, engine_cancel(driver->engine[worker]), NOTICE_BYTES);
}

/* In mid-round: as the PS does with those whose answer is of no use any more. */
static void end_unneeded(struct driver *driver)
{
    const bool *pending = session_pending(driver->session);
    for (uint32_t m = 0; m < driver->workers && driver->options->rest == DRIVER_CANCEL; m++)
        if (pending[m] && !driver->lost[m] && !session_needs(driver->session, m))
            cancel(driver, m);
}

static void end_others(struct driver *driver)
{
    const bool *pending = session_pending(driver->session);
    for (uint32_t m = 0; m < driver->workers; m++) {
        if (!pending[m] || driver->lost[m])
            continue;
        if (driver->options->rest == DRIVER_LATE)
            driver->late[m] = true;
        else
            cancel(driver, m);
    }
}

/* Whom this round takes away, if anybody. */
static enum offer take_away(struct driver *driver)
{
    const struct driver_options *options = driver->options;
    uint32_t round = session_round(driver->session), count = options->lose_count ? options->lose_count : 1;
    if (options->lose_round == 0 || round < options->lose_round || round >= options->lose_round + count)
        return OFFER_MORE;
    uint32_t worker = options->lose_worker + round - options->lose_round;
    driver->lost[worker] = true;
    engine_cancel(driver->engine[worker]);
    driver->late[worker] = false;
    return session_lose(driver->session, worker);
}

/* From a plan to where the round can end. False: it cannot. */
static bool play_round(struct driver *driver, const struct plan *plan)
{
    if (session_is_stuck(driver->session))
        return false;
    give_tasks(driver, plan);
    enum offer verdict = take_away(driver);
    bool done = plan->n == 0 || verdict == OFFER_DONE;
    double end = 0;
    while (verdict != OFFER_STUCK && (!done || driver->options->rest == DRIVER_WAIT)) {
        uint32_t worker = next_due(driver);
        if (worker == driver->workers)
            break;
        verdict = deliver(driver, worker);
        if (verdict == OFFER_MORE)
            end_unneeded(driver);
        if (!done)
            end = driver->due[worker];
        done = done || verdict == OFFER_DONE;
    }
    driver->time += end;
    return done;
}

static void end_round(struct driver *driver, const struct plan *plan, int64_t now_ns)
{
    end_others(driver);
    struct driver_round round = {.plan = plan, .sent = driver->sent};
    round.record = session_end(driver->session, now_ns);
    round.used = session_used(driver->session);
    round.theta = session_theta(driver->session)->value;
    for (uint32_t m = 0; m < driver->workers; m++)
        round.sends += driver->sent[m];
    if (driver->options->watch != NULL)
        driver->options->watch(driver->options->context, &round);
    memset(driver->sent, 0, sizeof driver->sent);
}

struct driver_result driver_run(struct problem *problem, const struct driver_options *options)
{
    struct driver driver = {.problem = problem, .options = options};
    int64_t now_ns = 0;
    open_run(&driver);
    evaluate(&driver);
    while (session_verdict(driver.session, now_ns) == SESSION_GOES_ON) {
        const struct plan *plan = session_begin(driver.session, now_ns);
        if (!play_round(&driver, plan)) {
            driver.result.stuck = true;
            driver.result.stuck_round = session_round(driver.session);
            break;
        }
        now_ns += MS;
        end_round(&driver, plan, now_ns);
        evaluate(&driver);
    }
    driver.result.summary = session_summary(driver.session);
    if (driver.result.iterates > 1)
        driver.result.round_time = driver.time / (driver.result.iterates - 1);
    for (uint32_t m = 0; m < driver.workers; m++)
        engine_free(driver.engine[m]);
    session_free(driver.session);
    return driver.result;
}

void driver_clear(struct driver_result *result)
{
    free(result->theta);
    free(result->loss);
}

double driver_distance(const struct driver_result *a, const struct driver_result *b)
{
    if (a->iterates != b->iterates || a->d != b->d)
        return INFINITY;
    double worst = 0;
    for (uint32_t i = 0; i < a->iterates; i++) {
        const double *x = a->theta + (size_t)i * a->d, *y = b->theta + (size_t)i * b->d;
        worst = fmax(worst, sqrt(vector_distance_square(x, y, a->d)) / fmax(1, sqrt(vector_square(x, a->d))));
    }
    return worst;
}
