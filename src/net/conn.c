/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A connection's life.
 *
 *   CONNECTING → HANDSHAKING → OPEN ─ net_conn_close ─▶ DRAINING ─▶ reported closed ─▶ freed
 *        └────────────┴──────────┴── failure, peer's end ─▶ reported closed ─▶ LINGERING ─▶ freed
 *
 * Callbacks only move the state; reporting and freeing happen in net_conn_reap, called from the loop's reaper.
 * LINGERING keeps the socket until the peer has read our last words (a TLS alert, say): closing a socket with unread
 * input would destroy them. */
#include "config.h"

#include "net/conn.h"

#include <assert.h>
#include <errno.h>
#include <linux/tcp.h>
#include <openssl/x509.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/frame_private.h"
#include "net/inbox.h"
#include "net/queue.h"
#include "net/transport.h"

enum {
    READS_PER_WAKE_UP = 8,
    FRAMES_PER_WAKE_UP = 64,
    QUEUE_HIGH_BYTES = 64 * 1024 * 1024,
    CONNECT_S = 10,
    HANDSHAKE_S = 10,
    DRAIN_S = 5,
    LINGER_S = 2,
    STALLED_S = 60,
    NAME_MAX_BYTES = 128,
    REASON_BYTES = 512
};

enum conn_state { CONN_CONNECTING, CONN_HANDSHAKING, CONN_OPEN, CONN_DRAINING, CONN_LINGERING, CONN_CLOSED };

struct net_conn {
    TAILQ_ENTRY(net_conn) doomed_link, link;
    struct net_loop *loop;
    enum conn_state state;
    bool is_doomed, is_reported, is_stalled, said_goodbye;
    struct transport transport;
    struct event *read_event, *write_event, *flush_event;
    struct net_timer *deadline;
    struct net_queue queue;
    struct net_inbox inbox;
    struct net_handlers handlers;
    void *context;
    struct net_counts counts;
    char *expect;
    char peer_name[NAME_MAX_BYTES], address[64], reason[REASON_BYTES];
};

static void wait_for(struct net_conn *conn, int seconds)
{
    net_timer_at(conn->deadline, clock_now_ns() + (int64_t)seconds * NS_PER_S);
}

static void doom(struct net_conn *conn)
{
    if (conn->is_doomed)
        return;
    conn->is_doomed = true;
    TAILQ_INSERT_TAIL(&conn->loop->doomed, conn, doomed_link);
    net_loop_doom(conn->loop);
}

struct net_conn *net_conn_next_doomed(struct net_loop *loop)
{
    struct net_conn *conn = TAILQ_FIRST(&loop->doomed);
    if (conn != NULL) {
        TAILQ_REMOVE(&loop->doomed, conn, doomed_link);
        conn->is_doomed = false;
    }
    return conn;
}

/* ── ends ── */

/* Last words are in the gathering buffer: send them, say that no more will come, and wait for the peer's end. */
static void linger(struct net_conn *conn)
{
    if (transport_flush(&conn->transport) == TRANSPORT_AGAIN) {
        event_add(conn->write_event, NULL);
        return;
    }
    shutdown(conn->transport.fd, SHUT_WR);
}

static void end(struct net_conn *conn, bool peer_is_gone)
{
    net_queue_clear(&conn->queue);
    event_del(conn->write_event);
    if (peer_is_gone) {
        conn->state = CONN_CLOSED;
    } else {
        conn->state = CONN_LINGERING;
        wait_for(conn, LINGER_S);
        linger(conn);
    }
    doom(conn);
}

static void fail(struct net_conn *conn, bool peer_is_gone, const char *format, ...) PRINTF_LIKE(3, 4);
static void fail(struct net_conn *conn, bool peer_is_gone, const char *format, ...)
{
    if (conn->state >= CONN_LINGERING)
        return;
    if (conn->state != CONN_DRAINING) { /* a closing connection keeps the reason that it was closed for */
        va_list args;
        va_start(args, format);
        vsnprintf(conn->reason, sizeof conn->reason, format, args);
        va_end(args);
    }
    end(conn, peer_is_gone);
}

