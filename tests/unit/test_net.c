/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Connections over loopback: TLS and plain, what is counted, and that last words arrive. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/frame_private.h"
#include "tests/unit/net_pair.h"

enum { DIMENSION = 100000 };

/* ── θ there and back ── */

static double theta[DIMENSION];

static void echo_open(struct side *side)
{
    if (side == &side->pair->client)
        return;
    for (uint32_t i = 0; i < DIMENSION; i++)
        theta[i] = 1.0 / (i + 1);
    struct wire_message message = {.type = WIRE_THETA, .u.theta = {.round = 3, .n = DIMENSION, .value = theta}};
    net_conn_send(side->conn, &message);
}

static void echo_message(struct side *side, const struct wire_message *message)
{
    if (side == &side->pair->client) {
        assert_int_equal(message->type, WIRE_THETA);
        struct wire_message answer = {
            .type = WIRE_ANSWER,
            .u.answer = {.round = message->u.theta.round, .n = message->u.theta.n, .vector = message->u.theta.value}};
        net_conn_send(side->conn, &answer);
        return;
    }
    assert_int_equal(message->type, WIRE_ANSWER);
    assert_memory_equal(message->u.answer.vector, theta, sizeof theta);
    net_conn_close(side->conn, "done");
}

static void echo(struct net_identity *server, struct net_identity *client, struct pair *pair)
{
    pair->on_open = echo_open;
    pair->on_message = echo_message;
    pair_meet(pair, server, client, "ps");
    assert_int_equal(pair->server.messages, 1);
    assert_int_equal(pair->client.messages, 1);
    assert_string_equal(pair->server.reason, "done");
    assert_int_equal(pair->client.counts.payload_in, pair->server.counts.payload_out);
    assert_int_equal(pair->client.counts.payload_out, pair->server.counts.payload_in);
    assert_int_equal(pair->client.counts.raw_in, pair->server.counts.raw_out);
}

static void conn__large_frames_over_tls__arrive_whole_and_are_counted(void **state)
{
    (void)state;
    struct net_identity *ps = identity("ours", "ps", "ours"), *worker = identity("ours", "worker1", "ours");
    struct pair pair = {0};
    echo(ps, worker, &pair);
    /* 22 bytes a record of at most 16 KiB, and a handshake. */
    uint64_t payload = pair.server.counts.payload_out;
    assert_in_range(pair.server.counts.raw_out, payload + payload / 16384 * 22, payload + payload / 16384 * 22 + 4096);
}

static void conn__large_frames_plain__raw_bytes_are_the_payload(void **state)
{
    (void)state;
    struct pair pair = {0};
    echo(NULL, NULL, &pair);
    assert_int_equal(pair.server.counts.raw_out, pair.server.counts.payload_out);
    assert_int_equal(pair.server.counts.raw_in, pair.server.counts.payload_in);
}

/* ── last words ── */

static void refuse_at_open(struct side *side)
{
    if (side == &side->pair->client) {
        struct wire_message theirs = {.type = WIRE_THETA, .u.theta = {.n = DIMENSION, .value = theta}};
        net_conn_send(side->conn, &theirs); /* input that nobody will read must not destroy the refusal */
        return;
    }
    struct wire_message refuse = {.type = WIRE_REFUSE};
    strcpy(refuse.u.refuse.reason, "worker1 is connected already");
    net_conn_send(side->conn, &refuse);
    net_conn_close(side->conn, "refused");
}

static void conn__refusal_then_close__arrives_although_input_is_unread(void **state)
{
    (void)state;
    struct pair pair = {.on_open = refuse_at_open};
    pair_meet(&pair, identity("ours", "ps", "ours"), identity("ours", "worker1", "ours"), "ps");
    assert_string_equal(pair.client.refused, "worker1 is connected already");
    assert_string_equal(pair.server.reason, "refused");
    assert_string_equal(pair.server.peer, "worker1");
}

static void garbage_at_open(struct side *side)
{
    if (side == &side->pair->client) {
        struct wire_message message = {.type = WIRE_CANCEL, .version = 9};
        net_conn_send(side->conn, &message);
    }
}

static void conn__frame_of_another_version__closes_with_its_place(void **state)
{
    (void)state;
    struct pair pair = {.on_open = garbage_at_open};
    pair_meet(&pair, identity("ours", "ps", "ours"), identity("ours", "worker1", "ours"), "ps");
    assert_non_null(strstr(pair.server.reason, "protocol error at byte 0"));
}

/* ── one frame, many queues ── */

enum { RECEIVERS = 50 };

struct fan {
    struct net_loop *loop;
    struct net_frame *frame;
    uint32_t opened, received;
    size_t references_seen;
    struct net_conn *to[RECEIVERS];
};

static void fan_open(struct net_conn *conn, void *context)
{
    struct fan *fan = context;
    fan->to[fan->opened++] = conn;
    if (fan->opened < RECEIVERS)
        return;
    for (uint32_t i = 0; i < RECEIVERS; i++)
        net_conn_send_frame(fan->to[i], fan->frame);
    fan->references_seen = fan->frame->references;
}

