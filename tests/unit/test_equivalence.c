/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What must hold between strategies: eager twins of lazy ones, r = 1, contraction, optimum reached, order of answers.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/vector.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/driver.h"

enum { NINE, LOGISTIC, WIDE, PROBLEMS };

static struct problem problems[PROBLEMS];

static int set_up(void **state)
{
    (void)state;
    problem_synthetic(&problems[NINE], 450, 50, 9, 1.3, MODEL_LINEAR, 0, 1);
    problem_synthetic(&problems[LOGISTIC], 240, 10, 12, 1.1, MODEL_LOGISTIC, 1e-2, 5);
    problem_synthetic(&problems[WIDE], 40, 60, 8, 1.2, MODEL_LINEAR, 0.5, 2); /* fewer samples than features */
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int k = 0; k < PROBLEMS; k++)
        problem_clear(&problems[k]);
    return 0;
}

static void assert_same_messages(const struct tally *a, const struct tally *b)
{
    assert_int_equal(a->uplink, b->uplink);
    assert_int_equal(a->downlink, b->downlink);
    assert_int_equal(a->notices, b->notices);
    assert_int_equal(a->uplink_bytes, b->uplink_bytes);
    assert_int_equal(a->downlink_bytes, b->downlink_bytes);
    assert_int_equal(a->gradients, b->gradients);
    assert_int_equal(a->wasted, b->wasted);
}

/* Both strategies, both with these options: the same iterates to rounding; with `messages` the same books as well. */
static void check_twins(int which, const char *first, const char *second, struct driver_options options, bool messages)
{
    options.max_rounds = 60;
    options.order = 11;
    options.strategy = first;
    struct driver_result a = driver_run(&problems[which], &options);
    options.strategy = second;
    struct driver_result b = driver_run(&problems[which], &options);
    assert_int_equal(a.iterates, 61);
    double distance = driver_distance(&a, &b);
    if (!(distance < 1e-9))
        fail_msg("%s and %s on problem %d: %g apart", first, second, which, distance);
    if (messages)
        assert_same_messages(&a.summary.total, &b.summary.total);
    driver_clear(&a);
    driver_clear(&b);
}

static void r_1__gc_and_grouping__are_gd(void **state)
{
    (void)state;
    for (int k = 0; k < PROBLEMS; k++) {
        check_twins(k, "gd", "gc", (struct driver_options){.redundancy = 1}, true);
        check_twins(k, "gd", "grouping", (struct driver_options){.redundancy = 1}, true);
    }
}

static void r_1__lagc_and_g_lag__are_lag_ps(void **state)
{
    (void)state;
    for (int k = 0; k < PROBLEMS; k++) {
        check_twins(k, "lag-ps", "lagc", (struct driver_options){.redundancy = 1}, true);
        check_twins(k, "lag-ps", "g-lag", (struct driver_options){.redundancy = 1}, true);
    }
}

static void always__lag_ps_and_lag_wk__are_gd(void **state)
{
    (void)state;
    for (int k = 0; k < PROBLEMS; k++) {
        check_twins(k, "gd", "lag-ps", (struct driver_options){.always = true}, true);
        check_twins(k, "gd", "lag-wk", (struct driver_options){.always = true}, true);
    }
}

/* Not the same gradients: a cancelled worker of lagc recomputes its stale ones. */
static void always__lagc_is_gc__g_lag_is_grouping(void **state)
{
    (void)state;
    for (uint32_t r = 2; r <= 4; r++) {
        check_twins(LOGISTIC, "gc", "lagc", (struct driver_options){.always = true, .redundancy = r}, false);
        check_twins(LOGISTIC, "grouping", "g-lag", (struct driver_options){.always = true, .redundancy = r}, true);
    }
    check_twins(NINE, "gc", "lagc", (struct driver_options){.always = true, .redundancy = 3}, false);
    check_twins(NINE, "grouping", "g-lag", (struct driver_options){.always = true, .redundancy = 3}, true);
}

static void any_r__gc_and_grouping__gd_iterates(void **state)
{
    (void)state;
    const uint32_t redundancy[] = {2, 3, 4, 6, 12};
    for (int k = 0; k < 5; k++) {
        check_twins(LOGISTIC, "gd", "gc", (struct driver_options){.redundancy = redundancy[k]}, false);
        check_twins(LOGISTIC, "gd", "grouping", (struct driver_options){.redundancy = redundancy[k]}, false);
    }
}

