/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A connection's life (conn_private.h has the states): connect, handshake, open, and the two ways to its end. Callbacks
 * only move the state; reporting and freeing happen in net_conn_reap, called from the loop's reaper. */
#include "config.h"

#include "net/conn_private.h"

#include <assert.h>
#include <errno.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <openssl/x509.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

static void move(struct net_conn *conn, enum conn_state state)
{
    assert(state > conn->state);
    conn->state = state;
}

static void wait_at_most(struct net_conn *conn, int64_t wait_ns)
{
    net_timer_at(conn->deadline, clock_now_ns() + wait_ns);
}

void conn_watch(struct net_conn *conn, struct event *event)
{
    if (event_add(event, NULL) < 0)
        conn_fail(conn, true, "the socket cannot be watched: %s", strerror(errno));
}

void conn_soon(struct event *event)
{
    event_active(event, EV_READ, 1);
}

/* ── reaping ── */

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

static void destroy(struct net_conn *conn)
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
        destroy(conn);
}

void net_conns_destroy(struct net_loop *loop)
{
    struct net_conn *conn;
    while ((conn = TAILQ_FIRST(&loop->conns)) != NULL)
        destroy(conn);
}

/* ── ends ── */

/* What the peer has not got yet: queued here, gathered, or on its way without an acknowledgement. */
static size_t bytes_left(const struct net_conn *conn)
{
    int unacknowledged = 0;
    if (ioctl(conn->transport.fd, SIOCOUTQ, &unacknowledged) < 0)
        unacknowledged = 0;
    return net_conn_queued(conn) + transport_output(&conn->transport) + (size_t)unacknowledged;
}

static void wait_for_the_peer(struct net_conn *conn)
{
    conn->left = bytes_left(conn);
    wait_at_most(conn, conn->loop->limits.closing_ns);
}

/* Last words are in the gathering buffer: send them, say that no more will come, and wait for the peer's end. */
static void linger(struct net_conn *conn)
{
    if (transport_flush(&conn->transport) == TRANSPORT_WANT_OUTPUT)
        conn_watch(conn, conn->write_event);
    else
        shutdown(conn->transport.fd, SHUT_WR); /* if sending has failed, the peer's end is not far */
}

static void end(struct net_conn *conn, bool is_peer_gone)
{
    net_queue_clear(&conn->queue);
    event_del(conn->write_event);
    if (is_peer_gone) {
        move(conn, CONN_CLOSED);
        event_del(conn->read_event);
        net_timer_cancel(conn->deadline);
    } else {
        move(conn, CONN_LINGERING);
        wait_for_the_peer(conn);
        linger(conn);
    }
    doom(conn);
}

void conn_fail(struct net_conn *conn, bool is_peer_gone, const char *format, ...)
{
    if (conn->state == CONN_CLOSED || (conn->state == CONN_LINGERING && !is_peer_gone))
        return;
    if (conn->state < CONN_DRAINING) {
        va_list args;
        va_start(args, format);
        vsnprintf(conn->reason, sizeof conn->reason, format, args);
        va_end(args);
    }
    end(conn, is_peer_gone);
}

void conn_fail_transport(struct net_conn *conn, enum transport_status status)
{
    if (status != TRANSPORT_CLOSED)
        conn_fail(conn, false, "%s", conn->transport.reason);
    else
        conn_fail(conn, true, "the peer closed the connection%s",
                  conn->state == CONN_HANDSHAKING ? " during the TLS handshake" : "");
}

void net_conn_free(struct net_conn *conn)
{
    if (conn == NULL)
        return;
    conn->is_reported = true; /* nobody wants to hear of it */
    if (conn->state != CONN_CLOSED)
        end(conn, true);
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
    move(conn, CONN_DRAINING);
    wait_for_the_peer(conn);
    conn_soon(conn->flush_event);
}

/* ── beginnings ── */

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
        conn_fail(conn, false, "the peer's certificate is for '%s', not for '%s'", conn->peer_name, conn->expect);
        return;
    }
    move(conn, CONN_OPEN);
    net_timer_cancel(conn->deadline);
    if (conn->handlers.open != NULL)
        conn->handlers.open(conn, conn->context);
    if (conn->state == CONN_OPEN)
        conn_pump_output(conn);
    if (conn->state == CONN_OPEN && transport_has_input(&conn->transport))
        conn_soon(conn->read_event);
}

