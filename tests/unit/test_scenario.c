/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenarios whole: defaults, which section wins, the timeline, and that a dump resolves to itself. Errors have cases of
 * their own in tests/scenario/. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/random.h"
#include "scenario/scenario.h"
#include "scenario/trace.h"

static struct scenario *parse(const char *text)
{
    struct scenario_errors errors;
    struct scenario *scenario = scenario_parse("/folder/file.ini", text, strlen(text), &errors);
    if (scenario == NULL)
        fail_msg("%d: %s", errors.error[0].line, errors.error[0].text);
    return scenario;
}

static void read__a_name_alone__everything_has_a_default(void **state)
{
    (void)state;
    struct scenario *s = parse("[scenario]\nname = x\n");
    static const char *const names[] = {"gd", "gc", "grouping", "lag-wk", "lag-ps", "lagc", "g-lag"};
    assert_string_equal(s->name, "x");
    assert_int_equal(s->seed, 1);
    assert_int_equal(s->repeats, 1);
    assert_int_equal(s->n_strategies, 7);
    for (size_t i = 0; i < 7; i++) {
        assert_string_equal(s->strategy[i].ops->name, names[i]);
        assert_int_equal(s->strategy[i].redundancy, 3);
        assert_int_equal(s->strategy[i].history, 10);
        assert_true(isnan(s->strategy[i].xi));
    }
    assert_int_equal(s->target_kind, TARGET_RELATIVE_ERROR);
    assert_true(s->target == 1e-4);
    assert_int_equal(s->max_rounds, 10000);
    assert_int_equal(s->max_time_ns, 0);
    assert_int_equal(s->problem.source, DATA_SYNTHETIC);
    assert_int_equal(s->problem.samples, 450);
    assert_int_equal(s->problem.features, 50);
    assert_true(s->problem.heterogeneity == 1.3);
    assert_int_equal(s->cluster.workers, 9);
    assert_int_equal(s->cluster.redundancy, 3);
    assert_int_equal(s->cluster.on_worker_loss, LOSS_CONTINUE);
    assert_true(s->tls);
    for (uint32_t w = 0; w < 9; w++) {
        assert_int_equal(s->compute[w].kind, DIST_NONE);
        assert_int_equal(s->pause[w].every.kind, DIST_NONE);
        assert_true(link_is_plain(&s->worker_link[w].direction[LINK_UP]));
    }
    assert_false(scenario_needs_netem(s));
    scenario_free(s);
}

static void read__nothing_at_all__named_after_the_file(void **state)
{
    (void)state;
    struct scenario *s = parse("");
    assert_string_equal(s->name, "file");
    scenario_free(s);
}

static void sections__closer_one__wins_whatever_its_place(void **state)
{
    (void)state;
    struct scenario *s = parse("[link:worker2.up]\nrate = 1mbit\n[link:worker2]\nrate = 2mbit\ndelay = 3ms\n"
                               "[link]\nrate = 8mbit\ndelay = 1ms\n[link:ps.down]\nrate = 50mbit\n");
    const struct link *up = &s->worker_link[1].direction[LINK_UP], *down = &s->worker_link[1].direction[LINK_DOWN];
    assert_int_equal(up->rate_bps, 1000000);
    assert_int_equal(down->rate_bps, 2000000);
    assert_int_equal(up->delay_ns, 3000000);
    assert_int_equal(down->delay_ns, 3000000);
    assert_int_equal(s->worker_link[0].direction[LINK_UP].rate_bps, 8000000);
    assert_int_equal(s->worker_link[2].direction[LINK_DOWN].delay_ns, 1000000);
    assert_true(link_is_plain(&s->ps_link.direction[LINK_UP])); /* [link] is about workers' links */
    assert_int_equal(s->ps_link.direction[LINK_DOWN].rate_bps, 50000000);
    assert_int_equal(s->ps_link.direction[LINK_DOWN].delay_ns, 0);
    assert_true(scenario_needs_netem(s));
    scenario_free(s);
}