static void fail_transport(struct net_conn *conn, enum transport_status status)
{
    bool in_handshake = conn->state == CONN_HANDSHAKING;
    if (status == TRANSPORT_CLOSED)
        fail(conn, true,
             in_handshake ? "the peer closed the connection during the TLS handshake"
                          : "the peer closed the connection");
    else
        fail(conn, false, "%s", conn->transport.reason);
}

static void conn_destroy(struct net_conn *conn)
{
    event_free(conn->read_event);
    event_free(conn->write_event);
    event_free(conn->flush_event);
    net_timer_free(conn->deadline);
    net_queue_clear(&conn->queue);
    net_inbox_clear(&conn->inbox);
    transport_clear(&conn->transport);
    TAILQ_REMOVE(&conn->loop->conns, conn, link);
    free(conn->expect);
    free(conn);
}

void net_conn_reap(struct net_conn *conn)
{
    if (!conn->is_reported) {
        conn->is_reported = true;
        if (conn->handlers.closed != NULL)
            conn->handlers.closed(conn, conn->reason, conn->context);
    }
    if (conn->state == CONN_CLOSED && !conn->is_doomed) /* the callback may have called net_conn_free */
        conn_destroy(conn);
}

void net_conn_free(struct net_conn *conn)
{
    if (conn == NULL)
        return;
    conn->is_reported = true; /* nobody wants to hear of it */
    net_queue_clear(&conn->queue);
    event_del(conn->write_event);
    conn->state = CONN_CLOSED;
    doom(conn);
}

/* ── output ── */

static void watch_stall(struct net_conn *conn)
{
    bool is_high = conn->queue.bytes > QUEUE_HIGH_BYTES;
    if (is_high && !conn->is_stalled)
        wait_for(conn, STALLED_S);
    else if (!is_high && conn->is_stalled)
        net_timer_cancel(conn->deadline);
    conn->is_stalled = is_high;
}

/* Move frames through the transport until the queue or the socket is full. */
static enum transport_status pump_queue(struct net_conn *conn)
{
    struct net_queue *queue = &conn->queue;
    while (!net_queue_is_empty(queue)) {
        const struct net_frame *frame = net_queue_first(queue);
        size_t taken;
        enum transport_status status =
            transport_write(&conn->transport, frame->bytes + queue->offset, frame->len - queue->offset, &taken);
        if (status == TRANSPORT_AGAIN && transport_has_output(&conn->transport))
            status = transport_flush(&conn->transport);
        else if (status == TRANSPORT_OK && (queue->offset += taken) == frame->len)
            net_queue_pop(queue);
        if (status != TRANSPORT_OK)
            return status;
    }
    return TRANSPORT_OK;
}

static void pump_out(struct net_conn *conn)
{
    enum transport_status status = TRANSPORT_OK;
    if (conn->state == CONN_OPEN || conn->state == CONN_DRAINING)
        status = pump_queue(conn);
    if (status == TRANSPORT_OK && conn->state == CONN_DRAINING && !conn->said_goodbye) {
        conn->said_goodbye = true;
        transport_say_goodbye(&conn->transport);
    }
    if (status == TRANSPORT_OK || status == TRANSPORT_AGAIN)
        status = transport_flush(&conn->transport);
    if (status == TRANSPORT_FAILED || status == TRANSPORT_CLOSED) {
        fail(conn, true, "%s", status == TRANSPORT_CLOSED ? "the peer closed the connection" : conn->transport.reason);
        return;
    }
    if (status == TRANSPORT_AGAIN)
        event_add(conn->write_event, NULL);
    else if (conn->state == CONN_DRAINING && conn->said_goodbye)
        shutdown(conn->transport.fd, SHUT_WR); /* the peer's end will end us */
    watch_stall(conn);
}

