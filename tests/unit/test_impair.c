/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A timeline carried out on a real loop and real processes, under a supervisor that only knows their pids; what the
 * files then say. */
#include "config.h"

#include "bed/impair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/log.h"

enum { WORKERS = 3, LOOK_EVERY_MS = 5 };
struct supervisor {
    pid_t pid[WORKERS];
};
static struct supervisor fake;
static char folder[] = "/tmp/laggard-impair-XXXXXX";

pid_t supervise_pid(const struct supervisor *supervisor, int32_t node)
{
    return supervisor->pid[node];
}

bool supervise_signal(struct supervisor *supervisor, int32_t node, int signal)
{
    if (supervisor->pid[node] == 0 || kill(supervisor->pid[node], signal) < 0)
        return false;
    if (signal == SIGKILL) {
        waitpid(supervisor->pid[node], NULL, 0);
        supervisor->pid[node] = 0;
    }
    return true;
}

/* Nothing here leaves the namespace it was started in. */
int topology_enter(const struct topology *topology, int32_t node, struct error *err)
{
    (void)topology;
    return error_set(err, "a test wanted to enter node %d", node);
}

/* A shaper that remembers what it was told. */
enum { SETS_MAX = 16 };
struct set {
    int32_t node;
    enum direction direction;
    struct link link;
};
static struct set set[SETS_MAX];
static size_t sets;

int shaper_set(struct shaper *shaper, int32_t node, enum direction direction, const struct link *link,
               int64_t *applied_ns, struct error *err)
{
    (void)shaper;
    if (sets == SETS_MAX)
        return error_set(err, "more changes than planned");
    set[sets++] = (struct set){node, direction, *link};
    if (applied_ns)
        *applied_ns = clock_now_ns();
    return 0;
}

static pid_t sleeper(void)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;)
        pause();
}

static int restart(void *context, int32_t node, struct error *err)
{
    (void)err;
    struct supervisor *supervisor = context;
    supervisor->pid[node] = sleeper();
    return 0;
}

