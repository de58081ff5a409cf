/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Carries the plan of timeline.c out: one timer stands at whatever comes next (a planned event, the end of a pause, the
 * end of a cut), and each row is written when its event is done. Stopping and seeing is pause.c's, shaping is
 * shape.c's. */
#include "config.h"

#include "bed/impair.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "bed/pause.h"
#include "bed/timeline.h"

enum { OBSERVED_MAX = 256 };

/* One direction of one link during a run: what it is meant to be, and until when it is cut instead. */
struct line {
    struct link meant;
    bool touched;
    int64_t cut_until_ns; /* 0: not cut */
};

struct impair {
    struct impair_config config;
    struct net_timer *timer;
    struct pauses *pauses;
    size_t n_lines;
    struct line *line; /* (node + 1) × 2 + direction: the PS first */
    /* of the run under way */
    struct timeline *timeline; /* NULL: none */
    char *strategy;
    uint32_t repeat;
    int64_t t0_ns;
    struct error failure; /* the first; empty: none */
};

static void fired(void *context);

struct impair *impair_new(const struct impair_config *config)
{
    struct impair *impair = mem_zalloc(sizeof *impair);
    impair->config = *config;
    impair->timer = net_timer_new(config->loop, fired, impair);
    impair->pauses = pauses_new(config->scenario->cluster.workers, config->supervisor);
    impair->n_lines = ((size_t)config->scenario->cluster.workers + 1) * 2;
    impair->line = mem_array(impair->n_lines, sizeof *impair->line);
    return impair;
}

void impair_free(struct impair *impair)
{
    if (impair == NULL)
        return;
    timeline_free(impair->timeline);
    net_timer_free(impair->timer);
    pauses_free(impair->pauses);
    free(impair->line);
    free(impair->strategy);
    free(impair);
}

static const struct link *start_link(const struct impair *impair, size_t line)
{
    const struct scenario *scenario = impair->config.scenario;
    const struct link_pair *pair = line < 2 ? &scenario->ps_link : &scenario->worker_link[line / 2 - 1];
    return &pair->direction[line % 2];
}

static void fail(struct impair *impair, const struct error *err)
{
    log_error("%s", err->text);
    if (impair->failure.text[0] == '\0')
        impair->failure = *err;
}

/* ── rows ── */

static double since_start(const struct impair *impair, int64_t at_ns)
{
    return at_ns == 0 ? NAN : (double)(at_ns - impair->t0_ns) / NS_PER_S;
}

static void end_row(struct impair *impair, struct results_writer *writer)
{
    struct error err;
    if (results_end(writer, &err) < 0)
        fail(impair, &err);
}

static void begin_row(struct impair *impair, struct results_writer *writer)
{
    results_begin(writer);
    results_text(writer, impair->strategy);
    results_int(writer, (int64_t)impair->repeat + 1);
}

/* applied_ns 0: it was not. */
static void record_event(struct impair *impair, const struct planned *planned, int64_t applied_ns, const char *observed)
{
    struct results_writer *writer = impair->config.events;
    char target[TIMELINE_TEXT_MAX], value[TIMELINE_TEXT_MAX];
    timeline_target(planned->event, target);
    timeline_value(planned->event, value);
    if (applied_ns == 0)
        log_warn("event at %.3f s: %s of %s %s: %s", (double)planned->at_ns / NS_PER_S, timeline_what(planned->event),
                 target, value, observed);
    if (writer == NULL)
        return;
    begin_row(impair, writer);
    results_double(writer, (double)planned->at_ns / NS_PER_S);
    results_double(writer, since_start(impair, applied_ns));
    results_text(writer, timeline_what(planned->event));
    results_text(writer, target);
    results_text(writer, value);
    results_text(writer, observed);
    results_text(writer, planned->random ? "random" : "scenario");
    end_row(impair, writer);
}

static void record_pause(struct impair *impair, const struct pause_record *record)
{
    struct results_writer *writer = impair->config.pauses;
    if (writer == NULL)
        return;
    bool whole = record->stopped_ns > 0 && record->resumed_ns > 0;
    begin_row(impair, writer);
    results_int(writer, record->node + 1);
    results_double(writer, since_start(impair, record->requested_ns));
    results_double(writer, since_start(impair, record->stopped_ns));
    results_double(writer, (double)record->length_ns / NS_PER_S);
    results_double(writer, since_start(impair, record->resumed_ns));
    results_double(writer, whole ? (double)(record->resumed_ns - record->stopped_ns) / NS_PER_S : NAN);
    end_row(impair, writer);
}