static void on_flush(evutil_socket_t fd, short what, void *argument)
{
    (void)fd;
    (void)what;
    struct net_conn *conn = argument;
    if (conn->state == CONN_OPEN || conn->state == CONN_DRAINING)
        pump_out(conn);
}

void net_conn_send_frame(struct net_conn *conn, struct net_frame *frame)
{
    if (conn->state >= CONN_DRAINING)
        return;
    net_queue_push(&conn->queue, net_frame_ref(frame));
    conn->counts.frames_out++;
    conn->counts.payload_out += frame->len;
    /* Sent when the loop comes round: what one event has to say to a peer goes out together. */
    event_active(conn->flush_event, EV_TIMEOUT, 1);
}

size_t net_conn_send(struct net_conn *conn, const struct wire_message *message)
{
    struct net_frame *frame = net_frame_new(message);
    size_t len = frame->len;
    net_conn_send_frame(conn, frame);
    net_frame_unref(frame);
    return len;
}

void net_conn_close(struct net_conn *conn, const char *reason)
{
    if (conn->state >= CONN_DRAINING)
        return;
    snprintf(conn->reason, sizeof conn->reason, "%s", reason);
    if (conn->state != CONN_OPEN) {
        end(conn, true);
        return;
    }
    conn->state = CONN_DRAINING;
    conn->is_stalled = false;
    wait_for(conn, DRAIN_S);
    event_active(conn->flush_event, EV_TIMEOUT, 1);
}

/* ── input ── */

static void protocol_error(struct net_conn *conn, const struct error *err)
{
    fail(conn, false, "protocol error at byte %llu: %s", (unsigned long long)conn->counts.payload_in, err->text);
}

static void deliver(struct net_conn *conn)
{
    struct wire_message message;
    struct error err = {{0}};
    size_t bytes;
    if (net_inbox_take(&conn->inbox, &message, &bytes, &err) < 0) {
        protocol_error(conn, &err);
        return;
    }
    conn->counts.frames_in++;
    conn->counts.payload_in += bytes;
    conn->handlers.message(conn, &message, bytes, conn->context);
}

/* Decrypt into the frame in hand. OK: something came or was delivered; AGAIN: the transport has nothing left. */
static enum transport_status read_some(struct net_conn *conn, bool *delivered)
{
    struct error err = {{0}};
    uint8_t *at;
    size_t room, got;
    *delivered = false;
    if (net_inbox_want(&conn->inbox, &at, &room, &err) < 0) {
        protocol_error(conn, &err);
        return TRANSPORT_AGAIN;
    }
    enum transport_status status = transport_read(&conn->transport, at, room, &got);
    if (status != TRANSPORT_OK)
        return status;
    net_inbox_got(&conn->inbox, got);
    if (net_inbox_want(&conn->inbox, &at, &room, &err) < 0) {
        protocol_error(conn, &err);
        return TRANSPORT_AGAIN;
    }
    if (room == 0) {
        *delivered = true;
        deliver(conn);
    }
    return TRANSPORT_OK;
}

/* Returns false when the frames of one wake-up are used up and more wait. */
static bool pump_frames(struct net_conn *conn)
{
    for (int frames = 0; frames < FRAMES_PER_WAKE_UP;) {
        bool delivered;
        enum transport_status status = read_some(conn, &delivered);
        if (conn->state != CONN_OPEN)
            return true;
        if (status == TRANSPORT_AGAIN)
            return true;
        if (status != TRANSPORT_OK) {
            fail_transport(conn, status);
            return true;
        }
        frames += delivered;
    }
    return false;
}

