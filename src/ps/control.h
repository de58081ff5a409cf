/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conversation between laggard-ps and whoever controls it (`laggard-ps --control FD`, a stream socket): a JSON
 * object a line. Times are CLOCK_MONOTONIC ns, repeats count from 0. Without a controller the PS goes on by itself.
 *
 * PS → controller
 *   {"event":"listening","port":P}
 *   {"event":"workers","connected":n,"of":M}                       whenever it changes
 *   {"event":"run-next","run":k,"strategy":S,"repeat":R}           then waits for {"do":"go"}
 *   {"event":"run-start","run":k,"strategy":S,"repeat":R,"t_ns":T}
 *   {"event":"round","run":k,"round":i,"t_ns":T,"error":e,"target":e*}   at most ten a second, or every round with
 *                                                                  --every-round; target: as an absolute value
 *   {"event":"run-end","run":k,"strategy":S,"repeat":R,"t_ns":T,"rounds":n,"reached":bool,"failed":null or "why",
 *    "iterates":"SHA-256, as in iterates.csv"}
 *   {"event":"done","failed":n}                                     then exits
 * controller → PS
 *   {"do":"go"}     begin the next run; the PS waits for workers that are not connected for up to cluster.wait_limit
 *   {"do":"stop"}   end the run in hand, write what there is, exit 1; the end of the conversation means the same
 *
 * Round i's error is that of θ^{i+1}, which the round made, and T is when it was made: as in rounds.csv. */
#ifndef LAGGARD_PS_CONTROL_H
#define LAGGARD_PS_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/session.h"
#include "net/net.h"

/* The PS's end. Without a controller (fd −1) all events go nowhere, and go is said at once by whoever asks. */
struct control;

struct control_handlers {
    void (*go)(void *context);
    void (*stop)(void *context, const char *why);
};

/* fd is borrowed. every_round: tell every round, not ten a second. */
struct control *control_new(struct net_loop *loop, int fd, bool every_round, const struct control_handlers *handlers,
                            void *context);
void control_free(struct control *control);
bool control_is_present(const struct control *control);

/* Which run an event is about. */
struct control_run {
    uint32_t run; /* counts from 1 over all strategies and repeats */
    const char *strategy;
    uint32_t repeat;
};

void control_listening(struct control *control, uint16_t port);
void control_workers(struct control *control, uint32_t connected, uint32_t of);
void control_run_next(struct control *control, const struct control_run *run);
void control_run_start(struct control *control, const struct control_run *run, int64_t t_ns);
void control_round(struct control *control, const struct control_run *run, uint32_t round, int64_t t_ns, double error,
                   double target);
/* failed: NULL or why; iterates: hexadecimal digits. */
void control_run_end(struct control *control, const struct control_run *run, int64_t t_ns,
                     const struct session_summary *summary, const char *failed, const char *iterates);
void control_done(struct control *control, uint32_t failed);

#endif
