/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The history of steps, and references to iterates. */
#include "config.h"

#include "core/theta.h"
#include "core/trigger.h"
#include "tests/unit/cmocka_all.h"

static void history__empty__zero(void **state)
{
    (void)state;
    struct history history;
    history_init(&history, 3);
    assert_true(history_sum(&history) == 0);
    assert_true(trigger_threshold(&history, 1, 0.5, 4) == 0);
    history_clear(&history);
}

static void history__more_than_its_depth__the_newest_count(void **state)
{
    (void)state;
    struct history history;
    const double sums[] = {1, 3, 7, 14, 28};
    history_init(&history, 3);
    for (int k = 0; k < 5; k++) {
        history_add(&history, 1 << k);
        assert_true(history_sum(&history) == sums[k]);
    }
    history_clear(&history);
}

static void threshold__alpha_and_count__squared(void **state)
{
    (void)state;
    struct history history;
    history_init(&history, 10);
    history_add(&history, 8);
    history_add(&history, 4);
    assert_true(trigger_threshold(&history, 0.25, 0.5, 4) == 0.25 * 12 / (0.25 * 16));
    history_clear(&history);
}

static void history__no_depth__nothing_kept(void **state)
{
    (void)state;
    struct history history;
    history_init(&history, 0);
    history_add(&history, 5);
    assert_true(history_sum(&history) == 0);
    history_clear(&history);
}

static void theta__references__value_lives_until_the_last(void **state)
{
    (void)state;
    struct theta *theta = theta_new(3, 2);
    assert_true(theta->value[0] == 0 && theta->value[1] == 0);
    assert_ptr_equal(theta_ref(theta), theta);
    theta->value[1] = 4;
    theta_unref(theta);
    assert_int_equal(theta->references, 1);
    assert_true(theta->value[1] == 4 && theta->round == 3 && theta->d == 2);
    theta_unref(theta);
    theta_unref(NULL);
    assert_null(theta_ref(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(history__empty__zero),
        cmocka_unit_test(history__more_than_its_depth__the_newest_count),
        cmocka_unit_test(threshold__alpha_and_count__squared),
        cmocka_unit_test(history__no_depth__nothing_kept),
        cmocka_unit_test(theta__references__value_lives_until_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
