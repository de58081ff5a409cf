/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of one strategy, without sockets or clock: θ, its history, whom to contact, what was counted, and when to stop. The
 * socket shell (ps/) and the simulator carry out the same calls; neither decides anything.
 *
 *   session_begin → plan → (driver sends tasks) → session_answer … until OFFER_DONE → session_end → session_begin …
 *
 * The error of an iterate may be told later (session_error): rounds past the first iterate that meets the target are dropped
 * from the record, so that a run's rounds do not depend on how fast the error was evaluated. */
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

/* Messages and work of one round, or of a run. Bytes are payload as framed (headers included), without TLS. */
struct tally {
    uint64_t uplink, downlink, notices;
    uint64_t uplink_bytes, downlink_bytes, notice_bytes;
    uint64_t gradients, wasted;
};

struct round_record {
    uint32_t round;
    int64_t begin_ns, end_ns;   /* since the run's start */
    uint32_t contacted, answered, used, selected;
    struct tally tally;         /* what was learnt in this round, late answers of earlier rounds included */
    double step_norm;           /* ‖θ^{i+1} − θ^i‖ */
    double error;               /* of θ^{i+1}: L − L*, or ‖∇L‖ for TARGET_GRADIENT; NAN while unknown */
};

struct session;

MUST_CHECK struct session *session_new(const struct session_config *config, struct error *err);
void session_free(struct session *session);

/* Begin the next round. Returns the plan (valid until session_end); the driver sends session_theta() to each in it. */
const struct plan *session_begin(struct session *session, int64_t now_ns);
uint32_t session_round(const struct session *session);
struct theta *session_theta(const struct session *session); /* θ^i, borrowed; take a reference to keep it */

/* An answer came in: bytes as framed. Counts it, whatever the outcome. */
enum offer session_answer(struct session *session, const struct answer *answer, uint64_t bytes, int64_t now_ns);
/* The driver sent these: */
void session_sent_task(struct session *session, uint32_t worker, uint64_t bytes);
void session_sent_notice(struct session *session, uint64_t bytes); /* cancel */
/* A worker acknowledged a cancel: what it had evaluated in vain for `round`. */
void session_cancelled(struct session *session, uint32_t worker, uint32_t round, uint32_t evaluated, uint64_t bytes);
enum offer session_lose(struct session *session, uint32_t worker);
/* Workers contacted in this round that have not answered: those to cancel after OFFER_DONE. M flags, borrowed. */
const bool *session_pending(const struct session *session);
/* After session_end: which workers' answers the round used. M flags, borrowed, valid until the next session_end. */
const bool *session_used(const struct session *session);

/* After OFFER_DONE (or an empty plan): step θ. The record is complete but for its error. */
const struct round_record *session_end(struct session *session, int64_t now_ns);

enum session_verdict { SESSION_GOES_ON, SESSION_REACHED, SESSION_MAX_ROUNDS, SESSION_MAX_TIME };
/* The error of θ^i (i = 0: of the start; TARGET_RELATIVE_ERROR is of it). Calls come with i ascending. */
void session_error(struct session *session, uint32_t iterate, double error);
enum session_verdict session_verdict(const struct session *session, int64_t now_ns);

/* The next record whose error is known and which belongs to the run (rounds before the target was met), or NULL. Each comes out
 * once, in order. */
const struct round_record *session_next_record(struct session *session);

struct session_summary {
    uint32_t rounds;
    double seconds, final_error, initial_error;
    struct tally total;
    bool reached;
    double seconds_to_target; /* NAN if not reached */
    uint32_t rounds_to_target;
    uint64_t uplink_to_target;
};
/* After the last answers and cancel acknowledgements have come in: totals over the rounds of the run, each message and gradient
 * counted in the round that it was sent for. */
struct session_summary session_summary(const struct session *session);

#endif
