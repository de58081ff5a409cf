/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of one strategy, without sockets or clock: θ, its history, whom to contact, what was counted, and when to
 * stop. The socket shell (ps/) and the simulator carry out the same calls; neither decides anything.
 *
 *   session_begin → plan → (driver sends tasks) → session_answer … until OFFER_DONE → session_end → session_begin …
 *
 * An empty plan is done at once (unless stuck). On OFFER_STUCK, or when session_is_stuck after session_begin, the run
 * cannot go on: the driver gives it up, and the round in hand is not part of it.
 *
 * The error of an iterate may be told later (session_error): rounds past the first iterate that meets the target are
 * dropped from the record, so that a run's rounds do not depend on how fast the error was evaluated. */
#ifndef LAGGARD_CORE_SESSION_H
#define LAGGARD_CORE_SESSION_H

#include "core/strategy.h"
#include "core/theta.h"

enum target_kind { TARGET_ERROR, TARGET_RELATIVE_ERROR, TARGET_GRADIENT };

struct session_config {
    const struct strategy_ops *ops;
    struct strategy_config strategy;
    enum target_kind target_kind;
    double target; /* error (or ‖∇L‖) below which the run has reached its goal */
    uint32_t max_rounds;
    int64_t max_time_ns; /* 0: none */
};

/* Messages and work of one round, or of a run. Bytes are payload as framed (headers included), without TLS.
 *   uplink     answers with a vector that the PS received, whatever became of them
 *   downlink   tasks sent (θ with them)
 *   notices    messages with no vector: each skip, each cancel, each acknowledgement of a cancel
 *   gradients  partition gradients evaluated, for answers and for what was cancelled; lagc's recomputed stale ones
 *              included
 *   wasted     those of them whose result no round used: redundant, duplicate, late and stray answers, and what was
 *              cancelled. A skip is used: it says that the PS's gradient will do. */
struct tally {
    uint64_t uplink, downlink, notices;
    uint64_t uplink_bytes, downlink_bytes, notice_bytes;
    uint64_t gradients, wasted;
};

struct round_record {
    uint32_t round;
    int64_t begin_ns, end_ns; /* since the run's start */
    uint32_t contacted, answered, used, selected;
    struct tally tally; /* what was learnt in this round, late answers of earlier rounds included */
    double step_norm;   /* ‖θ^{i+1} − θ^i‖ */
    double error;       /* of θ^{i+1}: L − L*, or ‖∇L‖ for TARGET_GRADIENT; NAN while unknown */
};

struct session;

/* Fails where the strategy's check or create does; max_rounds ≥ 1. config is copied; what it points to is borrowed for
 * the call, but for the context of group_smoothness. */
MUST_CHECK struct session *session_new(const struct session_config *config, struct error *err);
void session_free(struct session *session);

/* Begin the next round. Returns the plan (valid until session_end); the driver sends session_theta() to each in it.
 * Workers that were lost are not in it. */
const struct plan *session_begin(struct session *session, int64_t now_ns);
uint32_t session_round(const struct session *session);      /* in hand; between rounds, the next one */
struct theta *session_theta(const struct session *session); /* θ of that round, borrowed; take a reference to keep it */

/* Can the round in hand not end with the workers that are left (strategy.h: is_stuck)? False between rounds. */
bool session_is_stuck(const struct session *session);

/* An answer came in: bytes as framed. Counts it, whatever the outcome: a late one for the round that it belongs to, a
 * stray one for the round in hand. */
enum offer session_answer(struct session *session, const struct answer *answer, uint64_t bytes, int64_t now_ns);
/* The driver sent these: */
void session_sent_task(struct session *session, uint32_t worker, uint64_t bytes);
/* A cancel, of the round in hand or the one just ended: the worker is pending no more. */
void session_sent_cancel(struct session *session, uint32_t worker, uint64_t bytes);
/* A worker acknowledged a cancel: what it had evaluated in vain for `round` (0 if it had answered already: nothing is
 * counted twice). */
void session_cancelled(struct session *session, uint32_t worker, uint32_t round, uint32_t evaluated, uint64_t bytes);
/* A worker is gone: no task for it from now on. OFFER_MORE between rounds; the next session_begin says what it means.
 */
enum offer session_lose(struct session *session, uint32_t worker);
/* Workers contacted in this round that have neither answered nor been cancelled nor lost: those to cancel after
 * OFFER_DONE. M flags, borrowed. */
const bool *session_pending(const struct session *session);
/* Is the worker pending, and can its answer still be of use? After OFFER_MORE those that are pending and not needed are to be
 * cancelled: the others of a group that has answered would only load the links. */
bool session_needs(const struct session *session, uint32_t worker);
/* After session_end: which workers' answers the round used. M flags, borrowed, valid until the next session_end. */
const bool *session_used(const struct session *session);

/* After OFFER_DONE (or an empty plan): step θ. The record is complete but for its error. */
const struct round_record *session_end(struct session *session, int64_t now_ns);

enum session_verdict { SESSION_GOES_ON, SESSION_REACHED, SESSION_MAX_ROUNDS, SESSION_MAX_TIME };
/* The error of θ^i (i = 0: of the start; TARGET_RELATIVE_ERROR is of it), or ‖∇L(θ^i)‖ for TARGET_GRADIENT. Calls come
 * with i = 0, 1, 2, …, none left out. The target is met by the first error strictly below it. */
void session_error(struct session *session, uint32_t iterate, double error);
/* The first that holds, in this order: target met, max_rounds ended, max_time passed. */
enum session_verdict session_verdict(const struct session *session, int64_t now_ns);
/* The absolute value that the error must come below; NAN while it is not known (TARGET_RELATIVE_ERROR, no error told
 * yet). */
double session_target(const struct session *session);

/* The next record whose error is known and which belongs to the run (rounds before the target was met), or NULL. Each
 * comes out once, in order; valid until the next session_begin. */
const struct round_record *session_next_record(struct session *session);

struct session_summary {
    uint32_t rounds;                            /* ended, and none after the target was met */
    double seconds, final_error, initial_error; /* errors NAN while unknown */
    struct tally total;
    bool reached;
    double seconds_to_target;  /* NAN if not reached */
    uint32_t rounds_to_target; /* the smallest i whose θ^i meets the target; 0 if not reached */
    uint64_t uplink_to_target; /* in rounds 0 … i − 1, which made θ^i; 0 if not reached */
};
/* After the last answers and cancel acknowledgements have come in: totals over the rounds of the run, each message and
 * gradient counted in the round that it was sent for. */
struct session_summary session_summary(const struct session *session);

#endif
