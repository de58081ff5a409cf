/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a strategy is: it plans a round (who gets what), is offered answers, and gives the gradient estimate G^i. It
 * never learns who drives it: sockets, a simulator or a test. One file per strategy, one row in strategies[]
 * (strategy.c).
 *
 * Workers and partitions are numbered from 0 here; people see them from 1. */
#ifndef LAGGARD_CORE_STRATEGY_H
#define LAGGARD_CORE_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "core/code.h"
#include "core/trigger.h"

/* What a worker computes from θ^i for a task with partitions k and weights w_k. The numbers go over the wire: never
 * renumber. */
enum task_op {
    TASK_GRADIENT = 1, /* Σ_k w_k ∇L_k(θ^i); θ̂_k := θ^i as well where θ̂_k is set (lagc's refresh) */
    TASK_DELTA = 2, /* Σ_k w_k (∇L_k(θ^i) − ∇L_k(θ̂_k)); then θ̂_k := θ^i (θ̂_k unset: its gradient counts as 0) */
    TASK_LAZY = 3 /* δ = Σ_k w_k ∇L_k(θ^i) − the sum of the δ sent so far; a skip if ‖δ‖² ≤ threshold */
};

struct task {
    uint32_t worker;
    enum task_op op;
    double threshold; /* TASK_LAZY: below 0 (round 0, or always) everybody sends: a skip is a stray answer then */
    uint32_t n;       /* partitions */
    const uint32_t *parts;
    const double *weights;
};

/* Who is contacted in a round, workers ascending. Owned by the strategy, valid until the next plan. n = 0: nobody; the
 * PS steps with the gradient in hand. */
struct plan {
    uint32_t n;
    const struct task *tasks;
};

/* A worker's answer. vector: d values, borrowed for the call; NULL for a skip. */
struct answer {
    uint32_t worker, round;
    const double *vector;
    uint32_t evaluated; /* partition gradients evaluated for it, recomputed stale ones included */
};

enum offer {
    OFFER_MORE, /* taken, the round goes on */
    OFFER_DONE, /* taken, the round can end; also for an answer that comes between that and finish (taken, not used) */
    OFFER_DUPLICATE, /* this worker has answered in this round: discarded */
    OFFER_LATE,      /* of an earlier round, or of this one after finish: discarded */
    OFFER_STRAY,     /* not contacted, or a skip where none is allowed, or of a worker that is lost: discarded */
    OFFER_STUCK /* the round can no longer end (from lose; from an answer only if all are in and a code fails to decode)
                 */
};

struct strategy_config {
    uint32_t workers;         /* M */
    uint32_t partitions;      /* K = M */
    uint32_t redundancy;      /* r; strategies that store one partition a worker ignore it */
    size_t d;                 /* features */
    double alpha;             /* step */
    uint32_t history;         /* D */
    double xi;                /* ξ; NAN: the strategy's own (1/D for lag-wk, 10/D for the others) */
    bool always;              /* every trigger forced on: the lazy strategy becomes its eager twin */
    uint32_t refresh;         /* lagc: everything is selected every so many rounds, 0 = only in round 0 */
    bool by_smoothness;       /* g-lag: groups hold like with like; default consecutive */
    enum code_kind code;      /* gc, lagc */
    uint64_t seed;            /* of the code */
    const double *smoothness; /* L_k, K values, borrowed */
    /* Smoothness of the summed loss of n partitions (a group's L_g); borrowed context. */
    double (*group_smoothness)(void *context, const uint32_t *parts, size_t n);
    void *context;
};

struct strategy; /* a strategy's state; each implementation embeds it first (strategy_private.h) */

struct strategy_ops {
    const char *name;    /* as in the scenario file: "g-lag" */
    const char *summary; /* one line for help and reports */
    bool uses_redundancy;
    bool fixed_contributors; /* iterates are bit-identical from run to run */
    /* Can M, r, … be? The error says what would be right. Called by `check` as well. */
    int (*check)(const struct strategy_config *config, struct error *err);
    struct strategy *(*create)(const struct strategy_config *config, struct error *err); /* copies config */
    void (*destroy)(struct strategy *strategy);
    /* Which partitions worker stores, in the order in which it sums them: writes at most M values, returns how many.
     * Usable without create, after check (by_smoothness needs smoothness here, too). */
    uint32_t (*stored)(const struct strategy_config *config, uint32_t worker, uint32_t *parts);
    /* Round i at θ^i (d values). history: of steps before it. lost: M flags, workers that are gone (not contacted). */
    const struct plan *(*plan)(struct strategy *strategy, uint32_t round, const double *theta,
                               const struct history *history, const bool *lost);
    enum offer (*offer)(struct strategy *strategy, const struct answer *answer);
    /* A worker went away in mid-round, or between rounds: OFFER_DONE if the round could end before, else OFFER_STUCK or
     * OFFER_MORE as is_stuck says. */
    enum offer (*lose)(struct strategy *strategy, uint32_t worker);
    /* Ask after plan as well: can this round not end with the workers that are left?
     *   gd, lag-wk, lag-ps  any worker is lost (each is the only one with its partition)
     *   grouping, g-lag     a group has lost all its workers
     *   gc, lagc            the answers in hand and those still possible do not decode the sum of the selected
     * partitions False once the round can end. */
    bool (*is_stuck)(const struct strategy *strategy);
    /* In mid-round: can this contacted worker's answer still be of use? NULL: always, until the round ends. */
    bool (*needs)(const struct strategy *strategy, uint32_t worker);
    /* After OFFER_DONE (or an empty plan): G^i into gradient (out, d values), and which answers it used (out, M flags).
     */
    void (*finish)(struct strategy *strategy, double *gradient, bool *used);
    /* For the report: partitions selected in the last plan (all, for a strategy without a trigger at the PS). */
    uint32_t (*selected)(const struct strategy *strategy);
};

/* All strategies, in the order of tables and help; NULL-terminated. */
extern const struct strategy_ops *const strategies[];
const struct strategy_ops *strategy_find(const char *name); /* NULL if there is none */

#endif
