/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is planned when, and how one figure is put onto a link. */
#include "config.h"

#include "bed/timeline.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"

static struct timeline_event events[] = {
    {.at_ns = 100 * NS_PER_MS, .kind = EVENT_PAUSE, .node = 1, .length_ns = 5, .line = 10},
    {.at_ns = 100 * NS_PER_MS, .kind = EVENT_KILL, .node = 0, .signal = SIGKILL, .line = 11},
    {.at_ns = 300 * NS_PER_MS, .kind = EVENT_PAUSE, .node = 1, .length_ns = 5, .line = 12}, /* as a random one */
    {.at_ns = 2ll * NS_PER_S, .kind = EVENT_RESTART, .node = 0, .line = 13},
};

static struct pause_model pauses[3] = {
    {.every = {.kind = DIST_NONE}},
    {.every = {.kind = DIST_CONSTANT, .mean = 0.3}, .length = {.kind = DIST_CONSTANT, .mean = 0.2}},
    {.every = {.kind = DIST_EXPONENTIAL, .mean = 0.5}, .length = {.kind = DIST_PARETO, .mean = 0.1, .shape = 1.5}},
};

static struct scenario scenario(void)
{
    return (struct scenario){.seed = 7,
                             .cluster.workers = 3,
                             .n_events = sizeof events / sizeof events[0],
                             .event = events,
                             .pause = pauses};
}

static void next__events_and_pauses__come_in_order_of_time(void **state)
{
    (void)state;
    struct scenario s = scenario();
    struct timeline *timeline = timeline_new(&s, 0);
    struct planned planned;
    int64_t before = 0;
    int last_line = 0;
    for (int i = 0; i < 200; i++) {
        int64_t announced = timeline_next_at(timeline);
        assert_true(timeline_next(timeline, &planned));
        assert_int_equal(planned.at_ns, announced);
        assert_true(planned.at_ns >= before);
        before = planned.at_ns;
        if (planned.random)
            continue;
        assert_true(planned.event->line > last_line); /* ties in the order of the file */
        last_line = planned.event->line;
    }
    assert_int_equal(last_line, 13);
    timeline_free(timeline);
}

static void next__pauses_of_one_worker__never_overlap(void **state)
{
    (void)state;
    struct scenario s = scenario();
    struct timeline *timeline = timeline_new(&s, 0);
    struct planned planned;
    int64_t end[3] = {0};
    int seen[3] = {0};
    for (int i = 0; i < 500 && timeline_next(timeline, &planned); i++) {
        if (!planned.random)
            continue;
        int32_t w = planned.event->node;
        assert_true(planned.at_ns > end[w]);
        end[w] = planned.at_ns + planned.event->length_ns;
        seen[w]++;
        if (w == 1) /* constant: a gap of 300 ms, a pause of 200 ms */
            assert_int_equal(planned.at_ns / NS_PER_MS, 500 * seen[w] - 200);
    }
    assert_int_equal(seen[0], 0);
    assert_true(seen[2] > 100);
    timeline_free(timeline);
}

static void next__event_and_pause_at_one_time__event_is_first(void **state)
{
    (void)state;
    struct scenario s = scenario();
    s.pause[2].every.kind = DIST_NONE;
    struct timeline *timeline = timeline_new(&s, 0);
    struct planned planned;
    do
        assert_true(timeline_next(timeline, &planned));
    while (planned.at_ns < 300 * NS_PER_MS);
    assert_false(planned.random);
    assert_true(timeline_next(timeline, &planned));
    assert_true(planned.random);
    assert_int_equal(planned.at_ns, 300 * NS_PER_MS);
    timeline_free(timeline);
    s.pause[2].every.kind = DIST_EXPONENTIAL;
}

static void next__same_seed_and_repeat__is_the_same_plan(void **state)
{
    (void)state;
    struct scenario s = scenario();
    struct timeline *a = timeline_new(&s, 3), *b = timeline_new(&s, 3), *other = timeline_new(&s, 4);
    int differ = 0;
    for (int i = 0; i < 100; i++) {
        struct planned pa, pb, po;
        assert_true(timeline_next(a, &pa) && timeline_next(b, &pb) && timeline_next(other, &po));
        assert_int_equal(pa.at_ns, pb.at_ns);
        assert_int_equal(pa.event->node, pb.event->node);
        assert_int_equal(pa.event->length_ns, pb.event->length_ns);
        differ += pa.at_ns != po.at_ns;
    }
    assert_true(differ > 50);
    timeline_free(a);
    timeline_free(b);
    timeline_free(other);
}

