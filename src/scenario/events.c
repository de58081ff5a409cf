/* SPDX-License-Identifier: GPL-3.0-or-later */
/* [at:TIME] as events. A key says what and where (link.worker2.down.delay, pause.worker4), its value is read by the row
 * of the key table that says the same thing elsewhere: a figure of a link by [link]'s. */
#include "config.h"

#include "scenario/events.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "scenario/link.h"
#include "scenario/nearest.h"
#include "scenario/place.h"

/* ── reading ── */

static int unknown_figure(const char *figure, struct error *err)
{
    struct nearest nearest = {0};
    char hint[128];
    const struct key_unsupported *missing = key_find_unsupported("link", figure);
    if (missing == NULL)
        missing = key_find_unsupported("at", figure);
    if (missing)
        return error_set(err, "\"%.60s\" is not supported in this version: %s", figure, missing->instead);
    for (const struct key *key = keys; key->name; key++)
        if (key->section == SECTION_LINK)
            nearest_offer(&nearest, figure, key->name);
    return error_set(err, "\"%.60s\" is no figure of a link%s", figure, nearest_hint(&nearest, hint, sizeof hint));
}

/* "link.NODE.cut" is written like a figure but is none: it takes a time and heals. */
static const char cut_pattern[] = "link.NODE.cut";

/* what: "worker2.down.delay" */
static int read_link(const char *what, const char *value, struct timeline_event *out, struct error *err)
{
    struct place place;
    const char *dot = strrchr(what, '.');
    if (dot == NULL)
        return error_set(err, "not of the form link.NODE.FIGURE, link.NODE.up.FIGURE or link.NODE.down.FIGURE");
    bool is_cut = strcmp(dot + 1, "cut") == 0;
    const struct key *key = is_cut ? key_find(SECTION_AT, cut_pattern) : key_find(SECTION_LINK, dot + 1);
    if (key == NULL)
        return unknown_figure(dot + 1, err);
    if (place_read_link(what, (size_t)(dot - what), &place, err) != 0)
        return -1;
    out->kind = is_cut ? EVENT_CUT : EVENT_LINK;
    out->node = place.node;
    out->both = place.both;
    out->direction = place.direction;
    if (is_cut)
        return key_read(key, value, out, err);
    if (key_read(key, value, &out->value, err) != 0)
        return -1;
    out->key = mem_strdup(key->name);
    return 0;
}

/* "pause.worker4" and the like */
struct verb {
    const char *name; /* with its dot */
    enum event_kind kind;
    const char *pattern; /* its row */
};

static const struct verb verbs[] = {{"pause.", EVENT_PAUSE, "pause.workerN"},
                                    {"kill.", EVENT_KILL, "kill.workerN"},
                                    {"restart.", EVENT_RESTART, "restart.workerN"}};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

static int unknown_verb(const char *name, struct error *err)
{
    struct nearest nearest = {0};
    char word[NEAREST_MAX] = "", hint[128];
    size_t len = strcspn(name, ".");
    memcpy(word, name, len < sizeof word - 1 ? len : sizeof word - 1);
    const struct key_unsupported *missing = key_find_unsupported("at", word);
    if (missing)
        return error_set(err, "not supported in this version: %s", missing->instead);
    nearest_offer(&nearest, word, "link");
    nearest_offer(&nearest, word, "pause");
    nearest_offer(&nearest, word, "kill");
    nearest_offer(&nearest, word, "restart");
    return error_set(err,
                     "no such event: there are link.NODE.FIGURE, pause.workerN, kill.workerN and restart.workerN%s",
                     nearest_hint(&nearest, hint, sizeof hint));
}

static int read_verb(const char *name, const char *value, struct timeline_event *out, struct error *err)
{
    for (size_t i = 0; i < VERBS; i++) {
        size_t len = strlen(verbs[i].name);
        if (strncmp(name, verbs[i].name, len) != 0)
            continue;
        if (place_read_node(name + len, strlen(name + len), &out->node, err) != 0)
            return -1;
        if (out->node == PLACE_PS)
            return error_set(err, "only workers can be paused, killed and restarted, as in %s", verbs[i].pattern);
        out->kind = verbs[i].kind;
        return key_read(key_find(SECTION_AT, verbs[i].pattern), value, out, err);
    }
    return unknown_verb(name, err);
}

int events_read(const struct setting *setting, struct timeline_event *out, struct error *err)
{
    const char *name = setting->entry->key;
    *out = (struct timeline_event){.at_ns = setting->place->at_ns, .line = setting->entry->line};
    if (strncmp(name, "link.", 5) == 0)
        return read_link(name + 5, setting->value, out, err);
    return read_verb(name, setting->value, out, err);
}

/* ── building ── */

struct moment {
    struct timeline_event event;
    const struct setting *setting;
    size_t position; /* in the file */
};

