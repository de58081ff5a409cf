/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timing of a task, with times that are made up. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker/pace.h"

static void task__computed_before_T__waits_for_what_is_left(void **state)
{
    (void)state;
    struct pace pace = {0};
    struct pace_times times;
    pace_start(&pace, 1000, 500);
    assert_int_equal(pace_computed(&pace, 1200), 1500);
    pace_finish(&pace, 1507, &times);
    assert_int_equal(times.compute_ns, 200);
    assert_int_equal(times.wait_ns, 307);
    assert_int_equal(times.overrun_ns, 0);
    assert_int_equal(times.late_ns, 7);
    assert_int_equal(pace.state, PACE_IDLE);
}

static void task__computed_after_T__answers_at_once_and_shows_the_overrun(void **state)
{
    (void)state;
    struct pace pace = {0};
    struct pace_times times;
    pace_start(&pace, 1000, 500);
    assert_int_equal(pace_computed(&pace, 1800), 1800);
    pace_finish(&pace, 1801, &times);
    assert_int_equal(times.compute_ns, 800);
    assert_int_equal(times.wait_ns, 1);
    assert_int_equal(times.overrun_ns, 300);
    assert_int_equal(times.late_ns, 1);
}

static void task__without_T__has_no_overrun(void **state)
{
    (void)state;
    struct pace pace = {0};
    struct pace_times times;
    pace_start(&pace, 1000, -1);
    assert_int_equal(pace_computed(&pace, 1800), 1800);
    pace_finish(&pace, 1800, &times);
    assert_int_equal(times.compute_ns, 800);
    assert_int_equal(times.overrun_ns, 0);
    assert_int_equal(times.late_ns, 0);
}

static void task__T_of_zero__is_all_overrun(void **state)
{
    (void)state;
    struct pace pace = {0};
    struct pace_times times;
    pace_start(&pace, 1000, 0);
    assert_int_equal(pace_computed(&pace, 1800), 1800);
    pace_finish(&pace, 1800, &times);
    assert_int_equal(times.overrun_ns, 800);
}

static void task__stopped_in_any_state__leaves_room_for_the_next(void **state)
{
    (void)state;
    struct pace pace = {0};
    struct pace_times times;
    pace_start(&pace, 0, 500);
    pace_stop(&pace);
    pace_start(&pace, 100, 500);
    (void)pace_computed(&pace, 200);
    pace_stop(&pace);
    pace_start(&pace, 300, 50);
    assert_int_equal(pace_computed(&pace, 310), 350);
    pace_finish(&pace, 350, &times);
    assert_int_equal(times.compute_ns, 10);
    assert_int_equal(times.wait_ns, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(task__computed_before_T__waits_for_what_is_left),
        cmocka_unit_test(task__computed_after_T__answers_at_once_and_shows_the_overrun),
        cmocka_unit_test(task__without_T__has_no_overrun),
        cmocka_unit_test(task__T_of_zero__is_all_overrun),
        cmocka_unit_test(task__stopped_in_any_state__leaves_room_for_the_next),
    };
    return cmocka_run_group_tests_name("pace", tests, NULL, NULL);
}
