/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one table of files and columns; laggard-results(5) explains each and is checked against it. */
#include "config.h"

#include "results/results.h"

static const char *const rounds[] = {"strategy",  "repeat",   "round",        "begin_s",        "end_s",
                                     "contacted", "answered", "used",         "selected",       "uplink",
                                     "downlink",  "notices",  "uplink_bytes", "downlink_bytes", "notice_bytes",
                                     "gradients", "wasted",   "step_norm",    "error",          NULL};

static const char *const answers[] = {"strategy",   "repeat",    "round",  "worker",    "sent_s",
                                      "received_s", "compute_s", "wait_s", "overrun_s", "late_s",
                                      "evaluated",  "kind",      "used",   NULL};

static const char *const summary[] = {
    "strategy",         "repeat",           "rounds",    "seconds", "uplink",      "downlink", "notices",
    "uplink_bytes",     "downlink_bytes",   "gradients", "wasted",  "final_error", "reached",  "seconds_to_target",
    "rounds_to_target", "uplink_to_target", NULL};

static const char *const iterates[] = {"strategy", "repeat", "rounds", "sha256", "initial_error", NULL};

static const char *const events[] = {"strategy", "repeat", "requested_s", "applied_s", "what",
                                     "target",   "value",  "observed",    "source",    NULL};

static const char *const pauses[] = {"strategy", "repeat",    "worker",     "requested_s", "stopped_s",
                                     "length_s", "resumed_s", "observed_s", NULL};

static const char *const links[] = {"node", "direction", "figure", "asked", "achieved", "samples", "how", "when", NULL};

static const struct {
    const char *name;
    const char *const *columns;
} files[RESULTS_FILES] = {
    [RESULTS_ROUNDS] = {"rounds.csv", rounds},    [RESULTS_ANSWERS] = {"answers.csv", answers},
    [RESULTS_SUMMARY] = {"summary.csv", summary}, [RESULTS_ITERATES] = {"iterates.csv", iterates},
    [RESULTS_EVENTS] = {"events.csv", events},    [RESULTS_PAUSES] = {"pauses.csv", pauses},
    [RESULTS_LINKS] = {"links.csv", links},
};

const char *results_file_name(enum results_file file)
{
    return files[file].name;
}

const char *const *results_columns(enum results_file file)
{
    return files[file].columns;
}
