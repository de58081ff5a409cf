/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which figures of a probe are inside their tolerance. */
#include "config.h"

#include "bed/probe_judge.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/clock.h"

static enum verdict delay_verdict(struct link link, double delay_ms, uint32_t samples)
{
    struct probe_seen seen = {.delay_sent = 30, .delay_samples = samples, .delay_ms = delay_ms};
    return judge_delay(&link, &seen).verdict;
}

static void delay__within_a_millisecond_or_five_percent__is_good(void **state)
{
    (void)state;
    struct link five = {.delay_ns = 5 * NS_PER_MS}, long_way = {.delay_ns = 200 * NS_PER_MS};
    assert_int_equal(delay_verdict(five, 5.9, 30), VERDICT_GOOD);
    assert_int_equal(delay_verdict(five, 6.1, 30), VERDICT_OUTSIDE);
    assert_int_equal(delay_verdict(five, 0.05, 30), VERDICT_OUTSIDE);
    assert_int_equal(delay_verdict(long_way, 209, 30), VERDICT_GOOD);
    assert_int_equal(delay_verdict(long_way, 211, 30), VERDICT_OUTSIDE);
}

static void delay__jitter__widens_by_three_standard_errors(void **state)
{
    (void)state;
    struct link link = {.delay_ns = 20 * NS_PER_MS, .jitter_ns = 5 * NS_PER_MS};
    assert_int_equal(delay_verdict(link, 22.5, 25), VERDICT_GOOD); /* 1 + 3 × 5 / √25 = 4 */
    assert_int_equal(delay_verdict(link, 24.1, 25), VERDICT_OUTSIDE);
}

static void delay__nothing_arrives__is_outside(void **state)
{
    (void)state;
    struct link link = {.delay_ns = 5 * NS_PER_MS};
    struct link dead = {.loss = LINK_LOSS_INDEPENDENT, .loss_ppm = 1000000};
    assert_int_equal(delay_verdict(link, NAN, 0), VERDICT_OUTSIDE);
    assert_int_equal(delay_verdict(dead, NAN, 0), VERDICT_UNKNOWN); /* as asked */
}

static void delay__slow_link__probe_s_own_time_is_taken_off(void **state)
{
    (void)state;
    struct link link = {.delay_ns = 5 * NS_PER_MS, .rate_bps = 100000};
    struct probe_seen seen = {.delay_samples = 30, .delay_ms = 10.28}; /* 528 bits at 100 kbit/s: 5.28 ms */
    struct judgement j = judge_delay(&link, &seen);
    assert_float_equal(j.achieved, 5, 1e-5);
    assert_int_equal(j.verdict, VERDICT_GOOD);
}

static struct probe_seen train(double rate_bps, double offered_bps)
{
    return (struct probe_seen){.rate_samples = 1000, .rate_bps = rate_bps, .offered_bps = offered_bps, .train_s = 0.3};
}

static void rate__within_five_percent__is_good(void **state)
{
    (void)state;
    struct link link = {.rate_bps = 50000000};
    struct probe_seen good = train(49e6, 52e6), half = train(25e6, 52e6), twice = train(100e6, 120e6);
    assert_int_equal(judge_rate(&link, &good).verdict, VERDICT_GOOD);
    assert_int_equal(judge_rate(&link, &half).verdict, VERDICT_OUTSIDE);
    assert_int_equal(judge_rate(&link, &twice).verdict, VERDICT_OUTSIDE);
}

static void rate__train_slower_than_the_link__is_unknown(void **state)
{
    (void)state;
    struct link link = {.rate_bps = 1000000000}, plain = {0};
    struct probe_seen seen = train(600e6, 610e6), none = {.rate_samples = 0, .rate_bps = NAN, .offered_bps = 1e9};
    assert_int_equal(judge_rate(&link, &seen).verdict, VERDICT_UNKNOWN);
    assert_int_equal(judge_rate(&link, &none).verdict, VERDICT_OUTSIDE);
    assert_int_equal(judge_rate(&plain, &seen).verdict, VERDICT_NOT_ASKED);
}

static void loss__enough_of_it__is_judged_by_its_spread(void **state)
{
    (void)state;
    struct link link = {.loss = LINK_LOSS_INDEPENDENT, .loss_ppm = 50000};
    struct probe_seen good = {.loss_sent = 1000, .loss_arrived = 955}, none = {.loss_sent = 1000, .loss_arrived = 1000};
    struct probe_seen few = {.loss_sent = 100, .loss_arrived = 100};
    assert_int_equal(judge_loss(&link, &good).verdict, VERDICT_GOOD);
    assert_float_equal(judge_loss(&link, &good).achieved, 4.5, 1e-5);
    assert_int_equal(judge_loss(&link, &none).verdict, VERDICT_OUTSIDE);
    assert_int_equal(judge_loss(&link, &few).verdict, VERDICT_UNKNOWN);
}

static void loss_share__gemodel__is_its_stationary_share(void **state)
{
    (void)state;
    struct link link = {
        .loss = LINK_LOSS_GEMODEL, .ge_p_ppm = 10000, .ge_r_ppm = 300000, .ge_1h_ppm = 1000000, .ge_1k_ppm = 0};
    assert_float_equal(judge_loss_share(&link), 0.01 / 0.31, 1e-6);
    link.ge_1k_ppm = 100000;
    assert_float_equal(judge_loss_share(&link), (0.01 + 0.3 * 0.1) / 0.31, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delay__within_a_millisecond_or_five_percent__is_good),
        cmocka_unit_test(delay__jitter__widens_by_three_standard_errors),
        cmocka_unit_test(delay__nothing_arrives__is_outside),
        cmocka_unit_test(delay__slow_link__probe_s_own_time_is_taken_off),
        cmocka_unit_test(rate__within_five_percent__is_good),
        cmocka_unit_test(rate__train_slower_than_the_link__is_unknown),
        cmocka_unit_test(loss__enough_of_it__is_judged_by_its_spread),
        cmocka_unit_test(loss_share__gemodel__is_its_stationary_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
