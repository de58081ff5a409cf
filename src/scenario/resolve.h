/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From settings to a scenario: defaults, then what the file says, the closer section last; and what settings must be
 * together. One function a group of sections; all complain and go on. */
#ifndef LAGGARD_SCENARIO_RESOLVE_H
#define LAGGARD_SCENARIO_RESOLVE_H

#include "scenario/settings.h"

/* [scenario], [problem], [cluster], [security] into scenario, whose path is set. First of all. */
void resolve_general(const struct settings *settings, struct scenario *scenario, struct scenario_errors *errors);
/* Sections of workers that are not there. */
void resolve_check_nodes(const struct settings *settings, const struct scenario *scenario,
                         struct scenario_errors *errors);
void resolve_strategies(const struct settings *settings, struct scenario *scenario, struct scenario_errors *errors);
void resolve_compute(const struct settings *settings, struct scenario *scenario, struct scenario_errors *errors);
void resolve_links(const struct settings *settings, struct scenario *scenario, struct scenario_errors *errors);
void resolve_pauses(const struct settings *settings, struct scenario *scenario, struct scenario_errors *errors);

/* Which keys of [compute] a model has a use for, space-separated; all others mean nothing to it. */
const char *resolve_compute_needs(enum dist_kind kind);
bool resolve_is_among(const char *name, const char *list);

#endif
