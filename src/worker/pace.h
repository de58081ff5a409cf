/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long a task takes: the real computing, then a wait that makes up the time T that the straggling model drew,
 * counted from the task's arrival. No clock: it is told `now`. */
#ifndef LAGGARD_WORKER_PACE_H
#define LAGGARD_WORKER_PACE_H

#include <stdint.h>

enum pace_state { PACE_IDLE, PACE_COMPUTING, PACE_WAITING };

/* Embedded; zero is idle. */
struct pace {
    enum pace_state state;
    int64_t received_ns, computed_ns;
    int64_t due_ns; /* when T is over; −1: there is no T */
};

/* What an answer says of its time. compute + wait is all that passed since the task came. */
struct pace_times {
    int64_t compute_ns; /* from the task's arrival to its result, whatever else the processor did meanwhile */
    int64_t wait_ns;    /* from then to the answer */
    int64_t overrun_ns; /* by which computing exceeded T; 0 without T */
    int64_t late_ns;    /* by which the wait exceeded what was left of T */
};

/* A task has come. length_ns: T; −1 when no time is modelled. The pace must be idle. */
void pace_start(struct pace *pace, int64_t now_ns, int64_t length_ns);
/* Its result is there. Returns when to answer: now_ns at the earliest. */
int64_t pace_computed(struct pace *pace, int64_t now_ns);
/* The answer goes out. Idle again. */
void pace_finish(struct pace *pace, int64_t now_ns, struct pace_times *out);
/* Cancelled, in any state. Idle again. */
void pace_stop(struct pace *pace);

#endif
