/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names in a scenario file that stand for something in the bed: sections and nodes. */
#ifndef LAGGARD_SCENARIO_PLACE_H
#define LAGGARD_SCENARIO_PLACE_H

#include "scenario/settings.h"

/* A section's name taken apart; the error names the nearest known one. */
MUST_CHECK int place_read(const char *section, struct place *out, struct error *err);
/* "ps", "worker3": PLACE_PS or the worker, 0-based. len bytes of name. */
MUST_CHECK int place_read_node(const char *name, size_t len, int32_t *node, struct error *err);
/* "worker3", "ps.up": sets node, both and direction. len bytes of name. */
MUST_CHECK int place_read_link(const char *name, size_t len, struct place *out, struct error *err);

#endif
