/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 *   WAITING ─ go ─▶ GATHERING ─ all here: BEGIN ─▶ STARTING ─ all READY ─▶ RUNNING ─ over ─▶ WAITING …, or LEAVING
 *                       ▲── one is gone, the others are READY: END ──┘
 *
 * Callbacks of the roster and of a run may nest; what follows from a run's end is done from the loop (on_next), never
 * inside. */
#include "config.h"

#include "ps/ps.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "ps/run.h"

enum ps_state { PS_WAITING, PS_GATHERING, PS_STARTING, PS_RUNNING, PS_LEAVING };

struct ps {
    const struct scenario *scenario;
    const struct ps_options *options;
    struct facts facts;
    struct net_loop *loop;
    struct net_identity *identity;
    struct evaluator *evaluator;
    struct net_watch *evaluated, *interrupt, *terminate;
    struct recorder *recorder;
    struct control *control;
    struct lateness *lateness;
    struct linkwatch links;
    struct roster *roster;
    struct net_timer *next, *deadline;

    enum ps_state state;
    uint32_t number, failed; /* runs begun, counting from 1; runs that failed */
    struct run *run;         /* from STARTING on */
    double *smoothness;      /* L_k as reported; the run's session refers to it */
    bool *began, *ready;     /* M flags, STARTING */
    bool start_is_broken;
    enum exit_status status;
    struct error *err;
};

static void try_start(struct ps *ps);

/* ── the order of runs ── */

static uint32_t total_runs(const struct ps *ps)
{
    return ps->scenario->repeats * (uint32_t)ps->scenario->n_strategies;
}

static size_t which(const struct ps *ps)
{
    return (ps->number - 1) % ps->scenario->n_strategies;
}

static uint32_t repeat(const struct ps *ps)
{
    return (ps->number - 1) / (uint32_t)ps->scenario->n_strategies;
}

static struct control_run run_name(const struct ps *ps)
{
    const char *strategy = ps->scenario->strategy[which(ps)].ops->name;
    return (struct control_run){.run = ps->number, .strategy = strategy, .repeat = repeat(ps)};
}

static void set_deadline(struct ps *ps)
{
    net_timer_at(ps->deadline, clock_now_ns() + ps->scenario->cluster.wait_limit_ns);
}

static void on_bye(void *context)
{
    struct ps *ps = context;
    net_loop_stop(ps->loop);
}

/* A controller has written its own rows there before. */
static void write_links(const struct ps *ps)
{
    struct error err;
    if (ps->options->output != NULL &&
        linkwatch_write(&ps->links, ps->scenario, ps->options->output, !control_is_present(ps->control), &err) < 0)
        log_warn("%s", err.text);
}

static void leave(struct ps *ps)
{
    if (ps->state == PS_LEAVING)
        return;
    ps->state = PS_LEAVING;
    net_timer_cancel(ps->deadline);
    if (ps->failed > 0 && ps->status == EXIT_DONE) {
        ps->status = EXIT_RUN_FAILED;
        error_set(ps->err, "%" PRIu32 " of %" PRIu32 " runs failed", ps->failed, total_runs(ps));
    }
    write_links(ps);
    control_done(ps->control, ps->failed);
    roster_say_bye(ps->roster, on_bye, ps);
}

/* The first failure of everything is the one that is told. */
static void give_up(struct ps *ps, const char *why)
{
    if (ps->status == EXIT_DONE)
        error_set(ps->err, "%s", why);
    ps->status = EXIT_RUN_FAILED;
    leave(ps);
}

static void on_go(void *context)
{
    struct ps *ps = context;
    if (ps->state != PS_WAITING || ps->number == 0) {
        log_warn("the controller said go while no run was waiting for it: ignored");
        return;
    }
    ps->state = PS_GATHERING;
    set_deadline(ps);
    try_start(ps);
}

static void next_run(struct ps *ps)
{
    if (ps->number == total_runs(ps)) {
        leave(ps);
        return;
    }
    ps->number++;
    ps->state = PS_WAITING;
    struct control_run name = run_name(ps);
    control_run_next(ps->control, &name);
    if (!control_is_present(ps->control))
        on_go(ps);
}

/* A run is over, or could not be made. */
static void on_next(void *context)
{
    struct ps *ps = context;
    if (ps->state == PS_LEAVING || (ps->run != NULL && !run_is_over(ps->run)))
        return;
    struct run *run = ps->run;
    bool stop = ps->status != EXIT_DONE;
    ps->run = NULL;
    if (run != NULL && run_failure(run) != NULL) {
        ps->failed++;
        if (run_is_fatal(run) || stop) {
            give_up(ps, run_failure(run));
            stop = true;
        }
    }
    run_free(run);
    if (stop)
        leave(ps);
    else
        next_run(ps);
}

static void look_later(void *context)
{
    struct ps *ps = context;
    if (ps->run != NULL && run_is_over(ps->run))
        net_timer_at(ps->next, clock_now_ns());
}

/* ── starting a run ── */

