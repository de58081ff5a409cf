/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A server and a client on one loop over loopback, for tests of connections: each side notes what happens to it. */
#ifndef LAGGARD_TESTS_NET_PAIR_H
#define LAGGARD_TESTS_NET_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/net.h"

/* Of a group: ours/, foreign/ and expired/ below a folder of its own, each with a CA, ps, worker1 and worker2. */
int make_certificates(void **state);
int remove_certificates(void **state);
char *pem(const char *folder, const char *name);
/* folder/node.pem and .key, ca_folder/ca.pem */
struct net_identity *identity(const char *folder, const char *node, const char *ca_folder);

struct pair;

struct side {
    struct pair *pair;
    struct net_conn *conn; /* NULL once it is closed */
    bool opened, closed;
    char reason[512], peer[64];
    uint32_t messages;
    size_t bytes;
    char refused[WIRE_REASON_MAX];
    struct net_counts counts; /* at its end */
};

struct pair {
    struct net_loop *loop;
    struct net_listener *listener;
    struct net_timer *hang; /* a test that hangs fails */
    struct side server, client;
    void (*on_open)(struct side *side);
    void (*on_message)(struct side *side, const struct wire_message *message);
    void (*on_closed)(struct side *side);
    uint32_t closes_wanted, closes; /* the loop stops after so many; default 2 */
    void *context;
};

/* Zero but for the callbacks, before. pair_up: loop, listener and hang timer; pair_connect: the client; expect: as
 * net_connect. */
void pair_up(struct pair *pair, struct net_identity *server);
void pair_connect(struct pair *pair, struct net_identity *client, const char *expect);
void pair_run_down(struct pair *pair); /* pair_down: without the run */
void pair_down(struct pair *pair);
/* All of it; takes the identities. */
void pair_meet(struct pair *pair, struct net_identity *server, struct net_identity *client, const char *expect);

extern const struct net_handlers pair_handlers; /* their context is a struct side */

/* For a test with a loop of its own. */
void fail_when_it_hangs(void *context);
enum { HANG_S = 30 };

#endif
