/* SPDX-License-Identifier: GPL-3.0-or-later */
/* laggard check --events: what is planned for a run, and when, without running it. */
#ifndef LAGGARD_TOOLS_CHECK_EVENTS_H
#define LAGGARD_TOOLS_CHECK_EVENTS_H

#include <stdint.h>
#include <stdio.h>

#include "scenario/scenario.h"

/* How far the plan is told when nobody says, for random pauses never end: max_time, or a minute, or longer where the
 * timeline is. */
int64_t check_events_until(const struct scenario *scenario);

/* CSV, a header and a line an event before until_ns: for each repeat in the order of time. The plan is the same for
 * every strategy of a repeat, and the same bytes whenever scenario and seed are. */
void check_events_print(const struct scenario *scenario, int64_t until_ns, FILE *to);

#endif