static bool make_run(struct ps *ps)
{
    struct run_tools tools = {.loop = ps->loop,
                              .facts = &ps->facts,
                              .roster = ps->roster,
                              .evaluator = ps->evaluator,
                              .recorder = ps->recorder,
                              .control = ps->control,
                              .lateness = ps->lateness,
                              .links = &ps->links,
                              .poke = look_later,
                              .context = ps};
    struct error err;
    roster_smoothness(ps->roster, ps->smoothness);
    ps->run = run_new(&tools, ps->number, which(ps), repeat(ps), ps->smoothness, &err);
    if (ps->run != NULL)
        return true;
    struct control_run name = run_name(ps);
    log_error("%s", err.text);
    control_run_end(ps->control, &name, clock_now_ns(), &(struct session_summary){0}, err.text, "");
    ps->failed++;
    ps->state = PS_WAITING;
    net_timer_cancel(ps->deadline);
    net_timer_at(ps->next, clock_now_ns());
    return false;
}

static void try_start(struct ps *ps)
{
    uint32_t workers = ps->facts.workers;
    if (ps->state != PS_GATHERING || roster_connected(ps->roster) < workers || (ps->run == NULL && !make_run(ps)))
        return;
    const struct strategy_choice *choice = &ps->scenario->strategy[which(ps)];
    struct wire_message begin = {
        .type = WIRE_BEGIN, .u.begin = {.run = ps->number, .repeat = repeat(ps), .redundancy = choice->redundancy}};
    snprintf(begin.u.begin.strategy, sizeof begin.u.begin.strategy, "%s", choice->ops->name);
    ps->state = PS_STARTING;
    ps->start_is_broken = false;
    set_deadline(ps);
    for (uint32_t worker = 0; worker < workers; worker++) {
        ps->began[worker] = true;
        ps->ready[worker] = false;
        roster_begin(ps->roster, worker, &begin);
    }
}

/* All that began are ready: run. Unless one has gone meanwhile: end it for the others and gather again. */
static void check_ready(struct ps *ps)
{
    for (uint32_t worker = 0; worker < ps->facts.workers; worker++)
        if (ps->began[worker] && !ps->ready[worker])
            return;
    if (!ps->start_is_broken) {
        net_timer_cancel(ps->deadline);
        ps->state = PS_RUNNING;
        run_start(ps->run);
        look_later(ps);
        return;
    }
    for (uint32_t worker = 0; worker < ps->facts.workers; worker++)
        if (ps->began[worker])
            roster_end(ps->roster, worker, ps->number);
    ps->state = PS_GATHERING;
    set_deadline(ps);
    try_start(ps);
}

static void on_deadline(void *context)
{
    struct ps *ps = context;
    char missing[200], why[400];
    double limit = (double)ps->scenario->cluster.wait_limit_ns / NS_PER_S;
    ps->failed++;
    if (ps->state == PS_GATHERING) {
        roster_missing(ps->roster, missing, sizeof missing);
        snprintf(why, sizeof why, "not connected within %g s: %s (cluster.wait_limit)", limit, missing);
        give_up(ps, why);
    } else if (ps->state == PS_STARTING) {
        uint32_t worker = 0;
        while (ps->ready[worker] || !ps->began[worker])
            worker++;
        snprintf(why, sizeof why, "worker%" PRIu32 " was not ready for %s within %g s (cluster.wait_limit)", worker + 1,
                 ps->scenario->strategy[which(ps)].ops->name, limit);
        give_up(ps, why);
    }
}

/* ── what happens ── */

static void on_joined(void *context, uint32_t worker)
{
    struct ps *ps = context;
    (void)worker;
    control_workers(ps->control, roster_connected(ps->roster), ps->facts.workers);
    try_start(ps);
}

static void on_left(void *context, uint32_t worker, const char *reason)
{
    struct ps *ps = context;
    control_workers(ps->control, roster_connected(ps->roster), ps->facts.workers);
    if (ps->state == PS_STARTING && ps->began[worker]) {
        ps->began[worker] = false;
        ps->start_is_broken = true;
        check_ready(ps);
    } else if (ps->state == PS_RUNNING) {
        run_lose(ps->run, worker, reason);
        look_later(ps);
    }
}

static void on_ready(void *context, uint32_t worker, uint32_t run)
{
    struct ps *ps = context;
    if (ps->state != PS_STARTING || !ps->began[worker] || run != ps->number) {
        roster_drop(ps->roster, worker, "protocol error: READY for another run");
        return;
    }
    ps->ready[worker] = true;
    check_ready(ps);
}

static void on_answer(void *context, uint32_t worker, const struct roster_task *task,
                      const struct wire_message *message, size_t bytes)
{
    struct ps *ps = context;
    if (ps->state != PS_RUNNING)
        return; /* left over from a run whose books are closed */
    run_answer(ps->run, worker, task, message, bytes);
    look_later(ps);
}

