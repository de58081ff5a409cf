/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exactly one of ANSWER, SKIP and CANCELLED goes out for each TASK that came in. */
#include "config.h"

#include "worker/agent.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "core/dist.h"
#include "core/engine.h"
#include "core/random.h"
#include "wire/codec.h"
#include "wire/legality.h"
#include "worker/pace.h"

/* A chunk of computing lasts between these: long enough to be worth the way round the loop, short enough that a cancel
 * is heard within a millisecond. */
enum { CHUNK_SHORT_NS = 200 * NS_PER_US, CHUNK_LONG_NS = 500 * NS_PER_US, CHUNK_ROWS_MAX = 1 << 20 };
/* No T is longer than this: what a heavy tail draws must still fit the clock. */
static const double LENGTH_MAX_S = 1e9;

struct agent {
    const struct scenario *scenario;
    const struct input *input;
    uint32_t worker;
    const double *smoothness;
    struct agent_io io;
    void *context;
    struct engine *engine;
    struct pace pace;
    enum wire_state state;
    uint32_t run, round; /* of the task in hand */
    uint64_t repeat_seed;
    struct theta *theta; /* the last THETA */
    size_t chunk_rows;
};

struct agent *agent_new(const struct scenario *scenario, const struct input *input, uint32_t worker,
                        const double *smoothness, const struct agent_io *io, void *context)
{
    struct agent *agent = mem_zalloc(sizeof *agent);
    agent->scenario = scenario;
    agent->input = input;
    agent->worker = worker;
    agent->smoothness = smoothness;
    agent->io = *io;
    agent->context = context;
    agent->engine = engine_new(&input->model, &input->parts);
    agent->state = WIRE_STATE_JOINED;
    agent->chunk_rows = MODEL_BLOCK_ROWS;
    return agent;
}

void agent_free(struct agent *agent)
{
    if (agent == NULL)
        return;
    engine_free(agent->engine);
    theta_unref(agent->theta);
    free(agent);
}

static bool is_busy(const struct agent *agent)
{
    return agent->pace.state != PACE_IDLE;
}

static uint32_t stop_task(struct agent *agent)
{
    pace_stop(&agent->pace);
    return engine_cancel(agent->engine);
}

static void cancel(struct agent *agent)
{
    struct wire_message message = {.type = WIRE_CANCELLED,
                                   .u.cancelled = {.round = agent->round, .evaluated = stop_task(agent)}};
    agent->io.send(agent->context, &message);
}

void agent_disconnect(struct agent *agent)
{
    if (is_busy(agent))
        stop_task(agent);
    agent->state = WIRE_STATE_JOINED;
}

/* ── messages ── */

static const struct strategy_choice *find_choice(const struct agent *agent, const char *name, size_t *which)
{
    for (*which = 0; *which < agent->scenario->n_strategies; (*which)++)
        if (strcmp(agent->scenario->strategy[*which].ops->name, name) == 0)
            return &agent->scenario->strategy[*which];
    return NULL;
}

static enum agent_outcome on_begin(struct agent *agent, const struct wire_message *message, struct error *err)
{
    const char *name = message->u.begin.strategy;
    size_t which;
    const struct strategy_choice *choice = find_choice(agent, name, &which);
    if (choice == NULL || choice->redundancy != message->u.begin.redundancy) {
        error_set(err,
                  "the PS begins %s with redundancy %" PRIu32
                  ", which this worker's scenario does not have: both need the same",
                  name, message->u.begin.redundancy);
        return AGENT_BAD;
    }
    struct session_config config;
    scenario_session_config(agent->scenario, which, message->u.begin.repeat, &config);
    config.strategy.d = agent->input->data.d;
    config.strategy.smoothness = agent->smoothness;
    uint32_t *parts = mem_array(agent->scenario->cluster.workers, sizeof *parts);
    engine_reset(agent->engine, parts, config.ops->stored(&config.strategy, agent->worker, parts));
    free(parts);
    theta_unref(agent->theta);
    agent->theta = NULL;
    agent->run = message->u.begin.run;
    agent->repeat_seed = random_repeat_seed(agent->scenario->seed, message->u.begin.repeat);
    agent->state = WIRE_STATE_RUNNING;
    struct wire_message ready = {.type = WIRE_READY, .u.ready.run = agent->run};
    agent->io.send(agent->context, &ready);
    return AGENT_GOES_ON;
}

static enum agent_outcome on_theta(struct agent *agent, const struct wire_message *message, struct error *err)
{
    size_t d = agent->input->data.d;
    if (message->u.theta.n != d) {
        error_set(err, "a THETA of %" PRIu32 " values: the data have %zu features", message->u.theta.n, d);
        return AGENT_BAD;
    }
    theta_unref(agent->theta);
    agent->theta = theta_new(message->u.theta.round, d);
    memcpy(agent->theta->value, message->u.theta.value, d * sizeof(double));
    return AGENT_GOES_ON;
}

