/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result directory in memory. Whatever is missing is left out: daemons that were started by hand leave no manifest, a
 * run that was cut short leaves rounds without a summary. */
#ifndef LAGGARD_REPORT_FOLDER_H
#define LAGGARD_REPORT_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "results/results.h"
#include "scenario/scenario.h"

/* The columns of summary.csv after strategy and repeat, in its order. */
enum figure {
    FIGURE_ROUNDS,
    FIGURE_SECONDS,
    FIGURE_UPLINK,
    FIGURE_DOWNLINK,
    FIGURE_NOTICES,
    FIGURE_UPLINK_BYTES,
    FIGURE_DOWNLINK_BYTES,
    FIGURE_GRADIENTS,
    FIGURE_WASTED,
    FIGURE_FINAL_ERROR,
    FIGURE_REACHED,
    FIGURE_SECONDS_TO_TARGET,
    FIGURE_ROUNDS_TO_TARGET,
    FIGURE_UPLINK_TO_TARGET,
    FIGURES
};

/* One strategy, one repeat. */
struct run {
    size_t strategy;        /* which of the folder's */
    uint32_t repeat;        /* from 1, as in the files */
    bool is_finished;       /* it has a row in summary.csv; else its figures are the sums of its rounds so far */
    double figure[FIGURES]; /* NAN where the field is empty */
    double initial_error;   /* NAN: not known */
    size_t n_rounds, *row;  /* its rows in rounds.csv, in the order of the file; owned by the folder */
};

/* manifest.json; NULL or 0 where it does not say. Owned. */
struct about {
    char *status, *failure, *begin;
    char *kernel; /* "host 6.12.9-amd64" */
    char *processor;
    int processors;
    size_t n_notes;
    char **notes; /* sentences: what a reader of the figures should know */
};

/* Embedded. */
struct folder {
    char *path;
    struct scenario *scenario; /* from scenario.ini; NULL: none */
    char *complaint;           /* why a scenario.ini that is there could not be read; NULL else */
    struct about about;
    struct results_table table[RESULTS_FILES]; /* no columns: the file is not there */
    size_t n_strategies;
    const char **strategy; /* borrowed names: the scenario's in its order, then any others */
    size_t n_runs;
    struct run *run; /* in the order in which they ran */
};

/* Fails if there is neither summary.csv nor rounds.csv, or if a file that is there is damaged. */
MUST_CHECK int folder_read(const char *path, struct folder *out, struct error *err);
void folder_clear(struct folder *folder);

/* A field as number or text; NAN or "" when there is no such column (−1). */
double folder_number(const struct results_table *table, size_t row, int column);
const char *folder_text(const struct results_table *table, size_t row, int column);

/* The scenario's number of a strategy of the folder; −1: it has none. */
int folder_choice(const struct folder *folder, size_t strategy);
/* The error (or gradient norm) below which a run reaches its goal, as an absolute value; NAN: not known. */
double folder_target(const struct folder *folder);
/* Repeats that were planned: the scenario's, or the largest that was seen. */
uint32_t folder_repeats(const struct folder *folder);

#endif
