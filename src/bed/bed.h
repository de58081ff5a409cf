/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bed: namespaces ps – switch – worker1..M, shaped links, processes, pauses, timeline, guest kernel. Nothing of it outlives
 * the process that called bed_run, whatever kills it: the bed's first process is PID 1 of a PID namespace that dies with us. */
#ifndef LAGGARD_BED_BED_H
#define LAGGARD_BED_BED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "scenario/scenario.h"

enum bed_kernel { BED_KERNEL_AUTO, BED_KERNEL_HOST, BED_KERNEL_UML };

struct bed_options {
    const char *directory;     /* result directory: exists, absolute */
    const char *scenario_path; /* the resolved scenario, absolute, inside the directory */
    enum bed_kernel kernel;
    bool quiet;                /* no progress */
    bool strict;               /* a figure out of tolerance fails the run */
    const char *daemon_directory; /* where laggard-ps and laggard-worker are */
    const char *netem_directory;  /* where the scripts are */
};

/* Build, run all strategies and repeats, tear down. Returns an exit status; err has the sentence when it is not EXIT_DONE. */
enum exit_status bed_run(const struct scenario *scenario, const struct bed_options *options, struct error *err);

#endif
