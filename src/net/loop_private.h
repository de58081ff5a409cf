/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of net/ share of a loop. */
#ifndef LAGGARD_NET_LOOP_PRIVATE_H
#define LAGGARD_NET_LOOP_PRIVATE_H

#include <event2/event.h>
#include <sys/queue.h>

#include "net/net.h"

/* Connections run before computing. */
enum { PRIORITY_IO, PRIORITY_IDLE, PRIORITIES };

TAILQ_HEAD(conn_list, net_conn);

/* What net.h and laggard-protocol(7) promise; tests have less patience. */
struct net_limits {
    int64_t connect_ns, handshake_ns;
    int64_t closing_ns;      /* without progress, until a closing connection gives up */
    int64_t stalled_ns;      /* above queue_high_bytes, until an open one does */
    int64_t accept_pause_ns; /* after an accept that failed, for want of descriptors say */
    size_t queue_high_bytes; /* waiting behind the frame that is being sent */
};

struct net_loop {
    struct event_base *base;
    struct net_limits limits;
    struct event *idle;
    bool (*work)(void *context);
    void *work_context;
    struct event *reaper;
    struct conn_list conns;  /* all connections, lingering ones included */
    struct conn_list doomed; /* closed connections, freed from the loop and never from their own callbacks */
};

/* What libevent has made; without memory for it the process ends, as in base/mem.h. */
void *net_must(void *made);

/* There is a connection on the doomed list: have the reaper come. */
void net_loop_doom(struct net_loop *loop);

/* What the loop does with a doomed connection (conn.c): report it closed if that is still to be done; free it if it
 * needs no more lingering. */
void net_conn_reap(struct net_conn *conn);
void net_conns_destroy(struct net_loop *loop); /* all that are left, without a word */
struct net_conn *net_conn_next_doomed(struct net_loop *loop);

#endif