static void pump_in(struct net_conn *conn)
{
    for (int reads = 0; reads < READS_PER_WAKE_UP; reads++) {
        enum transport_status status = TRANSPORT_OK;
        if (!transport_has_input(&conn->transport) || reads > 0)
            status = transport_fill(&conn->transport);
        if (status == TRANSPORT_AGAIN)
            break;
        if (status == TRANSPORT_FAILED) {
            fail(conn, true, "%s", conn->transport.reason);
            return;
        }
        bool all = pump_frames(conn); /* at the stream's end: delivers what came before it, then closes */
        if (conn->state != CONN_OPEN)
            return;
        if (!all) {
            event_active(conn->read_event, EV_READ, 1); /* the others first */
            break;
        }
    }
    if (transport_has_output(&conn->transport)) /* an answer of TLS itself (key update) */
        pump_out(conn);
}

/* ── handshake ── */

static void read_peer_name(struct net_conn *conn)
{
    X509 *cert = SSL_get1_peer_certificate(conn->transport.ssl);
    if (cert == NULL)
        return;
    X509_NAME_get_text_by_NID(X509_get_subject_name(cert), NID_commonName, conn->peer_name, sizeof conn->peer_name);
    X509_free(cert);
}

static void opened(struct net_conn *conn)
{
    if (conn->transport.ssl != NULL)
        read_peer_name(conn);
    if (conn->expect != NULL && conn->transport.ssl != NULL && strcmp(conn->expect, conn->peer_name) != 0) {
        fail(conn, false, "the peer's certificate is for '%s', not for '%s'", conn->peer_name, conn->expect);
        return;
    }
    conn->state = CONN_OPEN;
    net_timer_cancel(conn->deadline);
    if (conn->handlers.open != NULL)
        conn->handlers.open(conn, conn->context);
    if (conn->state == CONN_OPEN)
        pump_out(conn);
    if (conn->state == CONN_OPEN && transport_has_input(&conn->transport))
        event_active(conn->read_event, EV_READ, 1);
}

static void pump_handshake(struct net_conn *conn)
{
    enum transport_status status = transport_fill(&conn->transport);
    if (status == TRANSPORT_FAILED) {
        fail(conn, true, "%s", conn->transport.reason);
        return;
    }
    status = transport_handshake(&conn->transport);
    if (status == TRANSPORT_FAILED || status == TRANSPORT_CLOSED) {
        fail_transport(conn, status);
        return;
    }
    if (transport_flush(&conn->transport) == TRANSPORT_AGAIN)
        event_add(conn->write_event, NULL);
    if (status == TRANSPORT_OK)
        opened(conn);
}

static void start_handshake(struct net_conn *conn)
{
    conn->state = CONN_HANDSHAKING;
    wait_for(conn, HANDSHAKE_S);
    event_add(conn->read_event, NULL);
    pump_handshake(conn);
}

static void finish_connect(struct net_conn *conn)
{
    int error = 0;
    socklen_t len = sizeof error;
    getsockopt(conn->transport.fd, SOL_SOCKET, SO_ERROR, &error, &len);
    if (error != 0)
        fail(conn, true, "connect to %s: %s", conn->address, strerror(error));
    else
        start_handshake(conn);
}

/* ── events ── */

/* What still comes in while we are leaving is read and thrown away, until the peer's end. */
static void discard(struct net_conn *conn)
{
    for (int reads = 0; reads < READS_PER_WAKE_UP; reads++) {
        conn->transport.in.at = conn->transport.in.len;
        enum transport_status status = transport_fill(&conn->transport);
        if (status == TRANSPORT_AGAIN)
            return;
        if (status != TRANSPORT_OK) {
            end(conn, true);
            return;
        }
    }
}

static void on_read(evutil_socket_t fd, short what, void *argument)
{
    (void)fd;
    (void)what;
    struct net_conn *conn = argument;
    if (conn->state == CONN_HANDSHAKING)
        pump_handshake(conn);
    if (conn->state == CONN_OPEN)
        pump_in(conn);
    else if (conn->state == CONN_DRAINING || conn->state == CONN_LINGERING)
        discard(conn);
}