static void on_evaluated(void *context)
{
    struct ps *ps = context;
    struct evaluation ignored;
    if (ps->state == PS_RUNNING)
        run_evaluated(ps->run);
    else
        while (evaluator_take(ps->evaluator, &ignored))
            ;
    look_later(ps);
}

static void on_stop(void *context, const char *why)
{
    struct ps *ps = context;
    if (ps->status == EXIT_DONE)
        error_set(ps->err, "stopped: %s", why);
    ps->status = EXIT_RUN_FAILED;
    if (ps->state == PS_RUNNING) {
        run_stop(ps->run, why);
        look_later(ps);
    } else {
        leave(ps);
    }
}

static void on_interrupt(void *context)
{
    on_stop(context, "interrupted");
}

static void on_terminate(void *context)
{
    on_stop(context, "terminated");
}

/* ── beginning and end ── */

static int load_identity(struct ps *ps, struct error *err)
{
    const struct ps_options *options = ps->options;
    if (!ps->scenario->tls) {
        log_warn("TLS is off ([security] tls): anyone who reaches this port can be any worker");
        return 0;
    }
    if (options->cert == NULL || options->key == NULL || options->ca == NULL)
        return error_set(err, "--cert, --key and --ca are needed: the scenario has TLS on");
    ps->identity = net_identity_load(options->cert, options->key, options->ca, err);
    return ps->identity ? 0 : -1;
}

static void watch(struct ps *ps)
{
    static const struct control_handlers control_handlers = {on_go, on_stop};
    ps->control = control_new(ps->loop, ps->options->control_fd, ps->options->every_round, &control_handlers, ps);
    ps->evaluated = net_watch_fd(ps->loop, evaluator_fd(ps->evaluator), on_evaluated, ps);
    ps->interrupt = net_watch_signal(ps->loop, SIGINT, on_interrupt, ps);
    ps->terminate = net_watch_signal(ps->loop, SIGTERM, on_terminate, ps);
    ps->next = net_timer_new(ps->loop, on_next, ps);
    ps->deadline = net_timer_new(ps->loop, on_deadline, ps);
    ps->lateness = lateness_new(ps->loop);
    linkwatch_init(&ps->links, ps->facts.workers);
    ps->smoothness = mem_array(ps->facts.workers, sizeof *ps->smoothness);
    ps->began = mem_array(ps->facts.workers, sizeof *ps->began);
    ps->ready = mem_array(ps->facts.workers, sizeof *ps->ready);
}

/* Returns EXIT_DONE, or what to exit with. */
static enum exit_status open_all(struct ps *ps, struct error *err)
{
    static const struct roster_handlers roster_handlers = {on_joined, on_left, on_ready, on_answer};
    if (load_identity(ps, err) < 0 || facts_load(ps->scenario, &ps->facts, err) < 0)
        return EXIT_WRONG;
    log_info("%zu samples of %zu features in %" PRIu32 " partitions: L = %.10g, minimum of the loss %.10g",
             ps->facts.input.data.n, ps->facts.d, ps->facts.workers, ps->facts.smoothness, ps->facts.optimum_loss);
    ps->recorder = recorder_new(ps->options->output, err);
    if (ps->recorder == NULL)
        return EXIT_RUN_FAILED;
    ps->evaluator = evaluator_new(&ps->facts, err);
    if (ps->evaluator == NULL)
        return EXIT_MACHINE;
    ps->loop = net_loop_new();
    watch(ps);
    ps->roster = roster_new(ps->loop, &ps->facts, ps->identity, ps->options->address, ps->options->port,
                            &roster_handlers, ps, err);
    return ps->roster ? EXIT_DONE : EXIT_RUN_FAILED;
}

static void close_all(struct ps *ps)
{
    run_free(ps->run);
    roster_free(ps->roster);
    evaluator_free(ps->evaluator);
    recorder_free(ps->recorder);
    lateness_free(ps->lateness);
    linkwatch_clear(&ps->links);
    net_timer_free(ps->deadline);
    net_timer_free(ps->next);
    net_watch_free(ps->terminate);
    net_watch_free(ps->interrupt);
    net_watch_free(ps->evaluated);
    control_free(ps->control);
    if (ps->loop != NULL)
        net_loop_free(ps->loop);
    net_identity_free(ps->identity);
    free(ps->ready);
    free(ps->began);
    free(ps->smoothness);
    facts_clear(&ps->facts);
}

enum exit_status ps_serve(const struct scenario *scenario, const struct ps_options *options, struct error *err)
{
    struct ps ps = {.scenario = scenario, .options = options, .err = err, .state = PS_WAITING};
    enum exit_status status = open_all(&ps, err);
    if (status == EXIT_DONE) {
        printf("listening on %s:%u\n", options->address, roster_port(ps.roster));
        fflush(stdout);
        log_info("listening on %s:%u", options->address, roster_port(ps.roster));
        control_listening(ps.control, roster_port(ps.roster));
        next_run(&ps);
        net_loop_run(ps.loop);
        status = ps.status;
    }
    close_all(&ps);
    return status;
}
