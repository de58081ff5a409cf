/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sections of which each node has its own: computing times, links, pauses. */
#include "config.h"

#include "scenario/resolve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "scenario/link.h"
#include "scenario/own.h"
#include "scenario/trace.h"

/* ── [compute] ── */

const char *resolve_compute_needs(enum dist_kind kind)
{
    switch (kind) {
    case DIST_NONE:
        return "model";
    case DIST_CONSTANT:
    case DIST_EXPONENTIAL:
        return "model mean";
    case DIST_SHIFTED_EXPONENTIAL:
    case DIST_PARETO:
    case DIST_WEIBULL:
    case DIST_LOGNORMAL:
        return "model mean shape";
    case DIST_BIMODAL:
        return "model mean probability factor";
    case DIST_TRACE:
        return "model file scale";
    }
    return "model";
}

static struct subject worker_subject(enum section_kind kind, uint32_t worker)
{
    return (struct subject){.kind = kind, .node = (int32_t)worker};
}

/* Find or read a trace. One that could not be read stays, empty, so that it is tried once. */
static const struct trace *find_trace(struct scenario *scenario, const char *path, struct error *err)
{
    for (size_t i = 0; i < scenario->n_traces; i++)
        if (strcmp(scenario->trace[i].path, path) == 0)
            return &scenario->trace[i];
    struct trace trace;
    if (trace_read(path, &trace, err) != 0)
        trace = (struct trace){.path = mem_strdup(path)};
    scenario->trace = mem_resize(scenario->trace, scenario->n_traces + 1, sizeof *scenario->trace);
    scenario->trace[scenario->n_traces] = trace;
    return &scenario->trace[scenario->n_traces++];
}

static void take_trace(struct scenario *scenario, const struct compute_draft *draft, struct dist *dist,
                       const struct setting *setting, struct scenario_errors *errors)
{
    struct error err = {""};
    char *path = own_absolute(draft->file, scenario->path), *quoted = mem_alloc(strlen(path) + 3);
    if (!ini_quote(path, quoted)) {
        complain_setting(errors, setting, "%s: a file's whole name must fit a line, in quotes if need be", path);
    } else {
        const struct trace *trace = find_trace(scenario, path, &err);
        dist->table = trace->table;
        dist->rows = trace->rows;
        dist->columns = trace->columns;
        if (err.text[0])
            complain_setting(errors, setting, "%s", err.text);
    }
    free(quoted);
    free(path);
}

/* Has the draft what its model needs? Complains about the first thing that is missing. */
static bool has_needs(const struct settings *settings, const struct subject *subject, const struct compute_draft *draft,
                      struct scenario_errors *errors)
{
    const char *needs = resolve_compute_needs(draft->dist.kind), *missing = NULL;
    if (settings_is_bad(settings, subject, "model"))
        return false;
    if (resolve_is_among("mean", needs) && draft->dist.mean <= 0)
        missing = "mean";
    else if (resolve_is_among("shape", needs) && isnan(draft->dist.shape))
        missing = "shape";
    else if (resolve_is_among("probability", needs) && isnan(draft->dist.probability))
        missing = "probability";
    else if (resolve_is_among("factor", needs) && isnan(draft->dist.factor))
        missing = "factor";
    else if (resolve_is_among("file", needs) && draft->file == NULL)
        missing = "file";
    if (missing == NULL)
        return true;
    if (!settings_is_bad(settings, subject, missing))
        complain_setting(errors, settings_winner(settings, subject, "model"), "needs the key %s beside it: %s", missing,
                         key_find(SECTION_COMPUTE, missing)->help);
    return false;
}

/* What the model does not use is set to what does not matter, so that equal scenarios are equal. */
static struct dist settle(const struct compute_draft *draft)
{
    const char *needs = resolve_compute_needs(draft->dist.kind);
    struct dist dist = {.kind = draft->dist.kind, .scale = 1, .factor = 1};
    if (resolve_is_among("mean", needs))
        dist.mean = draft->dist.mean;
    if (resolve_is_among("shape", needs))
        dist.shape = draft->dist.shape;
    if (resolve_is_among("factor", needs)) {
        dist.factor = draft->dist.factor;
        dist.probability = draft->dist.probability;
    }
    if (resolve_is_among("scale", needs))
        dist.scale = draft->dist.scale;
    return dist;
}

