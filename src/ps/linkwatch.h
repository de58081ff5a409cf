/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the PS's own connections tell of the links while runs go on: TCP_INFO, sampled at most ten times a second, and
 * written to links.csv at the end. */
#ifndef LAGGARD_PS_LINKWATCH_H
#define LAGGARD_PS_LINKWATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "ps/roster.h"
#include "scenario/scenario.h"

/* Embedded. */
struct linkwatch {
    uint32_t workers;
    int64_t sampled_ns;
    struct linkwatch_worker *worker; /* workers of them */
};

void linkwatch_init(struct linkwatch *watch, uint32_t workers);
void linkwatch_clear(struct linkwatch *watch);

/* Sample every worker that is connected, unless that was done within the last 100 ms. */
void linkwatch_look(struct linkwatch *watch, const struct roster *roster, int64_t now_ns);
/* The same for one worker from what its connection says. */
void linkwatch_add(struct linkwatch *watch, uint32_t worker, const struct net_tcp_info *info);

/* A round trip as the scenario's start asks for it: the four delays between PS and worker. */
int64_t linkwatch_asked_ns(const struct scenario *scenario, uint32_t worker);

/* Add rows to DIRECTORY/links.csv (anew: truncate it first): rtt_ms (TCP's smoothed round trip, mean), rtt_min_ms (the
 * smallest) and retransmits (segments of the PS that had to be sent again). */
MUST_CHECK int linkwatch_write(const struct linkwatch *watch, const struct scenario *scenario, const char *directory,
                               bool anew, struct error *err);

#endif
