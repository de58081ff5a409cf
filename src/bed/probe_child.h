/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The probing itself, in a process of its own: sockets at both ends of every link, datagrams, kernel timestamps. */
#ifndef LAGGARD_BED_PROBE_CHILD_H
#define LAGGARD_BED_PROBE_CHILD_H

#include "bed/topology.h"

/* Bytes of a small probe as netem counts them: Ethernet, IP and UDP headers and 24 bytes. On a slow link that takes
 * time of its own. */
enum { PROBE_SMALL_FRAME = 66 };

/* One direction of one link. */
struct probe_link {
    int32_t node;
    enum direction direction;
    struct link asked;
};

/* What was seen of it. Kept plain: it goes through a pipe. */
struct probe_seen {
    uint32_t delay_sent, delay_samples;
    double delay_ms, jitter_ms;   /* NAN without samples */
    uint32_t rate_samples;        /* packets */
    double rate_bps, offered_bps; /* NAN: not probed; offered: what was sent into it */
    double train_s;
    uint32_t loss_sent, loss_arrived;
};

/* Called in a forked child, which it leaves in another namespace; writes n struct probe_seen to fd. */
MUST_CHECK int probe_child(const struct topology *topology, const struct probe_link *links, size_t n, int fd,
                           struct error *err);

#endif
