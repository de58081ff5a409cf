/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session's books and its end, with answers made by hand: two workers, one feature, worker m's gradient is θ − m,
 * step ¼; so θ^{i+1} = θ^i − ¼(2θ^i − 1), towards ½. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/session.h"
#include "tests/unit/cmocka_all.h"

enum { MS = 1000000 };

static struct session_config config(const char *strategy, uint32_t m)
{
    return (struct session_config){
        .ops = strategy_find(strategy),
        .strategy = {.workers = m, .partitions = m, .redundancy = m, .d = 1, .alpha = 0.25, .history = 10, .xi = NAN},
        .max_rounds = 100};
}

static struct session *open_session(const struct session_config *c)
{
    struct error err = {""};
    struct session *session = session_new(c, &err);
    if (session == NULL)
        fail_msg("%s", err.text);
    return session;
}

static enum offer answer(struct session *session, uint32_t worker, uint32_t round, uint32_t evaluated, uint64_t bytes)
{
    double value = session_theta(session)->value[0] - worker;
    struct answer a = {.worker = worker, .round = round, .vector = &value, .evaluated = evaluated};
    return session_answer(session, &a, bytes, 0);
}

/* A round of gd that lasts from now to then. */
static void play_gd(struct session *session, int64_t now_ns, int64_t then_ns)
{
    session_begin(session, now_ns);
    uint32_t round = session_round(session);
    for (uint32_t m = 0; m < 2; m++) {
        session_sent_task(session, m, 30);
        answer(session, m, round, 1, 100);
    }
    session_end(session, then_ns);
}

static void rounds__gd__theta_steps_and_records(void **state)
{
    (void)state;
    struct session_config c = config("gd", 2);
    struct session *session = open_session(&c);
    session_error(session, 0, 7);
    const struct plan *plan = session_begin(session, 5 * MS);
    assert_int_equal(plan->n, 2);
    assert_true(session_pending(session)[0] && session_pending(session)[1]);
    session_sent_task(session, 0, 30);
    session_sent_task(session, 1, 31);
    assert_int_equal(answer(session, 1, 0, 1, 100), OFFER_MORE);
    assert_false(session_pending(session)[1]);
    assert_int_equal(answer(session, 0, 0, 1, 101), OFFER_DONE);
    struct theta *old = theta_ref(session_theta(session));
    const struct round_record *record = session_end(session, 9 * MS);
    assert_true(session_used(session)[0] && session_used(session)[1]);
    assert_true(session_theta(session)->value[0] == 0.25 && old->value[0] == 0);
    assert_int_equal(session_theta(session)->round, 1);
    theta_unref(old);
    assert_true(record->step_norm == 0.25 && isnan(record->error));
    assert_int_equal(record->begin_ns, 0);
    assert_int_equal(record->end_ns, 4 * MS);
    assert_int_equal(record->contacted, 2);
    assert_int_equal(record->answered, 2);
    assert_int_equal(record->used, 2);
    assert_int_equal(record->selected, 2);
    const struct tally expected = {
        .uplink = 2, .downlink = 2, .uplink_bytes = 201, .downlink_bytes = 61, .gradients = 2};
    assert_memory_equal(&record->tally, &expected, sizeof expected);
    assert_null(session_next_record(session));
    session_error(session, 1, 3);
    record = session_next_record(session);
    assert_non_null(record);
    assert_true(record->error == 3);
    assert_null(session_next_record(session));
    session_free(session);
}

/* Grouping of three: one answer is enough; a second comes before the end, the third is cancelled or late. */
static struct session *open_grouping(void)
{
    struct session_config c = config("grouping", 3);
    struct session *session = open_session(&c);
    session_error(session, 0, 7);
    session_begin(session, 0);
    for (uint32_t m = 0; m < 3; m++)
        session_sent_task(session, m, 30);
    assert_int_equal(answer(session, 1, 0, 3, 100), OFFER_DONE);
    assert_int_equal(answer(session, 0, 0, 3, 100), OFFER_DONE);
    return session;
}

static void books__redundant_and_cancelled__wasted(void **state)
{
    (void)state;
    struct session *session = open_grouping();
    session_sent_cancel(session, 2, 10);
    assert_false(session_pending(session)[2]);
    const struct round_record *record = session_end(session, MS);
    assert_int_equal(record->answered, 2);
    assert_int_equal(record->used, 1);
    struct tally expected = {.uplink = 2,
                             .downlink = 3,
                             .notices = 1,
                             .uplink_bytes = 200,
                             .downlink_bytes = 90,
                             .notice_bytes = 10,
                             .gradients = 6,
                             .wasted = 3};
    assert_memory_equal(&record->tally, &expected, sizeof expected);
    session_error(session, 1, 3);
    session_begin(session,
                  MS); /* the acknowledgement comes in the next round: into its record, but the first's account */
    session_cancelled(session, 2, 0, 2, 11);
    struct tally of_summary = expected;
    of_summary.notices++;
    of_summary.notice_bytes += 11;
    of_summary.gradients += 2;
    of_summary.wasted += 2;
    struct session_summary summary = session_summary(session);
    assert_memory_equal(&summary.total, &of_summary, sizeof of_summary);
    assert_int_equal(summary.rounds, 1);
    answer(session, 0, 1, 3, 100);
    record = session_end(session, 2 * MS);
    assert_int_equal(record->tally.notices, 1);
    assert_int_equal(record->tally.wasted, 2);
    session_free(session);
}

