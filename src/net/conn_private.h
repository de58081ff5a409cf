/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A connection, for the files that move it: conn.c (its life), conn_input.c, conn_output.c. */
#ifndef LAGGARD_NET_CONN_PRIVATE_H
#define LAGGARD_NET_CONN_PRIVATE_H

#include "base/compiler.h"
#include "net/conn.h"
#include "net/inbox.h"
#include "net/queue.h"
#include "net/transport.h"

enum { CONN_NAME_BYTES = 128, CONN_ADDRESS_BYTES = 64, CONN_REASON_BYTES = 512 };

/* In the order in which a connection passes through them; it may leave some out but never goes back.
 *
 *   CONNECTING → HANDSHAKING → OPEN ─ net_conn_close ─▶ DRAINING ─ the peer's end ─▶ CLOSED
 *        └────────────┴──────────┴─ failure ─▶ LINGERING ─ the peer's end ─▶ CLOSED
 *
 * DRAINING sends what is queued. LINGERING has dropped that, and keeps the socket until the peer has read our last words
 * (a TLS alert, say): closing a socket with unread input would destroy them. */
enum conn_state { CONN_CONNECTING, CONN_HANDSHAKING, CONN_OPEN, CONN_DRAINING, CONN_LINGERING, CONN_CLOSED };

struct net_conn {
    TAILQ_ENTRY(net_conn) doomed_link, link;
    struct net_loop *loop;
    enum conn_state state;
    bool is_doomed;             /* on the loop's list: to be reported, freed, or both */
    bool is_reported;           /* closed() has been called, or is not wanted */
    bool is_stalled;            /* the queue is above its mark; the deadline runs */
    bool has_said_goodbye;      /* DRAINING: TLS's close_notify is behind the last frame */
    bool is_output_dead;        /* the socket takes no more; what it still has is being read */
    bool writes_wait_for_input; /* OpenSSL must read before it writes */
    struct transport transport;
    struct event *read_event, *write_event, *flush_event;
    struct net_timer *deadline;
    size_t left; /* DRAINING, LINGERING: bytes that the peer had not got at the last deadline */
    struct net_queue queue;
    struct net_inbox inbox;
    struct net_handlers handlers;
    void *context;
    struct net_counts counts;
    char *expect;
    char peer_name[CONN_NAME_BYTES], address[CONN_ADDRESS_BYTES], reason[CONN_REASON_BYTES];
};

/* Wait for the socket; if libevent cannot, the connection fails. */
void conn_watch(struct net_conn *conn, struct event *event);
/* Run the event's callback when the loop comes round, after what is due now. */
void conn_soon(struct event *event);

/* It is over, for this reason (a connection that is closing keeps the reason that it was closed for). The peer is gone:
 * nothing more can be said to it. */
void conn_fail(struct net_conn *conn, bool is_peer_gone, const char *format, ...) PRINTF_LIKE(3, 4);
/* The same for what the transport said: CLOSED or FAILED. */
void conn_fail_transport(struct net_conn *conn, enum transport_status status);

/* conn_input.c: read what is there, decode and deliver it; a part of it if it is much. OPEN. */
void conn_pump_input(struct net_conn *conn);

/* conn_output.c: send what is queued, as far as the socket takes it. OPEN or DRAINING. */
void conn_pump_output(struct net_conn *conn);

#endif
