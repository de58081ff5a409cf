/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two sources are merged: the scenario's events, a sorted list, and one endless stream of random pauses a worker. A
 * worker's stream draws a gap and a length for each pause, and the next gap begins where that pause is planned to end:
 * its own pauses never overlap. */
#include "config.h"

#include "bed/timeline.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bed/topology.h"
#include "core/random.h"

/* The next random pause of one worker. */
struct stream {
    uint64_t ordinal;
    int64_t at_ns, length_ns; /* at_ns INT64_MAX: never */
};

struct timeline {
    const struct scenario *scenario;
    uint64_t seed;
    size_t next; /* of the scenario's events */
    uint32_t workers;
    struct stream *stream;
    struct timeline_event pause; /* what timeline_next hands out for a stream */
};

/* A draw in ns; a tail so long that no run sees its end is cut at ten years. */
static int64_t draw_ns(const struct timeline *timeline, const struct dist *dist, uint32_t worker, uint64_t ordinal,
                       uint64_t which)
{
    struct random_key key = {timeline->seed, RANDOM_PAUSE, worker, ordinal};
    double seconds = dist_quantile(dist, random_uniform(key, which), ordinal, worker);
    return (int64_t)(fmin(fmax(seconds, 0), 3e8) * NS_PER_S);
}

static void draw_next(struct timeline *timeline, uint32_t worker, int64_t from_ns)
{
    const struct pause_model *model = &timeline->scenario->pause[worker];
    struct stream *stream = &timeline->stream[worker];
    int64_t gap_ns = draw_ns(timeline, &model->every, worker, stream->ordinal, 0);
    stream->at_ns = from_ns + (gap_ns > NS_PER_US ? gap_ns : NS_PER_US); /* time goes on, whatever a trace says */
    stream->length_ns = draw_ns(timeline, &model->length, worker, stream->ordinal, 1);
    stream->ordinal++;
}

struct timeline *timeline_new(const struct scenario *scenario, uint32_t repeat)
{
    struct timeline *timeline = mem_zalloc(sizeof *timeline);
    timeline->scenario = scenario;
    timeline->seed = random_repeat_seed(scenario->seed, repeat);
    timeline->workers = scenario->cluster.workers;
    timeline->stream = mem_array(timeline->workers, sizeof *timeline->stream);
    for (uint32_t w = 0; w < timeline->workers; w++) {
        timeline->stream[w].at_ns = INT64_MAX;
        if (scenario->pause != NULL && scenario->pause[w].every.kind != DIST_NONE)
            draw_next(timeline, w, 0);
    }
    return timeline;
}

void timeline_free(struct timeline *timeline)
{
    if (timeline == NULL)
        return;
    free(timeline->stream);
    free(timeline);
}

/* The worker whose stream is due first; the lowest of several. workers: none. */
static uint32_t first_stream(const struct timeline *timeline)
{
    uint32_t first = timeline->workers;
    for (uint32_t w = 0; w < timeline->workers; w++)
        if (timeline->stream[w].at_ns < INT64_MAX &&
            (first == timeline->workers || timeline->stream[w].at_ns < timeline->stream[first].at_ns))
            first = w;
    return first;
}

static int64_t stream_at(const struct timeline *timeline, uint32_t worker)
{
    return worker < timeline->workers ? timeline->stream[worker].at_ns : INT64_MAX;
}

static int64_t event_at(const struct timeline *timeline)
{
    const struct scenario *scenario = timeline->scenario;
    return timeline->next < scenario->n_events ? scenario->event[timeline->next].at_ns : INT64_MAX;
}

int64_t timeline_next_at(const struct timeline *timeline)
{
    int64_t random = stream_at(timeline, first_stream(timeline)), event = event_at(timeline);
    return random < event ? random : event;
}

bool timeline_next(struct timeline *timeline, struct planned *out)
{
    uint32_t worker = first_stream(timeline);
    int64_t random = stream_at(timeline, worker), event = event_at(timeline);
    if (random == INT64_MAX && event == INT64_MAX)
        return false;
    if (event <= random) {
        *out = (struct planned){event, &timeline->scenario->event[timeline->next++], false};
        return true;
    }
    int64_t length = timeline->stream[worker].length_ns;
    timeline->pause =
        (struct timeline_event){.at_ns = random, .kind = EVENT_PAUSE, .node = (int32_t)worker, .length_ns = length};
    *out = (struct planned){random, &timeline->pause, true};
    draw_next(timeline, worker, random + length);
    return true;
}

