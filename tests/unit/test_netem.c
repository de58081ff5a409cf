/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queue limits, requests to netem/link-shape, and the comparison of what the kernel says with what was asked. */
#include "config.h"

#include "bed/netem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"

/* ── queue limit ── */

static void limit__asked_for__is_taken(void **state)
{
    (void)state;
    struct link link = {.rate_bps = 1000000000, .delay_ns = NS_PER_S, .queue_packets = 7};
    assert_int_equal(shape_queue_limit(&link), 7);
}

static void limit__auto__holds_twice_what_is_under_way(void **state)
{
    (void)state;
    struct link link = {.rate_bps = 200000000, .delay_ns = 100 * NS_PER_MS};
    assert_int_equal(shape_queue_limit(&link), 3334); /* 2 × 2.5 MB / 1500 B = 3333.3 */
    link.jitter_ns = 25 * NS_PER_MS;
    assert_int_equal(shape_queue_limit(&link), 6667); /* four deviations more */
    link = (struct link){.delay_ns = 60 * NS_PER_MS};
    assert_int_equal(shape_queue_limit(&link), 10000); /* as at 1 Gbit/s */
}

static void limit__small_product__is_at_least_a_hundred(void **state)
{
    (void)state;
    struct link link = {.rate_bps = 1000000, .delay_ns = 5 * NS_PER_MS};
    assert_int_equal(shape_queue_limit(&link), 100);
    assert_int_equal(shape_queue_limit(&(struct link){0}), 100);
}

static void limit__largest_figures__do_not_overflow(void **state)
{
    (void)state;
    struct link link = {.rate_bps = 100000000000, .delay_ns = 60ll * NS_PER_S, .jitter_ns = 60ll * NS_PER_S};
    assert_int_equal(shape_queue_limit(&link), 10000000);
}

/* ── requests ── */

static void check_request(const struct link *link, bool fresh, const char *expected)
{
    char *text = netem_request("ifb-w3", link, fresh);
    assert_string_equal(text, expected);
    free(text);
}

static void request__every_figure__is_said_in_its_one_unit(void **state)
{
    (void)state;
    struct link link = {.delay_ns = 2500 * NS_PER_US,
                        .jitter_ns = 300499,
                        .shape = DELAY_PARETONORMAL,
                        .rate_bps = 1500000,
                        .loss = LINK_LOSS_INDEPENDENT,
                        .loss_ppm = 1,
                        .duplicate_ppm = 20000,
                        .reorder_ppm = 30500,
                        .corrupt_ppm = 1000000};
    check_request(&link, false,
                  "set --dev ifb-w3 --limit 100 --delay 2500us --jitter 300us --distribution paretonormal "
                  "--rate 1500000bit --loss 0.0001% --duplicate 2.0000% --reorder 3.0500% --corrupt 100.0000%");
}

static void request__gemodel__has_its_four_shares(void **state)
{
    (void)state;
    struct link link = {.loss = LINK_LOSS_GEMODEL, .ge_p_ppm = 10000, .ge_r_ppm = 300000, .ge_1h_ppm = 1000000};
    check_request(&link, false,
                  "set --dev ifb-w3 --limit 100 --delay 0us --jitter 0us --distribution normal "
                  "--gemodel 1.0000%,30.0000%,100.0000%,0.0000% "
                  "--duplicate 0.0000% --reorder 0.0000% --corrupt 0.0000%");
}

static void request__fresh__asks_for_a_new_queue(void **state)
{
    (void)state;
    char *text = netem_request("w1", &(struct link){0}, true);
    assert_non_null(strstr(text, " --fresh"));
    free(text);
}

/* ── what the kernel says ── */

static const struct link asked = {.delay_ns = 20 * NS_PER_MS,
                                  .jitter_ns = 5 * NS_PER_MS,
                                  .rate_bps = 10000000,
                                  .loss = LINK_LOSS_INDEPENDENT,
                                  .loss_ppm = 10000,
                                  .duplicate_ppm = 20000,
                                  .reorder_ppm = 30000,
                                  .corrupt_ppm = 40000,
                                  .queue_packets = 333};