static void resolve_worker(const struct settings *settings, struct scenario *scenario, uint32_t worker,
                           struct scenario_errors *errors)
{
    struct subject subject = worker_subject(SECTION_COMPUTE, worker);
    struct compute_draft draft = {.dist = {.shape = NAN, .probability = NAN, .factor = NAN}};
    struct dist *dist = &scenario->compute[worker];
    struct error err;
    keys_set_defaults(SECTION_COMPUTE, &draft);
    settings_apply(settings, &subject, LEVEL_ALL, LEVEL_NODE, &draft);
    *dist = (struct dist){.scale = 1, .factor = 1};
    if (has_needs(settings, &subject, &draft, errors)) {
        *dist = settle(&draft);
        if (dist->kind == DIST_TRACE) {
            take_trace(scenario, &draft, dist, settings_winner(settings, &subject, "file"), errors);
        } else if (dist_check(dist, &err) != 0) {
            const struct setting *shape = settings_winner(settings, &subject, "shape");
            bool is_shape = resolve_is_among("shape", resolve_compute_needs(dist->kind)) && shape;
            complain_setting(errors, is_shape ? shape : settings_winner(settings, &subject, "model"), "%s", err.text);
        }
    }
    free(draft.file);
}

/* A key of [compute] that no worker has a use for, though it is the last word for some, is a mistake; unless a --set
 * chose the model. */
static void check_idle(const struct settings *settings, const struct setting *setting, const struct scenario *scenario,
                       struct scenario_errors *errors)
{
    uint32_t first = setting->place->node == PLACE_ALL ? 0 : (uint32_t)setting->place->node;
    uint32_t last = setting->place->node == PLACE_ALL ? scenario->cluster.workers : first + 1;
    bool is_idle = false;
    const char *model = NULL;
    for (uint32_t w = first; w < last && w < scenario->cluster.workers; w++) {
        struct subject subject = worker_subject(SECTION_COMPUTE, w);
        if (settings_winner(settings, &subject, setting->entry->key) != setting)
            continue;
        const struct setting *chosen = settings_winner(settings, &subject, "model");
        bool is_excused = settings_is_bad(settings, &subject, "model") || (chosen && chosen->entry->line == 0);
        if (is_excused || resolve_is_among(setting->entry->key, resolve_compute_needs(scenario->compute[w].kind)))
            return;
        is_idle = true;
        model = chosen ? chosen->value : "none";
    }
    if (is_idle)
        complain_setting(errors, setting, "model = %s has no use for it", model);
}

void resolve_compute(const struct settings *settings, struct scenario *scenario, struct scenario_errors *errors)
{
    size_t before = errors->n;
    scenario->compute = mem_array(scenario->cluster.workers, sizeof *scenario->compute);
    for (uint32_t w = 0; w < scenario->cluster.workers; w++)
        resolve_worker(settings, scenario, w, errors);
    bool is_sound = errors->n == before;
    for (size_t i = 0; i < settings->n && is_sound; i++)
        if (!settings->setting[i].bad && settings->setting[i].place->kind == SECTION_COMPUTE)
            check_idle(settings, &settings->setting[i], scenario, errors);
}

/* ── [link] ── */

static void resolve_direction(const struct settings *settings, int32_t node, enum direction direction,
                              struct link *link, struct scenario_errors *errors)
{
    struct subject subject = {.kind = SECTION_LINK, .node = node, .direction = direction};
    struct error err;
    keys_set_defaults(SECTION_LINK, link);
    settings_apply(settings, &subject, LEVEL_ALL, LEVEL_DIRECTION, link);
    const char *key = link_check(link, &err);
    if (key && !settings_is_bad(settings, &subject, "delay"))
        complain_setting(errors, settings_winner(settings, &subject, key), "%s", err.text);
}

