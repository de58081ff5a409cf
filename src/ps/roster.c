/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Connections come and go here; what a HELLO is worth is decided in greet.c. */
#include "config.h"

#include "ps/roster.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "ps/peer.h"
#include "wire/codec.h"

/* STRANGERS_MAX beyond one for each worker: who is not known yet takes no more memory than that. */
enum { HELLO_S = 10, STRANGERS_MAX = 64, BYE_S = 3, TASKS_MIN = 8 };

/* ── ends ── */

static void check_bye(struct roster *roster)
{
    if (roster->bye_done == NULL || !TAILQ_EMPTY(&roster->peers))
        return;
    void (*done)(void *) = roster->bye_done;
    roster->bye_done = NULL;
    done(roster->bye_context);
}

static void peer_free(struct peer *peer)
{
    if (peer->stage != PEER_WELCOME)
        peer->roster->strangers--;
    TAILQ_REMOVE(&peer->roster->peers, peer, link);
    net_timer_free(peer->deadline);
    free(peer->stored);
    free(peer->task);
    free(peer);
}

/* The worker's place is free from here on. */
static void vacate(struct peer *peer, const char *reason)
{
    struct roster *roster = peer->roster;
    peer->stage = PEER_CLOSING;
    roster->strangers++;
    roster->slot[peer->worker] = NULL;
    roster->connected--;
    if (roster->bye_done != NULL)
        return; /* it was told to go */
    log_warn("worker%u is gone: %s", peer->worker + 1, reason);
    roster->handlers.left(roster->context, peer->worker, reason);
    greet_vacancy(roster, peer->worker);
}

void peer_close(struct peer *peer, const char *reason)
{
    bool was_welcome = peer->stage == PEER_WELCOME;
    net_timer_cancel(peer->deadline);
    net_conn_close(peer->conn, reason);
    if (was_welcome)
        vacate(peer, reason);
    else
        peer->stage = PEER_CLOSING;
}

static void on_closed(struct net_conn *conn, const char *reason, void *context)
{
    struct peer *peer = context;
    struct roster *roster = peer->roster;
    if (peer->stage == PEER_WELCOME)
        vacate(peer, reason);
    else if (peer->stage != PEER_CLOSING)
        log_warn("refused %s: %s", net_conn_address(conn), reason);
    peer_free(peer);
    check_bye(roster);
}

/* ── beginnings ── */

static void on_open(struct net_conn *conn, void *context)
{
    struct peer *peer = context;
    (void)conn;
    peer->stage = PEER_GREETING;
    net_timer_at(peer->deadline, clock_now_ns() + (int64_t)HELLO_S * NS_PER_S);
}

static void on_deadline(void *context)
{
    greet_deadline(context);
}

static void on_message(struct net_conn *conn, const struct wire_message *message, size_t bytes, void *context);

static const struct net_handlers peer_handlers = {on_open, on_message, on_closed};

static void on_accepted(struct net_conn *conn, void *context)
{
    struct roster *roster = context;
    if (roster->strangers >= roster->workers + STRANGERS_MAX) {
        log_warn("refused %s: too many connections that have not said who they are", net_conn_address(conn));
        net_conn_free(conn);
        return;
    }
    struct peer *peer = mem_zalloc(sizeof *peer);
    peer->roster = roster;
    peer->conn = conn;
    peer->deadline = net_timer_new(roster->loop, on_deadline, peer);
    roster->strangers++;
    TAILQ_INSERT_TAIL(&roster->peers, peer, link);
    net_conn_handle(conn, &peer_handlers, peer);
}

struct roster *roster_new(struct net_loop *loop, const struct facts *facts, struct net_identity *identity,
                          const char *address, uint16_t port, const struct roster_handlers *handlers, void *context,
                          struct error *err)
{
    struct roster *roster = mem_zalloc(sizeof *roster);
    roster->loop = loop;
    roster->facts = facts;
    roster->tls = identity != NULL;
    roster->handlers = *handlers;
    roster->context = context;
    roster->workers = facts->workers;
    roster->slot = mem_array(facts->workers, sizeof *roster->slot);
    TAILQ_INIT(&roster->peers);
    roster->listener = net_listen(loop, address, port, identity, on_accepted, roster, err);
    if (roster->listener == NULL) {
        roster_free(roster);
        return NULL;
    }
    return roster;
}

