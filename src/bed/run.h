/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run inside the bed's namespaces, whichever kernel they are in. */
#ifndef LAGGARD_BED_RUN_H
#define LAGGARD_BED_RUN_H

#include "bed/bed.h"

/* Must be called by PID 1 of the bed, /run being a tmpfs; until it has set everything up, SIGINT, SIGTERM and SIGHUP
 * are the caller's to handle. life_fd: readable when the controller is gone (−1: there is none to ask). */
enum exit_status run_bed(const struct scenario *scenario, const struct bed_options *options, int life_fd,
                         struct bed_outcome *outcome, struct error *err);

#endif
