/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run, from an empty namespace to its last file: network, shaping, probes, certificates, PS (set_up, a straight line);
 * then what the PS says drives everything (conversation.c), until it and the workers are gone (run_bed). */
#include "config.h"

#include "bed/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "bed/features.h"
#include "bed/probe.h"
#include "bed/run_private.h"

enum { WARNINGS_SHOWN = 10 };

/* ── the end ── */

void run_give_up(struct run *run, enum exit_status status, const struct error *why)
{
    if (run->status == EXIT_DONE) {
        run->status = status;
        *run->err = *why;
    }
    if (run->loop != NULL)
        net_loop_stop(run->loop);
}

void run_wait_at_most(struct run *run, int seconds)
{
    net_timer_at(run->deadline, clock_now_ns() + (int64_t)seconds * NS_PER_S);
}

void run_leave_if_empty(struct run *run)
{
    if (run->phase == PHASE_LEAVING && supervise_running(run->supervisor) == 0)
        net_loop_stop(run->loop);
}

/* Without a controller nobody reads the results, nor would clean up: as PID 1 we take everything with us. */
static void on_life(void *context)
{
    (void)context;
    _exit(EXIT_RUN_FAILED);
}

/* Before the first run there is nothing to save. In a run the PS ends it and writes what there is. */
static void on_signal(void *context)
{
    struct run *run = context;
    struct error why = {"stopped by a signal"};
    if (run->phase == PHASE_LEAVING)
        return;
    if (run->status == EXIT_DONE) {
        run->status = EXIT_RUN_FAILED;
        *run->err = why;
    }
    if (run->phase != PHASE_RUNNING) {
        net_loop_stop(run->loop);
        return;
    }
    run->was_stopped = true;
    run_wait_at_most(run, FAREWELL_S);
    conversation_stop(run);
}

static void on_deadline(void *context)
{
    struct run *run = context;
    struct error why;
    switch (run->phase) {
    case PHASE_LOADING:
        error_set(&why, "the PS did not listen within %d s; see logs/ps.log", PATIENCE_S);
        break;
    case PHASE_GATHERING:
        error_set(&why, "the first run did not begin within %d s; see logs/", PATIENCE_S);
        break;
    case PHASE_RUNNING: /* stopped by a signal */
        error_set(&why, "the PS did not stop within %d s", FAREWELL_S);
        break;
    case PHASE_LEAVING:
        log_warn("%u processes did not end within %d s and are killed", supervise_running(run->supervisor), FAREWELL_S);
        net_loop_stop(run->loop);
        return;
    }
    run_give_up(run, EXIT_RUN_FAILED, &why);
}

/* ── setting up ── */

/* On an overloaded machine each of a hundred links may be worth a warning; the log has them all. */
static void tell_warning(void *context, const char *line)
{
    struct run *run = context;
    if (run->warnings++ < WARNINGS_SHOWN)
        progress_say(&run->progress, line);
    else if (run->warnings == WARNINGS_SHOWN + 1)
        progress_say(&run->progress, "more warnings are in logs/bed.log");
}

static int open_log(struct run *run, struct error *err)
{
    run->log_directory = mem_printf("%s/logs", run->options->directory);
    if (mkdir(run->log_directory, 0777) < 0 && errno != EEXIST)
        return error_set_errno(err, "%s", run->log_directory);
    char *path = mem_printf("%s/bed.log", run->log_directory);
    run->log_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (run->log_fd < 0)
        error_set_errno(err, "%s", path);
    free(path);
    if (run->log_fd < 0)
        return -1;
    log_open("bed", LOG_LEVEL_INFO);
    log_to(run->log_fd);
    log_tell(tell_warning, run);
    return 0;
}

static int open_results(struct run *run, struct error *err)
{
    const char *directory = run->options->directory;
    run->events = results_open(directory, RESULTS_EVENTS, false, err);
    run->pauses = run->events ? results_open(directory, RESULTS_PAUSES, false, err) : NULL;
    run->links = run->pauses ? results_open(directory, RESULTS_LINKS, false, err) : NULL;
    return run->links ? 0 : -1;
}

static int judge_figures(struct run *run, uint32_t wrong, struct error *err)
{
    run->outcome->wrong_figures += wrong;
    if (wrong == 0 || !run->options->strict)
        return 0;
    return error_set(err,
                     "%u figures of links are outside their tolerance, and --strict was asked for; see links.csv "
                     "and logs/bed.log",
                     wrong);
}