void roster_free(struct roster *roster)
{
    if (roster == NULL)
        return;
    struct peer *peer;
    while ((peer = TAILQ_FIRST(&roster->peers)) != NULL) {
        net_conn_free(peer->conn);
        peer_free(peer);
    }
    net_listener_free(roster->listener);
    net_timer_free(roster->bye_timer);
    free(roster->slot);
    free(roster);
}

uint16_t roster_port(const struct roster *roster)
{
    return net_listener_port(roster->listener);
}

/* ── what is owed ── */

static void owe(struct peer *peer, const struct roster_task *task)
{
    if (peer->owed == peer->capacity) {
        size_t capacity = peer->capacity ? 2 * peer->capacity : TASKS_MIN;
        struct roster_task *ring = mem_array(capacity, sizeof *ring);
        for (size_t i = 0; i < peer->owed; i++)
            ring[i] = peer->task[(peer->first + i) % peer->capacity];
        free(peer->task);
        peer->task = ring;
        peer->first = 0;
        peer->capacity = capacity;
    }
    peer->task[(peer->first + peer->owed++) % peer->capacity] = *task;
}

bool roster_tcp_info(const struct roster *roster, uint32_t worker, struct net_tcp_info *out)
{
    const struct peer *peer = roster->slot[worker];
    return peer != NULL && net_conn_tcp_info(peer->conn, out) == 0;
}

size_t roster_owes(const struct roster *roster, uint32_t worker, uint32_t run)
{
    const struct peer *peer = roster->slot[worker];
    size_t count = 0;
    for (size_t i = 0; peer != NULL && i < peer->owed; i++)
        count += peer->task[(peer->first + i) % peer->capacity].run == run;
    return count;
}

static uint32_t round_of(const struct wire_message *message)
{
    return message->type == WIRE_CANCELLED ? message->u.cancelled.round : message->u.answer.round;
}

static void on_answer(struct peer *peer, const struct wire_message *message, size_t bytes)
{
    struct roster *roster = peer->roster;
    char reason[200];
    if (peer->owed == 0 || peer->task[peer->first].round != round_of(message)) {
        snprintf(reason, sizeof reason, "%s of round %" PRIu32 ", for which it was not asked next",
                 wire_type_name(message->type), round_of(message));
        peer_close(peer, reason);
    } else if (message->type == WIRE_ANSWER && message->u.answer.n != roster->facts->d) {
        snprintf(reason, sizeof reason, "a vector of %" PRIu32 " values, not %zu", message->u.answer.n,
                 roster->facts->d);
        peer_close(peer, reason);
    } else {
        struct roster_task task = peer->task[peer->first];
        peer->first = (peer->first + 1) % peer->capacity;
        peer->owed--;
        roster->handlers.answer(roster->context, peer->worker, &task, message, bytes);
    }
}

static void on_message(struct net_conn *conn, const struct wire_message *message, size_t bytes, void *context)
{
    struct peer *peer = context;
    (void)conn;
    enum wire_state state = peer->stage == PEER_WELCOME ? peer->state : WIRE_STATE_GREETING;
    if (peer->stage == PEER_CLOSING)
        return;
    if (peer->stage == PEER_PARKED || !wire_is_legal(WIRE_ROLE_PS, state, message->type)) {
        char reason[100];
        snprintf(reason, sizeof reason, "protocol error: %s out of place", wire_type_name(message->type));
        if (peer->stage != PEER_WELCOME)
            log_warn("refused %s: %s", net_conn_address(peer->conn), reason);
        peer_close(peer, reason);
    } else if (message->type == WIRE_HELLO) {
        greet_hello(peer, message);
    } else if (message->type == WIRE_READY) {
        peer->state = WIRE_STATE_RUNNING;
        peer->roster->handlers.ready(peer->roster->context, peer->worker, message->u.ready.run);
    } else {
        on_answer(peer, message, bytes);
    }
}

/* ── who is there ── */