static void fan_received(struct net_conn *conn, const struct wire_message *message, size_t bytes, void *context)
{
    (void)conn;
    (void)bytes;
    struct fan *fan = context;
    assert_memory_equal(message->u.theta.value, theta, sizeof theta);
    if (++fan->received == RECEIVERS)
        net_loop_stop(fan->loop);
}

static void fan_accepted(struct net_conn *conn, void *context)
{
    static const struct net_handlers server = {.open = fan_open};
    net_conn_handle(conn, &server, context);
}

static void conn__one_theta_for_many__is_encoded_once_and_shared(void **state)
{
    (void)state;
    struct fan fan = {.loop = net_loop_new()};
    struct error err = {{0}};
    struct net_identity *ps = identity("ours", "ps", "ours"), *worker = identity("ours", "worker1", "ours");
    struct wire_message message = {.type = WIRE_THETA, .u.theta = {.n = DIMENSION, .value = theta}};
    fan.frame = net_frame_new(&message);
    struct net_listener *listener = net_listen(fan.loop, "127.0.0.1", 0, ps, fan_accepted, &fan, &err);
    assert_non_null(listener);
    static const struct net_handlers client = {.message = fan_received};
    for (int i = 0; i < RECEIVERS; i++)
        assert_non_null(
            net_connect(fan.loop, "127.0.0.1", net_listener_port(listener), worker, "ps", &client, &fan, &err));
    net_loop_run(fan.loop);
    assert_int_equal(fan.received, RECEIVERS);
    assert_int_equal(fan.references_seen, RECEIVERS + 1);
    assert_int_equal(fan.frame->references, 1);
    struct net_tcp_info info;
    assert_int_equal(net_conn_tcp_info(fan.to[0], &info), 0);
    assert_true(info.mss > 0);
    net_frame_unref(fan.frame);
    net_listener_free(listener);
    net_loop_free(fan.loop);
    net_identity_free(ps);
    net_identity_free(worker);
}

/* ── loop ── */

enum { CHUNKS_MAX = 10000000 }; /* a loop that never leaves its work is through with them in a second, and found out */

struct clockwork {
    struct net_loop *loop;
    int64_t asked_ns, fired_ns;
    uint32_t chunks, chunks_at_event, limit;
    int pipe[2];
};

static bool chunk(void *context)
{
    struct clockwork *clockwork = context;
    if (++clockwork->chunks == clockwork->limit)
        net_loop_stop(clockwork->loop);
    if (clockwork->chunks == 5 && clockwork->pipe[1] > 0)
        assert_int_equal(write(clockwork->pipe[1], "x", 1), 1);
    return true;
}

static void fired(void *context)
{
    struct clockwork *clockwork = context;
    clockwork->fired_ns = clock_now_ns();
    net_loop_stop(clockwork->loop);
}

static void loop__timer_amid_idle_work__fires_not_before_its_time(void **state)
{
    (void)state;
    struct clockwork clockwork = {.loop = net_loop_new(), .limit = CHUNKS_MAX};
    struct net_timer *timer = net_timer_new(clockwork.loop, fired, &clockwork);
    clockwork.asked_ns = clock_now_ns() + 20 * NS_PER_MS;
    net_timer_at(timer, clock_now_ns() + (int64_t)60 * NS_PER_S);
    net_timer_at(timer, clockwork.asked_ns); /* moves it */
    net_loop_idle(clockwork.loop, chunk, &clockwork);
    net_loop_run(clockwork.loop);
    assert_true(clockwork.fired_ns >= clockwork.asked_ns);
    assert_in_range(clockwork.chunks, 1, CHUNKS_MAX - 1);
    net_timer_free(timer);
    net_loop_free(clockwork.loop);
}

static void readable(void *context)
{
    struct clockwork *clockwork = context;
    clockwork->chunks_at_event = clockwork->chunks;
    net_loop_stop(clockwork->loop);
}

/* The loop once stayed with idle work until it was done, and a worker that computed was deaf to a cancel. */
static void loop__input_amid_idle_work__is_seen_before_the_next_chunk(void **state)
{
    (void)state;
    struct clockwork clockwork = {.loop = net_loop_new(), .limit = 100};
    assert_int_equal(pipe(clockwork.pipe), 0);
    struct net_watch *watch = net_watch_fd(clockwork.loop, clockwork.pipe[0], readable, &clockwork);
    net_loop_idle(clockwork.loop, chunk, &clockwork);
    net_loop_run(clockwork.loop);
    assert_int_equal(clockwork.chunks_at_event, 5); /* written in the fifth */
    net_watch_free(watch);
    close(clockwork.pipe[0]);
    close(clockwork.pipe[1]);
    net_loop_free(clockwork.loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conn__large_frames_over_tls__arrive_whole_and_are_counted),
        cmocka_unit_test(conn__large_frames_plain__raw_bytes_are_the_payload),
        cmocka_unit_test(conn__refusal_then_close__arrives_although_input_is_unread),
        cmocka_unit_test(conn__frame_of_another_version__closes_with_its_place),
        cmocka_unit_test(conn__one_theta_for_many__is_encoded_once_and_shared),
        cmocka_unit_test(loop__input_amid_idle_work__is_seen_before_the_next_chunk),
        cmocka_unit_test(loop__timer_amid_idle_work__fires_not_before_its_time),
    };
    return cmocka_run_group_tests_name("net", tests, make_certificates, remove_certificates);
}
