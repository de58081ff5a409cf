/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the PS that need no worker: who is let in, the evaluator, what is recorded, the conversation with a
 * controller. */
#include "config.h"

#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/mem.h"
#include "net/digest.h"
#include "ps/control.h"
#include "ps/evaluator.h"
#include "ps/handshake.h"
#include "ps/recorder.h"
#include "results/results.h"
#include "small_run.h"

struct fixture {
    struct scenario *scenario;
    struct facts facts;
};

static int make(void **state)
{
    struct fixture *fixture = mem_zalloc(sizeof *fixture);
    struct error err;
    *state = fixture;
    fixture->scenario = small_scenario("");
    return fixture->scenario == NULL ? -1 : facts_load(fixture->scenario, &fixture->facts, &err);
}

static int destroy(void **state)
{
    struct fixture *fixture = *state;
    facts_clear(&fixture->facts);
    scenario_free(fixture->scenario);
    free(fixture);
    return 0;
}

/* ── who is let in ── */

static struct wire_message good_hello(const struct fixture *fixture, struct wire_stored stored[3])
{
    memcpy(stored, fixture->facts.partition, 3 * sizeof *stored);
    return (struct wire_message){.type = WIRE_HELLO,
                                 .version = WIRE_VERSION,
                                 .u.hello = {.worker = 1, .dimension = 10, .n = 3, .stored = stored}};
}

static void is_refused(const struct fixture *fixture, const char *peer, const struct wire_message *hello,
                       const char *sentence)
{
    struct error err = {{0}};
    assert_int_equal(handshake_check(&fixture->facts, true, peer, hello, &err), -1);
    if (strstr(err.text, sentence) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.text, sentence);
}

static void hello__of_a_good_worker__is_accepted(void **state)
{
    struct wire_stored stored[3];
    struct fixture *fixture = *state;
    struct wire_message hello = good_hello(fixture, stored);
    struct error err;
    assert_int_equal(handshake_check(&fixture->facts, true, "worker2", &hello, &err), 0);
    assert_int_equal(handshake_check(&fixture->facts, false, "", &hello, &err), 0);
    stored[1].smoothness *= 1 + 1e-12;
    assert_int_equal(handshake_check(&fixture->facts, true, "worker2", &hello, &err), 0);
}

static void hello__wrong_in_one_thing__is_refused_for_that(void **state)
{
    struct wire_stored stored[3];
    struct fixture *fixture = *state;
    struct wire_message good = good_hello(fixture, stored), hello = good;
    is_refused(fixture, "worker3", &good, "the certificate is of \"worker3\"");
    is_refused(fixture, "worker22", &good, "the certificate is of \"worker22\"");
    is_refused(fixture, "", &good, "the certificate is of \"\"");
    hello.version = WIRE_VERSION + 1;
    is_refused(fixture, "worker2", &hello, "protocol version 2");
    hello = good;
    hello.u.hello.worker = 3;
    is_refused(fixture, "worker4", &hello, "worker number 4");
    hello.u.hello.worker = UINT32_MAX;
    is_refused(fixture, "worker4294967296", &hello, "worker number 4294967296");
    hello = good;
    hello.u.hello.dimension = 11;
    is_refused(fixture, "worker2", &hello, "11 features there, 10 here");
    hello = good;
    hello.u.hello.n = 2; /* grouping with r = 3 has everybody store all */
    is_refused(fixture, "worker2", &hello, "partition 3 is missing");
    hello = good;
    stored[2].partition = 3;
    is_refused(fixture, "worker2", &hello, "partition 4: the scenario has partitions 1 to 3");
    stored[2].partition = 2;
    stored[2].sha256[31] ^= 1;
    is_refused(fixture, "worker2", &hello, "SHA-256 of partition 3");
    stored[2].sha256[31] ^= 1;
    stored[0].smoothness *= 1.001;
    is_refused(fixture, "worker2", &hello, "smoothness of partition 1");
    stored[0].smoothness = NAN;
    is_refused(fixture, "worker2", &hello, "smoothness of partition 1");
}

