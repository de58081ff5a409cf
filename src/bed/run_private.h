/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of a run share: run.c (set up, end), daemons.c (the processes), conversation.c (what the PS says). */
#ifndef LAGGARD_BED_RUN_PRIVATE_H
#define LAGGARD_BED_RUN_PRIVATE_H

#include "bed/bed.h"
#include "bed/impair.h"
#include "bed/jsonline.h"
#include "bed/progress.h"
#include "bed/shape.h"
#include "bed/supervise_private.h"
#include "bed/topology.h"
#include "net/net.h"
#include "results/results.h"

/* How long, in seconds, something may take before the run is given up: the PS until it listens; the workers until the
 * first run begins; everybody's leaving. */
enum { PATIENCE_S = 120, FAREWELL_S = 10 };

enum phase {
    PHASE_LOADING,   /* the PS loads the data */
    PHASE_GATHERING, /* the workers do, and connect */
    PHASE_RUNNING,   /* from the first run's start on */
    PHASE_LEAVING    /* all is done, or stopped: only ends of processes are awaited */
};

struct run {
    const struct scenario *scenario;
    const struct bed_options *options;
    struct bed_outcome *outcome;
    struct net_loop *loop;
    struct topology *topology;
    struct shaper *shaper; /* NULL: no link is shaped */
    struct supervisor *supervisor;
    struct impair *impair;
    struct results_writer *events, *pauses, *links;
    struct jsonline control;
    struct net_watch *control_watch, *life_watch, *signal_watch[3];
    struct net_timer *deadline;
    struct progress progress;
    char *log_directory;
    int log_fd;
    enum phase phase;
    bool run_is_on;    /* between run-start and run-end */
    bool was_stopped;  /* by a signal */
    uint32_t *revived; /* how often each worker was started again since the last run began */
    uint32_t failed_runs, warnings;
    enum exit_status status;
    struct error *err; /* the first reason; the rest follow from it */
};

/* run.c */
void run_give_up(struct run *run, enum exit_status status, const struct error *why); /* end at once */
void run_wait_at_most(struct run *run, int seconds); /* for the next phase, from now on */
void run_leave_if_empty(struct run *run);            /* when leaving, and no process is left */

/* daemons.c */
MUST_CHECK int daemons_make_certificates(const struct scenario *scenario, struct error *err);
/* control_fd: the PS's end. */
MUST_CHECK int daemons_spawn_ps(struct run *run, int control_fd, struct error *err);
MUST_CHECK int daemons_spawn_missing_workers(struct run *run, struct error *err);
MUST_CHECK int daemons_spawn_worker(void *run, int32_t node, struct error *err); /* for impair_config.restart */
void daemons_on_death(void *run, int32_t node, int status, bool was_signalled);  /* for supervise_new */

/* conversation.c */
void conversation_on_readable(void *run); /* the PS has said something */
void conversation_stop(struct run *run);  /* tell it to stop */

#endif
