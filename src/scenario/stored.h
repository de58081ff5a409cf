/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which partitions a worker needs for the whole scenario: what any of its strategies has it store. PS and worker must
 * agree. */
#ifndef LAGGARD_SCENARIO_STORED_H
#define LAGGARD_SCENARIO_STORED_H

#include "scenario/scenario.h"

/* Does a strategy place partitions by their smoothness? Then stored_by needs L_k. */
bool stored_needs_smoothness(const struct scenario *scenario);

/* Partitions of worker (0-based), ascending, into parts (out, M values); returns how many. smoothness: L_k of all M
 * partitions; NULL if not needed. */
uint32_t stored_by(const struct scenario *scenario, const double *smoothness, uint32_t worker, uint32_t *parts);

#endif
