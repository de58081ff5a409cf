/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a worker does once it is welcome: messages in, messages out. Sockets, timers and the clock are behind struct
 * agent_io. */
#ifndef LAGGARD_WORKER_AGENT_H
#define LAGGARD_WORKER_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "input/input.h"
#include "scenario/scenario.h"
#include "wire/message.h"

struct agent;

struct agent_io {
    int64_t (*now)(void *context);
    void (*send)(void *context, const struct wire_message *message);
    /* Call agent_wake at this time; a new time replaces the last one. Needless calls do no harm. */
    void (*wake_at)(void *context, int64_t at_ns);
    /* Call agent_work, between other events, until it returns false. */
    void (*work)(void *context);
};

/* worker: 0-based. smoothness: L_k of all partitions, NULL when stored_needs_smoothness says no. All is borrowed. */
struct agent *agent_new(const struct scenario *scenario, const struct input *input, uint32_t worker,
                        const double *smoothness, const struct agent_io *io, void *context);
void agent_free(struct agent *agent); /* NULL is fine */

enum agent_outcome { AGENT_GOES_ON, AGENT_BYE, AGENT_BAD /* the PS broke the protocol: err says how */ };

/* A message from the PS, after WELCOME. */
MUST_CHECK enum agent_outcome agent_message(struct agent *agent, const struct wire_message *message, struct error *err);
/* Compute for about half a millisecond; false: nothing is left to compute. */
bool agent_work(struct agent *agent);
void agent_wake(struct agent *agent);
/* The connection is gone: forget the run and the task in hand. */
void agent_disconnect(struct agent *agent);

#endif
