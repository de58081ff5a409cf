/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of a link that must fit each other. */
#ifndef LAGGARD_SCENARIO_LINK_H
#define LAGGARD_SCENARIO_LINK_H

#include "scenario/scenario.h"

/* NULL, or the key that does not fit and (err) why. */
const char *link_check(const struct link *link, struct error *err);

#endif