static void digest__of_a_partition__is_that_of_its_layout(void **state)
{
    static const double x[] = {1, -2, 0.5, 3}, y[] = {1, -1};
    static const uint64_t sizes[] = {2, 2};
    const struct partition part = {.n = 2, .d = 2, .x = x, .y = y};
    uint8_t bytes[sizeof sizes + sizeof x + sizeof y], wanted[WIRE_HASH_BYTES], got[WIRE_HASH_BYTES];
    char text[DIGEST_TEXT_BYTES];
    (void)state;
    memcpy(bytes, sizes, sizeof sizes);
    memcpy(bytes + sizeof sizes, x, sizeof x);
    memcpy(bytes + sizeof sizes + sizeof x, y, sizeof y);
    net_sha256(bytes, sizeof bytes, wanted);
    digest_partition(&part, got);
    assert_memory_equal(got, wanted, sizeof got);
    net_sha256("abc", 3, got);
    digest_text(got, text);
    assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

/* ── the evaluator ── */

static struct evaluation wait_for(struct evaluator *evaluator)
{
    struct evaluation result = {0};
    struct pollfd readable = {.fd = evaluator_fd(evaluator), .events = POLLIN};
    while (!evaluator_take(evaluator, &result))
        assert_int_not_equal(poll(&readable, 1, 60 * 1000), 0);
    return result;
}

/* Evaluate θ^0 = 0, θ^1 = first, θ*; returns the last. */
static struct evaluation evaluate_three(struct evaluator *evaluator, const struct facts *facts, double first,
                                        double error[3])
{
    struct evaluation last = {0};
    for (uint32_t i = 0; i < 3; i++) {
        struct theta *theta = theta_new(i, facts->d);
        if (i == 1)
            theta->value[0] = first;
        if (i == 2)
            memcpy(theta->value, facts->optimum, facts->d * sizeof(double));
        evaluator_submit(evaluator, theta);
        theta_unref(theta);
    }
    for (uint32_t i = 0; i < 3; i++) {
        last = wait_for(evaluator);
        assert_int_equal(last.iterate, i);
        error[i] = last.error;
    }
    assert_int_equal(evaluator_waiting(evaluator), 0);
    return last;
}

static void evaluator__iterates_in_order__gives_errors_and_a_hash_of_the_way(void **state)
{
    struct fixture *fixture = *state;
    const struct facts *facts = &fixture->facts;
    struct error err;
    double error[3], zero[10] = {0};
    struct evaluator *evaluator = evaluator_new(facts, &err);
    assert_non_null(evaluator);
    struct evaluation one = evaluate_three(evaluator, facts, 1, error);
    double initial = model_loss(&facts->input.model, &facts->input.parts, zero) - facts->optimum_loss;
    assert_true(error[0] == initial);
    assert_true(fabs(error[2]) <= 1e-12 * initial);
    struct evaluation same = evaluate_three(evaluator, facts, 1, error);
    struct evaluation other = evaluate_three(evaluator, facts, nextafter(1, 2), error);
    assert_memory_equal(one.path, same.path, sizeof one.path);
    assert_memory_not_equal(one.path, other.path, sizeof one.path);
    evaluator_free(evaluator);
}

static void evaluator__gradient_target__gives_the_norm_of_the_gradient(void **state)
{
    struct fixture *fixture = *state;
    const struct facts *facts = &fixture->facts;
    struct error err;
    double error[3], zero[10] = {0}, part[10], sum[10] = {0}, square = 0;
    enum target_kind before = fixture->scenario->target_kind;
    fixture->scenario->target_kind = TARGET_GRADIENT;
    struct evaluator *evaluator = evaluator_new(facts, &err);
    assert_non_null(evaluator);
    evaluate_three(evaluator, facts, 1, error);
    evaluator_free(evaluator);
    fixture->scenario->target_kind = before;
    for (size_t k = 0; k < 3; k++) {
        model_partition(&facts->input.model, &facts->input.parts.part[k], zero, part);
        for (size_t j = 0; j < 10; j++)
            sum[j] += part[j];
    }
    for (size_t j = 0; j < 10; j++)
        square += sum[j] * sum[j];
    assert_true(fabs(error[0] - sqrt(square)) <= 1e-14 * sqrt(square));
    assert_true(error[2] <= 1e-10 * error[0]);
}

/* Fill the queue, discard, and return how many of `count` were evaluated all the same. */
static uint32_t evaluated_in_spite(struct evaluator *evaluator, size_t d, uint32_t *count)
{
    uint32_t evaluated = 0;
    for (*count = 0; !evaluator_is_full(evaluator); (*count)++) {
        struct theta *theta = theta_new(*count, d);
        evaluator_submit(evaluator, theta);
        theta_unref(theta);
    }
    evaluator_discard(evaluator);
    for (; evaluator_waiting(evaluator) > 0; evaluated++)
        wait_for(evaluator);
    return evaluated;
}

static void evaluator__discarding__drops_what_is_not_begun(void **state)
{
    struct fixture *fixture = *state;
    struct error err;
    uint32_t evaluated, count, attempts = 0;
    struct evaluator *evaluator = evaluator_new(&fixture->facts, &err);
    assert_non_null(evaluator);
    do { /* the thread may have done all before it is told, if rarely */
        evaluated = evaluated_in_spite(evaluator, fixture->facts.d, &count);
        assert_true(count >= 2);
        assert_true(evaluated <= count);
    } while (evaluated == count && ++attempts < 200);
    assert_int_not_equal(attempts, 200);
    evaluator_free(evaluator);
}

/* ── what is recorded ── */

static void must(int result)
{
    assert_int_equal(result, 0);
}

static void add_answer(struct recorder *recorder, uint32_t worker, uint32_t round)
{
    struct error err;
    struct recorder_answer answer = {.worker = worker, .round = round, .received_ns = 1500000, .kind = RECORDER_VECTOR};
    must(recorder_answer(recorder, &answer, &err));
}

static void check_answers(const char *directory)
{
    static const char *const wanted[][4] = {
        {"0", "1", "1", ""}, {"0", "3", "0", ""}, {"1", "2", "1", ""}, {"0", "2", "0", ""}};
    struct results_table table;
    struct error err;
    must(results_read(directory, RESULTS_ANSWERS, &table, &err));
    assert_int_equal(table.rows, 4);
    for (size_t row = 0; row < table.rows; row++) {
        assert_string_equal(results_field(&table, row, results_column(&table, "repeat")), "1");
        assert_string_equal(results_field(&table, row, results_column(&table, "round")), wanted[row][0]);
        assert_string_equal(results_field(&table, row, results_column(&table, "worker")), wanted[row][1]);
        assert_string_equal(results_field(&table, row, results_column(&table, "used")), wanted[row][2]);
    }
    assert_true(results_number(&table, 0, results_column(&table, "received_s")) == 0.0015);
    results_table_clear(&table);
}

static void recorder__rounds_past_the_target__leave_no_row(void **state)
{
    (void)state;
    char directory[] = "/tmp/laggard-unit.XXXXXX";
    struct error err;
    assert_non_null(mkdtemp(directory));
    struct recorder *recorder = recorder_new(directory, &err);
    assert_non_null(recorder);
    static const bool first[] = {true, false, false}, second[] = {false, true, false};
    recorder_begin(recorder, "gd", 0);
    add_answer(recorder, 0, 0);
    recorder_used(recorder, 0, first);
    add_answer(recorder, 2, 0); /* after the round's end, before its row */
    add_answer(recorder, 1, 1);
    must(recorder_round(recorder, &(struct round_record){.round = 0}, &err));
    recorder_used(recorder, 1, second);
    add_answer(recorder, 0, 2); /* past the target */
    must(recorder_round(recorder, &(struct round_record){.round = 1}, &err));
    add_answer(recorder, 1, 0); /* after its round's row */
    must(recorder_end(recorder, &(struct session_summary){.rounds = 2}, "00", &err));
    recorder_free(recorder);
    check_answers(directory);
    char *command = mem_printf("rm -rf %s", directory);
    must(system(command));
    free(command);
}

static void recorder__folder_that_cannot_be_made__is_an_error_that_names_it(void **state)
{
    (void)state;
    struct error err = {{0}};
    assert_null(recorder_new("/nonexistent/folder", &err));
    assert_non_null(strstr(err.text, "/nonexistent/folder"));
}

/* ── the controller ── */

struct ear {
    struct net_loop *loop;
    int goes, stops;
    char why[100];
};

static void hear_go(void *context)
{
    struct ear *ear = context;
    ear->goes++;
}

static void hear_stop(void *context, const char *why)
{
    struct ear *ear = context;
    ear->stops++;
    snprintf(ear->why, sizeof ear->why, "%s", why);
    net_loop_stop(ear->loop);
}

/* Say all of this to the PS's end, then hang up; returns what it heard. */
static struct ear converse(const char *text)
{
    static const struct control_handlers handlers = {hear_go, hear_stop};
    struct ear ear = {.loop = net_loop_new()};
    int pair[2];
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
    struct control *control = control_new(ear.loop, pair[0], false, &handlers, &ear);
    assert_true(control_is_present(control));
    assert_int_equal(write(pair[1], text, strlen(text)), strlen(text));
    close(pair[1]);
    net_loop_run(ear.loop);
    control_free(control);
    close(pair[0]);
    net_loop_free(ear.loop);
    return ear;
}

static void controller__saying_go_twice_and_nonsense__is_heard_twice_then_missed(void **state)
{
    (void)state;
    struct ear ear = converse("{\"do\":\"go\"}\n{\"do\":\"jump\"}\nnonsense\n[]\n{ \"do\" : \"go\" }\n{\"do\":\"go\"");
    assert_int_equal(ear.goes, 2);
    assert_int_equal(ear.stops, 1);
    assert_string_equal(ear.why, "the controller has gone");
}

static void controller__saying_stop__is_heard(void **state)
{
    (void)state;
    struct ear ear = converse("{\"do\":\"stop\"}\n");
    assert_int_equal(ear.goes, 0);
    assert_string_equal(ear.why, "the controller said stop");
}

static void controller__endless_line__is_the_end(void **state)
{
    (void)state;
    char *line = mem_printf("%9000d", 1);
    struct ear ear = converse(line);
    free(line);
    assert_int_equal(ear.stops, 1);
    assert_string_equal(ear.why, "the controller sent a line that never ends");
}

static void tell_all(struct control *control)
{
    const struct control_run run = {.run = 3, .strategy = "g-lag", .repeat = 1};
    const struct session_summary summary = {.rounds = 94, .reached = true};
    control_listening(control, 4700);
    control_workers(control, 2, 3);
    control_run_next(control, &run);
    control_run_start(control, &run, 123456789012345);
    control_round(control, &run, 8, 99, NAN, 1e-8);
    control_round(control, &run, 9, 99, 0.25, 1e-8); /* too soon after the other */
    control_run_end(control, &run, 7, &summary, NULL, "abcd");
    control_run_end(control, &run, 7, &summary, "worker3 \"died\"", "abcd");
    control_done(control, 1);
}

static const char *const told[] = {
    "{'event':'listening','port':4700}",
    "{'event':'workers','connected':2,'of':3}",
    "{'event':'run-next','run':3,'strategy':'g-lag','repeat':1}",
    "{'event':'run-start','run':3,'strategy':'g-lag','repeat':1,'t_ns':123456789012345}",
    "{'event':'round','run':3,'round':8,'t_ns':99,'error':null,'target':1e-8}",
    ("{'event':'run-end','run':3,'strategy':'g-lag','repeat':1,'t_ns':7,'rounds':94,'reached':true,"
     "'failed':null,'iterates':'abcd'}"),
    ("{'event':'run-end','run':3,'strategy':'g-lag','repeat':1,'t_ns':7,'rounds':94,'reached':true,"
     "'failed':'worker3 \\'died\\'','iterates':'abcd'}"),
    "{'event':'done','failed':1}",
};

static json_t *parse(const char *text, bool single_quotes)
{
    char *copy = mem_strdup(text);
    for (char *c = copy; single_quotes && *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    json_t *value = json_loads(copy, 0, NULL);
    assert_non_null(value);
    free(copy);
    return value;
}

static void events__each_kind__is_a_json_line_as_promised(void **state)
{
    (void)state;
    static const struct control_handlers handlers = {hear_go, hear_stop};
    struct net_loop *loop = net_loop_new();
    int pair[2];
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
    struct control *control = control_new(loop, pair[0], false, &handlers, NULL);
    tell_all(control);
    control_free(control);
    close(pair[0]);
    FILE *lines = fdopen(pair[1], "r");
    char line[1000];
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        assert_non_null(fgets(line, sizeof line, lines));
        json_t *got = parse(line, false), *wanted = parse(told[i], true);
        if (!json_equal(got, wanted))
            fail_msg("%s is not %s", line, told[i]);
        json_decref(got);
        json_decref(wanted);
    }
    assert_null(fgets(line, sizeof line, lines));
    fclose(lines);
    net_loop_free(loop);
}

static void events__without_a_controller__go_nowhere(void **state)
{
    (void)state;
    static const struct control_handlers handlers = {hear_go, hear_stop};
    struct net_loop *loop = net_loop_new();
    struct control *control = control_new(loop, -1, false, &handlers, NULL);
    assert_false(control_is_present(control));
    tell_all(control);
    control_free(control);
    net_loop_free(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hello__of_a_good_worker__is_accepted),
        cmocka_unit_test(hello__wrong_in_one_thing__is_refused_for_that),
        cmocka_unit_test(digest__of_a_partition__is_that_of_its_layout),
        cmocka_unit_test(evaluator__iterates_in_order__gives_errors_and_a_hash_of_the_way),
        cmocka_unit_test(evaluator__gradient_target__gives_the_norm_of_the_gradient),
        cmocka_unit_test(evaluator__discarding__drops_what_is_not_begun),
        cmocka_unit_test(recorder__rounds_past_the_target__leave_no_row),
        cmocka_unit_test(recorder__folder_that_cannot_be_made__is_an_error_that_names_it),
        cmocka_unit_test(controller__saying_go_twice_and_nonsense__is_heard_twice_then_missed),
        cmocka_unit_test(controller__saying_stop__is_heard),
        cmocka_unit_test(controller__endless_line__is_the_end),
        cmocka_unit_test(events__each_kind__is_a_json_line_as_promised),
        cmocka_unit_test(events__without_a_controller__go_nowhere),
    };
    model_init_blas();
    return cmocka_run_group_tests_name("ps", tests, make, destroy);
}