static void any_r__lagc__lag_ps_iterates(void **state)
{
    (void)state;
    for (uint32_t r = 2; r <= 9; r++)
        check_twins(NINE, "lag-ps", "lagc", (struct driver_options){.redundancy = r}, false);
}

static void note_selected(void *context, const struct driver_round *round)
{
    ((uint32_t *)context)[round->record->round] = round->record->selected;
}

/* A refresh selects everything, and its step is GD's; also right after rounds in which workers were cancelled. */
static void lagc__refresh_every_7__true_gradient_then(void **state)
{
    (void)state;
    uint32_t selected[36] = {0}, lazy = 0;
    struct driver_options options = {.strategy = "lagc",
                                     .redundancy = 3,
                                     .refresh = 7,
                                     .max_rounds = 36,
                                     .order = 3,
                                     .watch = note_selected,
                                     .context = selected};
    const struct problem *problem = &problems[NINE];
    struct driver_result run = driver_run(&problems[NINE], &options);
    for (uint32_t i = 0; i < 36; i++) {
        const double *theta = run.theta + (size_t)i * run.d, *next = theta + run.d;
        double step = sqrt(vector_distance_square(theta, next, run.d));
        double descent = problem->alpha * problem_gradient_norm(problem, theta);
        lazy += selected[i] < 9;
        if (i % 7 == 0) {
            assert_int_equal(selected[i], 9);
            assert_true(fabs(step - descent) < 1e-10);
        }
    }
    assert_true(lazy > 20);
    driver_clear(&run);
}

static void fractional__gc_is_grouping(void **state)
{
    (void)state;
    check_twins(LOGISTIC, "grouping", "gc", (struct driver_options){.redundancy = 3, .code = CODE_FRACTIONAL}, false);
    check_twins(NINE, "lag-ps", "lagc", (struct driver_options){.redundancy = 3, .code = CODE_FRACTIONAL}, false);
}

static void smoothness_groups__g_lag__reaches_the_optimum(void **state)
{
    (void)state;
    struct driver_options options = {.strategy = "g-lag", .redundancy = 3, .by_smoothness = true, .target = 1e-8};
    struct driver_result run = driver_run(&problems[LOGISTIC], &options);
    assert_true(run.summary.reached);
    driver_clear(&run);
}

/* Every strategy, every way in which answers can come in, to the target. */
static void every_strategy__every_ending__reaches_the_optimum(void **state)
{
    (void)state;
    for (int k = 0; k < PROBLEMS; k++)
        for (const struct strategy_ops *const *ops = strategies; *ops != NULL; ops++)
            for (int rest = DRIVER_CANCEL; rest <= DRIVER_WAIT; rest++) {
                struct driver_options options = {.strategy = (*ops)->name,
                                                 .redundancy = k == NINE ? 3 : 2,
                                                 .target_kind = TARGET_RELATIVE_ERROR,
                                                 .target = 1e-7,
                                                 .order = 20,
                                                 .rest = (enum driver_rest)rest};
                struct driver_result run = driver_run(&problems[k], &options);
                if (!run.summary.reached)
                    fail_msg("%s on problem %d: error %g after %u rounds", (*ops)->name, k, run.summary.final_error,
                             run.summary.rounds);
                assert_true(run.summary.final_error < 1e-7 * run.summary.initial_error);
                driver_clear(&run);
            }
}

static void gradient_target__every_strategy__small_gradient_at_the_end(void **state)
{
    (void)state;
    for (const struct strategy_ops *const *ops = strategies; *ops != NULL; ops++) {
        struct driver_options options = {
            .strategy = (*ops)->name, .redundancy = 2, .target_kind = TARGET_GRADIENT, .target = 1e-3, .order = 9};
        struct driver_result run = driver_run(&problems[WIDE], &options);
        const double *last = run.theta + (size_t)(run.iterates - 1) * run.d;
        assert_true(run.summary.reached);
        assert_true(problem_gradient_norm(&problems[WIDE], last) < 1e-3);
        assert_true(problem_gradient_norm(&problems[WIDE], last - run.d) >= 1e-3);
        driver_clear(&run);
    }
}

