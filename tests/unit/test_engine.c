/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A worker's computing: the three operations, stale gradients after a cancel, and tasks that a wrong PS could send. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/engine.h"
#include "core/vector.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/problem.h"

enum { D = 5, K = 4 };

static struct problem problem;

static int set_up(void **state)
{
    (void)state;
    problem_synthetic(&problem, 4 * 70, D, K, 1.2, MODEL_LOGISTIC, 0.5, 3); /* 70 rows: two whole blocks and a part */
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    problem_clear(&problem);
    return 0;
}

static struct engine *make(void)
{
    struct engine *engine = engine_new(&problem.model, &problem.parts);
    const uint32_t stored[3] = {1, 2, 3};
    engine_reset(engine, stored, 3);
    return engine;
}

static struct theta *iterate(uint32_t round)
{
    struct theta *theta = theta_new(round, D);
    for (size_t j = 0; j < D; j++)
        theta->value[j] = 0.1 * (round + 1) * (double)(j + 1);
    return theta;
}

/* Start a task at iterate `round`, which only the engine keeps. */
static void start(struct engine *engine, const struct task *task, uint32_t round)
{
    struct error err = {""};
    struct theta *theta = iterate(round);
    if (engine_start(engine, task, theta, &err) < 0)
        fail_msg("%s", err.text);
    theta_unref(theta);
}

static struct answer finish(struct engine *engine, size_t rows)
{
    while (engine_step(engine, rows) == ENGINE_BUSY)
        ;
    return engine_commit(engine);
}

/* sum = Σ_k w_k (∇L_k(θ^now) − ∇L_k(θ^then)), then < 0: without the second term. */
static void expect(double *sum, uint32_t n, const uint32_t *parts, const double *weights, int now, int then)
{
    double gradient[D];
    vector_zero(sum, D);
    for (uint32_t j = 0; j < n; j++)
        for (int term = 0; term < (then < 0 ? 1 : 2); term++) {
            struct theta *theta = iterate((uint32_t)(term == 0 ? now : then));
            model_partition(&problem.model, &problem.parts.part[parts[j]], theta->value, gradient);
            vector_add(sum, term == 0 ? weights[j] : -weights[j], gradient, D);
            theta_unref(theta);
        }
}

static void assert_close(const double *got, const double *want)
{
    for (size_t j = 0; j < D; j++)
        if (!(fabs(got[j] - want[j]) <= 1e-10 * (1 + fabs(want[j]))))
            fail_msg("value %zu: %.15g is not %.15g", j, got[j], want[j]);
}

static const uint32_t pair[2] = {3, 1};
static const double pair_weights[2] = {1, -2.5};
static const struct task gradient_task = {
    .worker = 7, .op = TASK_GRADIENT, .n = 2, .parts = pair, .weights = pair_weights};
static const struct task delta_task = {.worker = 7, .op = TASK_DELTA, .n = 2, .parts = pair, .weights = pair_weights};

static void gradient__two_partitions__weighted_sum(void **state)
{
    (void)state;
    struct engine *engine = make();
    double want[D];
    start(engine, &gradient_task, 4);
    assert_false(engine_is_idle(engine));
    struct answer answer = finish(engine, 1000);
    expect(want, 2, pair, pair_weights, 4, -1);
    assert_close(answer.vector, want);
    assert_int_equal(answer.worker, 7);
    assert_int_equal(answer.round, 4);
    assert_int_equal(answer.evaluated, 2);
    assert_true(engine_is_idle(engine));
    engine_free(engine);
}

static void step__any_cut__bit_identical(void **state)
{
    (void)state;
    struct engine *engine = make();
    double whole[D];
    start(engine, &gradient_task, 1);
    memcpy(whole, finish(engine, 100000).vector, sizeof whole);
    for (size_t rows = 0; rows < 150; rows += 7) {
        start(engine, &gradient_task, 1);
        assert_memory_equal(finish(engine, rows).vector, whole, sizeof whole);
    }
    engine_free(engine);
}

