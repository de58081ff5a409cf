/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole run in one process: a session, a worker engine for each worker, and answers that come in an order of one's
 * choice. What the socket shell does, without sockets. */
#ifndef LAGGARD_TESTS_DRIVER_H
#define LAGGARD_TESTS_DRIVER_H

#include "core/dist.h"
#include "core/engine.h"
#include "core/session.h"
#include "tests/unit/problem.h"

enum { DRIVER_WORKERS_MAX = 128 };

/* What became of those who had not answered when the round could end. */
enum driver_rest {
    DRIVER_CANCEL, /* cancelled, and acknowledge it */
    DRIVER_LATE,   /* not told: they finish, and their answers come in the next round */
    DRIVER_WAIT    /* the round goes on until everybody has answered (nobody is cancelled) */
};

/* One round as it was, for those who watch. */
struct driver_round {
    const struct round_record *record;
    const struct plan *plan;
    const bool *sent; /* M flags: a vector came from this worker for this round before it ended */
    const bool *used;
    uint32_t sends;
    const double *theta; /* θ^{i+1} */
};

struct driver_options {
    const char *strategy;
    uint32_t redundancy; /* 0: 1 */
    enum target_kind target_kind;
    double target;
    uint32_t max_rounds; /* 0: 5,000 */
    uint32_t refresh;
    bool always, by_smoothness;
    enum code_kind code;
    uint64_t order;           /* seed of the order in which answers come */
    const struct dist *times; /* NULL: that order is random; else the order of computing times drawn with this seed */
    enum driver_rest rest;
    uint32_t lose_worker, lose_round; /* this worker is lost in this round, before it answers (lose_round 0: nobody) */
    uint32_t lose_count;              /* and the next ones after it, one a round; 0: 1 */
    void (*watch)(void *context, const struct driver_round *round);
    void *context;
};

struct driver_result {
    struct session_summary summary;
    uint32_t iterates, d;
    double *theta;                        /* iterates × d: θ^0, θ^1, … */
    double *loss;                         /* iterates: L(θ^i) */
    uint64_t uplinks[DRIVER_WORKERS_MAX]; /* per worker, in the rounds of the run */
    uint32_t contacts;                    /* tasks given */
    uint32_t assigned;                    /* partitions in them */
    double round_time; /* mean over rounds of the time at which the round could end, in seconds (times ≠ NULL) */
    bool stuck;        /* the run could not go on */
    uint32_t stuck_round;
};

/* The config that a run of this problem has. */
struct session_config driver_config(struct problem *problem, const struct driver_options *options);
/* Ends the test program when the session cannot be made. */
struct driver_result driver_run(struct problem *problem, const struct driver_options *options);
void driver_clear(struct driver_result *result);

/* max over iterates of ‖θ_a − θ_b‖ / max(1, ‖θ_a‖); INFINITY when their numbers differ. */
double driver_distance(const struct driver_result *a, const struct driver_result *b);

#endif
