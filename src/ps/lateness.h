/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How late do this process's timers fire? A timer of its own tells, every 50 ms: a machine that is too small for a
 * scenario shows here before it shows in the results. */
#ifndef LAGGARD_PS_LATENESS_H
#define LAGGARD_PS_LATENESS_H

#include <stdint.h>

#include "net/net.h"

struct lateness;

struct lateness *lateness_new(struct net_loop *loop);
void lateness_free(struct lateness *lateness); /* NULL is fine */

/* The latest that it was since the last call; 0 if no sample has been taken since. A sample that is overdue counts as
 * well. */
int64_t lateness_take_ns(struct lateness *lateness);

#endif
