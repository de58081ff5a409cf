/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A worker's side of the conversation, with a clock and a wire that are made up: exactly one of ANSWER, SKIP and
 * CANCELLED for each TASK, at the right time. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "core/dist.h"
#include "core/random.h"
#include "core/strategy.h"
#include "small_run.h"
#include "worker/agent.h"

enum { D = 10, WORKER = 1, SENT_MAX = 16 };

struct fake {
    struct scenario *scenario;
    struct input input;
    struct agent *agent;
    int64_t now_ns, wake_ns;
    bool works;
    size_t n;
    struct wire_message sent[SENT_MAX];
    double vector[D];
};

static int64_t fake_now(void *context)
{
    struct fake *fake = context;
    return fake->now_ns;
}

static void fake_send(void *context, const struct wire_message *message)
{
    struct fake *fake = context;
    assert_true(fake->n < SENT_MAX);
    fake->sent[fake->n++] = *message;
    if (message->type == WIRE_ANSWER)
        memcpy(fake->vector, message->u.answer.vector, sizeof fake->vector);
}

static void fake_wake_at(void *context, int64_t at_ns)
{
    struct fake *fake = context;
    fake->wake_ns = at_ns;
}

static void fake_work(void *context)
{
    struct fake *fake = context;
    fake->works = true;
}

static int make(void **state, const char *more)
{
    static const struct agent_io io = {fake_now, fake_send, fake_wake_at, fake_work};
    struct fake *fake = mem_zalloc(sizeof *fake);
    struct error err;
    fake->scenario = small_scenario(more);
    if (fake->scenario == NULL || input_load(fake->scenario, &fake->input, &err) < 0)
        return -1;
    fake->now_ns = 1000 * (int64_t)NS_PER_S;
    fake->wake_ns = -1;
    fake->agent = agent_new(fake->scenario, &fake->input, WORKER, NULL, &io, fake);
    *state = fake;
    return 0;
}

static int make_without_time(void **state)
{
    return make(state, "");
}

static int make_with_time(void **state)
{
    return make(state, "[compute]\nmodel = exponential\nmean = 10ms\n");
}

static int destroy(void **state)
{
    struct fake *fake = *state;
    agent_free(fake->agent);
    input_clear(&fake->input);
    scenario_free(fake->scenario);
    free(fake);
    return 0;
}

static enum agent_outcome give(struct fake *fake, const struct wire_message *message, struct error *err)
{
    return agent_message(fake->agent, message, err);
}

static void give_good(struct fake *fake, const struct wire_message *message)
{
    struct error err = {{0}};
    assert_int_equal(give(fake, message, &err), AGENT_GOES_ON);
}

static void begin(struct fake *fake, const char *strategy)
{
    struct wire_message message = {.type = WIRE_BEGIN, .u.begin = {.run = 7, .repeat = 0, .redundancy = 3}};
    strcpy(message.u.begin.strategy, strategy);
    give_good(fake, &message);
    assert_int_equal(fake->sent[fake->n - 1].type, WIRE_READY);
    assert_int_equal(fake->sent[fake->n - 1].u.ready.run, 7);
}

static struct wire_message task_of(uint32_t round, enum task_op op, double threshold, uint32_t n)
{
    static const uint32_t parts[] = {1, 2, 0};
    static const double weights[] = {1, 1, 1};
    return (struct wire_message){
        .type = WIRE_TASK,
        .u.task = {
            .round = round, .n = n, .op = (uint8_t)op, .threshold = threshold, .parts = parts, .weights = weights}};
}

static void give_theta(struct fake *fake, uint32_t round)
{
    static const double theta[D] = {1, -1, 2};
    give_good(fake, &(struct wire_message){.type = WIRE_THETA, .u.theta = {.round = round, .n = D, .value = theta}});
}

static void give_task(struct fake *fake, uint32_t round, enum task_op op, double threshold, uint32_t n)
{
    struct wire_message task = task_of(round, op, threshold, n);
    give_theta(fake, round);
    give_good(fake, &task);
    assert_true(fake->works);
}

static void give_cancel(struct fake *fake, uint32_t round)
{
    give_good(fake, &(struct wire_message){.type = WIRE_CANCEL, .u.cancel.round = round});
}

static void work(struct fake *fake)
{
    while (agent_work(fake->agent))
        ;
    fake->works = false;
}

