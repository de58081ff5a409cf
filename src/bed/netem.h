/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A struct link as a request to netem/link-shape --serve, and the kernel's answer (`tc -j -s qdisc show`) compared with
 * it, figure by figure. No process and no device is touched here. */
#ifndef LAGGARD_BED_NETEM_H
#define LAGGARD_BED_NETEM_H

#include <stdbool.h>

#include "base/error.h"
#include "bed/shape.h"

/* The line (no newline) that sets the whole of link on a device; a new string. fresh: remove the present queue first.
 */
char *netem_request(const char *device, const struct link *link, bool fresh);

/* Does the kernel have what was asked for? json: the answer's line; link NULL: no netem must be there. Tolerances are
 * those of the kernel's own units (64 ns ticks, bytes per second, 32-bit fractions) and of tc's six printed digits. The
 * error names the figure, asked and found. The table of a distribution cannot be read back from any kernel. counts
 * (out, may be NULL): what the queue has counted. */
MUST_CHECK int netem_compare(const char *json, const struct link *link, struct shape_counts *counts, struct error *err);

/* Does setting this link load a table of delays, which only a fresh queue forgets? */
bool netem_has_table(const struct link *link);

#endif