static int set_up(void **state)
{
    (void)state;
    log_open("test", LOG_LEVEL_ERROR); /* the warnings are what is being made here */
    for (int w = 0; w < WORKERS; w++)
        fake.pid[w] = sleeper();
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    for (int w = 0; w < WORKERS; w++)
        supervise_signal(&fake, w, SIGKILL);
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static char delay_key[] = "delay";
/* worker2 is paused twice at once, worker1 beyond the end of the run; worker3 dies, is paused while dead, and is
 * started again */
static struct timeline_event events[] = {
    {.at_ns = 10 * NS_PER_MS, .kind = EVENT_PAUSE, .node = 1, .length_ns = 30 * NS_PER_MS},
    {.at_ns = 10 * NS_PER_MS, .kind = EVENT_PAUSE, .node = 1, .length_ns = 40 * NS_PER_MS},
    {.at_ns = 30 * NS_PER_MS, .kind = EVENT_KILL, .node = 2, .signal = SIGKILL},
    {.at_ns = 40 * NS_PER_MS, .kind = EVENT_PAUSE, .node = 2, .length_ns = NS_PER_S},
    {.at_ns = 50 * NS_PER_MS, .kind = EVENT_RESTART, .node = 2},
    {.at_ns = 60 * NS_PER_MS, .kind = EVENT_RESTART, .node = 2},
    {.at_ns = 70 * NS_PER_MS, .kind = EVENT_LINK, .node = 0, .both = true, .key = delay_key, .value.delay_ns = 5},
    {.at_ns = 80 * NS_PER_MS, .kind = EVENT_PAUSE, .node = 0, .length_ns = 60ll * NS_PER_S},
    {.at_ns = 3600ll * NS_PER_S, .kind = EVENT_KILL, .node = 0, .signal = SIGKILL},
};

/* The run, as long as it takes: until only the pause that has no end is under way. */
struct watch {
    struct net_loop *loop;
    struct net_timer *timer;
    struct impair *impair;
};

static void look(void *context)
{
    struct watch *watch = context;
    if (impair_is_paused(watch->impair, 0) && !impair_is_paused(watch->impair, 1))
        net_loop_stop(watch->loop);
    else
        net_timer_at(watch->timer, clock_now_ns() + LOOK_EVERY_MS * NS_PER_MS);
}

static void run_timeline(struct impair_config *config)
{
    struct error err = {{0}};
    struct watch watch = {.loop = config->loop, .impair = impair_new(config)};
    watch.timer = net_timer_new(config->loop, look, &watch);
    impair_run_start(watch.impair, "gd", 4, clock_now_ns());
    look(&watch);
    net_loop_run(config->loop);
    if (impair_run_end(watch.impair, &err) < 0)
        fail_msg("%s", err.text);
    assert_false(impair_is_paused(watch.impair, 0));
    net_timer_free(watch.timer);
    impair_free(watch.impair);
}

static void check_event(const struct results_table *table, size_t row, const char *what, const char *target,
                        const char *observed, bool applied)
{
    assert_string_equal(results_field(table, row, results_column(table, "what")), what);
    assert_string_equal(results_field(table, row, results_column(table, "target")), target);
    const char *text = results_field(table, row, results_column(table, "observed"));
    if (strstr(text, observed) == NULL)
        fail_msg("row %zu: %s, not %s", row, text, observed);
    double requested = results_number(table, row, results_column(table, "requested_s"));
    double done = results_number(table, row, results_column(table, "applied_s"));
    assert_true(applied ? done >= requested : done != done);
}

static void check_events(void)
{
    struct error err;
    struct results_table table;
    assert_int_equal(results_read(folder, RESULTS_EVENTS, &table, &err), 0);
    assert_int_equal(table.rows, 8); /* the ninth is an hour away */
    check_event(&table, 0, "pause", "worker2", "stopped", true);
    check_event(&table, 1, "pause", "worker2", "was paused already", true);
    check_event(&table, 2, "kill", "worker3", "signalled", true);
    check_event(&table, 3, "pause", "worker3", "does not run", false);
    check_event(&table, 4, "restart", "worker3", "started", true);
    check_event(&table, 5, "restart", "worker3", "still running", false);
    check_event(&table, 6, "delay", "worker1", "no link of this bed is shaped", false);
    check_event(&table, 7, "pause", "worker1", "stopped", true);
    assert_string_equal(results_field(&table, 0, results_column(&table, "repeat")), "5"); /* people count from 1 */
    results_table_clear(&table);
}

static void check_pauses(void)
{
    struct error err;
    struct results_table table;
    assert_int_equal(results_read(folder, RESULTS_PAUSES, &table, &err), 0);
    assert_int_equal(table.rows, 2);
    int observed = results_column(&table, "observed_s"), length = results_column(&table, "length_s");
    /* 30 ms and 40 ms at once are one of 40 ms; no stop is shorter than asked for */
    assert_true(results_number(&table, 0, length) >= 0.04);
    assert_true(results_number(&table, 0, observed) >= results_number(&table, 0, length) - 1e-6);
    assert_true(results_number(&table, 1, length) == 60); /* asked, and cut short by the end */
    assert_true(results_number(&table, 1, observed) < 60);
    assert_string_equal(results_field(&table, 0, results_column(&table, "worker")), "2");
    results_table_clear(&table);
}

static void run__timeline__is_carried_out_recorded_and_undone(void **state)
{
    (void)state;
    struct error err;
    struct scenario scenario = {
        .cluster.workers = WORKERS, .n_events = sizeof events / sizeof events[0], .event = events};
    scenario.worker_link = (struct link_pair[WORKERS]){0};
    struct impair_config config = {.loop = net_loop_new(),
                                   .scenario = &scenario,
                                   .supervisor = &fake,
                                   .events = results_open(folder, RESULTS_EVENTS, false, &err),
                                   .pauses = results_open(folder, RESULTS_PAUSES, false, &err),
                                   .restart = restart,
                                   .context = &fake};
    run_timeline(&config);
    net_loop_free(config.loop);
    results_close(config.events);
    results_close(config.pauses);
    check_events();
    check_pauses();
    assert_true(fake.pid[0] != 0 && fake.pid[2] != 0);
}

/* Two cuts that overlap and, in them, a change of delay, on an uplink that duplicates; then a cut beyond the end. */
static struct timeline_event cuts[] = {
    {.at_ns = 10 * NS_PER_MS, .kind = EVENT_CUT, .node = 0, .direction = LINK_UP, .length_ns = 200 * NS_PER_MS},
    {.at_ns = 11 * NS_PER_MS, .kind = EVENT_CUT, .node = 0, .direction = LINK_UP, .length_ns = 20 * NS_PER_MS},
    {.at_ns = 12 * NS_PER_MS,
     .kind = EVENT_LINK,
     .node = 0,
     .direction = LINK_UP,
     .key = delay_key,
     .value.delay_ns = 5},
    {.at_ns = 13 * NS_PER_MS, .kind = EVENT_CUT, .node = 1, .both = true, .length_ns = 3600ll * NS_PER_S},
};

static void look_for_heal(void *context)
{
    struct watch *watch = context;
    if (sets > 0 && set[sets - 1].node == 0 && set[sets - 1].link.loss_ppm == 0)
        net_loop_stop(watch->loop);
    else
        net_timer_at(watch->timer, clock_now_ns() + LOOK_EVERY_MS * NS_PER_MS);
}

static void run_cuts(struct impair_config *config)
{
    struct error err = {{0}};
    struct watch watch = {.loop = config->loop, .impair = impair_new(config)};
    watch.timer = net_timer_new(config->loop, look_for_heal, &watch);
    sets = 0;
    impair_run_start(watch.impair, "gd", 0, clock_now_ns());
    look_for_heal(&watch);
    net_loop_run(config->loop);
    size_t during = sets; /* three of worker1, two of worker2, one heal */
    assert_int_equal(during, 6);
    if (impair_run_end(watch.impair, &err) < 0)
        fail_msg("%s", err.text);
    net_timer_free(watch.timer);
    impair_free(watch.impair);
}

static void check_sets(void)
{
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(set[i].node, i < 3 ? 0 : 1);
        assert_int_equal(set[i].direction, i == 4 ? LINK_DOWN : LINK_UP);
        assert_int_equal(set[i].link.loss, LINK_LOSS_INDEPENDENT);
        assert_int_equal(set[i].link.loss_ppm, 1000000);
        assert_int_equal(set[i].link.duplicate_ppm, 0); /* a copy would pass */
    }
    assert_int_equal(set[5].link.loss, LINK_LOSS_NONE);
    assert_int_equal(set[5].link.delay_ns, 5);
    assert_int_equal(set[5].link.duplicate_ppm, 7);
    bool whole[3] = {false, false, false};
    for (size_t i = 6; i < sets; i++) { /* the last word on each line is its start */
        size_t line = (size_t)set[i].node * 2 + (size_t)set[i].direction;
        assert_true(line < 4 && line != 1); /* worker1's downlink was never touched */
        whole[line == 0 ? 0 : line - 1] = set[i].link.loss == LINK_LOSS_NONE && set[i].link.delay_ns == 0;
    }
    assert_true(whole[0] && whole[1] && whole[2]);
}

