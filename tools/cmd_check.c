/* SPDX-License-Identifier: GPL-3.0-or-later */
/* laggard check: every error of a scenario at once, or what it resolves to. Starts nothing. */
#include "config.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "scenario/keys.h"
#include "scenario/scenario.h"
#include "scenario/units.h"

#include "check_events.h"
#include "command.h"
#include "options.h"

/* ── what it resolves to ── */

static void print_problem(const struct scenario *scenario)
{
    const struct problem *problem = &scenario->problem;
    printf("  problem     %s, ", problem->model == MODEL_LINEAR ? "least squares" : "logistic");
    if (problem->source == DATA_SYNTHETIC)
        printf("synthetic, %zu samples of %zu features", problem->samples, problem->features);
    else if (problem->samples)
        printf("%s, the first %zu samples", problem->path, problem->samples);
    else
        printf("%s, all samples", problem->path);
    if (problem->classes.given)
        printf(", classes %g and %g", problem->classes.which[0], problem->classes.which[1]);
    printf("\n");
}

static void print_strategies(const struct scenario *scenario)
{
    printf("  strategies  ");
    for (size_t i = 0; i < scenario->n_strategies; i++) {
        const struct strategy_choice *choice = &scenario->strategy[i];
        printf("%s%s", i ? ", " : "", choice->ops->name);
        if (choice->ops->uses_redundancy && choice->redundancy != scenario->cluster.redundancy)
            printf(" (redundancy %" PRIu32 ")", choice->redundancy);
    }
    printf("; each %" PRIu32 " time%s\n", scenario->repeats, scenario->repeats == 1 ? "" : "s");
}

static void print_end(const struct scenario *scenario)
{
    static const char *const what[] = {
        [TARGET_ERROR] = "an error", [TARGET_RELATIVE_ERROR] = "a relative error", [TARGET_GRADIENT] = "a gradient"};
    printf("  a run ends  at %s below %g, or after %" PRIu32 " rounds", what[scenario->target_kind], scenario->target,
           scenario->max_rounds);
    if (scenario->max_time_ns)
        printf(" or %g s", (double)scenario->max_time_ns / 1e9);
    printf("\n");
}

static void print_compute(const struct scenario *scenario)
{
    printf("  computing   ");
    uint32_t first = 0;
    for (uint32_t w = 1; w <= scenario->cluster.workers; w++) {
        const struct dist *dist = &scenario->compute[first];
        bool is_same = w < scenario->cluster.workers && scenario->compute[w].kind == dist->kind &&
                       scenario->compute[w].mean == dist->mean && scenario->compute[w].shape == dist->shape;
        if (is_same)
            continue;
        printf("%sworker%" PRIu32, first ? "; " : "", first + 1);
        if (w > first + 1)
            printf("-%" PRIu32, w);
        printf(" %s", dist_names[dist->kind]);
        if (dist->mean > 0)
            printf(" %g ms", dist->mean * 1000);
        first = w;
    }
    printf("\n");
}

static void print_link(const struct link *link)
{
    if (link_is_plain(link)) {
        printf("plain");
        return;
    }
    if (link->delay_ns)
        printf("delay %g ms", (double)link->delay_ns / 1e6);
    if (link->jitter_ns)
        printf(" +- %g ms", (double)link->jitter_ns / 1e6);
    if (link->rate_bps)
        printf("%s%g Mbit/s", link->delay_ns ? ", " : "", (double)link->rate_bps / 1e6);
    if (link->loss != LINK_LOSS_NONE)
        printf("%slossy", link->delay_ns || link->rate_bps ? ", " : "");
    if (link->duplicate_ppm || link->reorder_ppm || link->corrupt_ppm)
        printf(" (duplicates, reorders or corrupts)");
}

static bool is_like(const struct link_pair *a, const struct link_pair *b)
{
    return link_equals(&a->direction[LINK_UP], &b->direction[LINK_UP]) &&
           link_equals(&a->direction[LINK_DOWN], &b->direction[LINK_DOWN]);
}

static void print_pair(const char *node, const struct link_pair *pair)
{
    printf("  link        %s: up ", node);
    print_link(&pair->direction[LINK_UP]);
    printf("; down ");
    print_link(&pair->direction[LINK_DOWN]);
    printf("\n");
}

/* Adjacent workers whose links are alike share a line. */
static void print_links(const struct scenario *scenario)
{
    uint32_t first = 0;
    char node[64];
    for (uint32_t w = 1; w <= scenario->cluster.workers; w++) {
        if (w < scenario->cluster.workers && is_like(&scenario->worker_link[first], &scenario->worker_link[w]))
            continue;
        if (w == first + 1)
            snprintf(node, sizeof node, "worker%" PRIu32, w);
        else
            snprintf(node, sizeof node, "worker%" PRIu32 "-%" PRIu32, first + 1, w);
        print_pair(node, &scenario->worker_link[first]);
        first = w;
    }
    print_pair("ps", &scenario->ps_link);
}

static void print_disturbances(const struct scenario *scenario)
{
    uint32_t paused = 0;
    for (uint32_t w = 0; w < scenario->cluster.workers; w++)
        paused += scenario->pause[w].every.kind != DIST_NONE;
    if (paused)
        printf("  pauses      of %" PRIu32 " worker%s, at random\n", paused, paused == 1 ? "" : "s");
    if (scenario->n_events)
        printf("  timeline    %zu event%s, the last at %g s\n", scenario->n_events, scenario->n_events == 1 ? "" : "s",
               (double)scenario->event[scenario->n_events - 1].at_ns / 1e9);
    printf("  netem       %s\n", scenario_needs_netem(scenario) ? "needed" : "not needed");
}