/* T = ℓ·X in ns; −1 when no time is modelled. */
static int64_t task_length(const struct agent *agent, uint32_t round, uint32_t partitions)
{
    const struct dist *dist = &agent->scenario->compute[agent->worker];
    if (dist->kind == DIST_NONE)
        return -1;
    double seconds = partitions * dist_compute_draw(dist, agent->repeat_seed, agent->worker, round);
    return (int64_t)llrint(fmin(seconds, LENGTH_MAX_S) * NS_PER_S);
}

static int check_task(const struct agent *agent, const struct wire_message *message, struct error *err)
{
    uint32_t round = message->u.task.round;
    if (is_busy(agent))
        return error_set(err, "a TASK of round %" PRIu32 " while that of round %" PRIu32 " is in hand", round,
                         agent->round);
    if (agent->theta == NULL || agent->theta->round != round)
        return error_set(err, "a TASK of round %" PRIu32 " without its THETA", round);
    if (message->u.task.op < TASK_GRADIENT || message->u.task.op > TASK_LAZY)
        return error_set(err, "a TASK with operation %u, which this version does not know", message->u.task.op);
    return 0;
}

static enum agent_outcome on_task(struct agent *agent, const struct wire_message *message, struct error *err)
{
    struct task task = {.worker = agent->worker,
                        .op = (enum task_op)message->u.task.op,
                        .threshold = message->u.task.threshold,
                        .n = message->u.task.n,
                        .parts = message->u.task.parts,
                        .weights = message->u.task.weights};
    int64_t now = agent->io.now(agent->context);
    if (check_task(agent, message, err) < 0 || engine_start(agent->engine, &task, agent->theta, err) < 0)
        return AGENT_BAD;
    agent->round = message->u.task.round;
    pace_start(&agent->pace, now, task_length(agent, agent->round, task.n));
    agent->io.work(agent->context);
    return AGENT_GOES_ON;
}

/* A cancel that crossed our answer finds nothing in hand, or a later task: both are left alone. */
static enum agent_outcome on_cancel(struct agent *agent, const struct wire_message *message)
{
    if (is_busy(agent) && agent->round == message->u.cancel.round)
        cancel(agent);
    return AGENT_GOES_ON;
}

static enum agent_outcome on_end(struct agent *agent)
{
    if (is_busy(agent))
        cancel(agent);
    agent->state = WIRE_STATE_JOINED;
    return AGENT_GOES_ON;
}

enum agent_outcome agent_message(struct agent *agent, const struct wire_message *message, struct error *err)
{
    if (!wire_is_legal(WIRE_ROLE_WORKER, agent->state, message->type)) {
        error_set(err, "the PS sent %s out of place", wire_type_name(message->type));
        return AGENT_BAD;
    }
    switch (message->type) {
    case WIRE_BEGIN:
        return on_begin(agent, message, err);
    case WIRE_THETA:
        return on_theta(agent, message, err);
    case WIRE_TASK:
        return on_task(agent, message, err);
    case WIRE_CANCEL:
        return on_cancel(agent, message);
    case WIRE_END:
        return on_end(agent);
    default:
        return AGENT_BYE; /* all that is left of what is legal */
    }
}

/* ── computing and waiting ── */

static void answer(struct agent *agent)
{
    struct answer answer = engine_commit(agent->engine);
    struct pace_times times;
    pace_finish(&agent->pace, agent->io.now(agent->context), &times);
    struct wire_message message = {.type = answer.vector ? WIRE_ANSWER : WIRE_SKIP,
                                   .u.answer = {.round = agent->round,
                                                .evaluated = answer.evaluated,
                                                .n = answer.vector ? (uint32_t)agent->input->data.d : 0,
                                                .compute_ns = times.compute_ns,
                                                .wait_ns = times.wait_ns,
                                                .overrun_ns = times.overrun_ns,
                                                .late_ns = times.late_ns,
                                                .vector = answer.vector}};
    agent->io.send(agent->context, &message);
}

static void adapt_chunk(struct agent *agent, int64_t took_ns)
{
    if (took_ns > CHUNK_LONG_NS && agent->chunk_rows > MODEL_BLOCK_ROWS)
        agent->chunk_rows /= 2;
    else if (took_ns < CHUNK_SHORT_NS && agent->chunk_rows < CHUNK_ROWS_MAX)
        agent->chunk_rows *= 2;
}

bool agent_work(struct agent *agent)
{
    if (agent->pace.state != PACE_COMPUTING)
        return false;
    int64_t before = agent->io.now(agent->context);
    enum engine_step step = engine_step(agent->engine, agent->chunk_rows);
    int64_t now = agent->io.now(agent->context);
    if (step == ENGINE_BUSY) {
        adapt_chunk(agent, now - before); /* the last chunk of a task is shorter, and says nothing */
        return true;
    }
    int64_t due = pace_computed(&agent->pace, now);
    if (due > now)
        agent->io.wake_at(agent->context, due);
    else
        answer(agent);
    return false;
}

void agent_wake(struct agent *agent)
{
    if (agent->pace.state != PACE_WAITING)
        return;
    if (agent->io.now(agent->context) < agent->pace.due_ns)
        agent->io.wake_at(agent->context, agent->pace.due_ns); /* it was meant for a task before this one */
    else
        answer(agent);
}