uint32_t roster_connected(const struct roster *roster)
{
    return roster->connected;
}

bool roster_has(const struct roster *roster, uint32_t worker)
{
    return roster->slot[worker] != NULL;
}

void roster_missing(const struct roster *roster, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t worker = 0; worker < roster->workers && used < size; worker++)
        if (roster->slot[worker] == NULL)
            used += (size_t)snprintf(text + used, size - used, "%sworker%" PRIu32, used ? ", " : "", worker + 1);
}

void roster_smoothness(const struct roster *roster, double *smoothness)
{
    uint32_t count = roster->facts->workers;
    for (uint32_t k = 0; k < count; k++)
        smoothness[k] = NAN;
    for (uint32_t worker = 0; worker < roster->workers; worker++)
        for (uint32_t i = 0; i < roster->slot[worker]->n; i++) {
            const struct wire_stored *stored = &roster->slot[worker]->stored[i];
            if (isnan(smoothness[stored->partition]))
                smoothness[stored->partition] = stored->smoothness;
        }
}

/* ── to the workers ── */

static struct peer *peer_of(struct roster *roster, uint32_t worker)
{
    assert(worker < roster->workers && roster->slot[worker] != NULL);
    return roster->slot[worker];
}

void roster_begin(struct roster *roster, uint32_t worker, const struct wire_message *begin)
{
    struct peer *peer = peer_of(roster, worker);
    assert(peer->state == WIRE_STATE_JOINED);
    peer->state = WIRE_STATE_STARTING;
    net_conn_send(peer->conn, begin);
}

size_t roster_task(struct roster *roster, uint32_t worker, const struct roster_task *task, struct net_frame *theta,
                   const struct wire_message *message)
{
    struct peer *peer = peer_of(roster, worker);
    assert(peer->state == WIRE_STATE_RUNNING);
    owe(peer, task);
    net_conn_send_frame(peer->conn, theta);
    return net_frame_bytes(theta) + net_conn_send(peer->conn, message);
}

size_t roster_cancel(struct roster *roster, uint32_t worker, uint32_t round)
{
    struct wire_message message = {.type = WIRE_CANCEL, .u.cancel.round = round};
    return net_conn_send(peer_of(roster, worker)->conn, &message);
}

void roster_end(struct roster *roster, uint32_t worker, uint32_t run)
{
    struct peer *peer = peer_of(roster, worker);
    struct wire_message message = {.type = WIRE_END, .u.end.run = run};
    assert(peer->state == WIRE_STATE_RUNNING);
    peer->state = WIRE_STATE_JOINED;
    net_conn_send(peer->conn, &message);
}

void roster_drop(struct roster *roster, uint32_t worker, const char *reason)
{
    peer_close(peer_of(roster, worker), reason);
}

static void on_bye_limit(void *context)
{
    struct roster *roster = context;
    struct peer *peer;
    while ((peer = TAILQ_FIRST(&roster->peers)) != NULL) {
        net_conn_free(peer->conn);
        if (peer->stage == PEER_WELCOME)
            vacate(peer, "it does not end");
        peer_free(peer);
    }
    check_bye(roster);
}

void roster_say_bye(struct roster *roster, void (*done)(void *context), void *context)
{
    const struct wire_message message = {.type = WIRE_BYE};
    struct peer *peer;
    net_listener_free(roster->listener);
    roster->listener = NULL;
    roster->bye_done = done;
    roster->bye_context = context;
    roster->bye_timer = net_timer_new(roster->loop, on_bye_limit, roster);
    net_timer_at(roster->bye_timer, clock_now_ns() + (int64_t)BYE_S * NS_PER_S);
    TAILQ_FOREACH(peer, &roster->peers, link)
    {
        if (peer->stage == PEER_PARKED)
            greet_deadline(peer); /* its place is not going to be free */
    }
    TAILQ_FOREACH(peer, &roster->peers, link)
    {
        if (peer->stage == PEER_WELCOME)
            net_conn_send(peer->conn, &message);
        if (peer->stage != PEER_CLOSING)
            peer_close(peer, "the PS is done");
    }
    check_bye(roster);
}
