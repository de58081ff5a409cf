/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A worker's computing (doors: engine_start, engine_step, engine_commit, engine_cancel). A task is a list of
 * partitions; each needs its gradient at θ^i and, for a change (TASK_DELTA) whose θ̂_k was never evaluated here, one
 * more at θ̂_k. */
#include "config.h"

#include "core/engine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/vector.h"

/* What the worker keeps of a partition between rounds. */
struct stale {
    struct theta *hat;        /* θ̂_k, NULL: unset */
    bool known;               /* gradient is ∇L_k(θ̂_k) */
    double *gradient, *fresh; /* d values each, allocated when θ̂_k is first set; fresh: at the θ of the task in hand */
};

enum engine_state { ENGINE_IDLE, ENGINE_COMPUTING, ENGINE_FINISHED };

struct engine {
    const struct model *model;
    const struct partition_set *parts;
    size_t d;
    bool *stored;        /* K flags */
    struct stale *stale; /* K */
    double *sent;        /* d: TASK_LAZY, the sum of the δ sent */

    enum engine_state state;
    struct task task;
    uint32_t *task_parts;
    double *task_weights;
    struct theta *theta;

    uint32_t item; /* of the task, in hand */
    bool at_hat;   /* at θ̂ first */
    size_t row;    /* next */
    uint32_t evaluated;
    double *gradient; /* d: of the item in hand, where no stale one is kept */
    double *sum;      /* d: the answer */
};

struct engine *engine_new(const struct model *model, const struct partition_set *parts)
{
    assert(parts->count > 0);
    struct engine *engine = mem_zalloc(sizeof *engine);
    engine->model = model;
    engine->parts = parts;
    for (size_t k = 0; k < parts->count && engine->d == 0; k++)
        engine->d = parts->part[k].d;
    engine->stored = mem_array(parts->count, sizeof *engine->stored);
    engine->stale = mem_array(parts->count, sizeof *engine->stale);
    engine->task_parts = mem_array(parts->count, sizeof *engine->task_parts);
    engine->task_weights = mem_array(parts->count, sizeof *engine->task_weights);
    engine->sent = mem_array(engine->d, sizeof *engine->sent);
    engine->gradient = mem_array(engine->d, sizeof *engine->gradient);
    engine->sum = mem_array(engine->d, sizeof *engine->sum);
    return engine;
}

static void drop_task(struct engine *engine)
{
    theta_unref(engine->theta);
    engine->theta = NULL;
    engine->state = ENGINE_IDLE;
}

static void forget(struct engine *engine)
{
    for (size_t k = 0; k < engine->parts->count; k++) {
        struct stale *stale = &engine->stale[k];
        theta_unref(stale->hat);
        free(stale->gradient);
        free(stale->fresh);
        *stale = (struct stale){0};
    }
    drop_task(engine);
}

void engine_free(struct engine *engine)
{
    if (engine == NULL)
        return;
    forget(engine);
    free(engine->sum);
    free(engine->gradient);
    free(engine->sent);
    free(engine->task_weights);
    free(engine->task_parts);
    free(engine->stale);
    free(engine->stored);
    free(engine);
}

void engine_reset(struct engine *engine, const uint32_t *stored, uint32_t n)
{
    forget(engine);
    vector_zero(engine->sent, engine->d);
    memset(engine->stored, 0, engine->parts->count * sizeof *engine->stored);
    for (uint32_t j = 0; j < n; j++) {
        assert(stored[j] < engine->parts->count);
        engine->stored[stored[j]] = true;
    }
}

bool engine_is_idle(const struct engine *engine)
{
    return engine->state == ENGINE_IDLE;
}

static int check_task(const struct engine *engine, const struct task *task, const struct theta *theta,
                      struct error *err)
{
    if (engine->state != ENGINE_IDLE)
        return error_set(err, "a task for round %u came while that of round %u is in hand", theta->round,
                         engine->theta->round);
    if (task->op != TASK_GRADIENT && task->op != TASK_DELTA && task->op != TASK_LAZY)
        return error_set(err, "a task with the unknown operation %d", (int)task->op);
    if (theta->d != engine->d)
        return error_set(err, "an iterate of %zu values where the data has %zu features", theta->d, engine->d);
    if (task->n < 1 || task->n > engine->parts->count)
        return error_set(err, "a task with %u partitions: there are %zu", task->n, engine->parts->count);
    for (uint32_t j = 0; j < task->n; j++) {
        uint32_t k = task->parts[j];
        if (k >= engine->parts->count || !engine->stored[k])
            return error_set(err, "a task with partition %u, which this worker does not store", k + 1);
        for (uint32_t other = 0; other < j; other++)
            if (task->parts[other] == k)
                return error_set(err, "a task that names partition %u twice", k + 1);
    }
    return 0;
}

/* Does this task move θ̂_k of its partition k? */
static bool moves_hat(const struct engine *engine, uint32_t k)
{
    return engine->task.op == TASK_DELTA || (engine->task.op == TASK_GRADIENT && engine->stale[k].hat != NULL);
}

