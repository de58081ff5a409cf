/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bed's network without its processes, for programs that try it: built as a run does it, in the namespaces of the
 * caller. */
#ifndef LAGGARD_TESTS_BARE_BED_H
#define LAGGARD_TESTS_BARE_BED_H

#include "bed/shape.h"

/* What there is while the program's own part runs; all borrowed. Links are not shaped yet: shaper_set_all. */
struct bare_bed {
    const struct scenario *scenario;
    struct topology *topology;
    struct shaper *shaper;
    const char *directory; /* for results */
};

/* main of PROGRAM SCENARIO NETEM-DIRECTORY RESULT-DIRECTORY: build, call part, take down. Returns what part returns, or
 * 2 after telling an error. */
int bare_bed_main(int argc, char **argv, int (*part)(const struct bare_bed *bed));
/* Tell an error on standard output; returns 2. */
int bare_bed_complain(const struct error *err);

#endif
