/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bed: namespaces ps – switch – worker1..M, shaped links, processes, pauses, timeline, guest kernel. Nothing of it
 * outlives the process that called bed_run, whatever kills it: the bed's first process is PID 1 of a PID namespace that
 * dies with us. */
#ifndef LAGGARD_BED_BED_H
#define LAGGARD_BED_BED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "scenario/scenario.h"

enum bed_kernel { BED_KERNEL_AUTO, BED_KERNEL_HOST, BED_KERNEL_UML };

/* Paths are absolute. */
struct bed_options {
    const char *directory;        /* result directory: exists */
    const char *scenario_path;    /* the resolved scenario, inside the directory */
    const char *program;          /* laggard itself: first process of the guest kernel */
    const char *daemon_directory; /* where laggard-ps and laggard-worker are */
    const char *netem_directory;  /* where the scripts are */
    unsigned columns;             /* stderr is a terminal so wide: progress is a line rewritten there; 0: it is none */
    bool quiet;                   /* no progress */
    bool strict;                  /* a figure of a link outside its tolerance fails the run */
};

/* What there is to tell beside the result files. */
enum { BED_RELEASE_MAX = 65 };
struct bed_outcome {
    char release[BED_RELEASE_MAX]; /* of the kernel that the bed ran in; empty when it did not come up */
    uint32_t wrong_figures;        /* of links, outside their tolerance (links.csv) */
};

/* Which kernel would run it. AUTO: the host's if the scenario needs no netem or the host has it, else the guest. -1
 * (the machine cannot do it): err says what to install. */
MUST_CHECK int bed_choose_kernel(const struct scenario *scenario, enum bed_kernel wanted, enum bed_kernel *chosen,
                                 struct error *err);
/* The release that a bed on this kernel is going to have, as far as it is known before. */
void bed_kernel_release(enum bed_kernel kernel, char release[BED_RELEASE_MAX]);

/* Build, run all strategies and repeats, tear down. kernel: not AUTO. Returns an exit status; err has the sentence when
 * it is not EXIT_DONE. SIGINT, SIGTERM and SIGHUP end it in order; the second one ends it at once. */
enum exit_status bed_run(const struct scenario *scenario, const struct bed_options *options, enum bed_kernel kernel,
                         struct bed_outcome *outcome, struct error *err);

/* The guest kernel's first process (laggard started as PID 1 with the one argument GUEST_COMMAND): runs the job that
 * comes over the serial line, powers off. Does not return. */
#define GUEST_COMMAND "guest-init"
void bed_guest_main(void) NO_RETURN;

#endif
