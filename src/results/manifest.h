/* SPDX-License-Identifier: GPL-3.0-or-later */
/* manifest.json: what a result directory came from, so that it can be made again.
 *
 *   laggard    version
 *   status     "running" (or killed in mid-run), "done", "failed";  failure  the sentence, or null
 *   command    the command line, a word each;  begin, end  wall clock, UTC; end is null while it runs
 *   kernel     kind ("host" or "user-mode-linux"), release (of the kernel that the bed ran in), host (of the machine's)
 *   machine    processor, processors, memory_mib
 *   libraries  name and version of each
 *   seed       a number (as text where it needs more than 63 bits);  repeats
 *   scenario   name, file (as given), resolved (the whole text)
 *   notes      sentences: what a reader of the figures should know */
#ifndef LAGGARD_RESULTS_MANIFEST_H
#define LAGGARD_RESULTS_MANIFEST_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/error.h"

struct manifest_library {
    const char *name, *version;
};

/* All borrowed. */
struct manifest {
    const char *status;    /* as above */
    const char *failure;   /* NULL: none */
    char *const *command;  /* NULL-terminated */
    struct timespec begin; /* wall clock */
    struct timespec end;   /* tv_sec 0: still running */
    const char *kernel_kind, *kernel_release;
    const struct manifest_library *libraries; /* the last one's name is NULL */
    uint64_t seed;
    uint32_t repeats;
    const char *scenario_name, *scenario_file, *scenario_text;
    const char *const *notes; /* NULL-terminated; NULL: none */
};

/* Write DIRECTORY/manifest.json whole, anew, by rename. Machine, host's kernel and laggard's version are filled in. */
MUST_CHECK int manifest_write(const char *directory, const struct manifest *manifest, struct error *err);

#endif
