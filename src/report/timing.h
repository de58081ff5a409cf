/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the time of a strategy's rounds went. A round ends with the answer that lets the PS take its step, the last that
 * it used; so
 *
 *   round = computing (of that answer: from the task's arrival at the worker to the answer's departure)
 *         + messages  (of that answer: task and answer on the way, queues and TLS included)
 *         + PS        (before the task was sent, after the answer was there) */
#ifndef LAGGARD_REPORT_TIMING_H
#define LAGGARD_REPORT_TIMING_H

#include "report/folder.h"
#include "report/stats.h"

/* Of one strategy, over all rounds of all its repeats. Seconds. */
struct timing {
    struct stats round, computing, messages, ps;
    struct stats drawn;   /* predict_drawn of the same rounds; n = 0: none */
    struct stats surplus; /* round − drawn, round by round */
    double expected;      /* predict_expected, or NAN */
    size_t n_quiet;       /* rounds in which nobody was asked; they count in `round` only */
};

/* n_strategies of them. A new array; free() it. */
struct timing *timing_of(const struct folder *folder);

/* How well the workers' own clocks did, over all answers that say so. */
struct punctuality {
    size_t answers, overrun;           /* overrun: computing alone took longer than the drawn time */
    double late_median_s, late_high_s; /* by which waits ended late: median, 99th percentile; NAN: no answers */
    double computing_median_s;
};
struct punctuality punctuality_of(const struct folder *folder);

#endif
