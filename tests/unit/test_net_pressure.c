/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Connections under pressure: peers that read slowly, not at all, or send a byte at a time; key updates in full buffers;
 * deadlines; no descriptors. The limits are made small, so that nothing here takes long; nothing depends on its being short. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "net/conn_private.h"
#include "net/frame_private.h"
#include "tests/unit/net_pair.h"

enum { DIMENSION = 100000, FRAMES = 20 };

static double theta[DIMENSION];

static struct wire_message theta_message(uint32_t round)
{
    return (struct wire_message){.type = WIRE_THETA, .u.theta = {.round = round, .n = DIMENSION, .value = theta}};
}

static void assert_says(const char *reason, const char *part)
{
    if (strstr(reason, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", reason, part);
}

/* ── a peer by hand: a blocking or non-blocking socket without any of our code behind it ── */

static int stranger(const struct pair *pair, int receive_bytes)
{
    struct sockaddr_in where = {.sin_family = AF_INET,
                                .sin_port = htons(net_listener_port(pair->listener)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_bytes > 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    assert_int_equal(connect(fd, (struct sockaddr *)&where, sizeof where), 0);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    return fd;
}

/* ── a reader that does not read ── */

struct frames {
    struct net_frame *one;
    size_t queued, references;
};

static void many_at_open(struct side *side)
{
    struct frames *frames = side->pair->context;
    for (uint32_t i = 0; i < FRAMES; i++)
        net_conn_send_frame(side->conn, frames->one);
    frames->queued = net_conn_queued(side->conn);
    frames->references = frames->one->references;
}

static void conn__peer_that_does_not_read__is_closed_above_the_mark_and_costs_one_frame(void **state)
{
    (void)state;
    struct wire_message message = theta_message(1);
    struct frames frames = {.one = net_frame_new(&message)};
    struct pair pair = {.on_open = many_at_open, .closes_wanted = 1, .context = &frames};
    pair_up(&pair, NULL);
    pair.loop->limits.queue_high_bytes = 4 * 1000 * 1000;
    pair.loop->limits.stalled_ns = 50 * NS_PER_MS;
    int fd = stranger(&pair, 4096);
    pair_run_down(&pair);
    assert_says(pair.server.reason, "the peer does not read: more than 4000000 bytes have been waiting for 0.05 s");
    /* 16 MB were queued, and it was one frame of 0.8 MB all the time. */
    assert_int_equal(frames.queued, FRAMES * net_frame_bytes(frames.one));
    assert_int_equal(frames.references, FRAMES + 1);
    assert_int_equal(frames.one->references, 1);
    net_frame_unref(frames.one);
    close(fd);
}

/* A single frame may be larger than the mark: what counts is what waits behind it. */
static void conn__frame_larger_than_the_mark__is_waited_for(void **state)
{
    (void)state;
    struct wire_message message = theta_message(1);
    struct net_frame *frame = net_frame_new(&message);
    struct net_queue queue = {.head = 0};
    assert_int_equal(net_queue_behind(&queue), 0);
    net_queue_push(&queue, net_frame_ref(frame));
    assert_int_equal(queue.bytes, frame->len);
    assert_int_equal(net_queue_behind(&queue), 0);
    net_queue_push(&queue, net_frame_ref(frame));
    net_queue_sent(&queue, 5);
    assert_int_equal(net_queue_behind(&queue), frame->len);
    net_queue_sent(&queue, frame->len - 5);
    assert_int_equal(net_queue_behind(&queue), 0);
    net_queue_clear(&queue);
    assert_int_equal(frame->references, 1);
    net_frame_unref(frame);
}

/* First in, first out, however pushes and pops interleave. */
static void queue__pushes_and_pops_in_turn__keep_the_order_and_little_memory(void **state)
{
    (void)state;
    struct net_queue queue = {.head = 0};
    uint32_t pushed = 0, popped = 0;
    for (int turn = 0; turn < 300; turn++) {
        for (int i = 0; i < 1 + turn % 7; i++) {
            struct wire_message message = {.type = WIRE_CANCEL, .u.cancel.round = pushed++};
            net_queue_push(&queue, net_frame_new(&message));
        }
        for (int i = 0; i < 1 + turn % 7 - (turn % 30 == 0); i++) {
            size_t len;
            uint32_t round;
            memcpy(&round, net_queue_rest(&queue, &len) + 8, sizeof round);
            assert_int_equal(round, popped++);
            net_queue_sent(&queue, len);
        }
    }
    assert_int_equal(queue.len - queue.head, pushed - popped);
    assert_in_range(queue.capacity, pushed - popped, 64);
    net_queue_clear(&queue);
}

/* ── a slow reader, and the end ── */

struct slow {
    struct pair *pair;
    struct net_timer *timer;
    int fd;
    size_t received;
};

static void frames_then_close(struct side *side)
{
    many_at_open(side);
    net_conn_close(side->conn, "all said");
}

static void read_slowly(void *context)
{
    struct slow *slow = context;
    static uint8_t bytes[512 * 1024];
    ssize_t got = recv(slow->fd, bytes, sizeof bytes, 0);
    if (got > 0)
        slow->received += (size_t)got;
    if (got == 0)
        close(slow->fd); /* our end is what the server waits for */
    else
        net_timer_at(slow->timer, clock_now_ns() + 3 * NS_PER_MS);
}

/* The patience of a closing connection once was counted from the close: what a slow link had not carried by then was lost. */
static void conn__close_with_a_slow_reader__loses_nothing_however_long_it_takes(void **state)
{
    (void)state;
    struct wire_message message = theta_message(1);
    struct frames frames = {.one = net_frame_new(&message)};
    struct pair pair = {.on_open = frames_then_close, .closes_wanted = 1, .context = &frames};
    pair_up(&pair, NULL);
    pair.loop->limits.closing_ns = 60 * NS_PER_MS; /* all of it takes several times as long */
    struct slow slow = {.pair = &pair, .fd = stranger(&pair, 64 * 1024)};
    slow.timer = net_timer_new(pair.loop, read_slowly, &slow);
    net_timer_at(slow.timer, clock_now_ns());
    pair_run_down(&pair);
    assert_string_equal(pair.server.reason, "all said");
    for (ssize_t got = 1; got > 0;) { /* what the kernel still has */
        uint8_t bytes[4096];
        got = recv(slow.fd, bytes, sizeof bytes, 0);
        slow.received += got > 0 ? (size_t)got : 0;
    }
    assert_int_equal(slow.received, FRAMES * net_frame_bytes(frames.one));
    net_timer_free(slow.timer);
    net_frame_unref(frames.one);
}

static void conn__close_with_a_dead_reader__gives_up(void **state)
{
    (void)state;
    struct wire_message message = theta_message(1);
    struct frames frames = {.one = net_frame_new(&message)};
    struct pair pair = {.on_open = frames_then_close, .closes_wanted = 1, .context = &frames};
    pair_up(&pair, NULL);
    pair.loop->limits.closing_ns = 20 * NS_PER_MS;
    int fd = stranger(&pair, 4096);
    pair_run_down(&pair);
    assert_string_equal(pair.server.reason, "all said");
    net_frame_unref(frames.one);
    close(fd);
}

/* ── a byte at a time, and half of it ── */

struct trickle {
    struct net_timer *timer;
    int fd;
    size_t sent, len, stop_at;
    uint8_t bytes[1024];
};

static void send_a_byte(void *context)
{
    struct trickle *trickle = context;
    if (trickle->sent == trickle->stop_at) {
        shutdown(trickle->fd, SHUT_WR);
        return;
    }
    assert_int_equal(send(trickle->fd, trickle->bytes + trickle->sent++, 1, MSG_NOSIGNAL), 1);
    net_timer_at(trickle->timer, clock_now_ns());
}

static void run_trickle(struct pair *pair, size_t stop_before_end)
{
    struct trickle trickle = {.len = 0};
    for (uint32_t round = 0; round < 3; round++) {
        struct wire_message message = {.type = WIRE_THETA, .u.theta = {.round = round, .n = 20, .value = theta}};
        wire_encode(&message, trickle.bytes + trickle.len);
        trickle.len += wire_size(&message);
    }
    trickle.stop_at = trickle.len - stop_before_end;
    pair->closes_wanted = 1;
    pair_up(pair, NULL);
    trickle.fd = stranger(pair, 0);
    int on = 1;
    setsockopt(trickle.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    trickle.timer = net_timer_new(pair->loop, send_a_byte, &trickle);
    net_timer_at(trickle.timer, clock_now_ns());
    pair_run_down(pair);
    assert_int_equal(pair->server.counts.raw_in, trickle.stop_at);
    net_timer_free(trickle.timer);
    close(trickle.fd);
}

static void conn__frames_a_byte_at_a_time__arrive_whole(void **state)
{
    (void)state;
    struct pair pair = {.on_open = NULL};
    run_trickle(&pair, 0);
    assert_int_equal(pair.server.messages, 3);
    assert_string_equal(pair.server.reason, "the peer closed the connection");
}

static void conn__end_within_a_frame__is_told_apart_from_an_orderly_one(void **state)
{
    (void)state;
    struct pair pair = {.on_open = NULL};
    run_trickle(&pair, 1);
    assert_int_equal(pair.server.messages, 2);
    assert_says(pair.server.reason, "in the middle of a message, after 175 bytes");
}

/* A length from a stranger is no reason to allocate. */
static void conn__header_beyond_a_maximum__closes_at_its_byte(void **state)
{
    (void)state;
    struct pair pair = {.closes_wanted = 1};
    pair_up(&pair, NULL);
    int fd = stranger(&pair, 0);
    struct wire_message message = {.type = WIRE_CANCEL};
    uint8_t bytes[2 * WIRE_HEADER_BYTES];
    wire_encode(&message, bytes);
    memcpy(bytes + WIRE_HEADER_BYTES, "\xf0\xff\xff\xff\1\6\0\0\0\0\0\0\xff\xff\xff\xff", WIRE_HEADER_BYTES);
    assert_int_equal(send(fd, bytes, sizeof bytes, 0), sizeof bytes);
    pair_run_down(&pair);
    assert_int_equal(pair.server.messages, 1);
    assert_says(pair.server.reason, "protocol error at byte 16: THETA has a count of 4294967295");
    close(fd);
}

/* ── key updates while both directions are full ── */

enum { EXCHANGED = 30 };

static void flood_at_open(struct side *side)
{
    for (uint32_t round = 0; round < EXCHANGED; round++) {
        struct wire_message message = theta_message(round);
        net_conn_send(side->conn, &message);
    }
    assert_int_equal(SSL_key_update(side->conn->transport.ssl, SSL_KEY_UPDATE_REQUESTED), 1);
}

/* After each large frame a new key is asked for, which the other side must answer with one of its own; in between lie small
 * frames, which come with the key update in one read. */
static void update_at_message(struct side *side, const struct wire_message *message)
{
    if (message->type == WIRE_THETA) {
        struct wire_message small = {.type = WIRE_CANCEL};
        assert_int_equal(SSL_key_update(side->conn->transport.ssl, SSL_KEY_UPDATE_REQUESTED), 1);
        net_conn_send(side->conn, &small);
    }
    if (side->pair->server.messages == 2 * EXCHANGED && side->pair->client.messages == 2 * EXCHANGED)
        net_loop_stop(side->pair->loop);
}

static void conn__key_updates_both_ways_in_full_buffers__stall_nothing(void **state)
{
    (void)state;
    struct pair pair = {.on_open = flood_at_open, .on_message = update_at_message};
    pair_meet(&pair, identity("ours", "ps", "ours"), identity("ours", "worker1", "ours"), "ps");
    assert_int_equal(pair.server.messages, 2 * EXCHANGED);
    assert_int_equal(pair.client.messages, 2 * EXCHANGED);
    assert_false(pair.server.closed || pair.client.closed);
}

/* A record that carries none of our bytes once ended a read, and a frame behind it in the same segment waited for the next. */
static void transport__frame_behind_a_key_update__is_read_without_new_input(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    struct net_identity *ps = identity("ours", "ps", "ours"), *worker = identity("ours", "worker1", "ours");
    struct transport server, client;
    assert_int_equal(transport_init(&server, fds[0], ps, true), 0);
    assert_int_equal(transport_init(&client, fds[1], worker, false), 0);
    for (int turn = 0; turn < 4; turn++) {
        struct transport *mine = turn % 2 ? &server : &client;
        (void)!transport_fill(mine);
        (void)!transport_handshake(mine);
        assert_int_equal(transport_flush(mine), TRANSPORT_OK);
    }
    assert_true(SSL_is_init_finished(server.ssl) && SSL_is_init_finished(client.ssl));
    size_t taken, got;
    char byte;
    assert_int_equal(SSL_key_update(client.ssl, SSL_KEY_UPDATE_REQUESTED), 1);
    assert_int_equal(transport_write(&client, "x", 1, &taken), TRANSPORT_OK);
    assert_int_equal(transport_flush(&client), TRANSPORT_OK);
    assert_int_equal(transport_fill(&server), TRANSPORT_OK);
    assert_int_equal(transport_read(&server, &byte, 1, &got), TRANSPORT_OK);
    assert_int_equal(byte, 'x');
    transport_clear(&server);
    transport_clear(&client);
    net_identity_free(ps);
    net_identity_free(worker);
}

/* ── deadlines ── */

static void conn__peer_that_never_shakes_hands__is_closed_in_time(void **state)
{
    (void)state;
    struct pair pair = {.closes_wanted = 1};
    struct net_identity *ps = identity("ours", "ps", "ours");
    pair_up(&pair, ps);
    pair.loop->limits.handshake_ns = 30 * NS_PER_MS;
    pair.loop->limits.closing_ns = 30 * NS_PER_MS;
    int fd = stranger(&pair, 0);
    pair_run_down(&pair);
    assert_string_equal(pair.server.reason, "no TLS handshake within 0.03 s");
    net_identity_free(ps);
    close(fd);
}

/* A listening socket whose backlog is full: connections beyond it get no answer, neither yes nor no. */
struct deaf {
    int listening, filling[3];
    uint16_t port;
};

static void deaf_open(struct deaf *deaf)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof here;
    deaf->listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(deaf->listening, (struct sockaddr *)&here, sizeof here), 0);
    assert_int_equal(listen(deaf->listening, 0), 0);
    assert_int_equal(getsockname(deaf->listening, (struct sockaddr *)&here, &len), 0);
    deaf->port = ntohs(here.sin_port);
    for (size_t i = 0; i < 3; i++) {
        deaf->filling[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        int status = connect(deaf->filling[i], (struct sockaddr *)&here, sizeof here);
        assert_true(status == 0 || errno == EINPROGRESS);
    }
}

static void deaf_close(struct deaf *deaf)
{
    for (size_t i = 0; i < 3; i++)
        close(deaf->filling[i]);
    close(deaf->listening);
}

static void conn__connect_without_an_answer__is_given_up_in_time(void **state)
{
    (void)state;
    struct deaf deaf;
    struct pair pair = {.closes_wanted = 1};
    struct error err = {{0}};
    deaf_open(&deaf);
    pair_up(&pair, NULL);
    pair.loop->limits.connect_ns = 30 * NS_PER_MS;
    assert_non_null(net_connect(pair.loop, "127.0.0.1", deaf.port, NULL, NULL, &pair_handlers, &pair.client, &err));
    pair_run_down(&pair);
    assert_says(pair.client.reason, "connect to 127.0.0.1:");
    assert_says(pair.client.reason, ": no answer within 0.03 s");
    deaf_close(&deaf);
}

/* A server by hand, in the client's open(): takes the connection, refuses, resets; then the client has something to send. */
static void refused_and_reset_at_open(struct side *side)
{
    const int *listening = side->pair->context;
    struct linger reset = {.l_onoff = 1, .l_linger = 0};
    struct wire_message refuse = {.type = WIRE_REFUSE, .u.refuse.reason = "not you"}, hello = {.type = WIRE_HELLO};
    uint8_t bytes[64];
    int fd = accept(*listening, NULL, NULL);
    wire_encode(&refuse, bytes);
    assert_int_equal(send(fd, bytes, wire_size(&refuse), MSG_NOSIGNAL), wire_size(&refuse));
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    close(fd);
    net_conn_send(side->conn, &hello);
}

static void conn__refusal_before_a_reset__is_read_although_sending_fails(void **state)
{
    (void)state;
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof here;
    int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct pair pair = {.on_open = refused_and_reset_at_open, .closes_wanted = 1, .context = &listening};
    struct error err;
    assert_int_equal(bind(listening, (struct sockaddr *)&here, sizeof here), 0);
    assert_int_equal(listen(listening, 1), 0);
    assert_int_equal(getsockname(listening, (struct sockaddr *)&here, &len), 0);
    pair_up(&pair, NULL);
    assert_non_null(
        net_connect(pair.loop, "127.0.0.1", ntohs(here.sin_port), NULL, NULL, &pair_handlers, &pair.client, &err));
    pair_run_down(&pair);
    assert_string_equal(pair.client.refused, "not you");
    close(listening);
}

static void conn__connect_where_nobody_listens__says_so(void **state)
{
    (void)state;
    struct pair pair = {.closes_wanted = 1};
    pair_up(&pair, NULL);
    uint16_t port = net_listener_port(pair.listener);
    net_listener_free(pair.listener);
    pair.listener = NULL;
    struct error err = {{0}};
    assert_non_null(net_connect(pair.loop, "127.0.0.1", port, NULL, NULL, &pair_handlers, &pair.client, &err));
    pair_run_down(&pair);
    assert_says(pair.client.reason, "Connection refused");
    pair.loop = net_loop_new();
    assert_null(net_connect(pair.loop, "localhost", port, NULL, NULL, &pair_handlers, &pair.client, &err));
    assert_says(err.text, "localhost: not an IPv4 or IPv6 address");
    net_loop_free(pair.loop);
}

/* ── no descriptors left ── */

struct starved {
    struct pair *pair;
    struct net_timer *timer;
    rlim_t before;
    int warnings;
};

static void set_descriptor_limit(rlim_t soft)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = soft;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void feed(void *context)
{
    struct starved *starved = context;
    assert_false(starved->pair->server.opened);
    set_descriptor_limit(starved->before);
}

static void count_warning(void *context, const char *line)
{
    struct starved *starved = context;
    starved->warnings += strstr(line, "no connection can be accepted") != NULL;
}

static void stop_at_open(struct side *side)
{
    net_loop_stop(side->pair->loop);
}

static void listener__no_descriptor_for_a_while__accepts_later_and_does_not_spin(void **state)
{
    (void)state;
    struct pair pair = {.on_open = stop_at_open};
    struct starved starved = {.pair = &pair};
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    starved.before = limit.rlim_cur;
    pair_up(&pair, NULL);
    pair.loop->limits.accept_pause_ns = 60 * NS_PER_MS;
    starved.timer = net_timer_new(pair.loop, feed, &starved);
    int fd = stranger(&pair, 0), next = dup(fd);
    close(next);
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC); /* takes `next`; the log is not for the screen */
    log_to(null);
    log_tell(count_warning, &starved);
    set_descriptor_limit((rlim_t)null + 1);
    net_timer_at(starved.timer, clock_now_ns() + 20 * NS_PER_MS);
    pair_run_down(&pair);
    log_tell(NULL, NULL);
    log_to(STDERR_FILENO);
    assert_true(pair.server.opened);
    assert_in_range(starved.warnings, 1, 3);
    net_timer_free(starved.timer);
    close(null);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conn__peer_that_does_not_read__is_closed_above_the_mark_and_costs_one_frame),
        cmocka_unit_test(conn__frame_larger_than_the_mark__is_waited_for),
        cmocka_unit_test(queue__pushes_and_pops_in_turn__keep_the_order_and_little_memory),
        cmocka_unit_test(conn__close_with_a_slow_reader__loses_nothing_however_long_it_takes),
        cmocka_unit_test(conn__close_with_a_dead_reader__gives_up),
        cmocka_unit_test(conn__frames_a_byte_at_a_time__arrive_whole),
        cmocka_unit_test(conn__end_within_a_frame__is_told_apart_from_an_orderly_one),
        cmocka_unit_test(conn__header_beyond_a_maximum__closes_at_its_byte),
        cmocka_unit_test(conn__key_updates_both_ways_in_full_buffers__stall_nothing),
        cmocka_unit_test(transport__frame_behind_a_key_update__is_read_without_new_input),
        cmocka_unit_test(conn__peer_that_never_shakes_hands__is_closed_in_time),
        cmocka_unit_test(conn__connect_without_an_answer__is_given_up_in_time),
        cmocka_unit_test(conn__refusal_before_a_reset__is_read_although_sending_fails),
        cmocka_unit_test(conn__connect_where_nobody_listens__says_so),
        cmocka_unit_test(listener__no_descriptor_for_a_while__accepts_later_and_does_not_spin),
    };
    return cmocka_run_group_tests_name("net_pressure", tests, make_certificates, remove_certificates);
}
