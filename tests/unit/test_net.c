/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Connections over loopback: TLS and plain, who is let in, what is counted, and that last words arrive. */
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
#include "net/net.h"

enum { DIMENSION = 100000, HANG_S = 30 };

static char root[] = "/tmp/laggard-net-XXXXXX"; /* has ours/, foreign/, expired/ */

static char *pem(const char *folder, const char *name)
{
    return mem_printf("%s/%s/%s", root, folder, name);
}

static struct net_identity *identity(const char *folder, const char *node, const char *ca_folder)
{
    char name[64];
    snprintf(name, sizeof name, "%s.pem", node);
    char *cert = pem(folder, name);
    snprintf(name, sizeof name, "%s.key", node);
    char *key = pem(folder, name);
    char *ca = pem(ca_folder, "ca.pem");
    struct error err = {{0}};
    struct net_identity *made = net_identity_load(cert, key, ca, &err);
    assert_string_equal(err.text, "");
    free(cert);
    free(key);
    free(ca);
    return made;
}

static int make_certificates(void **state)
{
    (void)state;
    static const struct {
        const char *folder;
        int days;
    } rows[] = {{"ours", 2}, {"foreign", 2}, {"expired", -1}};
    if (mkdtemp(root) == NULL)
        return -1;
    for (size_t i = 0; i < 3; i++) {
        char *folder = mem_printf("%s/%s", root, rows[i].folder);
        struct error err;
        if (mkdir(folder, 0700) < 0 || net_pki_create(folder, 2, rows[i].days, &err) < 0)
            return -1;
        free(folder);
    }
    return 0;
}