/* ── links ── */

static int apply_line(struct impair *impair, size_t index, int64_t *applied_ns, struct error *err)
{
    const struct line *line = &impair->line[index];
    struct link link = line->meant;
    if (line->cut_until_ns > 0) { /* netem lets the copy of a lost packet pass, so there must be none */
        link.duplicate_ppm = 0;
        link.loss = LINK_LOSS_INDEPENDENT;
        link.loss_ppm = 1000000;
    }
    return shaper_set(impair->config.shaper, (int32_t)(index / 2) - 1, (enum direction)(index % 2), &link, applied_ns,
                      err);
}

static bool concerns(const struct timeline_event *event, size_t index)
{
    return index / 2 == (size_t)(event->node + 1) && (event->both || index % 2 == (size_t)event->direction);
}

static void change_links(struct impair *impair, const struct planned *planned, int64_t now_ns)
{
    const struct timeline_event *event = planned->event;
    if (impair->config.shaper == NULL) {
        record_event(impair, planned, 0, "not applied: no link of this bed is shaped");
        return;
    }
    int64_t applied_ns = 0;
    struct error err;
    for (size_t i = 0; i < impair->n_lines; i++) {
        struct line *line = &impair->line[i];
        if (!concerns(event, i))
            continue;
        line->touched = true;
        if (event->kind == EVENT_CUT && now_ns + event->length_ns > line->cut_until_ns)
            line->cut_until_ns = now_ns + event->length_ns;
        if (event->kind == EVENT_LINK)
            timeline_merge(&line->meant, event);
        if (apply_line(impair, i, &applied_ns, &err) < 0) {
            fail(impair, &err);
            record_event(impair, planned, 0, err.text);
            return;
        }
    }
    record_event(impair, planned, applied_ns, "read back");
}

static int64_t next_heal_at(const struct impair *impair)
{
    int64_t next = INT64_MAX;
    for (size_t i = 0; i < impair->n_lines; i++)
        if (impair->line[i].cut_until_ns > 0 && impair->line[i].cut_until_ns < next)
            next = impair->line[i].cut_until_ns;
    return next;
}

static void heal_line(struct impair *impair, size_t index, const char *observed)
{
    struct line *line = &impair->line[index];
    struct timeline_event heal = {
        .kind = EVENT_HEAL, .node = (int32_t)(index / 2) - 1, .direction = (enum direction)(index % 2)};
    struct planned planned = {line->cut_until_ns - impair->t0_ns, &heal, false};
    int64_t applied_ns = 0;
    struct error err;
    line->cut_until_ns = 0;
    if (apply_line(impair, index, &applied_ns, &err) < 0) {
        fail(impair, &err);
        record_event(impair, &planned, 0, err.text);
    } else {
        record_event(impair, &planned, applied_ns, observed);
    }
}

static void heal_cuts(struct impair *impair, int64_t now_ns)
{
    for (size_t i = 0; i < impair->n_lines; i++) {
        struct line *line = &impair->line[i];
        if (line->cut_until_ns > 0 && line->cut_until_ns <= now_ns)
            heal_line(impair, i, "read back");
    }
}

/* ── workers ── */

static void end_pauses(struct impair *impair, int64_t now_ns)
{
    struct pause_record record;
    while (pauses_end_one(impair->pauses, now_ns, &record))
        record_pause(impair, &record);
}

static void pause_worker(struct impair *impair, const struct planned *planned, int64_t now_ns)
{
    int32_t node = planned->event->node;
    end_pauses(impair, now_ns);
    switch (pauses_begin(impair->pauses, node, now_ns, planned->event->length_ns)) {
    case PAUSE_STOPPED:
        record_event(impair, planned, pauses_stopped_ns(impair->pauses, node), "stopped");
        break;
    case PAUSE_MERGED:
        record_event(impair, planned, now_ns, "was paused already: that pause lasts until the later end");
        break;
    case PAUSE_UNSEEN:
        record_event(impair, planned, now_ns, "signalled, but not seen stopped within 20 ms");
        break;
    case PAUSE_GONE:
        record_event(impair, planned, 0, "not applied: the worker does not run");
        break;
    }
}