static void on_write(evutil_socket_t fd, short what, void *argument)
{
    (void)fd;
    (void)what;
    struct net_conn *conn = argument;
    if (conn->state == CONN_CONNECTING)
        finish_connect(conn);
    else if (conn->state == CONN_HANDSHAKING)
        pump_handshake(conn);
    else if (conn->state == CONN_OPEN || conn->state == CONN_DRAINING)
        pump_out(conn);
    else if (conn->state == CONN_LINGERING)
        linger(conn);
}

static void on_deadline(void *argument)
{
    struct net_conn *conn = argument;
    switch (conn->state) {
    case CONN_CONNECTING:
        fail(conn, true, "connect to %s: no answer within %d s", conn->address, CONNECT_S);
        break;
    case CONN_HANDSHAKING:
        fail(conn, false, "no TLS handshake within %d s", HANDSHAKE_S);
        break;
    case CONN_OPEN:
        fail(conn, true, "the peer does not read: %zu bytes have been waiting for %d s", conn->queue.bytes, STALLED_S);
        break;
    default: /* waited long enough for the peer's end */
        end(conn, true);
        break;
    }
}

/* ── construction and questions ── */

struct net_conn *net_conn_new(struct net_loop *loop, int fd, struct net_identity *identity, bool is_server,
                              bool connecting, const char *expect, const struct sockaddr *peer)
{
    struct net_conn *conn = mem_zalloc(sizeof *conn);
    if (transport_init(&conn->transport, fd, identity, is_server) < 0) {
        close(fd);
        free(conn);
        return NULL;
    }
    conn->loop = loop;
    conn->expect = mem_strdup(expect);
    net_address_text(peer, conn->address, sizeof conn->address);
    conn->read_event = event_new(loop->base, fd, EV_READ | EV_PERSIST, on_read, conn);
    conn->write_event = event_new(loop->base, fd, EV_WRITE, on_write, conn);
    conn->flush_event = event_new(loop->base, -1, 0, on_flush, conn);
    event_priority_set(conn->read_event, PRIORITY_IO);
    event_priority_set(conn->write_event, PRIORITY_IO);
    event_priority_set(conn->flush_event, PRIORITY_IO);
    conn->deadline = net_timer_new(loop, on_deadline, conn);
    TAILQ_INSERT_TAIL(&loop->conns, conn, link);
    conn->state = connecting ? CONN_CONNECTING : CONN_HANDSHAKING;
    wait_for(conn, connecting ? CONNECT_S : HANDSHAKE_S);
    event_add(connecting ? conn->write_event : conn->read_event, NULL);
    if (!connecting)
        event_active(conn->read_event, EV_READ, 1); /* plain TCP is open at once, but not before handlers are set */
    return conn;
}

void net_conn_handle(struct net_conn *conn, const struct net_handlers *handlers, void *context)
{
    conn->handlers = *handlers;
    conn->context = context;
}

void net_conns_destroy(struct net_loop *loop)
{
    struct net_conn *conn;
    while ((conn = TAILQ_FIRST(&loop->conns)) != NULL)
        conn_destroy(conn);
}

const char *net_conn_peer_name(const struct net_conn *conn)
{
    return conn->peer_name;
}

const char *net_conn_address(const struct net_conn *conn)
{
    return conn->address;
}

void net_conn_counts(const struct net_conn *conn, struct net_counts *out)
{
    *out = conn->counts;
    out->raw_in = conn->transport.raw_in;
    out->raw_out = conn->transport.raw_out;
}

int net_conn_tcp_info(const struct net_conn *conn, struct net_tcp_info *out)
{
    struct tcp_info info = {0};
    socklen_t len = sizeof info;
    if (getsockopt(conn->transport.fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0)
        return -1;
    *out = (struct net_tcp_info){
        .rtt_us = info.tcpi_rtt,
        .rttvar_us = info.tcpi_rttvar,
        .min_rtt_us = info.tcpi_min_rtt,
        .retransmits = info.tcpi_total_retrans,
        .mss = info.tcpi_snd_mss,
        .delivery_rate_bps = info.tcpi_delivery_rate * 8,
    };
    return 0;
}
