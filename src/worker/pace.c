/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "worker/pace.h"

#include <assert.h>

void pace_start(struct pace *pace, int64_t now_ns, int64_t length_ns)
{
    assert(pace->state == PACE_IDLE);
    pace->state = PACE_COMPUTING;
    pace->received_ns = now_ns;
    pace->due_ns = length_ns < 0 ? -1 : now_ns + length_ns;
}

int64_t pace_computed(struct pace *pace, int64_t now_ns)
{
    assert(pace->state == PACE_COMPUTING);
    pace->state = PACE_WAITING;
    pace->computed_ns = now_ns;
    return pace->due_ns > now_ns ? pace->due_ns : now_ns;
}

void pace_finish(struct pace *pace, int64_t now_ns, struct pace_times *out)
{
    assert(pace->state == PACE_WAITING);
    int64_t left = pace->due_ns - pace->computed_ns; /* of T when the result was there */
    out->compute_ns = pace->computed_ns - pace->received_ns;
    out->wait_ns = now_ns - pace->computed_ns;
    out->overrun_ns = pace->due_ns >= 0 && left < 0 ? -left : 0;
    out->late_ns = out->wait_ns - (left > 0 ? left : 0);
    pace->state = PACE_IDLE;
}

void pace_stop(struct pace *pace)
{
    pace->state = PACE_IDLE;
}
