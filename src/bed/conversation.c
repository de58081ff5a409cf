/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The controller's part in the conversation with the PS (ps/control.h): its events drive the run. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "bed/run_private.h"

static const char *text_of(json_t *event, const char *key)
{
    const char *text = json_string_value(json_object_get(event, key));
    return text ? text : "";
}

static uint32_t number_of(json_t *event, const char *key)
{
    return (uint32_t)json_integer_value(json_object_get(event, key));
}

static double real_of(json_t *event, const char *key)
{
    json_t *number = json_object_get(event, key);
    return json_is_number(number) ? json_number_value(number) : NAN;
}

static int64_t time_of(json_t *event)
{
    json_t *t = json_object_get(event, "t_ns");
    return json_is_integer(t) ? (int64_t)json_integer_value(t) : clock_now_ns();
}

static void say(struct run *run, const char *what)
{
    if (jsonline_send(run->control.fd, json_pack("{s:s}", "do", what)) < 0)
        log_info("the PS does not hear \"%s\": its end is near", what);
}

void conversation_stop(struct run *run)
{
    say(run, "stop");
}

static void on_listening(struct run *run)
{
    struct error err;
    run->phase = PHASE_GATHERING;
    run_wait_at_most(run, PATIENCE_S);
    progress_note(&run->progress, "starting the workers");
    if (daemons_spawn_missing_workers(run, &err) < 0)
        run_give_up(run, EXIT_RUN_FAILED, &err);
}

static void on_workers(struct run *run, json_t *event)
{
    if (run->phase != PHASE_GATHERING)
        return;
    char sentence[64];
    snprintf(sentence, sizeof sentence, "%u of %u workers are there", number_of(event, "connected"),
             number_of(event, "of"));
    progress_note(&run->progress, sentence);
}

static void on_run_next(struct run *run)
{
    struct error err;
    if (run->phase == PHASE_RUNNING && daemons_spawn_missing_workers(run, &err) < 0)
        run_give_up(run, EXIT_RUN_FAILED, &err);
    else
        say(run, "go");
}

static void on_run_start(struct run *run, json_t *event)
{
    run->phase = PHASE_RUNNING;
    run->run_is_on = true;
    memset(run->revived, 0, run->scenario->cluster.workers * sizeof *run->revived);
    net_timer_cancel(run->deadline);
    log_info("run %u begins: %s, repeat %u", number_of(event, "run"), text_of(event, "strategy"),
             number_of(event, "repeat") + 1);
    progress_run(&run->progress, text_of(event, "strategy"), number_of(event, "repeat"), time_of(event));
    impair_run_start(run->impair, text_of(event, "strategy"), number_of(event, "repeat"), time_of(event));
}

/* The first is told in the end; the PS's sentence names strategy, round and worker. */
static void note_failure(struct run *run, uint32_t repeat, const char *why)
{
    if (run->failed_runs++ > 0)
        return;
    error_set(run->err, "%s", why);
    if (run->scenario->repeats > 1)
        error_prefix(run->err, "repeat %u", repeat + 1);
}

static void on_run_end(struct run *run, json_t *event)
{
    struct error err;
    const char *failed = json_string_value(json_object_get(event, "failed"));
    run->run_is_on = false;
    log_info("run %u is over after %u rounds%s%s", number_of(event, "run"), number_of(event, "rounds"),
             failed ? ", failed: " : "", failed ? failed : "");
    progress_end(&run->progress, number_of(event, "rounds"), json_is_true(json_object_get(event, "reached")),
                 failed && run->was_stopped ? "stopped" : failed, time_of(event));
    if (failed != NULL && !run->was_stopped)
        note_failure(run, number_of(event, "repeat"), failed);
    if (impair_run_end(run->impair, &err) < 0)
        run_give_up(run, EXIT_RUN_FAILED, &err);
}

static void on_done(struct run *run)
{
    run->phase = PHASE_LEAVING;
    run_wait_at_most(run, FAREWELL_S);
    if (run->failed_runs > 1 && !run->was_stopped)
        error_prefix(run->err, "%u runs failed; the first", run->failed_runs);
    if (run->failed_runs > 0)
        run->status = EXIT_RUN_FAILED;
    run_leave_if_empty(run);
}

static void on_event(struct run *run, json_t *event)
{
    const char *name = text_of(event, "event");
    if (strcmp(name, "round") == 0)
        progress_round(&run->progress, number_of(event, "round"), real_of(event, "error"), real_of(event, "target"),
                       time_of(event));
    else if (strcmp(name, "listening") == 0)
        on_listening(run);
    else if (strcmp(name, "workers") == 0)
        on_workers(run, event);
    else if (strcmp(name, "run-next") == 0)
        on_run_next(run);
    else if (strcmp(name, "run-start") == 0)
        on_run_start(run, event);
    else if (strcmp(name, "run-end") == 0)
        on_run_end(run, event);
    else if (strcmp(name, "done") == 0)
        on_done(run);
}

void conversation_on_readable(void *context)
{
    struct run *run = context;
    enum jsonline_status status = jsonline_fill(&run->control);
    for (json_t *event; (event = jsonline_next(&run->control)) != NULL; json_decref(event))
        on_event(run, event);
    if (status == JSONLINE_END) { /* its death will tell why */
        net_watch_free(run->control_watch);
        run->control_watch = NULL;
    }
}