void timeline_merge(struct link *link, const struct timeline_event *event)
{
    const struct link *value = &event->value;
    const char *key = event->key;
    if (strcmp(key, "delay") == 0) {
        link->delay_ns = value->delay_ns;
    } else if (strcmp(key, "jitter") == 0) {
        link->jitter_ns = value->jitter_ns;
    } else if (strcmp(key, "distribution") == 0) {
        link->shape = value->shape;
    } else if (strcmp(key, "rate") == 0) {
        link->rate_bps = value->rate_bps;
    } else if (strcmp(key, "loss") == 0) {
        link->loss = value->loss;
        link->loss_ppm = value->loss_ppm;
        link->ge_p_ppm = value->ge_p_ppm;
        link->ge_r_ppm = value->ge_r_ppm;
        link->ge_1h_ppm = value->ge_1h_ppm;
        link->ge_1k_ppm = value->ge_1k_ppm;
    } else if (strcmp(key, "duplicate") == 0) {
        link->duplicate_ppm = value->duplicate_ppm;
    } else if (strcmp(key, "reorder") == 0) {
        link->reorder_ppm = value->reorder_ppm;
    } else if (strcmp(key, "corrupt") == 0) {
        link->corrupt_ppm = value->corrupt_ppm;
    } else if (strcmp(key, "queue") == 0) {
        link->queue_packets = value->queue_packets;
    }
}

const char *timeline_what(const struct timeline_event *event)
{
    static const char *const names[] = {
        [EVENT_LINK] = "link", [EVENT_PAUSE] = "pause",     [EVENT_CUT] = "cut", [EVENT_HEAL] = "heal",
        [EVENT_KILL] = "kill", [EVENT_RESTART] = "restart", [EVENT_CPU] = "cpu",
    };
    return event->kind == EVENT_LINK ? event->key : names[event->kind];
}

void timeline_target(const struct timeline_event *event, char text[TIMELINE_TEXT_MAX])
{
    char name[NODE_NAME_MAX];
    bool one_way = (event->kind == EVENT_LINK || event->kind == EVENT_CUT || event->kind == EVENT_HEAL) && !event->both;
    if (one_way)
        link_name(event->node, event->direction, name);
    else
        node_name(event->node, name);
    snprintf(text, TIMELINE_TEXT_MAX, "%s", name);
}

static void duration_text(int64_t ns, char text[TIMELINE_TEXT_MAX])
{
    if (ns % NS_PER_S == 0)
        snprintf(text, TIMELINE_TEXT_MAX, "%" PRId64 "s", ns / NS_PER_S);
    else
        snprintf(text, TIMELINE_TEXT_MAX, "%.9gms", (double)ns / NS_PER_MS);
}

static void percent_text(uint32_t ppm, char text[TIMELINE_TEXT_MAX])
{
    snprintf(text, TIMELINE_TEXT_MAX, "%g%%", ppm / 1e4);
}

static void loss_text(const struct link *link, char text[TIMELINE_TEXT_MAX])
{
    if (link->loss == LINK_LOSS_GEMODEL)
        snprintf(text, TIMELINE_TEXT_MAX, "gemodel %g%% %g%% %g%% %g%%", link->ge_p_ppm / 1e4, link->ge_r_ppm / 1e4,
                 link->ge_1h_ppm / 1e4, link->ge_1k_ppm / 1e4);
    else
        percent_text(link->loss == LINK_LOSS_INDEPENDENT ? link->loss_ppm : 0, text);
}

static void rate_text(uint64_t bps, char text[TIMELINE_TEXT_MAX])
{
    if (bps == 0)
        snprintf(text, TIMELINE_TEXT_MAX, "unlimited");
    else
        snprintf(text, TIMELINE_TEXT_MAX, "%.9gmbit", (double)bps / 1e6);
}

static void link_text(const struct link *link, const char *key, char text[TIMELINE_TEXT_MAX])
{
    static const char *const shapes[] = {"normal", "uniform", "pareto", "paretonormal"};
    if (strcmp(key, "delay") == 0)
        duration_text(link->delay_ns, text);
    else if (strcmp(key, "jitter") == 0)
        duration_text(link->jitter_ns, text);
    else if (strcmp(key, "distribution") == 0)
        snprintf(text, TIMELINE_TEXT_MAX, "%s", shapes[link->shape]);
    else if (strcmp(key, "rate") == 0)
        rate_text(link->rate_bps, text);
    else if (strcmp(key, "loss") == 0)
        loss_text(link, text);
    else if (strcmp(key, "duplicate") == 0)
        percent_text(link->duplicate_ppm, text);
    else if (strcmp(key, "reorder") == 0)
        percent_text(link->reorder_ppm, text);
    else if (strcmp(key, "corrupt") == 0)
        percent_text(link->corrupt_ppm, text);
    else
        snprintf(text, TIMELINE_TEXT_MAX, "%" PRIu32, link->queue_packets);
}

void timeline_value(const struct timeline_event *event, char text[TIMELINE_TEXT_MAX])
{
    text[0] = '\0';
    if (event->kind == EVENT_LINK)
        link_text(&event->value, event->key, text);
    else if (event->kind == EVENT_PAUSE || event->kind == EVENT_CUT)
        duration_text(event->length_ns, text);
    else if (event->kind == EVENT_KILL)
        snprintf(text, TIMELINE_TEXT_MAX, "%s", event->signal == SIGTERM ? "TERM" : "KILL");
}
