/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What changes while a strategy runs: the timeline ([at:…]) and random pauses. Each event is recorded when asked for,
 * when applied, and as observed (events.csv, pauses.csv).
 *
 * A pause of a worker that is paused already makes that pause longer (one row in pauses.csv, one in events.csv for
 * each). A pause, kill or signal for a worker that does not run is recorded as not applied. TERM reaches a paused
 * worker when it goes on; KILL at once. A cut drops every packet of its directions (netem's loss at 100 %) and heals
 * into what the link is meant to be by then. */
#ifndef LAGGARD_BED_IMPAIR_H
#define LAGGARD_BED_IMPAIR_H

#include "bed/shape.h"
#include "bed/supervise.h"
#include "net/net.h"
#include "results/results.h"

struct impair;

/* All borrowed. shaper may be NULL when no link is shaped (then no event is a link event). restart: start worker `node`
 * again. */
struct impair_config {
    struct net_loop *loop;
    const struct scenario *scenario;
    struct shaper *shaper;
    struct supervisor *supervisor;
    struct results_writer *events, *pauses;
    int (*restart)(void *context, int32_t node, struct error *err);
    void *context;
};
struct impair *impair_new(const struct impair_config *config);
void impair_free(struct impair *impair);

/* A strategy's run has started at t0_ns: its timeline and pauses begin. strategy is copied. */
void impair_run_start(struct impair *impair, const char *strategy, uint32_t repeat, int64_t t0_ns);
/* It has ended: nothing stays stopped, links are as at the start of the scenario again. Fails when that, or any change
 * of a link during the run, could not be done as asked: the error is the first such. */
MUST_CHECK int impair_run_end(struct impair *impair, struct error *err);
/* Is the worker paused now? */
bool impair_is_paused(const struct impair *impair, int32_t node);

#endif