static void compute__section_of_a_worker__inherits_what_it_does_not_say(void **state)
{
    (void)state;
    struct scenario *s =
        parse("[compute:worker3]\nshape = 2\n[compute:worker4]\nmodel = constant\n"
              "[compute:worker5]\nmodel = none\n[compute:worker6]\nmodel = bimodal\nprobability = 10%\n"
              "factor = 5\n[compute]\nmodel = pareto\nmean = 20ms\nshape = 1.2\n");
    assert_int_equal(s->compute[0].kind, DIST_PARETO);
    assert_true(s->compute[0].mean == 0.02 && s->compute[0].shape == 1.2);
    assert_true(s->compute[2].mean == 0.02 && s->compute[2].shape == 2);
    assert_int_equal(s->compute[3].kind, DIST_CONSTANT);
    assert_true(s->compute[3].mean == 0.02);
    assert_int_equal(s->compute[4].kind, DIST_NONE);
    assert_int_equal(s->compute[5].kind, DIST_BIMODAL);
    assert_true(s->compute[5].probability == 0.1 && s->compute[5].factor == 5);
    scenario_free(s);
}

static void pause__list_of_workers__only_those(void **state)
{
    (void)state;
    struct scenario *s = parse("[pause]\nworkers = 4, 2\nevery = exponential 2s\nfor = pareto 300ms 1.5\n"
                               "[pause:worker7]\nevery = constant 1s\n[pause:worker2]\nevery = none\n");
    for (uint32_t w = 0; w < 9; w++)
        assert_int_equal(s->pause[w].every.kind != DIST_NONE, w == 3 || w == 6);
    assert_int_equal(s->pause[3].every.kind, DIST_EXPONENTIAL);
    assert_true(s->pause[3].every.mean == 2);
    assert_int_equal(s->pause[3].length.kind, DIST_PARETO);
    assert_true(s->pause[3].length.mean == 0.3 && s->pause[3].length.shape == 1.5);
    assert_int_equal(s->pause[6].length.kind, DIST_CONSTANT); /* the default: worker7 is not in the list */
    assert_true(s->pause[6].length.mean == 1);
    scenario_free(s);
}

static void strategy__own_section__over_the_general_one(void **state)
{
    (void)state;
    struct scenario *s =
        parse("[scenario]\nstrategies = gd, lagc, g-lag, gc\n[strategy:lagc]\nhistory = 5\nxi = 0.5\n"
              "refresh = 20\nredundancy = 2\n[strategy]\nhistory = 20\nstep = 0.01\n"
              "[strategy:g-lag]\nassign = smoothness\nalways = true\n[strategy:gc]\ncode = fractional\n");
    struct session_config config;
    assert_int_equal(s->strategy[1].history, 5);
    assert_true(s->strategy[1].xi == 0.5);
    assert_int_equal(s->strategy[1].redundancy, 2);
    assert_true(s->strategy[1].step == 0.01);
    assert_int_equal(s->strategy[2].history, 20);
    assert_int_equal(s->strategy[2].redundancy, 3);
    scenario_session_config(s, 1, 2, &config);
    assert_ptr_equal(config.ops, s->strategy[1].ops);
    assert_int_equal(config.strategy.workers, 9);
    assert_int_equal(config.strategy.partitions, 9);
    assert_int_equal(config.strategy.redundancy, 2);
    assert_int_equal(config.strategy.refresh, 20);
    assert_true(config.strategy.seed == random_repeat_seed(1, 2));
    assert_true(config.target == 1e-4);
    assert_int_equal(config.max_rounds, 10000);
    scenario_session_config(s, 2, 0, &config);
    assert_true(config.strategy.by_smoothness && config.strategy.always);
    scenario_session_config(s, 3, 0, &config);
    assert_int_equal(config.strategy.code, CODE_FRACTIONAL);
    scenario_free(s);
}

