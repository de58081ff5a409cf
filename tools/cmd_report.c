/* SPDX-License-Identifier: GPL-3.0-or-later */
/* laggard report: what result directories say, as tables for people or as data for programs. */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "report/report.h"

#include "command.h"
#include "options.h"

enum format { FORMAT_TEXT, FORMAT_CSV };

struct options {
    int format; /* enum format */
    bool plots;
};

#define AT(field) offsetof(struct options, field)

static const char usage[] = "[OPTION]... DIR...";
static const char *const formats[] = {"text", "csv", NULL}; /* by enum format */

static const struct option_row rows[] = {
    {"format", 0, OPTION_CHOICE, "text|csv", AT(format),
     "text: tables for people (default); csv: a row a strategy\nand repeat", formats},
    {"plots", 0, OPTION_FLAG, NULL, AT(plots),
     "write report.txt and the plots into each DIR anew, as\nlaggard run does", NULL},
    {0},
};

static const struct option_page page = {
    "report", usage,
    "Show the results of runs: who won in time, in messages and in gradients, and under which\nconditions.", rows,
    "Exit status: 0 done; 1 a directory cannot be read or written; 2 the command line is wrong.\n"
    "See laggard-results(5)."};

/* One that cannot be read does not hide the others. */
static int show(const struct options *options, int n, char **directory)
{
    int status = EXIT_DONE;
    if (options->format == FORMAT_CSV)
        report_csv_heading(stdout);
    for (int i = 0; i < n; i++) {
        struct error err = {{0}};
        if (options->format == FORMAT_TEXT && i > 0)
            printf("\n\n");
        int failed = options->format == FORMAT_CSV ? report_csv(directory[i], stdout, &err)
                                                   : report_text(directory[i], options->plots, stdout, &err);
        if (failed) {
            fflush(stdout);
            fprintf(stderr, "laggard report: %s\n", err.text);
            status = EXIT_RUN_FAILED;
        }
    }
    return status;
}

static int cmd_report(int argc, char **argv)
{
    struct options options = {.format = FORMAT_TEXT};
    int first, status = options_parse(&page, argc, argv, &options, &first);
    if (status == OPTIONS_GO && first == argc) {
        fprintf(stderr, "laggard report: a result directory is needed; see laggard report --help\n");
        status = EXIT_WRONG;
    } else if (status == OPTIONS_GO && options.plots && options.format != FORMAT_TEXT) {
        fprintf(stderr, "laggard report: --plots goes with --format text only\n");
        status = EXIT_WRONG;
    }
    if (status == OPTIONS_GO)
        status = show(&options, argc - first, argv + first);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("laggard report: standard output");
        return EXIT_RUN_FAILED;
    }
    return status;
}

const struct command command_report = {"report", usage, "Show the results of runs, as tables or as data.", cmd_report};