static int remove_certificates(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

/* ── a server and a client on one loop; each side notes what happens to it ── */

struct side {
    struct bed *bed;
    struct net_conn *conn;
    bool opened, closed;
    char reason[512], peer[64];
    uint32_t messages, last_round;
    size_t bytes;
    char refused[WIRE_REASON_MAX];
    struct net_counts counts;
};

struct bed {
    struct net_loop *loop;
    struct net_listener *listener;
    struct net_timer *hang;
    struct side server, client;
    void (*on_open)(struct side *side);
    void (*on_message)(struct side *side, const struct wire_message *message);
    uint32_t stop_after_closes, closes;
};

static void side_open(struct net_conn *conn, void *context)
{
    struct side *side = context;
    side->conn = conn;
    side->opened = true;
    snprintf(side->peer, sizeof side->peer, "%s", net_conn_peer_name(conn));
    if (side->bed->on_open)
        side->bed->on_open(side);
}

static void side_message(struct net_conn *conn, const struct wire_message *message, size_t bytes, void *context)
{
    struct side *side = context;
    side->conn = conn;
    side->messages++;
    side->bytes += bytes;
    if (message->type == WIRE_REFUSE)
        strcpy(side->refused, message->u.refuse.reason);
    if (side->bed->on_message)
        side->bed->on_message(side, message);
}

static void side_closed(struct net_conn *conn, const char *reason, void *context)
{
    struct side *side = context;
    assert_false(side->closed);
    side->closed = true;
    snprintf(side->reason, sizeof side->reason, "%s", reason);
    net_conn_counts(conn, &side->counts);
    side->conn = NULL;
    if (++side->bed->closes == side->bed->stop_after_closes)
        net_loop_stop(side->bed->loop);
}

static const struct net_handlers handlers = {side_open, side_message, side_closed};

static void on_accepted(struct net_conn *conn, void *context)
{
    struct bed *bed = context;
    bed->server.conn = conn;
    net_conn_handle(conn, &handlers, &bed->server);
}

static void on_hang(void *context)
{
    (void)context;
    fail_msg("nothing happened for %d s", HANG_S);
}

static void bed_up(struct bed *bed, struct net_identity *server, struct net_identity *client, const char *expect)
{
    struct error err = {{0}};
    bed->loop = net_loop_new();
    bed->server.bed = bed->client.bed = bed;
    if (bed->stop_after_closes == 0)
        bed->stop_after_closes = 2;
    bed->listener = net_listen(bed->loop, "127.0.0.1", 0, server, on_accepted, bed, &err);
    assert_string_equal(err.text, "");
    assert_non_null(net_connect(bed->loop, "127.0.0.1", net_listener_port(bed->listener), client, expect, &handlers,
                                &bed->client, &err));
    bed->hang = net_timer_new(bed->loop, on_hang, NULL);
    net_timer_at(bed->hang, clock_now_ns() + (int64_t)HANG_S * NS_PER_S);
}

static void bed_run_down(struct bed *bed)
{
    net_loop_run(bed->loop);
    net_timer_free(bed->hang);
    net_listener_free(bed->listener);
    net_loop_free(bed->loop);
}

/* ── θ there and back ── */

static double theta[DIMENSION];

static void echo_open(struct side *side)
{
    if (side == &side->bed->client)
        return;
    for (uint32_t i = 0; i < DIMENSION; i++)
        theta[i] = 1.0 / (i + 1);
    struct wire_message message = {.type = WIRE_THETA, .u.theta = {.round = 3, .n = DIMENSION, .value = theta}};
    net_conn_send(side->conn, &message);
}

static void echo_message(struct side *side, const struct wire_message *message)
{
    if (side == &side->bed->client) {
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

static void echo(struct net_identity *server, struct net_identity *client, struct bed *bed)
{
    bed->on_open = echo_open;
    bed->on_message = echo_message;
    bed_up(bed, server, client, "ps");
    bed_run_down(bed);
    assert_int_equal(bed->server.messages, 1);
    assert_int_equal(bed->client.messages, 1);
    assert_string_equal(bed->server.reason, "done");
    assert_int_equal(bed->client.counts.payload_in, bed->server.counts.payload_out);
    assert_int_equal(bed->client.counts.payload_out, bed->server.counts.payload_in);
    assert_int_equal(bed->client.counts.raw_in, bed->server.counts.raw_out);
}

static void conn__large_frames_over_tls__arrive_whole_and_are_counted(void **state)
{
    (void)state;
    struct net_identity *ps = identity("ours", "ps", "ours"), *worker = identity("ours", "worker1", "ours");
    struct bed bed = {0};
    echo(ps, worker, &bed);
    /* 22 bytes a record of at most 16 KiB, and a handshake. */
    uint64_t payload = bed.server.counts.payload_out;
    assert_in_range(bed.server.counts.raw_out, payload + payload / 16384 * 22, payload + payload / 16384 * 22 + 4096);
    net_identity_free(ps);
    net_identity_free(worker);
}

static void conn__large_frames_plain__raw_bytes_are_the_payload(void **state)
{
    (void)state;
    struct bed bed = {0};
    echo(NULL, NULL, &bed);
    assert_int_equal(bed.server.counts.raw_out, bed.server.counts.payload_out);
    assert_int_equal(bed.server.counts.raw_in, bed.server.counts.payload_in);
}

/* ── who is let in ── */

static void meet(struct net_identity *server, struct net_identity *client, const char *expect, struct bed *bed)
{
    bed_up(bed, server, client, expect);
    bed_run_down(bed);
    net_identity_free(server);
    net_identity_free(client);
}

static void conn__certificate_of_a_foreign_ca__both_sides_are_told_why(void **state)
{
    (void)state;
    struct bed bed = {0};
    meet(identity("ours", "ps", "ours"), identity("foreign", "worker1", "ours"), "ps", &bed);
    assert_false(bed.server.opened);
    assert_non_null(strstr(bed.server.reason, "certificate is not accepted"));
    assert_non_null(strstr(bed.client.reason, "unknown ca"));
}

static void conn__server_of_a_foreign_ca__client_refuses(void **state)
{
    (void)state;
    struct bed bed = {0};
    meet(identity("foreign", "ps", "foreign"), identity("ours", "worker1", "ours"), "ps", &bed);
    assert_false(bed.client.opened);
    assert_non_null(strstr(bed.client.reason, "certificate is not accepted"));
}

static void conn__expired_certificate__is_refused_by_that_name(void **state)
{
    (void)state;
    struct bed bed = {0};
    meet(identity("ours", "ps", "expired"), identity("expired", "worker1", "ours"), "ps", &bed);
    assert_false(bed.server.opened);
    assert_non_null(strstr(bed.server.reason, "expired"));
    assert_non_null(strstr(bed.client.reason, "expired"));
}

static void conn__server_with_another_name__client_refuses_naming_both(void **state)
{
    (void)state;
    struct bed bed = {0};
    meet(identity("ours", "worker2", "ours"), identity("ours", "worker1", "ours"), "ps", &bed);
    assert_false(bed.client.opened);
    assert_non_null(strstr(bed.client.reason, "'worker2'"));
    assert_non_null(strstr(bed.client.reason, "'ps'"));
}

/* A plain client is open at once and speaks first. */
static void hello_at_open(struct side *side)
{
    struct wire_message hello = {.type = WIRE_HELLO};
    net_conn_send(side->conn, &hello);
}

static void conn__plain_client_at_a_tls_server__is_refused(void **state)
{
    (void)state;
    struct bed bed = {0};
    bed.on_open = hello_at_open;
    struct net_identity *ps = identity("ours", "ps", "ours");
    bed_up(&bed, ps, NULL, NULL);
    bed_run_down(&bed);
    assert_false(bed.server.opened);
    assert_non_null(strstr(bed.server.reason, "TLS handshake"));
    net_identity_free(ps);
}

/* ── last words ── */

static void refuse_at_open(struct side *side)
{
    if (side == &side->bed->client) {
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
    struct bed bed = {.on_open = refuse_at_open};
    meet(identity("ours", "ps", "ours"), identity("ours", "worker1", "ours"), "ps", &bed);
    assert_string_equal(bed.client.refused, "worker1 is connected already");
    assert_string_equal(bed.server.reason, "refused");
    assert_string_equal(bed.server.peer, "worker1");
}

static void garbage_at_open(struct side *side)
{
    if (side == &side->bed->client) {
        struct wire_message message = {.type = WIRE_CANCEL, .version = 9};
        net_conn_send(side->conn, &message);
    }
}

static void conn__frame_of_another_version__closes_with_its_place(void **state)
{
    (void)state;
    struct bed bed = {.on_open = garbage_at_open};
    meet(identity("ours", "ps", "ours"), identity("ours", "worker1", "ours"), "ps", &bed);
    assert_non_null(strstr(bed.server.reason, "protocol error at byte 0"));
}

/* ── one frame, many queues ── */

enum { RECEIVERS = 20 };

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

struct clockwork {
    struct net_loop *loop;
    int64_t asked_ns, fired_ns;
    uint32_t chunks, chunks_at_timer;
};

static bool chunk(void *context)
{
    struct clockwork *clockwork = context;
    clockwork->chunks++;
    return clockwork->fired_ns == 0;
}

static void fired(void *context)
{
    struct clockwork *clockwork = context;
    clockwork->fired_ns = clock_now_ns();
    clockwork->chunks_at_timer = clockwork->chunks;
    net_loop_stop(clockwork->loop);
}

static void loop__timer_amid_idle_work__fires_not_before_its_time(void **state)
{
    (void)state;
    struct clockwork clockwork = {.loop = net_loop_new()};
    struct net_timer *timer = net_timer_new(clockwork.loop, fired, &clockwork);
    clockwork.asked_ns = clock_now_ns() + 20 * NS_PER_MS;
    net_timer_at(timer, clock_now_ns() + (int64_t)60 * NS_PER_S);
    net_timer_at(timer, clockwork.asked_ns); /* moves it */
    net_loop_idle(clockwork.loop, chunk, &clockwork);
    net_loop_run(clockwork.loop);
    assert_true(clockwork.fired_ns >= clockwork.asked_ns);
    assert_true(clockwork.chunks_at_timer > 1);
    net_timer_free(timer);
    net_loop_free(clockwork.loop);
}

static void pki__keys__are_readable_by_their_owner_alone(void **state)
{
    (void)state;
    char *key = pem("ours", "worker1.key"), *none = pem("ours", "ca.key");
    struct stat status;
    assert_int_equal(stat(key, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(stat(none, &status), -1);
    free(key);
    free(none);
}

static void identity__key_of_another__is_an_error_that_names_the_file(void **state)
{
    (void)state;
    char *cert = pem("ours", "ps.pem"), *key = pem("ours", "worker1.key"), *ca = pem("ours", "ca.pem");
    struct error err = {{0}};
    assert_null(net_identity_load(cert, key, ca, &err));
    assert_non_null(strstr(err.text, "worker1.key"));
    free(cert);
    free(key);
    free(ca);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conn__large_frames_over_tls__arrive_whole_and_are_counted),
        cmocka_unit_test(conn__large_frames_plain__raw_bytes_are_the_payload),
        cmocka_unit_test(conn__certificate_of_a_foreign_ca__both_sides_are_told_why),
        cmocka_unit_test(conn__server_of_a_foreign_ca__client_refuses),
        cmocka_unit_test(conn__expired_certificate__is_refused_by_that_name),
        cmocka_unit_test(conn__server_with_another_name__client_refuses_naming_both),
        cmocka_unit_test(conn__plain_client_at_a_tls_server__is_refused),
        cmocka_unit_test(conn__refusal_then_close__arrives_although_input_is_unread),
        cmocka_unit_test(conn__frame_of_another_version__closes_with_its_place),
        cmocka_unit_test(conn__one_theta_for_many__is_encoded_once_and_shared),
        cmocka_unit_test(loop__timer_amid_idle_work__fires_not_before_its_time),
        cmocka_unit_test(pki__keys__are_readable_by_their_owner_alone),
        cmocka_unit_test(identity__key_of_another__is_an_error_that_names_the_file),
    };
    return cmocka_run_group_tests_name("net", tests, make_certificates, remove_certificates);
}
