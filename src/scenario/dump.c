/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scenario_dump: every key with its value. Nodes that are like worker1 are not told one by one. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "scenario/keys.h"
#include "scenario/ini.h"
#include "scenario/resolve.h"
#include "scenario/events.h"

static void write_line(FILE *to, const char *key, const char *value)
{
    char *quoted = mem_alloc(strlen(value) + 3);
    fprintf(to, "%s = %s\n", key, ini_quote(value, quoted) ? quoted : value);
    free(quoted);
}

/* A key that would be an error beside the others. */
static bool is_idle(const struct key *key, const void *object)
{
    return key->section == SECTION_PROBLEM && strcmp(key->name, "heterogeneity") == 0 &&
           ((const struct scenario *)object)->problem.source != DATA_SYNTHETIC;
}

/* The lines of object's section. serves (NULL: all): a strategy, only the keys that it has a use for; needs (NULL:
 * all): their names. */
static void write_keys(FILE *to, enum section_kind kind, const void *object, const char *serves, const char *needs)
{
    for (const struct key *key = keys; key->name; key++) {
        if (key->section != kind || is_idle(key, object) || (serves && !key_serves_strategy(key, serves)) ||
            (needs && !resolve_is_among(key->name, needs)))
            continue;
        char *value = key_write(key, object);
        if (value)
            write_line(to, key->name, value);
        free(value);
    }
}

static char *keys_text(enum section_kind kind, const void *object, const char *needs)
{
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);
    if (to) {
        write_keys(to, kind, object, NULL, needs);
        fclose(to);
    }
    return text ? text : mem_strdup("");
}

static char *compute_text(const struct scenario *scenario, uint32_t worker)
{
    struct compute_draft draft = {.dist = scenario->compute[worker]};
    for (size_t i = 0; i < scenario->n_traces; i++)
        if (draft.dist.table && scenario->trace[i].table == draft.dist.table)
            draft.file = scenario->trace[i].path;
    return keys_text(SECTION_COMPUTE, &draft, resolve_compute_needs(draft.dist.kind));
}

static char *pause_text(const struct scenario *scenario, uint32_t worker)
{
    struct pause_draft draft = {.model = scenario->pause[worker]};
    return keys_text(SECTION_PAUSE, &draft, draft.model.every.kind == DIST_NONE ? "every" : "every for");
}

/* A section for all, as worker1 has it, and one for each worker that differs. */
static void write_workers(FILE *to, const char *section, const struct scenario *scenario,
                          char *(*text_of)(const struct scenario *scenario, uint32_t worker))
{
    char *first = text_of(scenario, 0);
    fprintf(to, "\n[%s]\n%s", section, first);
    for (uint32_t w = 1; w < scenario->cluster.workers; w++) {
        char *text = text_of(scenario, w);
        if (strcmp(text, first) != 0)
            fprintf(to, "\n[%s:worker%" PRIu32 "]\n%s", section, w + 1, text);
        free(text);
    }
    free(first);
}

/* common: what [link] says, NULL for the PS's link, of which it says nothing. */
static void write_pair(FILE *to, const char *node, const struct link_pair *pair, const char *common)
{
    char *up = keys_text(SECTION_LINK, &pair->direction[LINK_UP], NULL);
    char *down = keys_text(SECTION_LINK, &pair->direction[LINK_DOWN], NULL);
    if (strcmp(up, down) == 0) {
        if (common == NULL || strcmp(up, common) != 0)
            fprintf(to, "\n[link:%s]\n%s", node, up);
    } else {
        if (common == NULL || strcmp(up, common) != 0)
            fprintf(to, "\n[link:%s.up]\n%s", node, up);
        if (common == NULL || strcmp(down, common) != 0)
            fprintf(to, "\n[link:%s.down]\n%s", node, down);
    }
    free(up);
    free(down);
}

static void write_links(FILE *to, const struct scenario *scenario)
{
    char *common = keys_text(SECTION_LINK, &scenario->worker_link[0].direction[LINK_UP], NULL);
    fprintf(to, "\n[link]\n%s", common);
    for (uint32_t w = 0; w < scenario->cluster.workers; w++) {
        char node[32];
        snprintf(node, sizeof node, "worker%" PRIu32, w + 1);
        write_pair(to, node, &scenario->worker_link[w], common);
    }
    write_pair(to, "ps", &scenario->ps_link, NULL);
    free(common);
}

static void write_timeline(FILE *to, const struct scenario *scenario)
{
    int64_t last = -1;
    for (size_t i = 0; i < scenario->n_events; i++) {
        const struct timeline_event *event = &scenario->event[i];
        if (event->at_ns != last)
            fprintf(to, "\n[at:%" PRId64 "us]\n", event->at_ns / 1000);
        last = event->at_ns;
        char *key = events_key(event), *value = events_value(event);
        write_line(to, key, value);
        free(key);
        free(value);
    }
}

char *scenario_dump(const struct scenario *scenario)
{
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);
    if (to == NULL)
        return mem_strdup("");
    fputs("[scenario]\n", to);
    write_keys(to, SECTION_SCENARIO, scenario, NULL, NULL);
    fputs("\n[problem]\n", to);
    write_keys(to, SECTION_PROBLEM, scenario, NULL, NULL);
    fputs("\n[cluster]\n", to);
    write_keys(to, SECTION_CLUSTER, scenario, NULL, NULL);
    for (size_t i = 0; i < scenario->n_strategies; i++) {
        const struct strategy_choice *choice = &scenario->strategy[i];
        fprintf(to, "\n[strategy:%s]\n", choice->ops->name);
        write_keys(to, SECTION_STRATEGY, choice, choice->ops->name, NULL);
    }
    write_workers(to, "compute", scenario, compute_text);
    write_links(to, scenario);
    write_workers(to, "pause", scenario, pause_text);
    write_timeline(to, scenario);
    fputs("\n[security]\n", to);
    write_keys(to, SECTION_SECURITY, scenario, NULL, NULL);
    if (fclose(to) != 0 || text == NULL)
        abort(); /* out of memory */
    return text;
}
