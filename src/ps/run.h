/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of one strategy over the connected workers: what the session decides is carried out here, in real time. */
#ifndef LAGGARD_PS_RUN_H
#define LAGGARD_PS_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "ps/control.h"
#include "ps/evaluator.h"
#include "ps/lateness.h"
#include "ps/linkwatch.h"
#include "ps/recorder.h"
#include "ps/roster.h"

struct run;

/* What a run works with; all borrowed. */
struct run_tools {
    struct net_loop *loop;
    const struct facts *facts;
    struct roster *roster;
    struct evaluator *evaluator;
    struct recorder *recorder;
    struct control *control;
    struct lateness *lateness;
    struct linkwatch *links;
    /* Called after a timer of the run has done something: look at run_is_over. */
    void (*poke)(void *context);
    void *context;
};

/* number counts from 1 over all strategies and repeats; which and repeat from 0. smoothness: see facts_session_config.
 */
MUST_CHECK struct run *run_new(const struct run_tools *tools, uint32_t number, size_t which, uint32_t repeat,
                               const double *smoothness, struct error *err);
void run_free(struct run *run); /* NULL is fine */

/* All workers are ready: t0 is now. */
void run_start(struct run *run);
void run_answer(struct run *run, uint32_t worker, const struct roster_task *task, const struct wire_message *message,
                size_t bytes);
void run_lose(struct run *run, uint32_t worker, const char *reason);
/* The evaluator has results. */
void run_evaluated(struct run *run);
/* End it now, with what there is. */
void run_stop(struct run *run, const char *why);

/* Over: recorded, told to the controller, END sent. */
bool run_is_over(const struct run *run);
/* NULL, or the sentence that says why it failed. */
const char *run_failure(const struct run *run);
/* It failed in a way that no other run could escape: results cannot be written, or on_worker_loss is abort. */
bool run_is_fatal(const struct run *run);

#endif
