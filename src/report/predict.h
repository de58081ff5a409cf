/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long the workers compute before a round can end, by the straggling model alone: no network, no pauses. Only for
 * strategies that contact everybody in each round; whom a lazy one contacts is known afterwards only.
 *
 *   gd, lag-wk                 the slowest of M, one partition each
 *   gc (cyclic)                the (M − r + 1)-th fastest, r partitions each
 *   grouping, gc (fractional)  the slowest of M/r groups, each as fast as its fastest of r workers, r partitions each */
#ifndef LAGGARD_REPORT_PREDICT_H
#define LAGGARD_REPORT_PREDICT_H

#include "scenario/scenario.h"

/* The expected value for the scenario's strategy number `which`, in seconds. NAN: the strategy or the distribution has
 * none, or the workers' models differ. */
double predict_expected(const struct scenario *scenario, size_t which);

/* The same for one round (repeat from 0), from the very times that the workers drew in it: with a heavy tail the mean
 * over a hundred rounds may be far from the expected value, but not from the mean of these. NAN as above, but for
 * models that differ or have no expected value: those are fine. */
double predict_drawn(const struct scenario *scenario, size_t which, uint32_t repeat, uint32_t round);

#endif
