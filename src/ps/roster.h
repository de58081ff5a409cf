/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who is connected: accepts, checks and refuses workers, keeps what each still owes an answer for, and passes on what
 * they say. A peer that breaks the protocol is dropped here. */
#ifndef LAGGARD_PS_ROSTER_H
#define LAGGARD_PS_ROSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/net.h"
#include "ps/facts.h"

struct roster;

/* A TASK that a worker has been sent; it answers them in this order. */
struct roster_task {
    uint32_t run, round;
    int64_t sent_ns;
};

/* Workers are numbered from 0. A handler may send; it may drop a worker only as the last thing it does. */
struct roster_handlers {
    void (*joined)(void *context, uint32_t worker);
    void (*left)(void *context, uint32_t worker, const char *reason);
    void (*ready)(void *context, uint32_t worker, uint32_t run);
    /* ANSWER, SKIP or CANCELLED; its vector, if any, has the right length. task is what it answers, perhaps of an
     * earlier run. */
    void (*answer)(void *context, uint32_t worker, const struct roster_task *task, const struct wire_message *message,
                   size_t bytes);
};

/* Listen. facts, identity (NULL: without TLS, and a worker's own word counts) and loop are borrowed. */
MUST_CHECK struct roster *roster_new(struct net_loop *loop, const struct facts *facts, struct net_identity *identity,
                                     const char *address, uint16_t port, const struct roster_handlers *handlers,
                                     void *context, struct error *err);
void roster_free(struct roster *roster); /* aborts what is still open; NULL is fine */
uint16_t roster_port(const struct roster *roster);

uint32_t roster_connected(const struct roster *roster);
bool roster_has(const struct roster *roster, uint32_t worker);
/* "worker2, worker5": who is not there, at most a few. */
void roster_missing(const struct roster *roster, char *text, size_t size);

/* L_k as the workers reported them (of each partition, the lowest-numbered worker that stores it): K values. All must
 * be there. */
void roster_smoothness(const struct roster *roster, double *smoothness);

/* To one worker, which must be there. Those that return a size return bytes as framed. */
void roster_begin(struct roster *roster, uint32_t worker, const struct wire_message *begin);
size_t roster_task(struct roster *roster, uint32_t worker, const struct roster_task *task, struct net_frame *theta,
                   const struct wire_message *message);
size_t roster_cancel(struct roster *roster, uint32_t worker, uint32_t round);
void roster_end(struct roster *roster, uint32_t worker, uint32_t run);
/* Close its connection; left is called at once. */
void roster_drop(struct roster *roster, uint32_t worker, const char *reason);
/* How many tasks of this run the worker has not answered yet. */
size_t roster_owes(const struct roster *roster, uint32_t worker, uint32_t run);

/* TCP_INFO of its connection; false when it is not there. */
bool roster_tcp_info(const struct roster *roster, uint32_t worker, struct net_tcp_info *out);

/* No more workers; those that are there get BYE and are closed. done is called once all are, or after a few seconds. */
void roster_say_bye(struct roster *roster, void (*done)(void *context), void *context);

#endif
