/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where laggard's own files are: installed, or in the tree that it was built in. */
#ifndef LAGGARD_TOOLS_PLACES_H
#define LAGGARD_TOOLS_PLACES_H

#include "base/error.h"

/* Embedded; absolute paths. */
struct places {
    char program[4096]; /* this program */
    char daemons[4096]; /* the folder of laggard-ps and laggard-worker: this program's */
    char netem[4096];   /* the folder of the netem scripts: $LAGGARD_NETEM_DIR, beside the program, or installed */
};
MUST_CHECK int places_find(struct places *out, struct error *err);

#endif