static void timeline__any_order_in_the_file__by_time(void **state)
{
    (void)state;
    struct scenario *s = parse("[at:8s]\nrestart.worker5 = true\n[at:5s]\nlink.worker2.down.delay = 200ms\n"
                               "pause.worker4 = 2s\n[at:500ms]\nkill.worker5 = TERM\nlink.ps.loss = gemodel 1% 30%\n");
    assert_int_equal(s->n_events, 5);
    const struct timeline_event *e = s->event;
    assert_int_equal(e[0].kind, EVENT_KILL);
    assert_int_equal(e[0].signal, SIGTERM);
    assert_int_equal(e[0].node, 4);
    assert_int_equal(e[0].at_ns, 500000000);
    assert_int_equal(e[0].line, 7);
    assert_int_equal(e[1].kind, EVENT_LINK);
    assert_int_equal(e[1].node, -1);
    assert_true(e[1].both);
    assert_string_equal(e[1].key, "loss");
    assert_int_equal(e[1].value.loss, LINK_LOSS_GEMODEL);
    assert_int_equal(e[2].kind, EVENT_LINK);
    assert_false(e[2].both);
    assert_int_equal(e[2].direction, LINK_DOWN);
    assert_int_equal(e[2].value.delay_ns, 200000000);
    assert_int_equal(e[3].kind, EVENT_PAUSE);
    assert_int_equal(e[3].length_ns, 2000000000);
    assert_int_equal(e[4].kind, EVENT_RESTART);
    assert_true(scenario_needs_netem(s)); /* for the timeline's sake */
    scenario_free(s);
}

static void timeline__same_moment__figures_are_judged_together(void **state)
{
    (void)state;
    /* jitter stands before the delay that makes room for it */
    scenario_free(parse("[at:5s]\nlink.worker2.jitter = 10ms\nlink.worker2.delay = 20ms\n"));
    struct scenario_errors errors;
    static const char text[] = "[at:5s]\nlink.worker2.delay = 20ms\nlink.worker2.jitter = 10ms\n[at:6s]\n"
                               "link.worker2.up.delay = 5ms\n";
    assert_null(scenario_parse("/f.ini", text, sizeof text - 1, &errors));
    assert_int_equal(errors.n, 1);
    assert_int_equal(errors.error[0].line, 5);
    scenario_errors_clear(&errors);
}

static void data__relative_names__against_the_scenario_folder(void **state)
{
    (void)state;
    struct scenario_errors errors;
    static const char text[] = "[problem]\ndata = csv:Some/File.csv\n";
    assert_null(scenario_parse("/folder/file.ini", text, sizeof text - 1, &errors));
    assert_int_equal(errors.n, 1);
    assert_non_null(strstr(errors.error[0].text, "/folder/Some/File.csv: No such file"));
    scenario_errors_clear(&errors);
}

