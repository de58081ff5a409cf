/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sections that there is once, and strategies. */
#include "config.h"

#include "scenario/resolve.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "scenario/own.h"

bool resolve_is_among(const char *name, const char *list)
{
    size_t len = strlen(name);
    for (const char *at = list; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, name, len) == 0 && (at[len] == ' ' || at[len] == '\0'))
            return true;
    }
    return false;
}

/* ── [scenario] ── */

/* "demo" of "/somewhere/demo.ini" */
static char *name_of_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = mem_strdup(slash ? slash + 1 : path);
    size_t len = strlen(name);
    if (len > 4 && strcmp(name + len - 4, ".ini") == 0)
        name[len - 4] = '\0';
    return name;
}

static const char *const target_keys[] = {"target_relative_error", "target_error", "target_gradient"};
enum { TARGETS = sizeof target_keys / sizeof target_keys[0] };

/* One target at most; a --set takes the place of the file's. */
static void check_targets(const struct settings *settings, struct scenario_errors *errors)
{
    const struct setting *first = NULL;
    for (int i = 0; i < TARGETS; i++) {
        const struct setting *setting = settings_find(settings, SECTION_SCENARIO, target_keys[i]);
        if (setting && setting->entry->line == 0)
            return;
    }
    for (size_t i = 0; i < settings->n; i++) {
        const struct setting *setting = &settings->setting[i];
        bool is_target = false;
        for (int k = 0; k < TARGETS; k++)
            is_target |= !setting->bad && setting->place->kind == SECTION_SCENARIO &&
                         strcmp(setting->entry->key, target_keys[k]) == 0;
        if (is_target && first)
            complain_setting(errors, setting, "a run has one target, and line %d has %s already", first->entry->line,
                             first->entry->key);
        else if (is_target)
            first = setting;
    }
}

/* ── [problem] ── */

static void check_file(const char *path, const struct setting *setting, struct scenario_errors *errors)
{
    struct stat about;
    if (path == NULL)
        return;
    if (stat(path, &about) != 0 || access(path, R_OK) != 0)
        complain_setting(errors, setting, "%s: %s", path, strerror(errno));
    else if (!S_ISREG(about.st_mode))
        complain_setting(errors, setting, "%s: not a file", path);
}

static void check_data(const struct settings *settings, const struct scenario *scenario, struct scenario_errors *errors)
{
    const struct problem *problem = &scenario->problem;
    const struct setting *setting = settings_find(settings, SECTION_PROBLEM, "data");
    if (setting == NULL || problem->source == DATA_SYNTHETIC)
        return;
    size_t before = errors->n;
    check_file(problem->path, setting, errors);
    check_file(problem->labels_path, setting, errors);
    char *text = own_write_data(scenario), *quoted = mem_alloc(strlen(text) + 3);
    bool has_comma = problem->source == DATA_IDX && (strchr(problem->path, ',') || strchr(problem->labels_path, ','));
    if (errors->n == before && (has_comma || !ini_quote(text, quoted)))
        complain_setting(errors, setting, "%s: a file's whole name must fit a line, in quotes if need be%s",
                         problem->path, has_comma ? ", and have no comma" : "");
    free(quoted);
    free(text);
}

/* A key that has no effect is an error, unless a --set has made it so. */
static void check_idle(const struct settings *settings, const char *key, const char *decided_by, const char *why,
                       struct scenario_errors *errors)
{
    const struct setting *idle = settings_find(settings, SECTION_PROBLEM, key);
    const struct setting *decider = settings_find(settings, SECTION_PROBLEM, decided_by);
    if (idle == NULL || settings_are_bad(settings, SECTION_PROBLEM, decided_by))
        return;
    if (decider && decider->entry->line == 0 && idle->entry->line > 0)
        return;
    complain_setting(errors, idle, "%s", why);
}

/* What has no effect is as if it had not been said, so that equal scenarios are equal. */
static void settle_problem(struct scenario *scenario)
{
    struct problem *problem = &scenario->problem;
    if (problem->source == DATA_SYNTHETIC) {
        if (problem->samples == 0)
            problem->samples = SCENARIO_SYNTHETIC_SAMPLES;
        if (problem->features == 0)
            problem->features = SCENARIO_SYNTHETIC_FEATURES;
    } else {
        problem->heterogeneity = 0;
    }
    if (problem->source == DATA_SYNTHETIC || problem->model == MODEL_LINEAR)
        problem->classes = (struct class_pair){0};
    if (problem->source == DATA_CSV || problem->source == DATA_IDX)
        problem->features = 0;
}

static void check_problem(const struct settings *settings, const struct scenario *scenario,
                          struct scenario_errors *errors)
{
    const struct problem *problem = &scenario->problem;
    bool is_synthetic = problem->source == DATA_SYNTHETIC;
    check_data(settings, scenario, errors);
    if (problem->classes.given && is_synthetic)
        check_idle(settings, "classes", "data", "synthetic data have no classes: only csv, libsvm and idx files do",
                   errors);
    else if (problem->classes.given && problem->model == MODEL_LINEAR)
        check_idle(settings, "classes", "model", "two classes are for model = logistic; this is linear", errors);
    if (!is_synthetic)
        check_idle(settings, "heterogeneity", "data", "only synthetic data have it", errors);
    if (problem->features && (problem->source == DATA_CSV || problem->source == DATA_IDX))
        check_idle(settings, "features", "data",
                   "the file says how many features there are; only synthetic and libsvm data may be told", errors);
}

