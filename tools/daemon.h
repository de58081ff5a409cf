/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the command lines of laggard-ps and laggard-worker have in common: a row an option, read by the parser and by
 * --help, and held against the manual by a test. */
#ifndef LAGGARD_TOOLS_DAEMON_H
#define LAGGARD_TOOLS_DAEMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "scenario/scenario.h"

enum daemon_kind {
    DAEMON_FLAG,    /* bool */
    DAEMON_TEXT,    /* const char * */
    DAEMON_NUMBER,  /* int64_t, not negative */
    DAEMON_SECONDS, /* int64_t, ns: a decimal number of seconds on the command line */
    DAEMON_ENDPOINT /* struct daemon_endpoint: "127.0.0.1:4700", "[::1]:4700" */
};

struct daemon_endpoint {
    char address[64];
    uint16_t port;
};

struct daemon_option {
    const char *name;     /* without the dashes */
    const char *argument; /* "FILE"; NULL for a flag */
    enum daemon_kind kind;
    size_t offset; /* of the value in the program's struct */
    bool required;
    const char *help;
};

/* The last row's name is NULL. */
struct daemon_program {
    const char *name, *summary;
    const struct daemon_option *options;
};

/* Parse into values. --help and --version print and exit with 0. A mistake is a sentence in err. */
MUST_CHECK int daemon_parse(const struct daemon_program *program, int argc, char **argv, void *values,
                            struct error *err);

/* Read the scenario; prints all its errors and returns NULL when there are any. */
MUST_CHECK struct scenario *daemon_read_scenario(const char *path);

#endif