static void books__late_answer__wasted_and_charged_to_its_round(void **state)
{
    (void)state;
    struct session *session = open_grouping();
    session_end(session, MS);
    session_error(session, 1, 3);
    assert_int_equal(answer(session, 2, 0, 3, 100), OFFER_LATE); /* between rounds */
    session_begin(session, MS);
    assert_int_equal(answer(session, 2, 0, 3, 100), OFFER_LATE);
    assert_int_equal(answer(session, 2, 1, 3, 100), OFFER_DONE);
    const struct round_record *record = session_end(session, 2 * MS);
    assert_int_equal(record->tally.uplink, 2);
    assert_int_equal(record->tally.wasted, 3);
    session_error(session, 2, 1);
    struct session_summary summary = session_summary(session);
    assert_int_equal(summary.total.uplink, 5);
    assert_int_equal(summary.total.wasted, 3 + 3 + 3);
    assert_int_equal(summary.total.gradients, 15);
    session_free(session);
}

static void books__strays_and_duplicates__counted_and_discarded(void **state)
{
    (void)state;
    struct session_config c = config("gd", 2);
    struct session *session = open_session(&c);
    assert_int_equal(answer(session, 0, 0, 1, 100), OFFER_STRAY); /* before any round */
    session_begin(session, 0);
    assert_int_equal(answer(session, 0, 0, 1, 100), OFFER_MORE);
    assert_int_equal(answer(session, 0, 0, 1, 100), OFFER_DUPLICATE);
    assert_int_equal(answer(session, 2, 0, 1, 100), OFFER_STRAY);
    assert_int_equal(answer(session, 1, 9, 1, 100), OFFER_STRAY);
    struct answer skip = {.worker = 1, .round = 0, .evaluated = 1};
    assert_int_equal(session_answer(session, &skip, 12, 0), OFFER_STRAY);
    assert_true(session_pending(session)[1]);
    assert_int_equal(answer(session, 1, 0, 1, 100), OFFER_DONE);
    const struct round_record *record = session_end(session, MS);
    const struct tally expected = {
        .uplink = 5, .uplink_bytes = 500, .notices = 1, .notice_bytes = 12, .gradients = 6, .wasted = 4};
    assert_memory_equal(&record->tally, &expected, sizeof expected);
    assert_int_equal(record->answered, 2);
    assert_true(session_theta(session)->value[0] == 0.25);
    session_free(session);
}

static void books__skip__a_notice_that_is_used(void **state)
{
    (void)state;
    struct session_config c = config("lag-wk", 2);
    struct session *session = open_session(&c);
    session_begin(session, 0);
    answer(session, 0, 0, 1, 100);
    answer(session, 1, 0, 1, 100);
    session_end(session, MS);
    session_begin(session, MS);
    struct answer skip = {.worker = 0, .round = 1, .evaluated = 1};
    assert_int_equal(session_answer(session, &skip, 12, 0), OFFER_MORE);
    skip.worker = 1;
    assert_int_equal(session_answer(session, &skip, 12, 0), OFFER_DONE);
    const struct round_record *record = session_end(session, 2 * MS);
    const struct tally expected = {.notices = 2, .notice_bytes = 24, .gradients = 2};
    assert_memory_equal(&record->tally, &expected, sizeof expected);
    assert_int_equal(record->used, 2);
    assert_true(session_theta(session)->value[0] == 0.5); /* the same step once more */
    session_free(session);
}

/* The error of θ^2 meets the target, but that is learnt only after round 4: rounds 2 … 4 and their messages are
 * dropped. */
static void target__learnt_late__later_rounds_dropped(void **state)
{
    (void)state;
    struct session_config c = config("gd", 2);
    c.target = 1;
    struct session *session = open_session(&c);
    for (int64_t i = 0; i < 5; i++)
        play_gd(session, i * 10 * MS, i * 10 * MS + 7 * MS);
    session_error(session, 0, 4);
    session_error(session, 1, 1); /* strictly below, so not yet */
    assert_int_equal(session_verdict(session, 60 * MS), SESSION_GOES_ON);
    session_error(session, 2, 0.99);
    assert_int_equal(session_verdict(session, 60 * MS), SESSION_REACHED);
    session_error(session, 3, 0.5);
    session_error(session, 4, 2);
    session_error(session, 5, 0.1);
    assert_int_equal(session_next_record(session)->round, 0);
    const struct round_record *last = session_next_record(session);
    assert_int_equal(last->round, 1);
    assert_true(last->error == 0.99);
    assert_null(session_next_record(session));
    struct session_summary summary = session_summary(session);
    assert_true(summary.reached);
    assert_int_equal(summary.rounds, 2);
    assert_int_equal(summary.rounds_to_target, 2);
    assert_int_equal(summary.total.uplink, 4);
    assert_int_equal(summary.uplink_to_target, 4);
    assert_int_equal(summary.total.downlink_bytes, 120);
    assert_true(fabs(summary.seconds - 0.017) < 1e-12 && summary.seconds_to_target == summary.seconds);
    assert_true(summary.initial_error == 4 && summary.final_error == 0.99);
    session_free(session);
}