/* After settling: all of synthetic may be too little. */
static void check_samples(const struct settings *settings, const struct scenario *scenario,
                          struct scenario_errors *errors)
{
    const struct setting *culprit = settings_find(settings, SECTION_PROBLEM, "samples");
    size_t samples = scenario->problem.samples;
    if (culprit == NULL)
        culprit = settings_find(settings, SECTION_CLUSTER, "workers");
    if (culprit && samples && samples < scenario->cluster.workers &&
        !settings_are_bad(settings, SECTION_CLUSTER, "workers") &&
        !settings_are_bad(settings, SECTION_PROBLEM, "samples"))
        complain_setting(errors, culprit, "%zu samples are fewer than %" PRIu32 " workers: each needs one at least",
                         samples, scenario->cluster.workers);
}

void resolve_general(const struct settings *settings, struct scenario *scenario, struct scenario_errors *errors)
{
    static const enum section_kind kinds[] = {SECTION_SCENARIO, SECTION_PROBLEM, SECTION_CLUSTER, SECTION_SECURITY};
    scenario->name = name_of_file(scenario->path);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct subject subject = {.kind = kinds[i], .node = PLACE_ALL};
        keys_set_defaults(kinds[i], scenario);
        settings_apply(settings, &subject, LEVEL_ALL, LEVEL_ALL, scenario);
    }
    check_targets(settings, errors);
    check_problem(settings, scenario, errors);
    settle_problem(scenario);
    check_samples(settings, scenario, errors);
}

void resolve_check_nodes(const struct settings *settings, const struct scenario *scenario,
                         struct scenario_errors *errors)
{
    if (settings_are_bad(settings, SECTION_CLUSTER, "workers"))
        return;
    for (size_t i = 0; i < settings->lines.n_sections; i++) {
        const struct ini_section *section = &settings->lines.section[i];
        if (settings->place[i].bad || settings->place[i].node < (int32_t)scenario->cluster.workers)
            continue;
        complain(errors, section->line, "%s%s%s: there is no such worker: [cluster] workers = %" PRIu32,
                 section->line ? "[" : "--set ", section->name, section->line ? "]" : "", scenario->cluster.workers);
    }
}

/* ── strategies ── */

/* The setting to blame for a redundancy or a number of workers that a strategy cannot do with. */
static const struct setting *find_culprit(const struct settings *settings, const struct subject *subject)
{
    const struct setting *setting = settings_winner(settings, subject, "redundancy");
    if (setting == NULL)
        setting = settings_find(settings, SECTION_CLUSTER, "redundancy");
    if (setting == NULL)
        setting = settings_find(settings, SECTION_CLUSTER, "workers");
    return setting ? setting : settings_find(settings, SECTION_SCENARIO, "strategies");
}

static void check_choice(const struct settings *settings, const struct subject *subject,
                         const struct scenario *scenario, size_t which, struct scenario_errors *errors)
{
    const struct strategy_choice *choice = &scenario->strategy[which];
    struct session_config config;
    struct error err;
    const struct setting *culprit = find_culprit(settings, subject);
    if (settings_is_bad(settings, subject, "redundancy") || settings_are_bad(settings, SECTION_CLUSTER, "redundancy") ||
        settings_are_bad(settings, SECTION_CLUSTER, "workers"))
        return;
    if (choice->ops->uses_redundancy && choice->redundancy > scenario->cluster.workers) {
        error_set(&err, "redundancy %" PRIu32 " is more than workers = %" PRIu32, choice->redundancy,
                  scenario->cluster.workers);
    } else {
        scenario_session_config(scenario, which, 0, &config);
        config.strategy.d = scenario->problem.features ? scenario->problem.features : 1;
        config.strategy.alpha = 1;
        if (choice->ops->check(&config.strategy, &err) == 0)
            return;
        error_prefix(&err, "strategy %s", choice->ops->name);
    }
    if (culprit)
        complain_setting(errors, culprit, "%s", err.text);
    else
        complain(errors, 0, "%s", err.text);
}

static void resolve_choice(const struct settings *settings, struct scenario *scenario, size_t which,
                           struct scenario_errors *errors)
{
    struct strategy_choice *choice = &scenario->strategy[which];
    struct subject subject = {.kind = SECTION_STRATEGY, .node = PLACE_ALL, .ops = choice->ops};
    keys_set_defaults(SECTION_STRATEGY, choice);
    settings_apply(settings, &subject, LEVEL_ALL, LEVEL_DIRECTION, choice);
    if (choice->redundancy == 0)
        choice->redundancy = scenario->cluster.redundancy;
    check_choice(settings, &subject, scenario, which, errors);
}

void resolve_strategies(const struct settings *settings, struct scenario *scenario, struct scenario_errors *errors)
{
    for (size_t i = 0; i < settings->n; i++) {
        const struct setting *setting = &settings->setting[i];
        if (setting->bad || setting->place->kind != SECTION_STRATEGY || setting->place->ops == NULL)
            continue;
        if (!key_serves_strategy(setting->key, setting->place->ops->name))
            complain_setting(errors, setting, "%s has no use for it: it is for %s", setting->place->ops->name,
                             setting->key->only);
    }
    if (settings_are_bad(settings, SECTION_SCENARIO, "strategies"))
        return;
    for (size_t i = 0; i < scenario->n_strategies; i++)
        resolve_choice(settings, scenario, i, errors);
}