/* As a 6.1 kernel answered it. The pieces in brackets are replaced in the tests that lie. */
#define DELAY     "\"delay\":{\"delay\":0.02,\"jitter\":0.005,\"correlation\":0},"
#define LOSS      "\"loss-random\":{\"loss\":0.01,\"correlation\":0},"
#define DUPLICATE "\"duplicate\":{\"duplicate\":0.02,\"correlation\":0},"
#define REORDER   "\"reorder\":{\"reorder\":0.03,\"correlation\":0},"
#define CORRUPT   "\"corrupt\":{\"corrupt\":0.04,\"correlation\":0},"
#define RATE      "\"rate\":{\"rate\":1250000,\"packetoverhead\":0,\"cellsize\":0,\"celloverhead\":0},"
#define ANSWER(limit, delay, loss, duplicate, reorder, corrupt, rate, gap)                                             \
    "[{\"kind\":\"netem\",\"handle\":\"1:\",\"root\":true,\"refcnt\":2,\"options\":{\"limit\":" limit                  \
    "," delay loss duplicate reorder corrupt rate "\"ecn\":false,\"gap\":" gap                                         \
    "},\"bytes\":1514,\"packets\":9,\"drops\":4,\"overlimits\":0,\"requeues\":0,\"backlog\":0,\"qlen\":0},"            \
    "{\"kind\":\"ingress\",\"handle\":\"ffff:\",\"parent\":\"ffff:fff1\",\"options\":{}}]"

static void compare__as_asked__is_good_and_counts(void **state)
{
    (void)state;
    struct error err = {{0}};
    struct shape_counts counts;
    const char *answer = ANSWER("333", DELAY, LOSS, DUPLICATE, REORDER, CORRUPT, RATE, "1");
    assert_int_equal(netem_compare(answer, &asked, &counts, &err), 0);
    assert_int_equal(counts.packets, 9);
    assert_int_equal(counts.bytes, 1514);
    assert_int_equal(counts.drops, 4);
}

static void expect_lie(const char *answer, const char *figure)
{
    struct error err = {{0}};
    assert_int_equal(netem_compare(answer, &asked, NULL, &err), -1);
    if (strstr(err.text, figure) == NULL)
        fail_msg("the error does not name %s: %s", figure, err.text);
}

static void compare__dropped_option__is_named(void **state)
{
    (void)state;
    expect_lie(ANSWER("333", "", LOSS, DUPLICATE, REORDER, CORRUPT, RATE, "1"), "delay.delay");
    expect_lie(ANSWER("333", DELAY, "", DUPLICATE, REORDER, CORRUPT, RATE, "1"), "loss-random.loss");
    expect_lie(ANSWER("333", DELAY, LOSS, "", REORDER, CORRUPT, RATE, "1"), "duplicate");
    expect_lie(ANSWER("333", DELAY, LOSS, DUPLICATE, "", CORRUPT, RATE, "1"), "reorder");
    expect_lie(ANSWER("333", DELAY, LOSS, DUPLICATE, REORDER, "", RATE, "1"), "corrupt");
    expect_lie(ANSWER("333", DELAY, LOSS, DUPLICATE, REORDER, CORRUPT, "", "1"), "rate.rate");
    expect_lie(ANSWER("1000", DELAY, LOSS, DUPLICATE, REORDER, CORRUPT, RATE, "1"), "limit");
}

static void compare__wrong_figure__is_named_with_both_values(void **state)
{
    (void)state;
    expect_lie(ANSWER("333", DELAY, LOSS, DUPLICATE, REORDER, CORRUPT, "\"rate\":{\"rate\":625000},", "1"),
               "rate.rate: asked for 10000000bit/s, the kernel has 5000000bit/s");
    expect_lie(ANSWER("333", "\"delay\":{\"delay\":0.02,\"jitter\":0},", LOSS, DUPLICATE, REORDER, CORRUPT, RATE, "1"),
               "delay.jitter: asked for 5000us, the kernel has 0us");
    expect_lie(
        ANSWER("333", "\"delay\":{\"delay\":0.0201,\"jitter\":0.005},", LOSS, DUPLICATE, REORDER, CORRUPT, RATE, "1"),
        "delay.delay");
    expect_lie(ANSWER("333", DELAY, "\"loss-random\":{\"loss\":0.0101},", DUPLICATE, REORDER, CORRUPT, RATE, "1"),
               "loss-random.loss");
}

