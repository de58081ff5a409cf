/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can be said of one direction of a link: does it need a queue of its own, do its figures fit each other. */
#include "config.h"

#include "scenario/link.h"

#include "scenario/units.h"

const char *link_check(const struct link *link, struct error *err)
{
    char jitter[UNITS_TEXT_MAX], delay[UNITS_TEXT_MAX];
    if (link->jitter_ns > link->delay_ns) {
        error_set(err, "jitter %s is more than delay %s: a packet cannot arrive before it was sent",
                  units_write_duration(jitter, link->jitter_ns), units_write_duration(delay, link->delay_ns));
        return "jitter";
    }
    if (link->reorder_ppm > 0 && link->delay_ns == 0) {
        error_set(err, "reordered packets overtake those that are delayed: a delay is needed");
        return "reorder";
    }
    return NULL;
}

bool link_is_plain(const struct link *link)
{
    return link->delay_ns == 0 && link->jitter_ns == 0 && link->rate_bps == 0 && link->loss == LINK_LOSS_NONE &&
           link->duplicate_ppm == 0 && link->reorder_ppm == 0 && link->corrupt_ppm == 0 && link->queue_packets == 0;
}

bool link_equals(const struct link *a, const struct link *b)
{
    return a->delay_ns == b->delay_ns && a->jitter_ns == b->jitter_ns && a->shape == b->shape &&
           a->rate_bps == b->rate_bps && a->loss == b->loss && a->loss_ppm == b->loss_ppm &&
           a->ge_p_ppm == b->ge_p_ppm && a->ge_r_ppm == b->ge_r_ppm && a->ge_1h_ppm == b->ge_1h_ppm &&
           a->ge_1k_ppm == b->ge_1k_ppm && a->duplicate_ppm == b->duplicate_ppm && a->reorder_ppm == b->reorder_ppm &&
           a->corrupt_ppm == b->corrupt_ppm && a->queue_packets == b->queue_packets;
}

static bool pair_is_plain(const struct link_pair *pair)
{
    return link_is_plain(&pair->direction[LINK_UP]) && link_is_plain(&pair->direction[LINK_DOWN]);
}

bool scenario_needs_netem(const struct scenario *scenario)
{
    for (uint32_t w = 0; w < scenario->cluster.workers; w++)
        if (!pair_is_plain(&scenario->worker_link[w]))
            return true;
    for (size_t i = 0; i < scenario->n_events; i++)
        if (scenario->event[i].kind == EVENT_LINK || scenario->event[i].kind == EVENT_CUT)
            return true;
    return !pair_is_plain(&scenario->ps_link);
}