static void pump_handshake(struct net_conn *conn)
{
    if (transport_fill(&conn->transport) == TRANSPORT_FAILED) {
        conn_fail(conn, true, "%s", conn->transport.reason);
        return;
    }
    enum transport_status status = transport_handshake(&conn->transport);
    if (status == TRANSPORT_FAILED || status == TRANSPORT_CLOSED) {
        conn_fail_transport(conn, status);
        return;
    }
    enum transport_status sent = transport_flush(&conn->transport);
    if (sent == TRANSPORT_FAILED)
        conn_fail(conn, true, "%s", conn->transport.reason);
    else if (sent == TRANSPORT_WANT_OUTPUT)
        conn_watch(conn, conn->write_event);
    if (status == TRANSPORT_OK && conn->state == CONN_HANDSHAKING)
        opened(conn);
}

static void finish_connect(struct net_conn *conn)
{
    int error = 0;
    socklen_t len = sizeof error;
    if (getsockopt(conn->transport.fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
        error = errno;
    if (error != 0) {
        conn_fail(conn, true, "connect to %s: %s", conn->address, strerror(error));
        return;
    }
    move(conn, CONN_HANDSHAKING);
    wait_at_most(conn, conn->loop->limits.handshake_ns);
    conn_watch(conn, conn->read_event);
    if (conn->state == CONN_HANDSHAKING)
        pump_handshake(conn);
}

/* ── events ── */

/* What still comes in while we are leaving is read and thrown away, until the peer's end. */
static void discard(struct net_conn *conn)
{
    conn->transport.in.at = conn->transport.in.len;
    enum transport_status status = transport_fill(&conn->transport);
    if (status == TRANSPORT_CLOSED || status == TRANSPORT_FAILED)
        end(conn, true);
}

static void on_read(evutil_socket_t fd, short what, void *argument)
{
    (void)fd;
    (void)what;
    struct net_conn *conn = argument;
    if (conn->state == CONN_HANDSHAKING)
        pump_handshake(conn);
    if (conn->state == CONN_OPEN)
        conn_pump_input(conn);
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
        conn_pump_output(conn);
    else if (conn->state == CONN_LINGERING)
        linger(conn);
}

static void on_flush(evutil_socket_t fd, short what, void *argument)
{
    (void)fd;
    (void)what;
    struct net_conn *conn = argument;
    if (conn->state == CONN_OPEN || conn->state == CONN_DRAINING)
        conn_pump_output(conn);
}

static double seconds(int64_t ns)
{
    return (double)ns / NS_PER_S;
}

static void on_deadline(void *argument)
{
    struct net_conn *conn = argument;
    const struct net_limits *limits = &conn->loop->limits;
    switch (conn->state) {
    case CONN_CONNECTING:
        conn_fail(conn, true, "connect to %s: no answer within %g s", conn->address, seconds(limits->connect_ns));
        break;
    case CONN_HANDSHAKING:
        conn_fail(conn, false, "no TLS handshake within %g s", seconds(limits->handshake_ns));
        break;
    case CONN_OPEN:
        conn_fail(conn, true, "the peer does not read: more than %zu bytes have been waiting for %g s",
                  limits->queue_high_bytes, seconds(limits->stalled_ns));
        break;
    case CONN_DRAINING:
    case CONN_LINGERING:
        if (bytes_left(conn) < conn->left) /* slow, but it gets there */
            wait_for_the_peer(conn);
        else
            end(conn, true);
        break;
    case CONN_CLOSED:
        break;
    }
}

/* ── construction and questions ── */

static struct event *new_event(struct net_conn *conn, int fd, short what, event_callback_fn callback)
{
    struct event *event = net_must(event_new(conn->loop->base, fd, what, callback, conn));
    event_priority_set(event, PRIORITY_IO);
    return event;
}

struct net_conn *net_conn_new(struct net_loop *loop, int fd, struct net_identity *identity, bool is_server,
                              bool is_connecting, const char *expect, const struct sockaddr *peer)
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
    conn->read_event = new_event(conn, fd, EV_READ | EV_PERSIST, on_read);
    conn->write_event = new_event(conn, fd, EV_WRITE, on_write);
    conn->flush_event = new_event(conn, -1, 0, on_flush);
    conn->deadline = net_timer_new(loop, on_deadline, conn);
    conn->state = is_connecting ? CONN_CONNECTING : CONN_HANDSHAKING;
    TAILQ_INSERT_TAIL(&loop->conns, conn, link);
    wait_at_most(conn, is_connecting ? loop->limits.connect_ns : loop->limits.handshake_ns);
    conn_watch(conn, is_connecting ? conn->write_event : conn->read_event);
    if (!is_connecting)
        conn_soon(conn->read_event); /* plain TCP is open at once, but not before handlers are set */
    return conn;
}

void net_conn_handle(struct net_conn *conn, const struct net_handlers *handlers, void *context)
{
    conn->handlers = *handlers;
    conn->context = context;
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
