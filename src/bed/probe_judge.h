/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is what was seen of a link what was asked for? Pure. */
#ifndef LAGGARD_BED_PROBE_JUDGE_H
#define LAGGARD_BED_PROBE_JUDGE_H

#include "bed/probe_child.h"

enum verdict {
    VERDICT_GOOD,
    VERDICT_OUTSIDE,  /* outside its tolerance */
    VERDICT_UNKNOWN,  /* too few samples, or another impairment of the link hides it */
    VERDICT_NOT_ASKED /* nothing to compare with: no row */
};

/* One figure: achieved (in the unit of the row), and how far from asked it may be. */
struct judgement {
    enum verdict verdict;
    double asked, achieved, tolerance;
    uint32_t samples;
};

struct judgement judge_delay(const struct link *asked, const struct probe_seen *seen);
struct judgement judge_jitter(const struct link *asked,
                              const struct probe_seen *seen); /* never OUTSIDE: a few samples tell little */
struct judgement judge_rate(const struct link *asked, const struct probe_seen *seen);
struct judgement judge_loss(const struct link *asked, const struct probe_seen *seen);

/* The share of packets that a link's loss model drops in the long run, 0 to 1. */
double judge_loss_share(const struct link *link);

#endif
