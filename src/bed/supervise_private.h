/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the run knows of its supervisor beyond what impairments do. */
#ifndef LAGGARD_BED_SUPERVISE_PRIVATE_H
#define LAGGARD_BED_SUPERVISE_PRIVATE_H

#include "bed/supervise.h"
#include "net/net.h"

/* died: a node's process has ended with this wait status; was_signalled: after a KILL or TERM by supervise_signal.
 * Called from the loop. log_directory: exists. All borrowed. */
struct supervisor *supervise_new(struct net_loop *loop, const struct topology *topology, uint32_t workers,
                                 const char *log_directory,
                                 void (*died)(void *context, int32_t node, int status, bool was_signalled),
                                 void *context);
void supervise_free(struct supervisor *supervisor); /* kills (and continues) what still runs, and waits for it */
uint32_t supervise_running(const struct supervisor *supervisor); /* how many processes */

/* The last three lines of a node's log, joined by " | ", for an error's sentence. */
void supervise_last_words(const struct supervisor *supervisor, int32_t node, char *text, size_t size);

#endif
