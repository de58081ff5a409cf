/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes of a bed: the PS and the workers, each started in its node, its log in the result directory's logs/,
 * watched, and started again when it is to be. */
#ifndef LAGGARD_BED_SUPERVISE_H
#define LAGGARD_BED_SUPERVISE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "bed/topology.h"

struct supervisor;

/* Start a program in a node: argv[0] is its path; keep_fd (or −1) stays open in it; output goes to logs/NODE.log
 * (appended). Returns its pid, or −1. */
MUST_CHECK pid_t supervise_spawn(struct supervisor *supervisor, int32_t node, char *const argv[], int keep_fd,
                                 struct error *err);
pid_t supervise_pid(const struct supervisor *supervisor, int32_t node); /* 0: none is running */
/* Signal a node's process; false when there is none. */
bool supervise_signal(struct supervisor *supervisor, int32_t node, int signal);

#endif
