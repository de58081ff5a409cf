/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From HELLO to WELCOME or REFUSE. A worker that was killed and started again can be faster than the news of its
 * predecessor's end (a lost FIN is sent again); so a good HELLO for a place that is taken waits a while before it is
 * refused. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "ps/handshake.h"
#include "ps/peer.h"

enum { PARK_S = 5 };

static void refuse(struct peer *peer, uint32_t claimed, const char *reason)
{
    struct wire_message message = {.type = WIRE_REFUSE};
    snprintf(message.u.refuse.reason, sizeof message.u.refuse.reason, "%s", reason);
    log_warn("refused %s, which says that it is worker%llu: %s", net_conn_address(peer->conn),
             (unsigned long long)claimed + 1, reason);
    net_conn_send(peer->conn, &message);
    peer_close(peer, reason);
}

static void welcome(struct peer *peer)
{
    struct roster *roster = peer->roster;
    struct wire_message message = {.type = WIRE_WELCOME,
                                   .u.welcome = {.workers = roster->workers, .dimension = (uint32_t)roster->facts->d}};
    net_timer_cancel(peer->deadline);
    peer->stage = PEER_WELCOME;
    peer->state = WIRE_STATE_JOINED;
    roster->slot[peer->worker] = peer;
    roster->strangers--;
    roster->connected++;
    net_conn_send(peer->conn, &message);
    log_info("worker%u is here, from %s", peer->worker + 1, net_conn_address(peer->conn));
    roster->handlers.joined(roster->context, peer->worker);
}

static void park(struct peer *peer)
{
    peer->stage = PEER_PARKED;
    net_timer_at(peer->deadline, clock_now_ns() + (int64_t)PARK_S * NS_PER_S);
}

void greet_hello(struct peer *peer, const struct wire_message *message)
{
    struct roster *roster = peer->roster;
    struct error err;
    if (handshake_check(roster->facts, roster->tls, net_conn_peer_name(peer->conn), message, &err) < 0) {
        refuse(peer, message->u.hello.worker, err.text);
        return;
    }
    peer->worker = message->u.hello.worker;
    peer->n = message->u.hello.n;
    peer->stored = mem_array(peer->n, sizeof *peer->stored);
    memcpy(peer->stored, message->u.hello.stored, peer->n * sizeof *peer->stored);
    if (roster->slot[peer->worker] != NULL)
        park(peer);
    else
        welcome(peer);
}

void greet_deadline(struct peer *peer)
{
    char reason[160];
    if (peer->stage == PEER_PARKED) {
        struct peer *other = peer->roster->slot[peer->worker];
        snprintf(reason, sizeof reason, "worker%u is already connected, from %s", peer->worker + 1,
                 net_conn_address(other->conn));
        refuse(peer, peer->worker, reason);
    } else if (peer->stage == PEER_GREETING) {
        log_warn("refused %s: no HELLO came", net_conn_address(peer->conn));
        peer_close(peer, "no HELLO came");
    }
}

void greet_vacancy(struct roster *roster, uint32_t worker)
{
    struct peer *peer;
    TAILQ_FOREACH(peer, &roster->peers, link)
    {
        if (peer->stage == PEER_PARKED && peer->worker == worker) {
            welcome(peer);
            return;
        }
    }
}
