/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "tests/unit/net_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

static char root[] = "/tmp/laggard-net-XXXXXX"; /* has ours/, foreign/, expired/ */

char *pem(const char *folder, const char *name)
{
    return mem_printf("%s/%s/%s", root, folder, name);
}

struct net_identity *identity(const char *folder, const char *node, const char *ca_folder)
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

int make_certificates(void **state)
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

int remove_certificates(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static void side_open(struct net_conn *conn, void *context)
{
    struct side *side = context;
    side->conn = conn;
    side->opened = true;
    snprintf(side->peer, sizeof side->peer, "%s", net_conn_peer_name(conn));
    if (side->pair->on_open)
        side->pair->on_open(side);
}

static void side_message(struct net_conn *conn, const struct wire_message *message, size_t bytes, void *context)
{
    struct side *side = context;
    side->conn = conn;
    side->messages++;
    side->bytes += bytes;
    if (message->type == WIRE_REFUSE)
        strcpy(side->refused, message->u.refuse.reason);
    if (side->pair->on_message)
        side->pair->on_message(side, message);
}

static void side_closed(struct net_conn *conn, const char *reason, void *context)
{
    struct side *side = context;
    assert_false(side->closed);
    side->closed = true;
    snprintf(side->reason, sizeof side->reason, "%s", reason);
    net_conn_counts(conn, &side->counts);
    side->conn = NULL;
    if (side->pair->on_closed)
        side->pair->on_closed(side);
    if (++side->pair->closes == side->pair->closes_wanted)
        net_loop_stop(side->pair->loop);
}

const struct net_handlers pair_handlers = {side_open, side_message, side_closed};

static void on_accepted(struct net_conn *conn, void *context)
{
    struct pair *pair = context;
    pair->server.conn = conn;
    net_conn_handle(conn, &pair_handlers, &pair->server);
}

void fail_when_it_hangs(void *context)
{
    (void)context;
    fail_msg("nothing happened for %d s", HANG_S);
}

void pair_up(struct pair *pair, struct net_identity *server)
{
    struct error err = {{0}};
    pair->loop = net_loop_new();
    pair->server.pair = pair->client.pair = pair;
    if (pair->closes_wanted == 0)
        pair->closes_wanted = 2;
    pair->listener = net_listen(pair->loop, "127.0.0.1", 0, server, on_accepted, pair, &err);
    assert_string_equal(err.text, "");
    pair->hang = net_timer_new(pair->loop, fail_when_it_hangs, NULL);
    net_timer_at(pair->hang, clock_now_ns() + (int64_t)HANG_S * NS_PER_S);
}

void pair_connect(struct pair *pair, struct net_identity *client, const char *expect)
{
    struct error err = {{0}};
    pair->client.conn = net_connect(pair->loop, "127.0.0.1", net_listener_port(pair->listener), client, expect,
                                    &pair_handlers, &pair->client, &err);
    assert_string_equal(err.text, "");
}

void pair_down(struct pair *pair)
{
    net_timer_free(pair->hang);
    net_listener_free(pair->listener);
    net_loop_free(pair->loop);
}

void pair_run_down(struct pair *pair)
{
    net_loop_run(pair->loop);
    pair_down(pair);
}

void pair_meet(struct pair *pair, struct net_identity *server, struct net_identity *client, const char *expect)
{
    pair_up(pair, server);
    pair_connect(pair, client, expect);
    pair_run_down(pair);
    net_identity_free(server);
    net_identity_free(client);
}