static void print_summary(const struct scenario *scenario, const char *path)
{
    printf("%s: fine\n", path);
    print_problem(scenario);
    printf("  workers     %" PRIu32 ", redundancy %" PRIu32 "%s\n", scenario->cluster.workers,
           scenario->cluster.redundancy, scenario->tls ? "" : ", no TLS");
    print_strategies(scenario);
    print_end(scenario);
    print_compute(scenario);
    print_links(scenario);
    print_disturbances(scenario);
}

/* ── the key table ── */

static void print_words(const struct key *key)
{
    const char *between = "";
    for (int i = 0; key->words[i]; i++) {
        if (key->not_yet && strcmp(key->not_yet, key->words[i]) == 0)
            continue;
        printf("%s%s", between, key->words[i]);
        between = " | ";
    }
}

/* A line a key: section, key, type, default, range or form, meaning; separated by tabs. */
static void print_keys(void)
{
    for (const struct key *key = keys; key->name; key++) {
        char range[KEY_RANGE_MAX];
        printf("%s\t%s\t%s\t%s\t", section_names[key->section], key->name, key_type_name(key),
               key->def ? key->def : "-");
        if (key->words)
            print_words(key);
        else
            printf("%s", key->form ? key->form : key_range(key, range));
        printf("\t%s\n", key->help);
    }
}

/* ── the command ── */

struct options {
    bool dump, keys, events;
    const char *until;
    struct option_list sets;
};

static const char usage[] = "[OPTION]... SCENARIO | --keys";

#define AT(member) offsetof(struct options, member)

static const struct option_row rows[] = {
    {"set", 0, OPTION_LIST, "SECTION.KEY=VALUE", AT(sets), "as if the file said so; may stand several times", NULL},
    {"dump", 0, OPTION_FLAG, NULL, AT(dump), "print the whole scenario as resolved, every key with its value", NULL},
    {"events", 0, OPTION_FLAG, NULL, AT(events), "print what is planned for each repeat, and when, as CSV", NULL},
    {"until", 0, OPTION_TEXT, "TIME", AT(until),
     "with --events: the plan up to there; without it, max_time,\nor the end of the timeline, and a minute at least",
     NULL},
    {"keys", 0, OPTION_FLAG, NULL, AT(keys), "print the table of all keys: section, key, type, default, range, meaning",
     NULL},
    {0}};

static const struct option_page page = {
    .command = "check",
    .usage = usage,
    .about = "Print every error of a scenario, each with its line, or what the scenario resolves to.",
    .rows = rows,
    .footer =
        "Exit status: 0 the scenario is fine, 2 it is not, or the command line is wrong. See laggard-scenario(5).",
};

static int complain_of_use(const char *what)
{
    fprintf(stderr, "laggard check: %s; try laggard check --help\n", what);
    return EXIT_WRONG;
}

/* OPTIONS_GO: nothing is wrong with them. */
static int judge_use(const struct options *options, int n_files, int64_t *until_ns)
{
    struct error err;
    if (options->keys && (n_files > 0 || options->dump || options->events || options->sets.n > 0))
        return complain_of_use("--keys stands alone");
    if (!options->keys && n_files != 1)
        return complain_of_use("one scenario file is needed");
    if (options->dump && options->events)
        return complain_of_use("--dump and --events print two things: one at a time");
    if (options->until && !options->events)
        return complain_of_use("--until says how far --events looks, and is nothing without it");
    if (options->until && units_duration(options->until, until_ns, &err) < 0) {
        error_prefix(&err, "--until %s", options->until);
        return complain_of_use(err.text);
    }
    return OPTIONS_GO;
}

static void print_scenario(const struct scenario *scenario, const struct options *options, const char *path,
                           int64_t until_ns)
{
    if (options->events) {
        check_events_print(scenario, options->until ? until_ns : check_events_until(scenario), stdout);
    } else if (options->dump) {
        char *text = scenario_dump(scenario);
        fputs(text, stdout);
        free(text);
    } else {
        print_summary(scenario, path);
    }
}

static int check_file(const struct options *options, const char *path, int64_t until_ns)
{
    struct scenario_errors errors;
    struct scenario *scenario = scenario_read(path, options->sets.text, options->sets.n, &errors);
    if (scenario == NULL) {
        scenario_errors_print(&errors, path, stderr);
        scenario_errors_clear(&errors);
        return EXIT_WRONG;
    }
    print_scenario(scenario, options, path, until_ns);
    scenario_free(scenario);
    return EXIT_DONE;
}

static int cmd_check(int argc, char **argv)
{
    struct options options = {0};
    int64_t until_ns = 0;
    int first, status = options_parse(&page, argc, argv, &options, &first);
    if (status == OPTIONS_GO)
        status = judge_use(&options, argc - first, &until_ns);
    if (status == OPTIONS_GO && options.keys) {
        print_keys();
        status = EXIT_DONE;
    } else if (status == OPTIONS_GO) {
        status = check_file(&options, argv[first], until_ns);
    }
    options_list_clear(&options.sets);
    if (fflush(stdout) != 0) {
        perror("laggard check: standard output");
        return EXIT_RUN_FAILED;
    }
    return status;
}

const struct command command_check = {"check", usage, "Check a scenario: every error at once, or what it resolves to.",
                                      cmd_check};