static void next__nothing_planned__says_so(void **state)
{
    (void)state;
    struct scenario s = {.cluster.workers = 2};
    struct timeline *timeline = timeline_new(&s, 0);
    struct planned planned;
    assert_int_equal(timeline_next_at(timeline), INT64_MAX);
    assert_false(timeline_next(timeline, &planned));
    timeline_free(timeline);
}

/* Each key with a link that differs from `before` in what the key means, and nothing else. */
static void merge__one_figure__leaves_the_others(void **state)
{
    (void)state;
    const struct link before = {1, 2, DELAY_NORMAL, 3, LINK_LOSS_GEMODEL, 0, 4, 5, 6, 7, 8, 9, 10, 11};
    const struct link value = {101, 102, DELAY_PARETO, 103, LINK_LOSS_INDEPENDENT, 104, 0, 0, 0, 0, 108, 109, 110, 111};
    static const char *const keys[] = {"delay",     "jitter",  "distribution", "rate", "loss",
                                       "duplicate", "reorder", "corrupt",      "queue"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char key[16];
        strcpy(key, keys[i]);
        struct link link = before;
        timeline_merge(&link, &(struct timeline_event){.key = key, .value = value});
        assert_int_equal(link.delay_ns, i == 0 ? 101 : 1);
        assert_int_equal(link.jitter_ns, i == 1 ? 102 : 2);
        assert_int_equal(link.shape, i == 2 ? DELAY_PARETO : DELAY_NORMAL);
        assert_int_equal(link.rate_bps, i == 3 ? 103 : 3);
        assert_int_equal(link.loss, i == 4 ? LINK_LOSS_INDEPENDENT : LINK_LOSS_GEMODEL);
        assert_int_equal(link.loss_ppm, i == 4 ? 104 : 0);
        assert_int_equal(link.ge_p_ppm + link.ge_r_ppm + link.ge_1h_ppm + link.ge_1k_ppm, i == 4 ? 0 : 22);
        assert_int_equal(link.duplicate_ppm, i == 5 ? 108 : 8);
        assert_int_equal(link.reorder_ppm, i == 6 ? 109 : 9);
        assert_int_equal(link.corrupt_ppm, i == 7 ? 110 : 10);
        assert_int_equal(link.queue_packets, i == 8 ? 111 : 11);
    }
}

static void text__each_kind__reads_as_it_is_written(void **state)
{
    (void)state;
    char text[TIMELINE_TEXT_MAX], delay[] = "delay", loss[] = "loss", rate[] = "rate";
    struct timeline_event event = {
        .kind = EVENT_LINK, .node = 1, .direction = LINK_DOWN, .key = delay, .value.delay_ns = 2500 * NS_PER_US};
    assert_string_equal(timeline_what(&event), "delay");
    timeline_target(&event, text);
    assert_string_equal(text, "worker2.down");
    timeline_value(&event, text);
    assert_string_equal(text, "2.5ms");
    event.both = true;
    timeline_target(&event, text);
    assert_string_equal(text, "worker2");
    event.key = loss;
    event.value = (struct link){.loss = LINK_LOSS_INDEPENDENT, .loss_ppm = 1000};
    timeline_value(&event, text);
    assert_string_equal(text, "0.1%");
    event.key = rate;
    event.value.rate_bps = 1500000;
    timeline_value(&event, text);
    assert_string_equal(text, "1.5mbit");
    event = (struct timeline_event){.kind = EVENT_PAUSE, .node = 3, .length_ns = 2ll * NS_PER_S};
    timeline_target(&event, text);
    assert_string_equal(text, "worker4");
    timeline_value(&event, text);
    assert_string_equal(text, "2s");
    event = (struct timeline_event){.kind = EVENT_KILL, .signal = SIGTERM};
    timeline_value(&event, text);
    assert_string_equal(text, "TERM");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next__events_and_pauses__come_in_order_of_time),
        cmocka_unit_test(next__pauses_of_one_worker__never_overlap),
        cmocka_unit_test(next__event_and_pause_at_one_time__event_is_first),
        cmocka_unit_test(next__same_seed_and_repeat__is_the_same_plan),
        cmocka_unit_test(next__nothing_planned__says_so),
        cmocka_unit_test(merge__one_figure__leaves_the_others),
        cmocka_unit_test(text__each_kind__reads_as_it_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
