/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The timeline: settings of [at:TIME] as events. */
#ifndef LAGGARD_SCENARIO_EVENTS_H
#define LAGGARD_SCENARIO_EVENTS_H

#include "scenario/settings.h"

/* One setting of an [at:…] section as an event (out; out->key is the caller's to free). */
MUST_CHECK int events_read(const struct setting *setting, struct timeline_event *out, struct error *err);
/* All sound events of the file into scenario, in order of time; complaints about nodes that are not there, and about
 * links that are not sound after one of its moments. After links have been resolved. */
void events_build(const struct settings *settings, struct scenario *scenario, struct scenario_errors *errors);

/* The name of an event's key in the file: "link.worker2.down.delay". New string. */
char *events_key(const struct timeline_event *event);
/* Its value. New string. */
char *events_value(const struct timeline_event *event);
/* Copy the figure that an event changes into the link. */
void events_change(const struct timeline_event *event, struct link *link);

#endif