static int compare(const void *left, const void *right)
{
    const struct moment *a = left, *b = right;
    if (a->event.at_ns != b->event.at_ns)
        return a->event.at_ns < b->event.at_ns ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

static struct moment *collect(const struct settings *settings, size_t *n)
{
    struct moment *moments = mem_array(settings->n, sizeof *moments);
    *n = 0;
    for (size_t i = 0; i < settings->n; i++) {
        const struct setting *setting = &settings->setting[i];
        if (setting->bad || setting->place->kind != SECTION_AT)
            continue;
        struct moment *moment = &moments[*n];
        *moment = (struct moment){.setting = setting, .position = i};
        if (events_read(setting, &moment->event, NULL) == 0)
            ++*n;
    }
    qsort(moments, *n, sizeof *moments, compare);
    return moments;
}

static const struct link_pair *pair_of(const struct scenario *scenario, int32_t node)
{
    return node == PLACE_PS ? &scenario->ps_link : &scenario->worker_link[node];
}

/* The link as it is after moment `last` and all others of the same time. */
static void judge_link(const struct moment *moments, size_t n, size_t last, enum direction direction,
                       const struct scenario *scenario, struct scenario_errors *errors)
{
    const struct timeline_event *event = &moments[last].event;
    struct link link = pair_of(scenario, event->node)->direction[direction];
    struct error err;
    if (link_check(&link, NULL))
        return; /* wrong from the start: said elsewhere */
    for (size_t i = 0; i < n && moments[i].event.at_ns <= event->at_ns; i++) {
        const struct timeline_event *earlier = &moments[i].event;
        if (earlier->kind == EVENT_LINK && earlier->node == event->node &&
            (earlier->both || earlier->direction == direction))
            events_change(earlier, &link);
    }
    const char *key = link_check(&link, &err);
    if (key && (strcmp(event->key, key) == 0 || strcmp(event->key, "delay") == 0))
        complain_setting(errors, moments[last].setting, "from then on %s", err.text);
}

static void judge(const struct moment *moments, size_t n, size_t i, const struct scenario *scenario,
                  struct scenario_errors *errors)
{
    const struct timeline_event *event = &moments[i].event;
    size_t before = errors->n;
    if (event->node >= (int32_t)scenario->cluster.workers) {
        complain_setting(errors, moments[i].setting, "there is no worker%d: [cluster] workers = %u",
                         (int)event->node + 1, (unsigned)scenario->cluster.workers);
        return;
    }
    if (event->kind != EVENT_LINK)
        return;
    if (event->both || event->direction == LINK_UP)
        judge_link(moments, n, i, LINK_UP, scenario, errors);
    if (errors->n == before && (event->both || event->direction == LINK_DOWN))
        judge_link(moments, n, i, LINK_DOWN, scenario, errors);
}

/* [at:5s] and [at:5000ms] are two sections but one time. */
static void judge_repeats(const struct moment *moments, size_t n, struct scenario_errors *errors)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j-- > 0 && moments[j].event.at_ns == moments[i].event.at_ns;)
            if (strcmp(moments[j].setting->entry->key, moments[i].setting->entry->key) == 0) {
                complain_setting(errors, moments[i].setting, "said already for the same time in [%s]",
                                 moments[j].setting->section->name);
                break;
            }
}

void events_build(const struct settings *settings, struct scenario *scenario, struct scenario_errors *errors)
{
    size_t n;
    struct moment *moments = collect(settings, &n);
    scenario->event = mem_array(n, sizeof *scenario->event);
    scenario->n_events = n;
    for (size_t i = 0; i < n; i++) {
        if (!settings_are_bad(settings, SECTION_CLUSTER, "workers"))
            judge(moments, n, i, scenario, errors);
        scenario->event[i] = moments[i].event;
    }
    judge_repeats(moments, n, errors);
    free(moments);
}

/* ── events as text and as changes ── */

char *events_key(const struct timeline_event *event)
{
    char *node = event->node == PLACE_PS ? mem_strdup("ps") : mem_printf("worker%d", (int)event->node + 1);
    char *text = NULL;
    if (event->kind == EVENT_LINK || event->kind == EVENT_CUT)
        text = mem_printf("link.%s%s.%s", node,
                          event->both                   ? ""
                          : event->direction == LINK_UP ? ".up"
                                                        : ".down",
                          event->kind == EVENT_CUT ? "cut" : event->key);
    for (size_t i = 0; i < VERBS && text == NULL; i++)
        if (verbs[i].kind == event->kind)
            text = mem_printf("%s%s", verbs[i].name, node);
    free(node);
    return text;
}

char *events_value(const struct timeline_event *event)
{
    if (event->kind == EVENT_LINK)
        return key_write(key_find(SECTION_LINK, event->key), &event->value);
    if (event->kind == EVENT_CUT)
        return key_write(key_find(SECTION_AT, cut_pattern), event);
    for (size_t i = 0; i < VERBS; i++)
        if (verbs[i].kind == event->kind)
            return key_write(key_find(SECTION_AT, verbs[i].pattern), event);
    return NULL;
}

void events_change(const struct timeline_event *event, struct link *link)
{
    const struct key *key = key_find(SECTION_LINK, event->key);
    char *text = key_write(key, &event->value);
    int failed = key_read(key, text, link, NULL);
    (void)failed; /* what a row writes it can read */
    free(text);
}