static void target__met_at_the_start__no_rounds(void **state)
{
    (void)state;
    struct session_config c = config("gd", 2);
    c.target = 5;
    struct session *session = open_session(&c);
    session_error(session, 0, 4);
    assert_int_equal(session_verdict(session, 0), SESSION_REACHED);
    struct session_summary summary = session_summary(session);
    assert_true(summary.reached && summary.rounds == 0 && summary.seconds_to_target == 0);
    assert_true(summary.final_error == 4);
    session_free(session);
}

static void target__relative__of_the_first_error(void **state)
{
    (void)state;
    struct session_config c = config("gd", 2);
    c.target_kind = TARGET_RELATIVE_ERROR;
    c.target = 0.1;
    struct session *session = open_session(&c);
    assert_true(isnan(session_target(session)));
    session_error(session, 0, 40);
    assert_true(session_target(session) == 4);
    play_gd(session, 0, MS);
    session_error(session, 1, 4.1);
    assert_int_equal(session_verdict(session, MS), SESSION_GOES_ON);
    play_gd(session, MS, 2 * MS);
    session_error(session, 2, 3.9);
    assert_int_equal(session_verdict(session, MS), SESSION_REACHED);
    session_free(session);
}

static void limits__rounds_and_time__end_the_run(void **state)
{
    (void)state;
    struct session_config c = config("gd", 2);
    c.max_rounds = 2;
    c.max_time_ns = 50 * MS;
    struct session *session = open_session(&c);
    assert_int_equal(session_verdict(session, 999 * MS), SESSION_GOES_ON); /* it has not begun */
    play_gd(session, 100 * MS, 120 * MS);
    assert_int_equal(session_verdict(session, 149 * MS), SESSION_GOES_ON);
    assert_int_equal(session_verdict(session, 150 * MS), SESSION_MAX_TIME);
    play_gd(session, 120 * MS, 130 * MS);
    assert_int_equal(session_verdict(session, 130 * MS), SESSION_MAX_ROUNDS);
    struct session_summary summary = session_summary(session);
    assert_false(summary.reached);
    assert_int_equal(summary.rounds, 2);
    assert_true(isnan(summary.seconds_to_target) && isnan(summary.final_error));
    assert_int_equal(summary.uplink_to_target, 0);
    session_free(session);
}

static void lose__before_and_in_a_round__stuck(void **state)
{
    (void)state;
    struct session_config c = config("grouping", 3);
    struct session *session = open_session(&c);
    assert_int_equal(session_lose(session, 0), OFFER_MORE);
    const struct plan *plan = session_begin(session, 0);
    assert_int_equal(plan->n, 2);
    assert_false(session_is_stuck(session));
    assert_int_equal(session_lose(session, 1), OFFER_MORE);
    assert_false(session_pending(session)[1]);
    assert_int_equal(answer(session, 2, 0, 3, 100), OFFER_DONE);
    session_end(session, MS);
    assert_int_equal(session_lose(session, 2), OFFER_MORE);
    assert_false(session_is_stuck(session));
    session_begin(session, MS);
    assert_true(session_is_stuck(session));
    struct session_summary summary = session_summary(session);
    assert_int_equal(summary.rounds, 1);
    session_free(session);
}

static void new__what_cannot_be__refused(void **state)
{
    (void)state;
    struct error err = {""};
    struct session_config c = config("grouping", 3);
    c.strategy.redundancy = 2;
    assert_null(session_new(&c, &err));
    assert_non_null(strstr(err.text, "1 or 3"));
    c = config("gd", 2);
    c.max_rounds = 0;
    assert_null(session_new(&c, &err));
    assert_non_null(strstr(err.text, "max_rounds"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds__gd__theta_steps_and_records),
        cmocka_unit_test(books__redundant_and_cancelled__wasted),
        cmocka_unit_test(books__late_answer__wasted_and_charged_to_its_round),
        cmocka_unit_test(books__strays_and_duplicates__counted_and_discarded),
        cmocka_unit_test(books__skip__a_notice_that_is_used),
        cmocka_unit_test(target__learnt_late__later_rounds_dropped),
        cmocka_unit_test(target__met_at_the_start__no_rounds),
        cmocka_unit_test(target__relative__of_the_first_error),
        cmocka_unit_test(limits__rounds_and_time__end_the_run),
        cmocka_unit_test(lose__before_and_in_a_round__stuck),
        cmocka_unit_test(new__what_cannot_be__refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
