/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scenario_read: settings, then everything that they resolve to, in the one order in which later steps can rely on
 * earlier ones. And the small doors of scenario.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "core/random.h"
#include "scenario/own.h"
#include "scenario/resolve.h"
#include "scenario/events.h"
#include "scenario/trace.h"

static struct scenario *resolve(const struct settings *settings, char *path, struct scenario_errors *errors)
{
    struct scenario *scenario = mem_zalloc(sizeof *scenario);
    scenario->path = path;
    resolve_general(settings, scenario, errors);
    resolve_check_nodes(settings, scenario, errors);
    resolve_strategies(settings, scenario, errors);
    resolve_compute(settings, scenario, errors);
    resolve_links(settings, scenario, errors);
    resolve_pauses(settings, scenario, errors);
    events_build(settings, scenario, errors);
    return scenario;
}

/* path against the working directory. New string. */
static char *absolute_path(const char *path)
{
    char *here = getcwd(NULL, 0);
    char *beside = mem_printf("%s/.", here ? here : "");
    char *absolute = own_absolute(path, beside);
    free(beside);
    free(here);
    return absolute;
}

struct scenario *scenario_read(const char *path, const char *const *overrides, size_t n, struct scenario_errors *errors)
{
    struct settings settings;
    struct scenario *scenario = NULL;
    *errors = (struct scenario_errors){0};
    if (settings_load(&settings, path, overrides, n, errors) == 0)
        scenario = resolve(&settings, absolute_path(path), errors);
    settings_clear(&settings);
    complain_sort(errors);
    if (errors->n > 0) {
        scenario_free(scenario);
        return NULL;
    }
    return scenario;
}

struct scenario *scenario_parse(const char *name, const char *bytes, size_t len, struct scenario_errors *errors)
{
    struct settings settings;
    struct scenario *scenario = NULL;
    *errors = (struct scenario_errors){0};
    if (settings_parse(&settings, bytes, len, NULL, 0, errors) == 0)
        scenario = resolve(&settings, absolute_path(name), errors);
    settings_clear(&settings);
    complain_sort(errors);
    if (errors->n > 0) {
        scenario_free(scenario);
        return NULL;
    }
    return scenario;
}

void scenario_free(struct scenario *scenario)
{
    if (scenario == NULL)
        return;
    for (size_t i = 0; i < scenario->n_traces; i++)
        trace_clear(&scenario->trace[i]);
    for (size_t i = 0; i < scenario->n_events; i++)
        free(scenario->event[i].key);
    free(scenario->trace);
    free(scenario->event);
    free(scenario->strategy);
    free(scenario->compute);
    free(scenario->worker_link);
    free(scenario->pause);
    free(scenario->problem.path);
    free(scenario->problem.labels_path);
    free(scenario->name);
    free(scenario->path);
    free(scenario);
}

void scenario_session_config(const struct scenario *scenario, size_t which, uint32_t repeat, struct session_config *out)
{
    const struct strategy_choice *choice = &scenario->strategy[which];
    *out = (struct session_config){.ops = choice->ops,
                                   .target_kind = scenario->target_kind,
                                   .target = scenario->target,
                                   .max_rounds = scenario->max_rounds,
                                   .max_time_ns = scenario->max_time_ns};
    out->strategy = (struct strategy_config){.workers = scenario->cluster.workers,
                                             .partitions = scenario->cluster.workers,
                                             .redundancy = choice->redundancy,
                                             .history = choice->history,
                                             .xi = choice->xi,
                                             .always = choice->always,
                                             .refresh = choice->refresh,
                                             .by_smoothness = choice->assign == ASSIGN_SMOOTHNESS,
                                             .code = choice->code,
                                             .seed = random_repeat_seed(scenario->seed, repeat)};
}