static void begin_item(struct engine *engine, uint32_t item)
{
    engine->item = item;
    engine->row = 0;
    engine->at_hat = false;
    if (item == engine->task.n) {
        engine->state = ENGINE_FINISHED;
        return;
    }
    struct stale *stale = &engine->stale[engine->task.parts[item]];
    engine->at_hat = engine->task.op == TASK_DELTA && stale->hat != NULL && !stale->known;
    if (moves_hat(engine, engine->task.parts[item]) && stale->fresh == NULL) {
        stale->fresh = mem_array(engine->d, sizeof *stale->fresh);
        stale->gradient = mem_array(engine->d, sizeof *stale->gradient);
    }
}

int engine_start(struct engine *engine, const struct task *task, struct theta *theta, struct error *err)
{
    if (check_task(engine, task, theta, err) < 0)
        return -1;
    memcpy(engine->task_parts, task->parts, task->n * sizeof *task->parts);
    memcpy(engine->task_weights, task->weights, task->n * sizeof *task->weights);
    engine->task = *task;
    engine->task.parts = engine->task_parts;
    engine->task.weights = engine->task_weights;
    engine->theta = theta_ref(theta);
    engine->state = ENGINE_COMPUTING;
    engine->evaluated = 0;
    vector_zero(engine->sum, engine->d);
    begin_item(engine, 0);
    return 0;
}

/* Where the gradient in hand is collected. */
static double *target(struct engine *engine, uint32_t k)
{
    if (engine->at_hat)
        return engine->stale[k].gradient;
    return moves_hat(engine, k) ? engine->stale[k].fresh : engine->gradient;
}

/* A partition's gradient is complete: the one at θ̂ is followed by the one at θ, which goes into the answer. */
static void finish_gradient(struct engine *engine, uint32_t k, const double *gradient)
{
    struct stale *stale = &engine->stale[k];
    engine->evaluated++;
    if (engine->at_hat) {
        stale->known = true;
        engine->at_hat = false;
        engine->row = 0;
        return;
    }
    double weight = engine->task.weights[engine->item];
    if (engine->task.op == TASK_DELTA && stale->hat != NULL)
        vector_add_difference(engine->sum, weight, gradient, stale->gradient, engine->d);
    else
        vector_add(engine->sum, weight, gradient, engine->d);
    begin_item(engine, engine->item + 1);
}

/* Go on with the gradient in hand by at most `rows`, a multiple of the block. Returns rows done. */
static size_t advance(struct engine *engine, size_t rows)
{
    uint32_t k = engine->task.parts[engine->item];
    const struct partition *part = &engine->parts->part[k];
    const double *point = engine->at_hat ? engine->stale[k].hat->value : engine->theta->value;
    double *gradient = target(engine, k);
    size_t first = engine->row, last = part->n - first > rows ? first + rows : part->n;
    if (first == 0)
        vector_zero(gradient, engine->d);
    if (last > first)
        model_add_rows(engine->model, part, first, last, point, gradient);
    engine->row = last;
    if (last == part->n) {
        if (engine->model->l2 != 0)
            vector_add(gradient, engine->model->l2, point, engine->d);
        finish_gradient(engine, k, gradient);
    }
    return last - first;
}

enum engine_step engine_step(struct engine *engine, size_t rows)
{
    assert(engine->state != ENGINE_IDLE);
    size_t blocks = rows / MODEL_BLOCK_ROWS + (rows % MODEL_BLOCK_ROWS != 0 || rows == 0);
    size_t left = blocks * MODEL_BLOCK_ROWS;
    while (engine->state == ENGINE_COMPUTING && left > 0) {
        size_t done = advance(engine, left); /* a partition's last block may be short: it counts whole */
        left -= (done + MODEL_BLOCK_ROWS - 1) / MODEL_BLOCK_ROWS * MODEL_BLOCK_ROWS;
    }
    return engine->state == ENGINE_FINISHED ? ENGINE_READY : ENGINE_BUSY;
}

/* θ̂_k := θ^i for the task's partitions; known: their fresh gradients are complete. */
static void move_hats(struct engine *engine, bool known)
{
    for (uint32_t j = 0; j < engine->task.n; j++) {
        uint32_t k = engine->task.parts[j];
        struct stale *stale = &engine->stale[k];
        if (!moves_hat(engine, k))
            continue;
        if (known) {
            double *old = stale->gradient;
            stale->gradient = stale->fresh;
            stale->fresh = old;
        }
        stale->known = known;
        theta_unref(stale->hat);
        stale->hat = theta_ref(engine->theta);
    }
}

/* The trigger at the worker: turns the gradient in sum into δ. Send it? */
static bool wants_to_send(struct engine *engine)
{
    vector_subtract(engine->sum, engine->sent, engine->d);
    if (vector_square(engine->sum, engine->d) <= engine->task.threshold)
        return false;
    vector_add(engine->sent, 1, engine->sum, engine->d);
    return true;
}

struct answer engine_commit(struct engine *engine)
{
    assert(engine->state == ENGINE_FINISHED);
    struct answer answer = {.worker = engine->task.worker,
                            .round = engine->theta->round,
                            .vector = engine->sum,
                            .evaluated = engine->evaluated};
    if (engine->task.op == TASK_LAZY && !wants_to_send(engine))
        answer.vector = NULL;
    move_hats(engine, true);
    drop_task(engine);
    return answer;
}

uint32_t engine_cancel(struct engine *engine)
{
    if (engine->state == ENGINE_IDLE)
        return 0;
    move_hats(engine, false);
    drop_task(engine);
    return engine->evaluated;
}
