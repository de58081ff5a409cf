/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One connection at the PS, from its accept to its end. Private to roster.c and greet.c. */
#ifndef LAGGARD_PS_PEER_H
#define LAGGARD_PS_PEER_H

#include <sys/queue.h>

#include "ps/roster.h"
#include "wire/legality.h"

enum peer_stage {
    PEER_HANDSHAKING, /* TCP or TLS is under way */
    PEER_GREETING,    /* no HELLO yet */
    PEER_PARKED,      /* its HELLO is good, but its predecessor is still connected */
    PEER_WELCOME,     /* roster->slot[worker] is this */
    PEER_CLOSING      /* refused or dropped: only its end is awaited */
};

struct peer {
    TAILQ_ENTRY(peer) link;
    struct roster *roster;
    struct net_conn *conn;
    enum peer_stage stage;
    enum wire_state state; /* PEER_WELCOME */
    uint32_t worker;       /* from PEER_PARKED on */
    struct net_timer *deadline;
    struct wire_stored *stored; /* n of them */
    uint32_t n;
    struct roster_task *task; /* owed answers: a ring of `capacity`, a power of two */
    size_t first, owed, capacity;
};

TAILQ_HEAD(peer_list, peer);

struct roster {
    struct net_loop *loop;
    const struct facts *facts;
    bool tls;
    struct net_listener *listener;
    struct roster_handlers handlers;
    void *context;
    struct peer_list peers;
    uint32_t strangers; /* peers that are not PEER_WELCOME */
    uint32_t workers, connected;
    struct peer **slot; /* workers of them */
    struct net_timer *bye_timer;
    void (*bye_done)(void *context);
    void *bye_context;
};

/* greet.c: from HELLO to WELCOME or REFUSE. */
void greet_hello(struct peer *peer, const struct wire_message *message);
void greet_deadline(struct peer *peer); /* a peer that has waited long enough, for its HELLO or its place: refused */
/* The worker's place has become free: whoever was parked for it moves in. */
void greet_vacancy(struct roster *roster, uint32_t worker);

/* roster.c */
void peer_close(struct peer *peer, const char *reason); /* to PEER_CLOSING */

#endif
