/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small scenario for tests of the daemons' parts, through the reader that the daemons use. */
#ifndef LAGGARD_TESTS_SMALL_RUN_H
#define LAGGARD_TESTS_SMALL_RUN_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "scenario/scenario.h"

/* 3 workers, 30 samples of 10 features; more is appended to the text. NULL if it does not read. */
static inline struct scenario *small_scenario(const char *more)
{
    char path[] = "/tmp/laggard-unit.XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    struct scenario_errors errors = {0};
    if (file == NULL)
        return NULL;
    fprintf(file,
            "[scenario]\nname = small\nstrategies = gd, grouping, lag-wk\ntarget_error = 1e-8\n"
            "[problem]\nsamples = 30\nfeatures = 10\n[cluster]\nworkers = 3\nredundancy = 3\n%s\n",
            more);
    fclose(file);
    struct scenario *scenario = scenario_read(path, NULL, 0, &errors);
    if (scenario == NULL)
        scenario_errors_print(&errors, path, stderr);
    scenario_errors_clear(&errors);
    unlink(path);
    return scenario;
}

#endif
