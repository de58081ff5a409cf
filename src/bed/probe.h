/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asked against achieved: before the first round each link is probed (round trips by timestamped datagrams, rate by a bulk
 * transfer), and the figures go to links.csv. */
#ifndef LAGGARD_BED_PROBE_H
#define LAGGARD_BED_PROBE_H

#include "bed/shape.h"
#include "results/results.h"

/* Probe every link of the topology; takes a few seconds. notes (out, may be NULL) receives how many figures were outside their
 * tolerance: each is logged as a warning that names link and figure. */
MUST_CHECK int probe_links(const struct topology *topology, const struct scenario *scenario, struct shaper *shaper,
                           struct results_writer *links, uint32_t *notes, struct error *err);

#endif
