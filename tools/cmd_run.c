/* SPDX-License-Identifier: GPL-3.0-or-later */
/* laggard run: check the scenario, make the result directory, run the bed, print what came out. */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "bed/bed.h"
#include "report/report.h"
#include "results/manifest.h"
#include "scenario/scenario.h"

#include "command.h"
#include "options.h"
#include "output.h"
#include "places.h"
#include "versions.h"

struct options {
    const char *output, *strategies, *repeats;
    int kernel; /* enum bed_kernel */
    bool strict, quiet;
    struct option_list sets;
};

#define AT(field) offsetof(struct options, field)

static const char usage[] = "[OPTION]... SCENARIO";
static const char *const kernels[] = {"auto", "host", "uml", NULL}; /* by enum bed_kernel */

static const struct option_row rows[] = {
    {"output", 'o', OPTION_TEXT, "DIR", AT(output),
     "write the results there; a new or empty directory\n(default: results/NAME-DATE-TIME)", NULL},
    {"kernel", 0, OPTION_CHOICE, "auto|host|uml", AT(kernel),
     "where links are shaped: by the host's kernel, or in a\nguest kernel (default: auto, the host's if it can)",
     kernels},
    {"strategies", 0, OPTION_TEXT, "LIST", AT(strategies), "run these only, as in gd,lagc", NULL},
    {"repeats", 0, OPTION_TEXT, "N", AT(repeats), "run each strategy so often, with another seed each time", NULL},
    {"set", 0, OPTION_LIST, "SECTION.KEY=VALUE", AT(sets), "as if the file said so; may be given several times", NULL},
    {"strict", 0, OPTION_FLAG, NULL, AT(strict), "a link outside its tolerance fails the run", NULL},
    {"quiet", 0, OPTION_FLAG, NULL, AT(quiet), "no progress and no table", NULL},
    {0},
};

static const struct option_page page = {
    "run", usage, "Run every strategy of a scenario on a bed of its own; print the table, write the results.", rows,
    "Exit status: 0 done; 1 the run failed; 2 the scenario or the command line is wrong;\n"
    "3 this machine cannot do it (laggard doctor says why).\n"
    "See laggard-scenario(5) and laggard-results(5)."};

/* ── the manifest ── */

struct job {
    const struct options *options;
    const struct scenario *scenario;
    struct places places;
    enum bed_kernel kernel;
    struct bed_outcome outcome;
    char *directory, *scenario_path, *resolved;
    struct manifest manifest;
    char figures[96];     /* a note */
    const char *notes[3]; /* NULL-terminated */
};

static bool is_random(const struct link *link)
{
    return link->loss != LINK_LOSS_NONE || link->duplicate_ppm || link->reorder_ppm || link->corrupt_ppm ||
           link->jitter_ns;
}

/* Does netem draw anything? */
static bool has_random_links(const struct scenario *scenario)
{
    bool found = false;
    for (int d = LINK_UP; d <= LINK_DOWN; d++) {
        found = found || is_random(&scenario->ps_link.direction[d]);
        for (uint32_t w = 0; w < scenario->cluster.workers; w++)
            found = found || is_random(&scenario->worker_link[w].direction[d]);
    }
    for (size_t i = 0; i < scenario->n_events; i++)
        found = found || (scenario->event[i].kind == EVENT_LINK && is_random(&scenario->event[i].value));
    return found;
}

static void write_notes(struct job *job)
{
    size_t n = 0;
    if (has_random_links(job->scenario))
        job->notes[n++] = "the kernel's netem draws delays and losses without our seed: which packets it delays or "
                          "drops differs from run to run";
    if (job->outcome.wrong_figures > 0) {
        snprintf(job->figures, sizeof job->figures,
                 "%u figures of links were outside their tolerance; see links.csv and logs/bed.log",
                 job->outcome.wrong_figures);
        job->notes[n++] = job->figures;
    }
    job->notes[n] = NULL;
}

static int write_manifest(struct job *job, struct error *err)
{
    struct manifest *manifest = &job->manifest;
    manifest->kernel_kind = job->kernel == BED_KERNEL_UML ? "user-mode-linux" : "host";
    manifest->kernel_release = job->outcome.release;
    manifest->libraries = versions_libraries();
    manifest->seed = job->scenario->seed;
    manifest->repeats = job->scenario->repeats;
    manifest->scenario_name = job->scenario->name;
    manifest->scenario_file = job->scenario->path;
    manifest->scenario_text = job->resolved;
    write_notes(job);
    manifest->notes = job->notes;
    return manifest_write(job->directory, manifest, err);
}

/* ── the run ── */

static int prepare(struct job *job, struct error *err)
{
    job->directory = output_make(job->options->output, job->scenario->name, err);
    if (job->directory == NULL)
        return -1;
    job->scenario_path = mem_printf("%s/scenario.ini", job->directory);
    job->resolved = scenario_dump(job->scenario);
    bed_kernel_release(job->kernel, job->outcome.release);
    job->manifest.status = "running";
    clock_gettime(CLOCK_REALTIME, &job->manifest.begin);
    if (output_write(job->scenario_path, job->resolved, err) < 0 || write_manifest(job, err) < 0)
        return -1;
    if (!job->options->quiet)
        fprintf(stderr, "results: %s\n", job->directory);
    return 0;
}