/* Whoever is first, and however a round ends: bit-identical where the strategy says so. */
static void fixed_contributors__any_order__bit_identical(void **state)
{
    (void)state;
    int fixed = 0;
    for (const struct strategy_ops *const *ops = strategies; *ops != NULL; ops++) {
        if (!(*ops)->fixed_contributors)
            continue;
        fixed++;
        struct driver_options options = {.strategy = (*ops)->name, .redundancy = 3, .max_rounds = 60, .order = 1};
        struct driver_result a = driver_run(&problems[LOGISTIC], &options);
        for (uint64_t order = 2; order < 5; order++) {
            options.order = order;
            options.rest = (enum driver_rest)(order % 3);
            struct driver_result b = driver_run(&problems[LOGISTIC], &options);
            assert_int_equal(a.iterates, b.iterates);
            assert_memory_equal(a.theta, b.theta, (size_t)a.iterates * a.d * sizeof *a.theta);
            driver_clear(&b);
        }
        driver_clear(&a);
    }
    assert_int_equal(fixed, 5);
}

/* Least squares, α = 1/L: each step multiplies the error by at most (1 − μ/L)², μ the smallest eigenvalue, and in the
 * end by just that (the slowest mode is left). μ = 9 on the reference set. */
static void gd__least_squares__contracts_at_the_rate_of_the_spectrum(void **state)
{
    (void)state;
    struct driver_options options = {.strategy = "gd", .max_rounds = 90};
    struct driver_result run = driver_run(&problems[NINE], &options);
    double rate = pow(1 - 9 / problems[NINE].whole, 2);
    for (uint32_t i = 0; i + 1 < run.iterates; i++) {
        double before = run.loss[i] - problems[NINE].lowest, after = run.loss[i + 1] - problems[NINE].lowest;
        assert_true(after <= before * rate * (1 + 1e-6) + 1e-13);
        if (i > 60)
            assert_true(after >= before * rate * 0.999);
    }
    driver_clear(&run);
}

/* The mean round time of a strategy is an order statistic: within 12 % over 400 rounds, some five standard
 * errors. */
static void check_round_time(const char *strategy, uint32_t redundancy, double expected, const struct dist *times)
{
    struct driver_options options = {
        .strategy = strategy, .redundancy = redundancy, .max_rounds = 400, .order = 77, .times = times};
    struct driver_result run = driver_run(&problems[LOGISTIC], &options);
    double mean = run.round_time;
    if (!(fabs(mean - expected) < 0.12 * expected))
        fail_msg("%s, r = %u: mean round time %g s, not %g s", strategy, redundancy, mean, expected);
    driver_clear(&run);
}

static void exponential_times__round_times__order_statistics(void **state)
{
    (void)state;
    const struct dist times = {.kind = DIST_EXPONENTIAL, .mean = 0.01};
    check_round_time("gd", 1, dist_order_mean(&times, 12, 12), &times);
    check_round_time("gc", 3, 3 * dist_order_mean(&times, 10, 12), &times);
    check_round_time("grouping", 3, 3 * dist_group_mean(&times, 4, 3), &times);
}

int main(void)
{
    model_init_blas();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(r_1__gc_and_grouping__are_gd),
        cmocka_unit_test(r_1__lagc_and_g_lag__are_lag_ps),
        cmocka_unit_test(always__lag_ps_and_lag_wk__are_gd),
        cmocka_unit_test(always__lagc_is_gc__g_lag_is_grouping),
        cmocka_unit_test(any_r__gc_and_grouping__gd_iterates),
        cmocka_unit_test(any_r__lagc__lag_ps_iterates),
        cmocka_unit_test(lagc__refresh_every_7__true_gradient_then),
        cmocka_unit_test(fractional__gc_is_grouping),
        cmocka_unit_test(smoothness_groups__g_lag__reaches_the_optimum),
        cmocka_unit_test(every_strategy__every_ending__reaches_the_optimum),
        cmocka_unit_test(gradient_target__every_strategy__small_gradient_at_the_end),
        cmocka_unit_test(fixed_contributors__any_order__bit_identical),
        cmocka_unit_test(gd__least_squares__contracts_at_the_rate_of_the_spectrum),
        cmocka_unit_test(exponential_times__round_times__order_statistics),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