static void check_heals(void)
{
    struct error err;
    struct results_table table;
    assert_int_equal(results_read(folder, RESULTS_EVENTS, &table, &err), 0);
    assert_int_equal(table.rows, 7);
    check_event(&table, 0, "cut", "worker1.up", "read back", true);
    check_event(&table, 3, "cut", "worker2", "read back", true);
    check_event(&table, 4, "heal", "worker1.up", "read back", true);
    int applied = results_column(&table, "applied_s");
    assert_true(results_number(&table, 4, applied) - results_number(&table, 0, applied) > 0.19); /* the later end */
    assert_string_equal(results_field(&table, 5, results_column(&table, "what")), "heal");
    assert_string_equal(results_field(&table, 6, results_column(&table, "target")), "worker2.down");
    results_table_clear(&table);
}

static void cuts__overlap_and_change__heal_into_what_is_meant(void **state)
{
    (void)state;
    struct error err;
    struct scenario scenario = {.cluster.workers = WORKERS, .n_events = sizeof cuts / sizeof cuts[0], .event = cuts};
    struct link_pair links[WORKERS] = {{.direction[LINK_UP].duplicate_ppm = 7}};
    scenario.worker_link = links;
    struct impair_config config = {.loop = net_loop_new(),
                                   .scenario = &scenario,
                                   .shaper = (struct shaper *)&fake, /* only handed on */
                                   .supervisor = &fake,
                                   .events = results_open(folder, RESULTS_EVENTS, false, &err)};
    run_cuts(&config);
    net_loop_free(config.loop);
    results_close(config.events);
    check_sets();
    check_heals();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(run__timeline__is_carried_out_recorded_and_undone),
                                       cmocka_unit_test(cuts__overlap_and_change__heal_into_what_is_meant)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
