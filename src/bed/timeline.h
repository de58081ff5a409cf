/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is planned for one strategy's run, in the order of time: the scenario's timeline and the random pauses, which
 * the seed of the repeat alone determines. No clock, no process: times are since the start of the run. */
#ifndef LAGGARD_BED_TIMELINE_H
#define LAGGARD_BED_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenario/scenario.h"

/* One thing to do. event is borrowed: of the scenario, or of the timeline for a random pause, then valid until the next
 * timeline_next. */
struct planned {
    int64_t at_ns;
    const struct timeline_event *event;
    bool random;
};

struct timeline;

/* scenario is borrowed. */
struct timeline *timeline_new(const struct scenario *scenario, uint32_t repeat);
void timeline_free(struct timeline *timeline);

/* When the next thing is due; INT64_MAX: nothing more is planned. */
int64_t timeline_next_at(const struct timeline *timeline);
/* Take the next thing, ascending in time; at the same time the scenario's events in the order of the file, then random
 * pauses by worker. false: nothing more is planned. Random pauses never end, so a caller stops by time. */
bool timeline_next(struct timeline *timeline, struct planned *out);

/* Put the one figure that a link event names onto a link. Nothing else of it changes. */
void timeline_merge(struct link *link, const struct timeline_event *event);

enum { TIMELINE_TEXT_MAX = 128 };
/* For people and events.csv: "delay", "pause", "kill"; "worker2.down", "worker4", "ps" (both directions); "200ms",
 * "2s", "KILL". */
const char *timeline_what(const struct timeline_event *event);
void timeline_target(const struct timeline_event *event, char text[TIMELINE_TEXT_MAX]);
void timeline_value(const struct timeline_event *event, char text[TIMELINE_TEXT_MAX]);

#endif