/* A file of the test's own; removed by free_file. */
static char *make_file(const char *text)
{
    char *path = mem_strdup("/tmp/laggard-test-XXXXXX");
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static void free_file(char *path)
{
    remove(path);
    free(path);
}

static void set__over_the_file__wins_and_excuses_what_it_makes_idle(void **state)
{
    (void)state;
    char *path =
        make_file("[scenario]\nname = a\ntarget_error = 1e-8\n[problem]\nmodel = logistic\n[compute]\n"
                  "model = pareto\nmean = 20ms\nshape = 1.5\n[pause]\nevery = exponential 2s\nfor = constant 1s\n");
    static const char *const sets[] = {
        "scenario.target_gradient=1e-3", "compute.model=none",  "pause.every=none", "scenario.name=b",
        "scenario.name=c # d",           "problem.model=linear"};
    struct scenario_errors errors;
    struct scenario *s = scenario_read(path, sets, sizeof sets / sizeof *sets, &errors);
    if (s == NULL)
        fail_msg("%s", errors.error[0].text);
    assert_string_equal(s->name, "c");
    assert_int_equal(s->target_kind, TARGET_GRADIENT);
    assert_int_equal(s->compute[0].kind, DIST_NONE);
    assert_int_equal(s->pause[0].every.kind, DIST_NONE);
    scenario_free(s);
    free_file(path);
}

/* Dump, read, dump: the same text. */
static void check_fix_point(const char *text)
{
    struct scenario *one = parse(text);
    char *first = scenario_dump(one);
    struct scenario *two = parse(first);
    char *second = scenario_dump(two);
    assert_string_equal(first, second);
    free(first);
    free(second);
    scenario_free(one);
    scenario_free(two);
}

static void dump__of_anything__resolves_to_itself(void **state)
{
    (void)state;
    check_fix_point("");
    check_fix_point("[scenario]\nname = 'a; \"b\" #c'\nseed = 18446744073709551615\nmax_time = 1.5s\n"
                    "target_gradient = 3.3e-7\nstrategies = lagc, gd\n[security]\ntls = off\n");
    check_fix_point(
        "[problem]\nmodel = logistic\nsamples = 901\nfeatures = 7\nheterogeneity = 1.7\nl2 = 0.1\nstep = 1e-3\n"
        "center = yes\nscale = unit\norder = shuffle\n[cluster]\nworkers = 12\nredundancy = 4\n"
        "on_worker_loss = abort\nwait_limit = 90s\n[strategy]\nstep = 0.3\n[strategy:gc]\ncode = fractional\n");
    check_fix_point("[compute]\nmodel = shifted-exponential\nmean = 1234us\nshape = 0.25\n[compute:worker2]\n"
                    "model = bimodal\nprobability = 0.0001%\nfactor = 1e3\n[compute:worker9]\nmodel = none\n"
                    "[compute:worker1]\nmodel = lognormal\nshape = 2\n");
    check_fix_point(
        "[link]\ndelay = 5ms\njitter = 1ms\ndistribution = paretonormal\nrate = 1.5mbit\nloss = 0.1%\n"
        "duplicate = 1%\nreorder = 2%\ncorrupt = 0.0003%\nqueue = 50\n[link:worker1.up]\nloss = gemodel 1%\n"
        "[link:worker5]\nrate = unlimited\n[link:ps]\ndelay = 1ms\n[link:ps.up]\nqueue = 7\n");
    check_fix_point("[pause]\nworkers = 1, 3\nevery = weibull 2s 0.7\nfor = shifted-exponential 10ms 0\n"
                    "[pause:worker9]\nevery = lognormal 1min 1\n");
    check_fix_point("[at:0s]\nlink.ps.rate = 1mbit\n[at:1us]\nlink.worker2.up.loss = gemodel 5% 10% 90% 1%\n"
                    "[at:1.5min]\nlink.worker1.queue = auto\nkill.worker1 = TERM\npause.worker2 = 1ms\n"
                    "restart.worker1 = true\nlink.worker3.down.distribution = uniform\n");
}

static void dump__figures__mean_what_the_file_said(void **state)
{
    (void)state;
    struct scenario *one = parse("[link:worker2.up]\ndelay = 7ms\njitter = 0.3ms\nrate = 2.5mbit\nloss = 0.5%\n"
                                 "[compute:worker4]\nmodel = pareto\nmean = 10ms\nshape = 1.5\n");
    char *text = scenario_dump(one);
    struct scenario *two = parse(text);
    for (uint32_t w = 0; w < 9; w++) {
        assert_true(link_equals(&one->worker_link[w].direction[LINK_UP], &two->worker_link[w].direction[LINK_UP]));
        assert_true(link_equals(&one->worker_link[w].direction[LINK_DOWN], &two->worker_link[w].direction[LINK_DOWN]));
        assert_int_equal(one->compute[w].kind, two->compute[w].kind);
        assert_true(one->compute[w].mean == two->compute[w].mean);
    }
    assert_int_equal(two->worker_link[1].direction[LINK_UP].jitter_ns, 300000);
    assert_int_equal(two->worker_link[1].direction[LINK_UP].rate_bps, 2500000);
    assert_int_equal(two->worker_link[1].direction[LINK_UP].loss_ppm, 5000);
    free(text);
    scenario_free(one);
    scenario_free(two);
}

static void trace__csv_of_milliseconds__seconds_in_rows_and_columns(void **state)
{
    (void)state;
    struct trace trace;
    static const char text[] = "# ms\n1, 2.5,3\r\n\n4,5,6e1";
    assert_int_equal(trace_parse("t.csv", text, sizeof text - 1, &trace, NULL), 0);
    assert_int_equal(trace.rows, 2);
    assert_int_equal(trace.columns, 3);
    assert_true(trace.table[1] == 0.0025 && trace.table[3] == 0.004 && trace.table[5] == 0.06);
    trace_clear(&trace);
}

static void trace__unsound_csv__refused_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } rows[] = {{"", "no times"},
                {"# nothing\n", "no times"},
                {"1,2\n3\n", "t.csv:2: 1 columns, but the first row has 2"},
                {"1,2\n3,-4\n", "t.csv:2: column 2: \"-4\": a time cannot be negative"},
                {"1,,2\n", "t.csv:1: column 2: a field is empty"},
                {"1,2,\n", "t.csv:1: column 3: a field is empty"},
                {"1,x\n", "t.csv:1: column 2: \"x\": not a number"},
                {"1,nan\n", "not a number"},
                {"1 2\n", "not a number"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace trace;
        struct error err = {""};
        assert_int_equal(trace_parse("t.csv", rows[i].text, strlen(rows[i].text), &trace, &err), -1);
        if (strstr(err.text, rows[i].why) == NULL)
            fail_msg("\"%s\": \"%s\" has no \"%s\"", rows[i].text, err.text, rows[i].why);
    }
}