/* Two partitions of 70 rows, three blocks each: 32 rows a call are six calls. */
static void step__one_block_a_call__returns_in_between(void **state)
{
    (void)state;
    struct engine *engine = make();
    start(engine, &gradient_task, 1);
    for (int call = 1; call < 6; call++)
        assert_int_equal(engine_step(engine, 1), ENGINE_BUSY);
    assert_int_equal(engine_step(engine, 1), ENGINE_READY);
    assert_int_equal(engine_step(engine, 1), ENGINE_READY);
    engine_free(engine);
}

static void delta__first_time__whole_gradient(void **state)
{
    (void)state;
    struct engine *engine = make();
    double want[D];
    start(engine, &delta_task, 0);
    struct answer answer = finish(engine, 64);
    expect(want, 2, pair, pair_weights, 0, -1);
    assert_close(answer.vector, want);
    assert_int_equal(answer.evaluated, 2);
    engine_free(engine);
}

static void delta__after_a_finished_task__change_without_recomputing(void **state)
{
    (void)state;
    struct engine *engine = make();
    double want[D];
    start(engine, &delta_task, 0);
    finish(engine, 64);
    start(engine, &delta_task, 2);
    struct answer answer = finish(engine, 64);
    expect(want, 2, pair, pair_weights, 2, 0);
    assert_close(answer.vector, want);
    assert_int_equal(answer.evaluated, 2);
    engine_free(engine);
}

/* Cancelled at θ^1, whether computing or ready: the next change is from θ^1 all the same, at the cost of two
 * evaluations. */
static void delta__after_a_cancel__stale_gradients_recomputed(void **state)
{
    (void)state;
    for (size_t rows = 32; rows <= 1000; rows += 968) {
        struct engine *engine = make();
        double want[D];
        start(engine, &delta_task, 0);
        finish(engine, 64);
        start(engine, &delta_task, 1);
        engine_step(engine, rows);
        assert_int_equal(engine_cancel(engine), rows == 32 ? 0 : 2);
        assert_true(engine_is_idle(engine));
        start(engine, &delta_task, 2);
        struct answer answer = finish(engine, 64);
        expect(want, 2, pair, pair_weights, 2, 1);
        assert_close(answer.vector, want);
        assert_int_equal(answer.evaluated, 4);
        start(engine, &delta_task, 3);
        assert_int_equal(finish(engine, 64).evaluated, 2);
        engine_free(engine);
    }
}

/* Cancelled in the middle of recomputing a stale gradient: that one is not taken for complete. */
static void delta__cancelled_while_recomputing__right_afterwards(void **state)
{
    (void)state;
    struct engine *engine = make();
    double want[D];
    for (uint32_t round = 0; round < 3; round++) {
        start(engine, &delta_task, round);
        engine_step(engine, 32);
        engine_cancel(engine);
    }
    start(engine, &delta_task, 5);
    struct answer answer = finish(engine, 64);
    expect(want, 2, pair, pair_weights, 5, 2);
    assert_close(answer.vector, want);
    engine_free(engine);
}

/* lagc's refresh: a plain gradient of partitions that have a stale one moves it. */
static void gradient__stale_ones_kept__they_move(void **state)
{
    (void)state;
    struct engine *engine = make();
    double want[D];
    start(engine, &delta_task, 0);
    finish(engine, 64);
    start(engine, &gradient_task, 1);
    struct answer answer = finish(engine, 64);
    expect(want, 2, pair, pair_weights, 1, -1);
    assert_close(answer.vector, want);
    start(engine, &delta_task, 2);
    answer = finish(engine, 64);
    expect(want, 2, pair, pair_weights, 2, 1);
    assert_close(answer.vector, want);
    assert_int_equal(answer.evaluated, 2);
    start(engine, &gradient_task, 3);
    engine_cancel(engine);
    start(engine, &delta_task, 4);
    answer = finish(engine, 64);
    expect(want, 2, pair, pair_weights, 4, 3);
    assert_close(answer.vector, want);
    assert_int_equal(answer.evaluated, 4);
    engine_free(engine);
}