void resolve_links(const struct settings *settings, struct scenario *scenario, struct scenario_errors *errors)
{
    uint32_t workers = scenario->cluster.workers;
    scenario->worker_link = mem_array(workers, sizeof *scenario->worker_link);
    for (uint32_t w = 0; w <= workers; w++) {
        int32_t node = w < workers ? (int32_t)w : PLACE_PS;
        struct link_pair *pair = w < workers ? &scenario->worker_link[w] : &scenario->ps_link;
        resolve_direction(settings, node, LINK_UP, &pair->direction[LINK_UP], errors);
        resolve_direction(settings, node, LINK_DOWN, &pair->direction[LINK_DOWN], errors);
    }
}

/* ── [pause] ── */

static bool is_listed(const struct pause_draft *draft, uint32_t worker)
{
    for (uint32_t i = 0; i < draft->n; i++)
        if (draft->workers[i] == worker + 1)
            return true;
    return draft->n == 0;
}

static void check_listed(const struct settings *settings, const struct pause_draft *draft,
                         const struct scenario *scenario, struct scenario_errors *errors)
{
    const struct setting *setting = settings_find(settings, SECTION_PAUSE, "workers");
    if (setting == NULL || settings_are_bad(settings, SECTION_CLUSTER, "workers"))
        return;
    for (uint32_t i = 0; i < draft->n; i++)
        if (draft->workers[i] > scenario->cluster.workers)
            complain_setting(errors, setting, "there is no worker%u: [cluster] workers = %u",
                             (unsigned)draft->workers[i], (unsigned)scenario->cluster.workers);
}

/* `for` without `every` pauses nobody; `workers` in a section of one worker names nobody. */
static void check_pause_settings(const struct settings *settings, const struct scenario *scenario,
                                 struct scenario_errors *errors)
{
    for (size_t i = 0; i < settings->n; i++) {
        const struct setting *setting = &settings->setting[i];
        if (setting->bad || setting->place->kind != SECTION_PAUSE)
            continue;
        int32_t node = setting->place->node;
        bool is_used = false;
        if (strcmp(setting->entry->key, "workers") == 0 && node != PLACE_ALL)
            complain_setting(errors, setting, "only [pause] names workers; this section is about one");
        if (strcmp(setting->entry->key, "for") != 0)
            continue;
        struct subject subject = {.kind = SECTION_PAUSE, .node = node};
        const struct setting *every = settings_winner(settings, &subject, "every");
        for (uint32_t w = 0; w < scenario->cluster.workers; w++)
            if ((node == PLACE_ALL || node == (int32_t)w) && scenario->pause[w].every.kind != DIST_NONE)
                is_used = true;
        if (!is_used && !settings_is_bad(settings, &subject, "every") && !(every && every->entry->line == 0))
            complain_setting(errors, setting, "pauses of this length never come: the key every must say how often");
    }
}

void resolve_pauses(const struct settings *settings, struct scenario *scenario, struct scenario_errors *errors)
{
    struct subject all = {.kind = SECTION_PAUSE, .node = PLACE_ALL};
    struct pause_draft general = {0};
    keys_set_defaults(SECTION_PAUSE, &general);
    settings_apply(settings, &all, LEVEL_ALL, LEVEL_ALL, &general);
    check_listed(settings, &general, scenario, errors);
    scenario->pause = mem_array(scenario->cluster.workers, sizeof *scenario->pause);
    for (uint32_t w = 0; w < scenario->cluster.workers; w++) {
        struct subject subject = worker_subject(SECTION_PAUSE, w);
        struct pause_draft draft = {0}, nothing = {0};
        keys_set_defaults(SECTION_PAUSE, &draft);
        keys_set_defaults(SECTION_PAUSE, &nothing);
        if (is_listed(&general, w))
            draft.model = general.model;
        settings_apply(settings, &subject, LEVEL_NODE, LEVEL_NODE, &draft);
        scenario->pause[w] = draft.model.every.kind == DIST_NONE ? nothing.model : draft.model;
        free(draft.workers);
    }
    check_pause_settings(settings, scenario, errors);
    free(general.workers);
}
