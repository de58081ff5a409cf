/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OpenSSL without memory: each of its allocations during a connection's life is refused once, and the connection works, or
 * is closed with a reason, on both sides; nothing crashes, hangs or is delivered wrongly. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "tests/unit/net_pair.h"

enum { TRIES = 150 };

/* OpenSSL asks here for its memory. */
static struct {
    uint64_t asked, refuse_at; /* 0: none */
} memory;

static bool is_refused(void)
{
    return ++memory.asked == memory.refuse_at;
}

static void *try_malloc(size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return is_refused() ? NULL : malloc(size);
}

static void *try_realloc(void *old, size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return is_refused() ? NULL : realloc(old, size);
}

static void plain_free(void *old, const char *file, int line)
{
    (void)file;
    (void)line;
    free(old);
}

/* One small frame there, one back, and an orderly end. */
static void say(struct side *side)
{
    struct wire_message message = {.type = WIRE_CANCEL, .u.cancel.round = 42};
    net_conn_send(side->conn, &message);
}

static void say_at_open(struct side *side)
{
    if (side == &side->pair->client)
        say(side);
}

static void answer_or_close(struct side *side, const struct wire_message *message)
{
    assert_int_equal(message->u.cancel.round, 42);
    if (side == &side->pair->server)
        say(side);
    else
        net_conn_close(side->conn, "done");
}

/* The listener may have had no memory for the server's side: then the client's end is all there is. */
static void stop_at_clients_end(struct side *side)
{
    if (side == &side->pair->client)
        net_loop_stop(side->pair->loop);
}

static void talk(struct net_identity *ps, struct net_identity *worker, uint64_t refuse_at, struct pair *pair)
{
    struct error err = {{0}};
    *pair = (struct pair){
        .on_open = say_at_open, .on_message = answer_or_close, .on_closed = stop_at_clients_end, .closes_wanted = 3};
    pair_up(pair, ps);
    memory.asked = 0;
    memory.refuse_at = refuse_at;
    pair->client.conn = net_connect(pair->loop, "127.0.0.1", net_listener_port(pair->listener), worker, "ps",
                                    &pair_handlers, &pair->client, &err);
    assert_true((pair->client.conn == NULL) == (err.text[0] != '\0'));
    if (pair->client.conn != NULL)
        net_loop_run(pair->loop);
    pair_down(pair);
    memory.refuse_at = 0;
}

static void conn__each_allocation_of_openssl_refused__works_or_closes(void **state)
{
    (void)state;
    struct net_identity *ps = identity("ours", "ps", "ours"), *worker = identity("ours", "worker1", "ours");
    struct pair pair;
    talk(ps, worker, 0, &pair); /* what is made once for a process */
    talk(ps, worker, 0, &pair);
    assert_string_equal(pair.client.reason, "done");
    uint64_t usual = memory.asked;
    assert_in_range(usual, TRIES, 1000000);
    uint32_t failures = 0;
    for (uint64_t i = 0; i < TRIES; i++) {
        talk(ps, worker, 1 + i * usual / TRIES, &pair);
        assert_in_range(pair.client.messages, 0, 1);
        assert_true(pair.client.conn == NULL);
        if (pair.client.closed)
            assert_string_not_equal(pair.client.reason, "");
        failures += strcmp(pair.client.reason, "done") != 0;
    }
    assert_in_range(failures, TRIES / 10, TRIES); /* or nothing has been refused */
    net_identity_free(ps);
    net_identity_free(worker);
}

int main(void)
{
    /* Before OpenSSL's first allocation. */
    if (CRYPTO_set_mem_functions(try_malloc, try_realloc, plain_free) != 1)
        return EXIT_FAILURE;
    log_open("test", LOG_LEVEL_ERROR); /* that there is no memory is no news here */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conn__each_allocation_of_openssl_refused__works_or_closes),
    };
    return cmocka_run_group_tests_name("net_memory", tests, make_certificates, remove_certificates);
}