static void kill_worker(struct impair *impair, const struct planned *planned)
{
    if (supervise_signal(impair->config.supervisor, planned->event->node, planned->event->signal))
        record_event(impair, planned, clock_now_ns(), "signalled");
    else
        record_event(impair, planned, 0, "not applied: the worker does not run");
}

static void restart_worker(struct impair *impair, const struct planned *planned)
{
    const struct impair_config *config = &impair->config;
    struct error err = {"this bed restarts nothing"};
    char observed[OBSERVED_MAX];
    if (supervise_pid(config->supervisor, planned->event->node) != 0) {
        record_event(impair, planned, 0, "not applied: the worker is still running");
    } else if (config->restart == NULL || config->restart(config->context, planned->event->node, &err) < 0) {
        snprintf(observed, sizeof observed, "not applied: %.200s", err.text);
        record_event(impair, planned, 0, observed);
    } else {
        record_event(impair, planned, clock_now_ns(), "started");
    }
}

static void carry_out(struct impair *impair, const struct planned *planned)
{
    int64_t now_ns = clock_now_ns();
    switch (planned->event->kind) {
    case EVENT_LINK:
    case EVENT_CUT:
        change_links(impair, planned, now_ns);
        break;
    case EVENT_PAUSE:
        pause_worker(impair, planned, now_ns);
        break;
    case EVENT_KILL:
        kill_worker(impair, planned);
        break;
    case EVENT_RESTART:
        restart_worker(impair, planned);
        break;
    case EVENT_HEAL: /* never planned: heal_line makes it */
        break;
    case EVENT_CPU:
        record_event(impair, planned, 0, "not applied: this bed has no processor shares");
        break;
    }
}

/* ── the run ── */

static int64_t planned_at(const struct impair *impair)
{
    int64_t at = timeline_next_at(impair->timeline);
    return at == INT64_MAX ? INT64_MAX : impair->t0_ns + at;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void arm(struct impair *impair)
{
    int64_t next = earlier(planned_at(impair), earlier(pauses_next_at(impair->pauses), next_heal_at(impair)));
    if (next == INT64_MAX)
        net_timer_cancel(impair->timer);
    else
        net_timer_at(impair->timer, next);
}

/* Ends come before beginnings: a pause that ends when the next one begins is a pause of its own. */
static void fired(void *context)
{
    struct impair *impair = context;
    int64_t now_ns = clock_now_ns();
    end_pauses(impair, now_ns);
    heal_cuts(impair, now_ns);
    struct planned planned;
    while (planned_at(impair) <= now_ns && timeline_next(impair->timeline, &planned))
        carry_out(impair, &planned);
    arm(impair);
}

void impair_run_start(struct impair *impair, const char *strategy, uint32_t repeat, int64_t t0_ns)
{
    timeline_free(impair->timeline);
    impair->timeline = timeline_new(impair->config.scenario, repeat);
    free(impair->strategy);
    impair->strategy = mem_strdup(strategy);
    impair->repeat = repeat;
    impair->t0_ns = t0_ns;
    impair->failure.text[0] = '\0';
    for (size_t i = 0; i < impair->n_lines; i++)
        impair->line[i] = (struct line){.meant = *start_link(impair, i)};
    arm(impair);
}

int impair_run_end(struct impair *impair, struct error *err)
{
    net_timer_cancel(impair->timer);
    timeline_free(impair->timeline);
    impair->timeline = NULL;
    end_pauses(impair, INT64_MAX);
    struct error wrong;
    for (size_t i = 0; i < impair->n_lines; i++) {
        struct line *line = &impair->line[i];
        if (!line->touched)
            continue;
        if (line->cut_until_ns > 0)
            heal_line(impair, i, "read back: the run ended");
        *line = (struct line){.meant = *start_link(impair, i)};
        if (apply_line(impair, i, NULL, &wrong) < 0)
            fail(impair, &wrong);
    }
    return impair->failure.text[0] == '\0' ? 0 : error_set(err, "%s", impair->failure.text);
}

bool impair_is_paused(const struct impair *impair, int32_t node)
{
    return pauses_is_paused(impair->pauses, node);
}
