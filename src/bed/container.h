/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fresh namespaces (PID, mount, network; user as well without root) around a function: everything started inside dies
 * with it, and it dies with the caller, whatever kills that. */
#ifndef LAGGARD_BED_CONTAINER_H
#define LAGGARD_BED_CONTAINER_H

#include <stdbool.h>

#include "base/error.h"

/* Run inside(context) as PID 1 of fresh namespaces, with /proc of its own and a tmpfs on /run; wait for it. The first
 * SIGINT, SIGTERM or SIGHUP is passed on, the second ends everything at once. life_fd: readable (end of file) when the
 * caller is gone; the function must then end at once.
 *
 * Returns its exit status (EXIT_MACHINE when the namespaces cannot be had; -1 when not even processes or pipes can);
 * the sentence of a failure comes back in err. One at a time. */
MUST_CHECK int container_run(int (*inside)(void *context, int life_fd), void *context, struct error *err);

/* The signal that came first during the last container_run, which has swallowed it; 0: none came. */
int container_signal(void);

/* For inside(): hand the caller the sentence of why it failed, before returning its status. */
void container_fail(const struct error *err);
/* The same and the end at once, EXIT_RUN_FAILED; may be called from a signal handler. An earlier sentence stays. */
void container_quit(const char *why) NO_RETURN;

/* The mounts that a bed needs where we already are PID 1 (in the guest kernel): tmpfs on /run. container_run does the
 * same. */
MUST_CHECK int container_mount_run(struct error *err);

#endif
