/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A worker goes away in the middle of a run: redundant strategies finish with the right result, the others stop. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "tests/unit/cmocka_all.h"
#include "tests/unit/driver.h"

static struct problem problem;

static int set_up(void **state)
{
    (void)state;
    problem_synthetic(&problem, 240, 10, 12, 1.1, MODEL_LOGISTIC, 1e-2, 5);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    problem_clear(&problem);
    return 0;
}

static struct driver_result run_with_loss(const char *strategy, uint32_t redundancy, uint32_t worker, uint32_t count)
{
    struct driver_options options = {.strategy = strategy,
                                     .redundancy = redundancy,
                                     .target = 1e-7,
                                     .order = worker,
                                     .lose_worker = worker,
                                     .lose_round = 5,
                                     .lose_count = count};
    return driver_run(&problem, &options);
}

static void one_lost__redundant_strategies__right_result(void **state)
{
    (void)state;
    const char *const names[] = {"gc", "grouping", "lagc", "g-lag"};
    for (int k = 0; k < 4; k++)
        for (uint32_t worker = 0; worker < 12; worker += 5) {
            struct driver_result run = run_with_loss(names[k], 3, worker, 1);
            if (!run.summary.reached)
                fail_msg("%s without worker %u: stuck %d, error %g", names[k], worker, run.stuck,
                         run.summary.final_error);
            driver_clear(&run);
        }
}

/* grouping does not even notice: the same bits as without the loss. */
static void one_lost__grouping__bit_identical(void **state)
{
    (void)state;
    struct driver_result whole = driver_run(
        &problem, &(struct driver_options){.strategy = "grouping", .redundancy = 3, .target = 1e-7, .order = 4});
    struct driver_result lossy = run_with_loss("grouping", 3, 4, 1);
    assert_int_equal(whole.iterates, lossy.iterates);
    assert_memory_equal(whole.theta, lossy.theta, (size_t)whole.iterates * whole.d * sizeof(double));
    driver_clear(&whole);
    driver_clear(&lossy);
}

static void one_lost__without_redundancy__stuck_at_once(void **state)
{
    (void)state;
    const char *const names[] = {"gd", "lag-wk", "lag-ps", "gc", "grouping", "g-lag"};
    for (int k = 0; k < 6; k++) {
        struct driver_result run = run_with_loss(names[k], 1, 7, 1);
        assert_true(run.stuck);
        assert_int_equal(run.stuck_round, 5);
        assert_int_equal(run.summary.rounds, 5); /* the round in hand is not part of the run */
        driver_clear(&run);
    }
}

/* lagc, r = 1: stuck when the lost partition is selected, not before. */
static void one_lost__lagc_r_1__stuck_when_selected(void **state)
{
    (void)state;
    struct driver_result run = run_with_loss("lagc", 1, 7, 1);
    assert_true(run.stuck);
    assert_true(run.stuck_round >= 5);
    driver_clear(&run);
}

/* r − 1 losses are borne by any code; r neighbours are not. A group bears r − 1 of its own. */
static void r_minus_1_lost__goes_on__r_lost__stuck(void **state)
{
    (void)state;
    const char *const names[] = {"gc", "lagc", "grouping", "g-lag"};
    for (int k = 0; k < 4; k++) {
        struct driver_result two = run_with_loss(names[k], 3, 6, 2);
        assert_true(two.summary.reached);
        driver_clear(&two);
        struct driver_result three = run_with_loss(names[k], 3, 6, 3);
        assert_true(three.stuck);
        if (k != 1)
            assert_int_equal(three.stuck_round, 7);
        driver_clear(&three);
    }
}

/* Losses in different groups are nothing to grouping. */
static void three_lost__in_two_groups__grouping_goes_on(void **state)
{
    (void)state;
    struct driver_result run = run_with_loss("grouping", 3, 7, 3); /* 7, 8 of the third group, 9 of the fourth */
    assert_true(run.summary.reached);
    driver_clear(&run);
}

int main(void)
{
    model_init_blas();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_lost__redundant_strategies__right_result),
        cmocka_unit_test(one_lost__grouping__bit_identical),
        cmocka_unit_test(one_lost__without_redundancy__stuck_at_once),
        cmocka_unit_test(one_lost__lagc_r_1__stuck_when_selected),
        cmocka_unit_test(r_minus_1_lost__goes_on__r_lost__stuck),
        cmocka_unit_test(three_lost__in_two_groups__grouping_goes_on),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
