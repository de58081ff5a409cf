/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The error of each iterate, off the experiment's clock: a thread of lowest priority gets θ^0, θ^1, … and reports
 * L(θ^i) − L(θ*), or ‖∇L(θ^i)‖, in the same order. Only this thread's memory is touched there: references stay with the
 * caller's thread. */
#ifndef LAGGARD_PS_EVALUATOR_H
#define LAGGARD_PS_EVALUATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "core/theta.h"
#include "ps/facts.h"

struct evaluator;

struct evaluation {
    uint32_t iterate;
    double error;
    /* Of this iterate and all before it: SHA-256(hash of the one before ‖ θ^i), little-endian doubles. Two runs with
     * the same one went the same way, bit by bit. */
    uint8_t path[WIRE_HASH_BYTES];
};

/* facts is borrowed. Starts the thread. */
MUST_CHECK struct evaluator *evaluator_new(const struct facts *facts, struct error *err);
void evaluator_free(struct evaluator *evaluator); /* drops what is queued; NULL is fine */

/* Readable while a result is waiting. */
int evaluator_fd(const struct evaluator *evaluator);
/* Take a reference to θ^i and queue it; θ^0 begins a new run. The queue must not be full. */
void evaluator_submit(struct evaluator *evaluator, struct theta *theta);
/* Bounded memory: whoever finds it full waits for a result. */
bool evaluator_is_full(const struct evaluator *evaluator);
/* Submitted, and not taken yet. */
size_t evaluator_waiting(const struct evaluator *evaluator);
/* Forget what is queued but not begun: nobody needs those errors any more. */
void evaluator_discard(struct evaluator *evaluator);
/* The next result; false: none is ready. */
bool evaluator_take(struct evaluator *evaluator, struct evaluation *out);

#endif