static void lazy__threshold__skip_or_change_since_last_sent(void **state)
{
    (void)state;
    struct engine *engine = make();
    const uint32_t part = 2;
    const double one = 1;
    double want[D];
    struct task task = {.op = TASK_LAZY, .threshold = -1, .n = 1, .parts = &part, .weights = &one};
    start(engine, &task, 0);
    assert_non_null(finish(engine, 64).vector);
    expect(want, 1, &part, &one, 1, 0);
    task.threshold = vector_square(want, D) * 1.001;
    start(engine, &task, 1);
    struct answer skip = finish(engine, 64);
    assert_null(skip.vector);
    assert_int_equal(skip.evaluated, 1);
    task.threshold = vector_square(want, D) * 0.999;
    start(engine, &task, 1);
    assert_close(finish(engine, 64).vector, want);
    start(engine, &task, 3);
    expect(want, 1, &part, &one, 3, 1);
    assert_close(finish(engine, 64).vector, want);
    engine_free(engine);
}

static void reset__after_a_run__stale_gradients_forgotten(void **state)
{
    (void)state;
    struct engine *engine = make();
    const uint32_t stored[2] = {3, 1};
    double want[D];
    start(engine, &delta_task, 0);
    finish(engine, 64);
    start(engine, &delta_task, 1);
    engine_reset(engine, stored, 2);
    assert_true(engine_is_idle(engine));
    start(engine, &delta_task, 2);
    expect(want, 2, pair, pair_weights, 2, -1);
    assert_close(finish(engine, 64).vector, want);
    engine_free(engine);
}

static void refuse(struct engine *engine, const struct task *task, size_t d, const char *why)
{
    struct error err = {""};
    struct theta *theta = theta_new(0, d);
    assert_int_equal(engine_start(engine, task, theta, &err), -1);
    if (strstr(err.text, why) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.text, why);
    assert_int_equal(theta->references, 1);
    theta_unref(theta);
}

static void start__wrong_tasks__refused(void **state)
{
    (void)state;
    struct engine *engine = make();
    const double ones[5] = {1, 1, 1, 1, 1};
    struct task task = {.op = TASK_GRADIENT, .n = 1, .parts = (const uint32_t[]){0}, .weights = ones};
    refuse(engine, &task, D, "partition 1, which this worker does not store");
    task.parts = (const uint32_t[]){UINT32_MAX};
    refuse(engine, &task, D, "does not store");
    task.parts = (const uint32_t[]){1, 2, 1};
    task.n = 3;
    refuse(engine, &task, D, "twice");
    task.n = 2;
    refuse(engine, &task, D + 1, "6 values");
    task.op = 9;
    refuse(engine, &task, D, "unknown operation 9");
    task.op = TASK_DELTA;
    task.n = 0;
    refuse(engine, &task, D, "0 partitions");
    task.n = 5;
    refuse(engine, &task, D, "5 partitions");
    assert_int_equal(engine_cancel(engine), 0);
    start(engine, &gradient_task, 0);
    refuse(engine, &gradient_task, D, "in hand");
    engine_free(engine);
}

int main(void)
{
    model_init_blas();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient__two_partitions__weighted_sum),
        cmocka_unit_test(step__any_cut__bit_identical),
        cmocka_unit_test(step__one_block_a_call__returns_in_between),
        cmocka_unit_test(delta__first_time__whole_gradient),
        cmocka_unit_test(delta__after_a_finished_task__change_without_recomputing),
        cmocka_unit_test(delta__after_a_cancel__stale_gradients_recomputed),
        cmocka_unit_test(delta__cancelled_while_recomputing__right_afterwards),
        cmocka_unit_test(gradient__stale_ones_kept__they_move),
        cmocka_unit_test(lazy__threshold__skip_or_change_since_last_sent),
        cmocka_unit_test(reset__after_a_run__stale_gradients_forgotten),
        cmocka_unit_test(start__wrong_tasks__refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
