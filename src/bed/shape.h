/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shaping: a struct link becomes a netem queue on a device in the switch, through the scripts in netem/, and is read
 * back (`tc -j qdisc show`) and compared: a kernel or a tc that did something else is an error that names link and
 * figure. */
#ifndef LAGGARD_BED_SHAPE_H
#define LAGGARD_BED_SHAPE_H

#include <stdint.h>

#include "base/error.h"
#include "bed/topology.h"

struct shaper;

/* Start the long-lived helper (netem/link-shape --serve feeding one `tc -batch -`) in the switch's namespace. topology
 * NULL: in the caller's own. */
MUST_CHECK struct shaper *shaper_new(const struct topology *topology, const char *netem_directory, struct error *err);
void shaper_free(struct shaper *shaper);

/* Set the whole of one direction of one link: what is not said is off. A plain link gets no netem at first (one that
 * is already there is an error: the switch is ours alone), and an all-zero one if it has had a netem, so that packets
 * in flight survive. Packets stay in order, through the change as well; only a change from a distribution with a table
 * to `uniform` starts a fresh queue and loses what the old one held. applied_ns (out, may be NULL): when the kernel had
 * it, read back. */
MUST_CHECK int shaper_set(struct shaper *shaper, int32_t node, enum direction direction, const struct link *link,
                          int64_t *applied_ns, struct error *err);
/* All links of the scenario's start, many in one batch. */
MUST_CHECK int shaper_set_all(struct shaper *shaper, const struct scenario *scenario, struct error *err);

/* What a direction is set to now; a plain link when it never was. Valid until the next shaper_set. */
const struct link *shaper_link(const struct shaper *shaper, int32_t node, enum direction direction);

/* What a direction's queue has counted. drops are those that were asked for (loss) and those of a full queue together:
 * the kernel does not tell them apart, so where no loss was asked for each is one that nobody wanted. All 0 where there
 * is no netem. */
struct shape_counts {
    uint64_t packets, bytes, drops;
};
MUST_CHECK int shaper_counts(struct shaper *shaper, int32_t node, enum direction direction, struct shape_counts *out,
                             struct error *err);

/* The queue limit in packets: asked, or max(100, twice rate × (delay + 4 jitter) in 1500-byte packets); without a rate,
 * as at 1 Gbit/s. */
uint32_t shape_queue_limit(const struct link *link);

#endif