static void compare__more_than_asked__is_named(void **state)
{
    (void)state;
    expect_lie(ANSWER("333", DELAY, LOSS "\"loss-gemodel\":{\"p\":0.01,\"r\":0.3,\"1-h\":1,\"1-k\":0},", DUPLICATE,
                      REORDER, CORRUPT, RATE, "1"),
               "loss-gemodel.p");
    expect_lie(ANSWER("333", DELAY, "\"loss-random\":{\"loss\":0.01,\"correlation\":0.75},", DUPLICATE, REORDER,
                      CORRUPT, RATE, "1"),
               "loss-random.correlation");
    expect_lie(ANSWER("333", DELAY, LOSS, DUPLICATE, REORDER, CORRUPT, RATE, "5"), "gap");
}

static void compare__no_netem__is_an_error(void **state)
{
    (void)state;
    expect_lie("[{\"kind\":\"noqueue\",\"handle\":\"0:\",\"root\":true,\"refcnt\":2,\"options\":{}}]", "noqueue");
    expect_lie("[]", "none");
    expect_lie("{\"kind\":\"netem\"}", "not a list");
    expect_lie("qdisc netem 1: root", "not a list");
}

static void compare__kernel_rounding__is_good(void **state)
{
    (void)state;
    struct error err = {{0}};
    /* 123457 us in 64 ns ticks is printed as 0.123456; 1000003 bit/s in whole bytes; 1 ppm as a fraction of 2^32 */
    struct link link = {.delay_ns = 123457 * NS_PER_US,
                        .rate_bps = 1000003,
                        .loss = LINK_LOSS_INDEPENDENT,
                        .loss_ppm = 1,
                        .queue_packets = 100};
    const char *answer = ANSWER("100", "\"delay\":{\"delay\":0.123456,\"jitter\":0,\"correlation\":0},",
                                "\"loss-random\":{\"loss\":1.00001e-06,\"correlation\":0},", "", "", "",
                                "\"rate\":{\"rate\":125000},", "0");
    if (netem_compare(answer, &link, NULL, &err) < 0)
        fail_msg("%s", err.text);
}

static void compare__plain_link__wants_no_netem_or_one_that_only_keeps_order(void **state)
{
    (void)state;
    struct error err = {{0}};
    const char *none = "[{\"kind\":\"noqueue\",\"root\":true,\"options\":{}}]";
    const char *zero = ANSWER("100", "", "", "", "", "", "\"rate\":{\"rate\":12500000000},", "0");
    assert_int_equal(netem_compare(none, NULL, NULL, &err), 0);
    assert_int_equal(netem_compare(zero, NULL, NULL, &err), -1);
    assert_int_equal(netem_compare(zero, &(struct link){0}, NULL, &err), 0);
    assert_int_equal(netem_compare(ANSWER("100", "", "", "", "", "", "", "0"), &(struct link){0}, NULL, &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limit__asked_for__is_taken),
        cmocka_unit_test(limit__auto__holds_twice_what_is_under_way),
        cmocka_unit_test(limit__small_product__is_at_least_a_hundred),
        cmocka_unit_test(limit__largest_figures__do_not_overflow),
        cmocka_unit_test(request__every_figure__is_said_in_its_one_unit),
        cmocka_unit_test(request__gemodel__has_its_four_shares),
        cmocka_unit_test(request__fresh__asks_for_a_new_queue),
        cmocka_unit_test(compare__as_asked__is_good_and_counts),
        cmocka_unit_test(compare__dropped_option__is_named),
        cmocka_unit_test(compare__wrong_figure__is_named_with_both_values),
        cmocka_unit_test(compare__more_than_asked__is_named),
        cmocka_unit_test(compare__no_netem__is_an_error),
        cmocka_unit_test(compare__kernel_rounding__is_good),
        cmocka_unit_test(compare__plain_link__wants_no_netem_or_one_that_only_keeps_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