static void trace__of_two_workers__one_table_and_a_fix_point(void **state)
{
    (void)state;
    char *path = make_file("10,20\n30,40\n");
    char *text = mem_printf("[compute]\nmodel = trace\nfile = %s\n[compute:worker2]\nscale = 0.5\n", path);
    struct scenario *s = parse(text);
    assert_int_equal(s->n_traces, 1);
    assert_ptr_equal(s->compute[0].table, s->compute[8].table);
    assert_true(s->compute[0].scale == 1 && s->compute[1].scale == 0.5);
    assert_true(s->compute[0].table[3] == 0.04);
    scenario_free(s);
    check_fix_point(text);
    free(text);
    free_file(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read__a_name_alone__everything_has_a_default),
        cmocka_unit_test(read__nothing_at_all__named_after_the_file),
        cmocka_unit_test(sections__closer_one__wins_whatever_its_place),
        cmocka_unit_test(compute__section_of_a_worker__inherits_what_it_does_not_say),
        cmocka_unit_test(pause__list_of_workers__only_those),
        cmocka_unit_test(strategy__own_section__over_the_general_one),
        cmocka_unit_test(timeline__any_order_in_the_file__by_time),
        cmocka_unit_test(timeline__same_moment__figures_are_judged_together),
        cmocka_unit_test(data__relative_names__against_the_scenario_folder),
        cmocka_unit_test(set__over_the_file__wins_and_excuses_what_it_makes_idle),
        cmocka_unit_test(dump__of_anything__resolves_to_itself),
        cmocka_unit_test(dump__figures__mean_what_the_file_said),
        cmocka_unit_test(trace__csv_of_milliseconds__seconds_in_rows_and_columns),
        cmocka_unit_test(trace__unsound_csv__refused_with_its_line),
        cmocka_unit_test(trace__of_two_workers__one_table_and_a_fix_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
