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

struct net_loop {
    struct event_base *base;
    struct event *idle;
    bool (*work)(void *context);
    void *work_context;
    struct event *reaper;
    struct conn_list conns;  /* all connections, lingering ones included */
    struct conn_list doomed; /* closed connections, freed from the loop and never from their own callbacks */
};

/* There is a connection on the doomed list: have the reaper come. */
void net_loop_doom(struct net_loop *loop);

/* What the loop does with a doomed connection (conn.c): report it closed if that is still to be done; free it if it
 * needs no more lingering. */
void net_conn_reap(struct net_conn *conn);
void net_conns_destroy(struct net_loop *loop); /* all that are left, without a word */
struct net_conn *net_conn_next_doomed(struct net_loop *loop);

#endif