static int set_up_network(struct run *run, struct error *err)
{
    bool shaped = scenario_needs_netem(run->scenario);
    uint32_t wrong = 0;
    progress_note(&run->progress, "building the network");
    run->topology = topology_new(run->scenario->cluster.workers, shaped, err);
    if (run->topology == NULL)
        return -1;
    if (shaped) {
        run->shaper = shaper_new(run->topology, run->options->netem_directory, err);
        if (run->shaper == NULL || shaper_set_all(run->shaper, run->scenario, err) < 0)
            return -1;
    }
    progress_note(&run->progress, "probing the links");
    if (probe_links(run->topology, run->scenario, run->shaper, run->links, &wrong, err) < 0)
        return -1;
    return judge_figures(run, wrong, err);
}

static void set_up_watchers(struct run *run, int life_fd)
{
    const struct scenario *scenario = run->scenario;
    run->loop = net_loop_new();
    run->deadline = net_timer_new(run->loop, on_deadline, run);
    if (life_fd >= 0)
        run->life_watch = net_watch_fd(run->loop, life_fd, on_life, NULL);
    run->supervisor =
        supervise_new(run->loop, run->topology, scenario->cluster.workers, run->log_directory, daemons_on_death, run);
    struct impair_config config = {.loop = run->loop,
                                   .scenario = scenario,
                                   .shaper = run->shaper,
                                   .supervisor = run->supervisor,
                                   .events = run->events,
                                   .pauses = run->pauses,
                                   .restart = daemons_spawn_worker,
                                   .context = run};
    run->impair = impair_new(&config);
}

static int start_ps(struct run *run, struct error *err)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return error_set_errno(err, "no socket to control the PS by");
    jsonline_init(&run->control, pair[0]);
    run->control_watch = net_watch_fd(run->loop, pair[0], conversation_on_readable, run);
    run_wait_at_most(run, PATIENCE_S);
    progress_note(&run->progress, "loading the data");
    int status = daemons_spawn_ps(run, pair[1], err);
    close(pair[1]);
    return status;
}

/* From here on a signal ends the run in order. */
static void watch_signals(struct run *run)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        run->signal_watch[i] = net_watch_signal(run->loop, signals[i], on_signal, run);
}

static int set_up(struct run *run, int life_fd, struct error *err)
{
    if (open_log(run, err) < 0 || open_results(run, err) < 0 || set_up_network(run, err) < 0 ||
        daemons_make_certificates(run->scenario, err) < 0)
        return -1;
    set_up_watchers(run, life_fd);
    if (start_ps(run, err) < 0)
        return -1;
    watch_signals(run);
    return 0;
}

/* ── tearing down ── */

/* What the queues have counted, while they are there. */
static void count_drops(struct run *run)
{
    struct error err;
    uint32_t wrong = 0;
    if (run->shaper == NULL || run->phase < PHASE_RUNNING)
        return;
    if (probe_counts(run->scenario, run->shaper, run->links, &wrong, &err) < 0 || judge_figures(run, wrong, &err) < 0)
        run_give_up(run, EXIT_RUN_FAILED, &err);
}

static void tear_down(struct run *run)
{
    impair_free(run->impair);
    supervise_free(run->supervisor);
    shaper_free(run->shaper);
    topology_free(run->topology);
    results_close(run->events);
    results_close(run->pauses);
    results_close(run->links);
    net_watch_free(run->control_watch);
    if (run->control.fd >= 0)
        close(run->control.fd);
    jsonline_clear(&run->control);
    net_watch_free(run->life_watch);
    for (size_t i = 0; i < sizeof run->signal_watch / sizeof *run->signal_watch; i++)
        net_watch_free(run->signal_watch[i]);
    net_timer_free(run->deadline);
    if (run->loop != NULL)
        net_loop_free(run->loop);
    progress_close(&run->progress);
    log_tell(NULL, NULL);
    log_to(STDERR_FILENO);
    if (run->log_fd >= 0)
        close(run->log_fd);
    free(run->log_directory);
    free(run->revived);
}

enum exit_status run_bed(const struct scenario *scenario, const struct bed_options *options, int life_fd,
                         struct bed_outcome *outcome, struct error *err)
{
    struct run run = {.scenario = scenario,
                      .options = options,
                      .outcome = outcome,
                      .control = {.fd = -1},
                      .log_fd = -1,
                      .revived = mem_array(scenario->cluster.workers, sizeof *run.revived),
                      .err = err};
    struct error why;
    struct utsname kernel;
    err->text[0] = '\0';
    uname(&kernel);
    snprintf(outcome->release, sizeof outcome->release, "%s", kernel.release);
    signal(SIGPIPE, SIG_IGN);
    features_set_path();
    progress_init(&run.progress, options->quiet, options->columns, (uint32_t)scenario->n_strategies * scenario->repeats,
                  scenario->repeats);
    if (set_up(&run, life_fd, &why) < 0)
        run_give_up(&run, EXIT_RUN_FAILED, &why);
    else
        net_loop_run(run.loop);
    count_drops(&run);
    tear_down(&run);
    return run.status;
}
