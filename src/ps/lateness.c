/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "ps/lateness.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"

enum { PERIOD_NS = 50 * NS_PER_MS };

struct lateness {
    struct net_timer *timer;
    int64_t due_ns, worst_ns;
};

static void sample(struct lateness *lateness, int64_t now_ns)
{
    int64_t late = now_ns - lateness->due_ns;
    if (late > lateness->worst_ns)
        lateness->worst_ns = late;
}

static void on_timer(void *context)
{
    struct lateness *lateness = context;
    int64_t now = clock_now_ns();
    sample(lateness, now);
    lateness->due_ns = now + PERIOD_NS;
    net_timer_at(lateness->timer, lateness->due_ns);
}

struct lateness *lateness_new(struct net_loop *loop)
{
    struct lateness *lateness = mem_zalloc(sizeof *lateness);
    lateness->timer = net_timer_new(loop, on_timer, lateness);
    lateness->due_ns = clock_now_ns() + PERIOD_NS;
    net_timer_at(lateness->timer, lateness->due_ns);
    return lateness;
}

void lateness_free(struct lateness *lateness)
{
    if (lateness == NULL)
        return;
    net_timer_free(lateness->timer);
    free(lateness);
}

int64_t lateness_take_ns(struct lateness *lateness)
{
    sample(lateness, clock_now_ns());
    int64_t worst = lateness->worst_ns;
    lateness->worst_ns = 0;
    return worst;
}
