/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The heading, and the parts in their order. */
#include "config.h"

#include "report/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void print_scenario(const struct scenario *scenario, FILE *to)
{
    fprintf(to, "%s: %" PRIu32 " workers, redundancy %" PRIu32 ", seed %" PRIu64 ", each strategy %" PRIu32 " time%s\n",
            scenario->name, scenario->cluster.workers, scenario->cluster.redundancy, scenario->seed, scenario->repeats,
            scenario->repeats == 1 ? "" : "s");
}

static void print_goal(const struct folder *folder, FILE *to)
{
    static const char *const what[] = {
        [TARGET_ERROR] = "error", [TARGET_RELATIVE_ERROR] = "error", [TARGET_GRADIENT] = "gradient norm"};
    const struct scenario *scenario = folder->scenario;
    double absolute = folder_target(folder);
    fprintf(to, "target: %s below %g", what[scenario->target_kind], scenario->target);
    if (scenario->target_kind == TARGET_RELATIVE_ERROR) {
        fprintf(to, " of the initial one");
        if (isfinite(absolute))
            fprintf(to, ", that is %.3g", absolute);
    }
    fprintf(to, "; at most %" PRIu32 " rounds", scenario->max_rounds);
    if (scenario->max_time_ns)
        fprintf(to, " or %g s", (double)scenario->max_time_ns / 1e9);
    fprintf(to, "\n");
}

static void print_machine(const struct about *about, FILE *to)
{
    if (about->kernel == NULL)
        return;
    fprintf(to, "%s%skernel %s", about->begin ? about->begin : "", about->begin ? ", " : "", about->kernel);
    if (about->processor != NULL && about->processors > 0)
        fprintf(to, ", %d x %s", about->processors, about->processor);
    fprintf(to, "\n");
}

/* ── what went wrong ── */

static void print_missing_run(const struct folder *folder, size_t strategy, uint32_t repeat, FILE *to)
{
    for (size_t i = 0; i < folder->n_runs; i++) {
        const struct run *run = &folder->run[i];
        if (run->strategy != strategy || run->repeat != repeat)
            continue;
        if (!run->is_finished)
            fprintf(to, "UNFINISHED: %s, repeat %" PRIu32 ": %zu rounds were recorded\n", folder->strategy[strategy],
                    repeat, run->n_rounds);
        return;
    }
    fprintf(to, "MISSING: %s, repeat %" PRIu32 ": no round was recorded\n", folder->strategy[strategy], repeat);
}

static void print_failures(const struct folder *folder, FILE *to)
{
    const struct about *about = &folder->about;
    if (about->failure != NULL)
        fprintf(to, "FAILED: %s\n", about->failure);
    else if (about->status != NULL && strcmp(about->status, "running") == 0)
        fprintf(to, "UNFINISHED: still running, or was killed; what follows is what there is\n");
    for (uint32_t repeat = 1; repeat <= folder_repeats(folder); repeat++)
        for (size_t s = 0; s < folder->n_strategies; s++)
            print_missing_run(folder, s, repeat, to);
    if (folder->complaint != NULL)
        fprintf(to, "note: no comparison with the scenario: %s\n", folder->complaint);
}

void text_heading(const struct folder *folder, FILE *to)
{
    fprintf(to, "%s\n", folder->path);
    if (folder->scenario != NULL) {
        print_scenario(folder->scenario, to);
        print_goal(folder, to);
    }
    print_machine(&folder->about, to);
    print_failures(folder, to);
}

void text_print(const struct folder *folder, FILE *to)
{
    text_heading(folder, to);
    text_outcomes(folder, to);
    text_timing(folder, to);
    text_conditions(folder, to);
    text_warnings(folder, to);
}
