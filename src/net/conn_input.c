/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input of a connection: decrypted straight into the frame in hand, which is delivered when it is whole. So many reads
 * and frames a wake-up, so that one busy peer does not keep the others waiting. */
#include "config.h"

#include "net/conn_private.h"

enum { READS_PER_WAKE_UP = 8, FRAMES_PER_WAKE_UP = 64 };

static void fail_protocol(struct net_conn *conn, const struct error *err)
{
    conn_fail(conn, false, "protocol error at byte %llu: %s", (unsigned long long)conn->counts.payload_in, err->text);
}

static void deliver(struct net_conn *conn)
{
    struct wire_message message;
    struct error err = {{0}};
    size_t bytes;
    if (net_inbox_take(&conn->inbox, &message, &bytes, &err) < 0) {
        fail_protocol(conn, &err);
        return;
    }
    conn->counts.frames_in++;
    conn->counts.payload_in += bytes;
    conn->handlers.message(conn, &message, bytes, conn->context);
}

/* Some more of the frame in hand. OK: something came, *is_delivered if that was the rest of it. */
static enum transport_status read_some(struct net_conn *conn, bool *is_delivered)
{
    struct error err = {{0}};
    uint8_t *at;
    size_t room, got;
    *is_delivered = false;
    if (net_inbox_want(&conn->inbox, &at, &room, &err) < 0) {
        fail_protocol(conn, &err);
        return TRANSPORT_OK;
    }
    enum transport_status status = transport_read(&conn->transport, at, room, &got);
    if (status != TRANSPORT_OK)
        return status;
    net_inbox_got(&conn->inbox, got);
    if (net_inbox_want(&conn->inbox, &at, &room, &err) < 0)
        fail_protocol(conn, &err);
    else if ((*is_delivered = room == 0))
        deliver(conn);
    return TRANSPORT_OK;
}

/* The peer's end: in order, or in the middle of a frame. */
static void ended(struct net_conn *conn)
{
    if (conn->inbox.len > 0)
        conn_fail(conn, true, "the peer closed the connection in the middle of a message, after %zu bytes of it",
                  conn->inbox.len);
    else
        conn_fail_transport(conn, TRANSPORT_CLOSED);
}

/* Frames out of what has been read. OK: the frames of one wake-up are used up and more may wait; WANT_INPUT: none waits.
 * The connection may be over afterwards. */
static enum transport_status pump_frames(struct net_conn *conn)
{
    for (int frames = 0; frames < FRAMES_PER_WAKE_UP && conn->state == CONN_OPEN;) {
        bool is_delivered;
        enum transport_status status = read_some(conn, &is_delivered);
        if (status == TRANSPORT_CLOSED)
            ended(conn);
        else if (status == TRANSPORT_FAILED)
            conn_fail_transport(conn, status);
        if (status != TRANSPORT_OK)
            return status;
        frames += is_delivered;
    }
    return TRANSPORT_OK;
}

/* May more frames be tried? The end of the stream is met, in its turn, by who reads. */
static bool fill(struct net_conn *conn)
{
    enum transport_status status = transport_fill(&conn->transport);
    if (status == TRANSPORT_FAILED)
        conn_fail(conn, true, "%s", conn->transport.reason);
    return status == TRANSPORT_OK || status == TRANSPORT_CLOSED;
}

void conn_pump_input(struct net_conn *conn)
{
    bool is_used_up = !transport_has_input(&conn->transport);
    for (int reads = 0; reads < READS_PER_WAKE_UP; reads++) {
        if (is_used_up && !fill(conn))
            break;
        enum transport_status status = pump_frames(conn);
        if (conn->state != CONN_OPEN)
            return;
        if (status == TRANSPORT_OK) { /* the others first */
            conn_soon(conn->read_event);
            break;
        }
        is_used_up = true;
    }
    if (conn->state == CONN_OPEN && (conn->writes_wait_for_input || transport_output(&conn->transport) > 0))
        conn_pump_output(conn);
}