static void task__no_time_modelled__is_answered_when_computed(void **state)
{
    struct fake *fake = *state;
    begin(fake, "gd");
    give_task(fake, 0, TASK_GRADIENT, 0, 1);
    assert_int_equal(fake->n, 1);
    work(fake);
    assert_int_equal(fake->n, 2);
    const struct wire_message *answer = &fake->sent[1];
    assert_int_equal(answer->type, WIRE_ANSWER);
    assert_int_equal(answer->u.answer.n, D);
    assert_int_equal(answer->u.answer.evaluated, 1);
    double theta[D] = {1, -1, 2}, gradient[D];
    model_partition(&fake->input.model, &fake->input.parts.part[1], theta, gradient);
    assert_memory_equal(fake->vector, gradient, sizeof gradient);
}

static void task__with_time__is_answered_when_l_X_has_passed(void **state)
{
    struct fake *fake = *state;
    begin(fake, "grouping");
    int64_t received = fake->now_ns;
    give_task(fake, 5, TASK_GRADIENT, 0, 3);
    work(fake);
    assert_int_equal(fake->n, 1);
    uint64_t seed = random_repeat_seed(fake->scenario->seed, 0);
    double x = dist_compute_draw(&fake->scenario->compute[WORKER], seed, WORKER, 5);
    assert_int_equal(fake->wake_ns, received + llrint(3 * x * 1e9));

    fake->now_ns = fake->wake_ns - 1; /* a timer of an earlier task, say */
    agent_wake(fake->agent);
    assert_int_equal(fake->n, 1);
    fake->now_ns = fake->wake_ns + 11;
    agent_wake(fake->agent);
    assert_int_equal(fake->n, 2);
    assert_int_equal(fake->sent[1].type, WIRE_ANSWER);
    assert_int_equal(fake->sent[1].u.answer.late_ns, 11);
    agent_wake(fake->agent); /* does no harm */
    assert_int_equal(fake->n, 2);
}

static void cancel__while_computing_or_waiting__is_acknowledged_once(void **state)
{
    struct fake *fake = *state;
    begin(fake, "grouping");
    give_task(fake, 0, TASK_GRADIENT, 0, 3);
    give_cancel(fake, 0);
    assert_int_equal(fake->n, 2);
    assert_int_equal(fake->sent[1].type, WIRE_CANCELLED);
    assert_int_equal(fake->sent[1].u.cancelled.round, 0);
    assert_int_equal(fake->sent[1].u.cancelled.evaluated, 0);
    assert_false(agent_work(fake->agent));

    give_task(fake, 1, TASK_GRADIENT, 0, 3);
    work(fake);
    give_cancel(fake, 1);
    assert_int_equal(fake->n, 3);
    assert_int_equal(fake->sent[2].type, WIRE_CANCELLED);
    assert_int_equal(fake->sent[2].u.cancelled.evaluated, 3);
    fake->now_ns = fake->wake_ns;
    agent_wake(fake->agent);
    assert_int_equal(fake->n, 3);
}

static void cancel__that_crossed_the_answer__leaves_the_next_task_alone(void **state)
{
    struct fake *fake = *state;
    begin(fake, "gd");
    give_task(fake, 0, TASK_GRADIENT, 0, 1);
    work(fake);
    give_cancel(fake, 0);
    assert_int_equal(fake->n, 2);
    give_task(fake, 1, TASK_GRADIENT, 0, 1);
    give_cancel(fake, 0);
    assert_int_equal(fake->n, 2);
    work(fake);
    assert_int_equal(fake->n, 3);
    assert_int_equal(fake->sent[2].u.answer.round, 1);
}

static void lazy_task__below_the_threshold__is_skipped(void **state)
{
    struct fake *fake = *state;
    begin(fake, "lag-wk");
    give_task(fake, 0, TASK_LAZY, -1, 1);
    work(fake);
    give_task(fake, 1, TASK_LAZY, 0, 1);
    work(fake);
    assert_int_equal(fake->n, 3);
    assert_int_equal(fake->sent[1].type, WIRE_ANSWER);
    assert_int_equal(fake->sent[2].type, WIRE_SKIP);
    assert_int_equal(fake->sent[2].u.answer.round, 1);
    assert_int_equal(fake->sent[2].u.answer.evaluated, 1);
}