static unsigned terminal_columns(void)
{
    struct winsize size;
    const char *kind = getenv("TERM");
    if (!isatty(STDERR_FILENO) || kind == NULL || strcmp(kind, "dumb") == 0)
        return 0;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static enum exit_status run_bed_and_record(struct job *job, struct error *err)
{
    struct bed_options bed = {.directory = job->directory,
                              .scenario_path = job->scenario_path,
                              .program = job->places.program,
                              .daemon_directory = job->places.daemons,
                              .netem_directory = job->places.netem,
                              .columns = terminal_columns(),
                              .quiet = job->options->quiet,
                              .strict = job->options->strict};
    struct error end = {{0}};
    enum exit_status status = bed_run(job->scenario, &bed, job->kernel, &job->outcome, err);
    job->manifest.status = status == EXIT_DONE ? "done" : "failed";
    job->manifest.failure = status == EXIT_DONE ? NULL : err->text;
    clock_gettime(CLOCK_REALTIME, &job->manifest.end);
    if (write_manifest(job, &end) < 0 && status == EXIT_DONE) {
        *err = end;
        return EXIT_RUN_FAILED;
    }
    return status;
}

/* What there is of a failed run is reported as well. */
static int report(const struct job *job, struct error *err)
{
    FILE *to = job->options->quiet ? fopen("/dev/null", "we") : stdout;
    if (to == NULL)
        return error_set_errno(err, "/dev/null");
    int status = report_after_run(job->directory, to, err);
    if (to != stdout)
        fclose(to);
    else if (fflush(to) != 0 && status == 0)
        status = error_set_errno(err, "standard output");
    return status;
}

static enum exit_status run_and_report(struct job *job)
{
    struct error err = {{0}}, report_err = {{0}};
    enum exit_status status = run_bed_and_record(job, &err);
    bool has_rounds = output_has(job->directory, "summary.csv");
    int reported = has_rounds ? report(job, &report_err) : 0;
    if (status != EXIT_DONE)
        fprintf(stderr, "laggard run: %s\n", err.text);
    if (reported < 0) {
        fprintf(stderr, "laggard run: %s\n", report_err.text);
        return status == EXIT_DONE ? EXIT_RUN_FAILED : status;
    }
    return status;
}

static enum exit_status run_scenario(struct job *job)
{
    struct error err = {{0}};
    if (places_find(&job->places, &err) < 0 ||
        bed_choose_kernel(job->scenario, (enum bed_kernel)job->options->kernel, &job->kernel, &err) < 0) {
        fprintf(stderr, "laggard run: %s\n", err.text);
        return EXIT_MACHINE;
    }
    if (prepare(job, &err) < 0) {
        fprintf(stderr, "laggard run: %s\n", err.text);
        return EXIT_WRONG;
    }
    return run_and_report(job);
}

/* ── the command ── */

/* --strategies and --repeats are --set by other names. */
static struct scenario *read_scenario(const char *path, struct options *options)
{
    struct scenario_errors errors = {0};
    char *wanted = mem_printf("scenario.strategies=%s", options->strategies ? options->strategies : "");
    char *repeats = mem_printf("scenario.repeats=%s", options->repeats ? options->repeats : "");
    if (options->strategies != NULL)
        options_list_add(&options->sets, wanted);
    if (options->repeats != NULL)
        options_list_add(&options->sets, repeats);
    struct scenario *scenario = scenario_read(path, options->sets.text, options->sets.n, &errors);
    if (scenario == NULL)
        scenario_errors_print(&errors, path, stderr);
    scenario_errors_clear(&errors);
    free(wanted);
    free(repeats);
    return scenario;
}

static int run_file(const char *path, struct options *options, char *const *command)
{
    struct scenario *scenario = read_scenario(path, options);
    if (scenario == NULL)
        return EXIT_WRONG;
    struct job job = {.options = options, .scenario = scenario, .manifest = {.command = command}};
    int status = (int)run_scenario(&job);
    free(job.directory);
    free(job.scenario_path);
    free(job.resolved);
    scenario_free(scenario);
    return status;
}

/* As typed: the parser changes the order of argv. */
static char **copy_command(int argc, char **argv)
{
    static char program[] = "laggard";
    char **copy = mem_array((size_t)argc + 2, sizeof *copy);
    copy[0] = program;
    memcpy(copy + 1, argv, (size_t)argc * sizeof *argv);
    return copy;
}

static int cmd_run(int argc, char **argv)
{
    struct options options = {.kernel = BED_KERNEL_AUTO};
    char **command = copy_command(argc, argv);
    int first;
    int status = options_parse(&page, argc, argv, &options, &first);
    if (status == OPTIONS_GO && argc - first != 1) {
        fprintf(stderr, "laggard run: %s; see laggard run --help\n",
                argc == first ? "a scenario file is needed" : "one scenario file at a time");
        status = EXIT_WRONG;
    }
    if (status == OPTIONS_GO)
        status = run_file(argv[first], &options, command);
    options_list_clear(&options.sets);
    free(command);
    return status;
}

const struct command command_run = {"run", usage, "Run a scenario and report what came out.", cmd_run};
