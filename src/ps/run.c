/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 *   ROUNDS ── target met, limits, failure, stop ──▶ SETTLING ── errors known, workers quiet or given up ──▶ OVER
 *
 * A round is open from session_begin to session_end; between rounds the run moves on at once, unless the evaluator is
 * so far behind that its queue is full (is_held). */
#include "config.h"

#include "ps/run.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "net/digest.h"

/* SETTLE_S: a worker may be paused when the run ends. A round is suspect when timers were later than LATE_SHARE of it,
 * but no scheduler promises less than LATE_FLOOR_NS. */
enum { SETTLE_S = 5, PROGRESS_NS = NS_PER_S, LATE_FLOOR_NS = NS_PER_MS / 2 };
static const double LATE_SHARE = 0.05;

enum run_state { RUN_ROUNDS, RUN_SETTLING, RUN_OVER };

struct run {
    struct run_tools tools;
    struct control_run name;
    struct session *session;
    enum run_state state;
    bool round_is_open, is_held, gave_up, is_fatal;
    char *failure;
    int64_t t0_ns, round_begin_ns, last_progress_ns;
    struct net_timer *timer; /* max_time in ROUNDS, patience in SETTLING */
    bool *takes_part;        /* M flags: began the run and is still connected */
    char *loss;              /* "worker3 is gone (why)": the latest one; NULL: none */
    uint8_t path[WIRE_HASH_BYTES];
    uint32_t rounds_ended, rounds_late, times_held;
    int64_t worst_late_ns;
};

static void advance(struct run *run);
static void check_settled(struct run *run);

/* ── making and ending ── */

static void on_timer(void *context)
{
    struct run *run = context;
    if (run->state == RUN_ROUNDS)
        advance(run); /* max_time may be over in the middle of a round */
    else if (run->state == RUN_SETTLING) {
        run->gave_up = true;
        check_settled(run);
    }
    run->tools.poke(run->tools.context);
}

struct run *run_new(const struct run_tools *tools, uint32_t number, size_t which, uint32_t repeat,
                    const double *smoothness, struct error *err)
{
    struct session_config config;
    facts_session_config(tools->facts, which, repeat, smoothness, &config);
    struct session *session = session_new(&config, err);
    if (session == NULL) {
        error_prefix(err, "strategy %s", config.ops->name);
        return NULL;
    }
    struct run *run = mem_zalloc(sizeof *run);
    run->tools = *tools;
    run->name = (struct control_run){.run = number, .strategy = config.ops->name, .repeat = repeat};
    run->session = session;
    run->timer = net_timer_new(tools->loop, on_timer, run);
    run->takes_part = mem_array(tools->facts->workers, sizeof *run->takes_part);
    return run;
}

void run_free(struct run *run)
{
    if (run == NULL)
        return;
    net_timer_free(run->timer);
    session_free(run->session);
    free(run->takes_part);
    free(run->loss);
    free(run->failure);
    free(run);
}

bool run_is_over(const struct run *run)
{
    return run->state == RUN_OVER;
}

const char *run_failure(const struct run *run)
{
    return run->failure;
}

bool run_is_fatal(const struct run *run)
{
    return run->is_fatal;
}

static void cancel(struct run *run, uint32_t worker)
{
    session_sent_cancel(run->session, worker, roster_cancel(run->tools.roster, worker, session_round(run->session)));
}

static void cancel_pending(struct run *run)
{
    const bool *pending = session_pending(run->session);
    for (uint32_t worker = 0; worker < run->tools.facts->workers; worker++)
        if (pending[worker])
            cancel(run, worker);
}

/* In mid-round: those whose answer is of no use any more. */
static void cancel_unneeded(struct run *run)
{
    const bool *pending = session_pending(run->session);
    for (uint32_t worker = 0; worker < run->tools.facts->workers; worker++)
        if (pending[worker] && !session_needs(run->session, worker))
            cancel(run, worker);
}

static void settle(struct run *run)
{
    if (run->state != RUN_ROUNDS)
        return;
    run->state = RUN_SETTLING;
    if (run->round_is_open)
        cancel_pending(run);
    run->round_is_open = false;
    net_timer_at(run->timer, clock_now_ns() + (int64_t)SETTLE_S * NS_PER_S);
    check_settled(run);
}

