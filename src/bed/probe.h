/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asked against achieved: before the first round each link is probed, and the figures go to links.csv.
 *
 * Every direction of every link is probed by itself, between the switch and the node at its other end, so that neither
 * the shared bottleneck nor the other direction is in the figure. All nodes are one machine with one clock: one-way
 * delays are measured, not halved.
 *   delay_ms, jitter_ms  timestamped datagrams, spaced so far that none waits for the one before it: mean and standard
 *                        deviation
 *   rate_mbit            a train of full packets a little faster than the rate, for 0.3 s to 1 s: what came out, Ethernet
 *                        headers included, as netem counts it (the goodput of TCP is 0.956 of it); of links that ask for
 *                        a rate
 *   loss_percent         small datagrams; of links that ask for loss
 *   drops                of the kernel's queue, where no loss was asked for: packets that nobody wanted lost */
#ifndef LAGGARD_BED_PROBE_H
#define LAGGARD_BED_PROBE_H

#include "bed/shape.h"
#include "results/results.h"

/* Probe every link of the topology; takes a few seconds. notes (out, may be NULL) receives how many figures were
 * outside their tolerance: each is logged as a warning that names link and figure. shaper may be NULL: nothing is
 * shaped, and then only delays are probed. Tolerances: mean delay max(1 ms, 5 %) and three standard errors; rate 5 %
 * and what the jitter moves the ends of the train; loss four standard deviations of its count, only where ten or more
 * losses are expected. */
MUST_CHECK int probe_links(const struct topology *topology, const struct scenario *scenario, struct shaper *shaper,
                           struct results_writer *links, uint32_t *notes, struct error *err);

/* At the end of a run: what each queue has counted, as rows `drops` and `loss_percent` (how kernel, when during). notes
 * as above: drops where the scenario never asks for loss. */
MUST_CHECK int probe_counts(const struct scenario *scenario, struct shaper *shaper, struct results_writer *links,
                            uint32_t *notes, struct error *err);

#endif