static void end__with_a_task_in_hand__acknowledges_it(void **state)
{
    struct fake *fake = *state;
    begin(fake, "gd");
    give_task(fake, 0, TASK_GRADIENT, 0, 1);
    give_good(fake, &(struct wire_message){.type = WIRE_END, .u.end.run = 7});
    assert_int_equal(fake->n, 2);
    assert_int_equal(fake->sent[1].type, WIRE_CANCELLED);
    begin(fake, "grouping");
    give_task(fake, 0, TASK_GRADIENT, 0, 3);
    work(fake);
    assert_int_equal(fake->sent[fake->n - 1].type, WIRE_ANSWER);
}

static void disconnect__in_a_task__forgets_it(void **state)
{
    struct fake *fake = *state;
    begin(fake, "gd");
    give_task(fake, 0, TASK_GRADIENT, 0, 1);
    agent_disconnect(fake->agent);
    assert_int_equal(fake->n, 1);
    assert_false(agent_work(fake->agent));
    begin(fake, "gd");
    give_task(fake, 0, TASK_GRADIENT, 0, 1);
    work(fake);
    assert_int_equal(fake->n, 3);
}

static void is_bad(struct fake *fake, const struct wire_message *message, const char *sentence)
{
    struct error err = {{0}};
    size_t n = fake->n;
    assert_int_equal(give(fake, message, &err), AGENT_BAD);
    assert_non_null(strstr(err.text, sentence));
    assert_int_equal(fake->n, n);
}

static void protocol__broken_by_the_ps__is_told_as_what_it_is(void **state)
{
    struct fake *fake = *state;
    static const double value[D];
    struct wire_message begin_other = {.type = WIRE_BEGIN, .u.begin = {.run = 1, .redundancy = 3, .strategy = "lagc"}};
    struct wire_message begin_r = {.type = WIRE_BEGIN, .u.begin = {.run = 1, .redundancy = 2, .strategy = "gd"}};
    struct wire_message short_theta = {.type = WIRE_THETA, .u.theta = {.round = 0, .n = D - 1, .value = value}};
    struct wire_message task = task_of(0, TASK_GRADIENT, 0, 1), other_round = task_of(1, TASK_GRADIENT, 0, 1);
    struct wire_message too_many = task_of(0, TASK_GRADIENT, 0, 3), other_op = task_of(0, 9, 0, 1);
    is_bad(fake, &task, "TASK out of place");
    is_bad(fake, &begin_other, "begins lagc with redundancy 3");
    is_bad(fake, &begin_r, "begins gd with redundancy 2");
    begin(fake, "gd");
    is_bad(fake, &task, "without its THETA");
    is_bad(fake, &short_theta, "9 values");
    give_theta(fake, 0);
    is_bad(fake, &other_round, "without its THETA");
    is_bad(fake, &other_op, "operation 9");
    is_bad(fake, &too_many, "partition"); /* gd stores one */
    give_good(fake, &task);
    is_bad(fake, &task, "while that of round 0 is in hand");
    is_bad(fake, &(struct wire_message){.type = WIRE_WELCOME}, "WELCOME out of place");
}

static void bye__at_any_time__ends_it(void **state)
{
    struct fake *fake = *state;
    struct error err;
    assert_int_equal(give(fake, &(struct wire_message){.type = WIRE_BYE}, &err), AGENT_BYE);
    begin(fake, "gd");
    assert_int_equal(give(fake, &(struct wire_message){.type = WIRE_BYE}, &err), AGENT_BYE);
}

#define WITHOUT_TIME(test) cmocka_unit_test_setup_teardown(test, make_without_time, destroy)
#define WITH_TIME(test)    cmocka_unit_test_setup_teardown(test, make_with_time, destroy)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITHOUT_TIME(task__no_time_modelled__is_answered_when_computed),
        WITH_TIME(task__with_time__is_answered_when_l_X_has_passed),
        WITH_TIME(cancel__while_computing_or_waiting__is_acknowledged_once),
        WITHOUT_TIME(cancel__that_crossed_the_answer__leaves_the_next_task_alone),
        WITHOUT_TIME(lazy_task__below_the_threshold__is_skipped),
        WITHOUT_TIME(end__with_a_task_in_hand__acknowledges_it),
        WITHOUT_TIME(disconnect__in_a_task__forgets_it),
        WITHOUT_TIME(protocol__broken_by_the_ps__is_told_as_what_it_is),
        WITHOUT_TIME(bye__at_any_time__ends_it),
    };
    model_init_blas();
    return cmocka_run_group_tests_name("agent", tests, NULL, NULL);
}
