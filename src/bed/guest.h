/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The guest kernel: User-Mode Linux as an ordinary program, the host's file system as its root. */
#ifndef LAGGARD_BED_GUEST_H
#define LAGGARD_BED_GUEST_H

#include "bed/bed.h"

/* Where linux.uml is (program may be NULL). -1: nowhere in PATH. */
int guest_find(char *program, size_t size);
/* "6.1.176" by its module folder; empty when there is none. */
void guest_release(char release[BED_RELEASE_MAX]);

/* Boot it, hand it the job, pass signals and output through, return its status. Must be called by PID 1 of a container.
 */
enum exit_status guest_run(const struct scenario *scenario, const struct bed_options *options, int life_fd,
                           struct bed_outcome *outcome, struct error *err);

/* The folder of the guest kernel's modules, one subfolder a release. */
extern const char guest_modules[];

#endif