/* The first failure is the one that is told. */
static void fail(struct run *run, const char *format, ...) PRINTF_LIKE(2, 3);
static void fail(struct run *run, const char *format, ...)
{
    char text[ERROR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (run->failure == NULL) {
        run->failure = mem_printf("%s, round %" PRIu32 ": %s", run->name.strategy, session_round(run->session), text);
        log_error("%s", run->failure);
    }
    settle(run);
}

static void fail_writing(struct run *run, const struct error *err)
{
    run->is_fatal = true;
    fail(run, "cannot record it: %s", err->text);
}

void run_stop(struct run *run, const char *why)
{
    if (run->state == RUN_ROUNDS)
        fail(run, "stopped: %s", why);
    run->gave_up = true; /* nobody waits for slow workers now */
    check_settled(run);
}

/* ── records ── */

static void tell_round(struct run *run, const struct round_record *record)
{
    int64_t now = clock_now_ns();
    double target = session_target(run->session);
    control_round(run->tools.control, &run->name, record->round, run->t0_ns + record->end_ns, record->error, target);
    if (now - run->last_progress_ns < PROGRESS_NS)
        return;
    run->last_progress_ns = now;
    log_info("%s: round %" PRIu32 ", error %.3g (target %.3g)", run->name.strategy, record->round, record->error,
             target);
}

static void drain_records(struct run *run)
{
    const struct round_record *record;
    struct error err;
    while ((record = session_next_record(run->session)) != NULL) {
        tell_round(run, record);
        if (recorder_round(run->tools.recorder, record, &err) < 0) {
            fail_writing(run, &err);
            return;
        }
    }
}

void run_evaluated(struct run *run)
{
    struct evaluation evaluation;
    while (evaluator_take(run->tools.evaluator, &evaluation)) {
        /* What comes after the first iterate that met the target is no part of the run. */
        if (session_verdict(run->session, clock_now_ns()) != SESSION_REACHED)
            memcpy(run->path, evaluation.path, sizeof run->path);
        session_error(run->session, evaluation.iterate, evaluation.error);
    }
    if (session_verdict(run->session, clock_now_ns()) == SESSION_REACHED)
        evaluator_discard(run->tools.evaluator);
    drain_records(run);
    advance(run);
}

static void tell_lateness(const struct run *run)
{
    if (run->rounds_late > 0)
        log_warn("%s: in %" PRIu32 " of %" PRIu32 " rounds this process's timers were late by more than %g %% of the "
                 "round (at most %.1f ms): the machine may be too small or too busy for this scenario",
                 run->name.strategy, run->rounds_late, run->rounds_ended, 100 * LATE_SHARE,
                 (double)run->worst_late_ns / NS_PER_MS);
    if (run->times_held > 0)
        log_warn("%s: %" PRIu32 " rounds began late because the errors of earlier ones were not evaluated yet",
                 run->name.strategy, run->times_held);
}

static void tell_end(const struct run *run, const struct session_summary *summary, const char *path)
{
    const char *how = run->failure ? "failed" : summary->reached ? "met the target" : "ended";
    log_info("%s, repeat %" PRIu32 ": %s after %" PRIu32 " rounds and %.3f s: error %.3g, %" PRIu64 " uplinks, %" PRIu64
             " downlinks; iterates %s",
             run->name.strategy, run->name.repeat + 1, how, summary->rounds, summary->seconds, summary->final_error,
             summary->total.uplink, summary->total.downlink, path);
    control_run_end(run->tools.control, &run->name, clock_now_ns(), summary, run->failure, path);
}

/* ── settling ── */

static bool workers_are_quiet(const struct run *run)
{
    for (uint32_t worker = 0; worker < run->tools.facts->workers; worker++)
        if (run->takes_part[worker] && roster_owes(run->tools.roster, worker, run->name.run) > 0)
            return false;
    return true;
}

static void end_for_workers(struct run *run)
{
    for (uint32_t worker = 0; worker < run->tools.facts->workers; worker++) {
        if (!run->takes_part[worker])
            continue;
        if (roster_owes(run->tools.roster, worker, run->name.run) > 0)
            log_warn("%s: worker%" PRIu32 " has not acknowledged the end; what it computed last is not counted",
                     run->name.strategy, worker + 1);
        roster_end(run->tools.roster, worker, run->name.run);
    }
}

static void check_settled(struct run *run)
{
    if (run->state != RUN_SETTLING || evaluator_waiting(run->tools.evaluator) > 0)
        return;
    if (!workers_are_quiet(run) && !run->gave_up)
        return;
    struct session_summary summary = session_summary(run->session);
    char path[DIGEST_TEXT_BYTES];
    struct error err;
    digest_text(run->path, path);
    run->state = RUN_OVER;
    net_timer_cancel(run->timer);
    end_for_workers(run);
    if (recorder_end(run->tools.recorder, &summary, path, &err) < 0)
        fail_writing(run, &err);
    tell_lateness(run);
    tell_end(run, &summary, path);
}

/* ── rounds ── */

static void check_lateness(struct run *run, int64_t now_ns)
{
    int64_t late = lateness_take_ns(run->tools.lateness), length = now_ns - run->round_begin_ns;
    run->rounds_ended++;
    if (late < LATE_FLOOR_NS || (double)late <= LATE_SHARE * (double)length)
        return;
    run->rounds_late++;
    if (late > run->worst_late_ns)
        run->worst_late_ns = late;
}

static void end_round(struct run *run, int64_t now_ns)
{
    check_lateness(run, now_ns);
    linkwatch_look(run->tools.links, run->tools.roster, now_ns);
    cancel_pending(run);
    uint32_t round = session_round(run->session);
    session_end(run->session, now_ns);
    run->round_is_open = false;
    recorder_used(run->tools.recorder, round, session_used(run->session));
    evaluator_submit(run->tools.evaluator, session_theta(run->session));
}

static void send_task(struct run *run, const struct task *task, struct net_frame *theta)
{
    uint32_t round = session_round(run->session);
    struct roster_task owed = {.run = run->name.run, .round = round, .sent_ns = clock_now_ns()};
    struct wire_message message = {.type = WIRE_TASK,
                                   .u.task = {.round = round,
                                              .n = task->n,
                                              .op = (uint8_t)task->op,
                                              .threshold = task->threshold,
                                              .parts = task->parts,
                                              .weights = task->weights}};
    size_t bytes = roster_task(run->tools.roster, task->worker, &owed, theta, &message);
    session_sent_task(run->session, task->worker, bytes);
}

/* θ is encoded once, whoever gets it. */
static void send_plan(struct run *run, const struct plan *plan)
{
    const struct theta *theta = session_theta(run->session);
    struct wire_message message = {.type = WIRE_THETA,
                                   .u.theta = {.round = theta->round, .n = (uint32_t)theta->d, .value = theta->value}};
    struct net_frame *frame = net_frame_new(&message);
    for (uint32_t i = 0; i < plan->n; i++)
        send_task(run, &plan->tasks[i], frame);
    net_frame_unref(frame);
}

static void begin_round(struct run *run)
{
    run->round_begin_ns = clock_now_ns();
    const struct plan *plan = session_begin(run->session, run->round_begin_ns);
    if (session_is_stuck(run->session)) {
        fail(run, "%s, and %s cannot go on without it", run->loss, run->name.strategy);
        return;
    }
    run->round_is_open = true;
    log_debug("%s: round %" PRIu32 " begins, %" PRIu32 " contacted", run->name.strategy, session_round(run->session),
              plan->n);
    if (plan->n == 0)
        end_round(run, clock_now_ns());
    else
        send_plan(run, plan);
}

/* Go on as far as the session says: stop, begin a round, or wait. */
static void advance(struct run *run)
{
    while (run->state == RUN_ROUNDS) {
        if (session_verdict(run->session, clock_now_ns()) != SESSION_GOES_ON) {
            settle(run);
        } else if (run->round_is_open) {
            return;
        } else if (evaluator_is_full(run->tools.evaluator)) {
            run->times_held += !run->is_held;
            run->is_held = true;
            return;
        } else {
            run->is_held = false;
            begin_round(run);
        }
    }
    check_settled(run);
}

void run_start(struct run *run)
{
    int64_t limit = run->tools.facts->scenario->max_time_ns;
    for (uint32_t worker = 0; worker < run->tools.facts->workers; worker++)
        run->takes_part[worker] = roster_has(run->tools.roster, worker);
    recorder_begin(run->tools.recorder, run->name.strategy, run->name.repeat);
    lateness_take_ns(run->tools.lateness);
    evaluator_submit(run->tools.evaluator, session_theta(run->session));
    run->t0_ns = run->last_progress_ns = clock_now_ns();
    if (limit > 0)
        net_timer_at(run->timer, run->t0_ns + limit);
    log_info("%s, repeat %" PRIu32 ": run %" PRIu32 " begins", run->name.strategy, run->name.repeat + 1, run->name.run);
    control_run_start(run->tools.control, &run->name, run->t0_ns);
    advance(run);
}

/* ── what workers say ── */

static int record_answer(struct run *run, uint32_t worker, const struct roster_task *task,
                         const struct wire_message *message, int64_t now_ns, struct error *err)
{
    struct recorder_answer row = {.worker = worker,
                                  .round = task->round,
                                  .sent_ns = task->sent_ns - run->t0_ns,
                                  .received_ns = now_ns - run->t0_ns};
    if (message->type == WIRE_CANCELLED) {
        row.kind = RECORDER_CANCELLED;
        row.evaluated = message->u.cancelled.evaluated;
    } else {
        row.kind = message->type == WIRE_SKIP ? RECORDER_SKIP : RECORDER_VECTOR;
        row.evaluated = message->u.answer.evaluated;
        row.compute_ns = message->u.answer.compute_ns;
        row.wait_ns = message->u.answer.wait_ns;
        row.overrun_ns = message->u.answer.overrun_ns;
        row.late_ns = message->u.answer.late_ns;
    }
    return recorder_answer(run->tools.recorder, &row, err);
}

/* Hand an answer to the session and do what it says. */
static void offer(struct run *run, uint32_t worker, const struct wire_message *message, size_t bytes, int64_t now_ns)
{
    struct answer answer = {.worker = worker,
                            .round = message->u.answer.round,
                            .vector = message->type == WIRE_ANSWER ? message->u.answer.vector : NULL,
                            .evaluated = message->u.answer.evaluated};
    switch (session_answer(run->session, &answer, bytes, now_ns)) {
    case OFFER_DONE:
        if (run->round_is_open)
            end_round(run, now_ns);
        break;
    case OFFER_STUCK:
        fail(run, "all answers are in, worker%" PRIu32 "'s the last, and do not make up the gradient", worker + 1);
        break;
    case OFFER_STRAY:
        roster_drop(run->tools.roster, worker, "protocol error: an answer that the strategy had not asked for");
        break;
    case OFFER_MORE:
        if (run->round_is_open)
            cancel_unneeded(run);
        break;
    case OFFER_LATE:
    case OFFER_DUPLICATE:
        break;
    }
}

void run_answer(struct run *run, uint32_t worker, const struct roster_task *task, const struct wire_message *message,
                size_t bytes)
{
    int64_t now = clock_now_ns();
    struct error err;
    if (run->state == RUN_OVER || task->run != run->name.run)
        return; /* of a run whose books are closed */
    if (record_answer(run, worker, task, message, now, &err) < 0)
        fail_writing(run, &err);
    if (message->type == WIRE_CANCELLED)
        session_cancelled(run->session, worker, task->round, message->u.cancelled.evaluated, bytes);
    else
        offer(run, worker, message, bytes, now);
    advance(run);
}

void run_lose(struct run *run, uint32_t worker, const char *reason)
{
    if (!run->takes_part[worker])
        return;
    run->takes_part[worker] = false;
    free(run->loss);
    run->loss = mem_printf("worker%" PRIu32 " is gone (%s)", worker + 1, reason);
    enum offer outcome = session_lose(run->session, worker);
    if (run->state == RUN_ROUNDS && run->tools.facts->scenario->cluster.on_worker_loss == LOSS_ABORT) {
        run->is_fatal = true;
        fail(run, "%s, and cluster.on_worker_loss is abort", run->loss);
    } else if (outcome == OFFER_STUCK) {
        fail(run, "%s, and %s cannot go on without it", run->loss, run->name.strategy);
    } else if (outcome == OFFER_DONE && run->round_is_open) {
        end_round(run, clock_now_ns());
    }
    advance(run);
}
