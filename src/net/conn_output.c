/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Output of a connection: frames into its queue, the queue through the transport. Nothing is sent in a caller's call but
 * when the loop comes round, so that what one event has to say to a peer goes out together. */
#include "config.h"

#include "net/conn_private.h"

#include <stdio.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "net/frame_private.h"

/* ── above the mark ── */

static void watch_stall(struct net_conn *conn)
{
    const struct net_limits *limits = &conn->loop->limits;
    bool is_high = net_queue_behind(&conn->queue) > limits->queue_high_bytes;
    if (is_high == conn->is_stalled)
        return;
    conn->is_stalled = is_high;
    if (is_high)
        net_timer_at(conn->deadline, clock_now_ns() + limits->stalled_ns);
    else
        net_timer_cancel(conn->deadline);
}

/* ── the queue through the transport ── */

/* Until the queue is empty (OK), or the socket is full or OpenSSL has to read first. */
static enum transport_status pump_queue(struct net_conn *conn)
{
    enum transport_status status = TRANSPORT_OK;
    while (status == TRANSPORT_OK && !net_queue_is_empty(&conn->queue)) {
        size_t len, taken;
        const uint8_t *bytes = net_queue_rest(&conn->queue, &len);
        status = transport_write(&conn->transport, bytes, len, &taken);
        if (status == TRANSPORT_OK)
            net_queue_sent(&conn->queue, taken);
        else if (status == TRANSPORT_WANT_OUTPUT)
            status = transport_flush(&conn->transport);
    }
    return status;
}

/* What is queued, then TLS's goodbye if we are leaving, then all that the transport has gathered. */
static enum transport_status pump(struct net_conn *conn)
{
    enum transport_status status = pump_queue(conn);
    conn->writes_wait_for_input = status == TRANSPORT_WANT_INPUT;
    if (status == TRANSPORT_OK && conn->state == CONN_DRAINING && !conn->has_said_goodbye) {
        conn->has_said_goodbye = true;
        transport_say_goodbye(&conn->transport);
    }
    if (status == TRANSPORT_OK || status == TRANSPORT_WANT_INPUT)
        status = transport_flush(&conn->transport);
    return status;
}

/* The socket takes no more. Why, the peer may have said before it went: an alert, or a refusal, is still to be read. */
static void output_failed(struct net_conn *conn, enum transport_status status)
{
    char reason[TRANSPORT_REASON_MAX];
    snprintf(reason, sizeof reason, "%s",
             status == TRANSPORT_CLOSED ? "the peer closed the connection" : conn->transport.reason);
    if (conn->state == CONN_OPEN && !conn->is_output_dead) {
        conn->is_output_dead = true;
        conn_pump_input(conn);
    }
    conn_fail(conn, true, "%s", reason);
}

void conn_pump_output(struct net_conn *conn)
{
    enum transport_status status = pump(conn);
    if (status == TRANSPORT_FAILED || status == TRANSPORT_CLOSED) {
        output_failed(conn, status);
        return;
    }
    if (status == TRANSPORT_WANT_OUTPUT)
        conn_watch(conn, conn->write_event);
    else if (conn->state == CONN_DRAINING && conn->has_said_goodbye)
        shutdown(conn->transport.fd, SHUT_WR); /* the peer's end will end us */
    if (conn->state == CONN_OPEN)
        watch_stall(conn);
}

/* ── doors ── */

void net_conn_send_frame(struct net_conn *conn, struct net_frame *frame)
{
    if (conn->state >= CONN_DRAINING)
        return;
    net_queue_push(&conn->queue, net_frame_ref(frame));
    conn->counts.frames_out++;
    conn->counts.payload_out += frame->len;
    conn_soon(conn->flush_event);
}

size_t net_conn_send(struct net_conn *conn, const struct wire_message *message)
{
    struct net_frame *frame = net_frame_new(message);
    size_t len = frame->len;
    net_conn_send_frame(conn, frame);
    net_frame_unref(frame);
    return len;
}

size_t net_conn_queued(const struct net_conn *conn)
{
    return conn->queue.bytes - conn->queue.offset;
}
