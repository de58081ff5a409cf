/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "bed/probe_judge.h"

#include <math.h>

#include "base/clock.h"

static const double PPM = 1e6;

double judge_loss_share(const struct link *link)
{
    if (link->loss == LINK_LOSS_INDEPENDENT)
        return link->loss_ppm / PPM;
    if (link->loss != LINK_LOSS_GEMODEL)
        return 0;
    /* tc-netem(8): the bad state is entered with p and left with r; it drops 1-h of its packets, the good one 1-k */
    double p = link->ge_p_ppm / PPM, r = link->ge_r_ppm / PPM;
    double bad = p + r > 0 ? p / (p + r) : 0;
    return bad * link->ge_1h_ppm / PPM + (1 - bad) * link->ge_1k_ppm / PPM;
}

static enum verdict verdict_of(double achieved, double expected, double tolerance)
{
    return fabs(achieved - expected) <= tolerance ? VERDICT_GOOD : VERDICT_OUTSIDE;
}

struct judgement judge_delay(const struct link *asked, const struct probe_seen *seen)
{
    struct judgement j = {
        .verdict = VERDICT_UNKNOWN, .asked = (double)asked->delay_ns / NS_PER_MS, .samples = seen->delay_samples};
    double own_ms = asked->rate_bps > 0 ? 8e3 * PROBE_SMALL_FRAME / (double)asked->rate_bps : 0;
    j.achieved = seen->delay_ms - own_ms;                       /* the probe itself takes time on a slow link */
    double expected = j.asked * (1 - asked->reorder_ppm / PPM); /* what is to overtake is not delayed */
    double error_ms = (double)asked->jitter_ns / NS_PER_MS / sqrt(fmax(1, seen->delay_samples));
    j.tolerance = fmax(1, 0.05 * j.asked) + 3 * error_ms;
    if (seen->delay_samples >= 5 && asked->reorder_ppm == 0)
        j.verdict = verdict_of(j.achieved, expected, j.tolerance);
    if (seen->delay_samples == 0 && judge_loss_share(asked) < 0.5)
        j.verdict = VERDICT_OUTSIDE;
    return j;
}

struct judgement judge_jitter(const struct link *asked, const struct probe_seen *seen)
{
    return (struct judgement){.verdict = VERDICT_UNKNOWN,
                              .asked = (double)asked->jitter_ns / NS_PER_MS,
                              .achieved = seen->jitter_ms,
                              .samples = seen->delay_samples};
}

struct judgement judge_rate(const struct link *asked, const struct probe_seen *seen)
{
    struct judgement j = {
        .verdict = VERDICT_NOT_ASKED, .asked = (double)asked->rate_bps / 1e6, .samples = seen->rate_samples};
    if (asked->rate_bps == 0)
        return j;
    j.achieved = seen->rate_bps / 1e6;
    double ends_s = 2 * (double)asked->jitter_ns / NS_PER_S;
    j.tolerance = j.asked * (0.05 + (seen->train_s > 0 ? ends_s / seen->train_s : 0));
    /* A train that this machine could not send fast enough says nothing against the link: only too much does. */
    double through = 1 - judge_loss_share(asked);
    bool full = seen->offered_bps * through >= (double)asked->rate_bps;
    bool known = seen->rate_samples >= 10 && asked->reorder_ppm == 0 && asked->duplicate_ppm == 0;
    j.verdict = VERDICT_UNKNOWN;
    if (known && (full || j.achieved > j.asked))
        j.verdict = verdict_of(j.achieved, j.asked, j.tolerance);
    if (seen->rate_samples == 0 && through > 0.5)
        j.verdict = VERDICT_OUTSIDE;
    return j;
}

struct judgement judge_loss(const struct link *asked, const struct probe_seen *seen)
{
    double share = judge_loss_share(asked), n = seen->loss_sent;
    struct judgement j = {.verdict = VERDICT_NOT_ASKED, .asked = 100 * share, .samples = seen->loss_sent};
    if (asked->loss == LINK_LOSS_NONE)
        return j;
    j.achieved = n > 0 ? 100 * (1 - seen->loss_arrived / n) : NAN;
    /* Bursts: the losses of one come together, which widens the spread by about twice their mean length. */
    double burst = asked->loss == LINK_LOSS_GEMODEL ? fmax(1, 2 * PPM / fmax(1, asked->ge_r_ppm)) : 1;
    j.tolerance = 100 * 4 * sqrt(burst * share * (1 - share) / fmax(1, n));
    bool hidden = asked->duplicate_ppm > 0 || asked->corrupt_ppm > 0;
    j.verdict = VERDICT_UNKNOWN;
    if (!hidden && n * share >= 10 * burst)
        j.verdict = verdict_of(j.achieved, j.asked, j.tolerance);
    return j;
}
