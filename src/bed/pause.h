/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pauses of workers: SIGSTOP, the stopped state seen, SIGCONT when its time is over. Pauses of one worker that overlap
 * are one stop: it lasts until the last of them ends. The caller brings the clock. */
#ifndef LAGGARD_BED_PAUSE_H
#define LAGGARD_BED_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "bed/supervise.h"

struct pauses;

struct pauses *pauses_new(uint32_t workers, struct supervisor *supervisor); /* supervisor borrowed */
void pauses_free(struct pauses *pauses);                                    /* resumes nothing */

enum pause_outcome {
    PAUSE_STOPPED, /* every thread was seen stopped */
    PAUSE_MERGED,  /* it was stopped already, and now stays so until the later end */
    PAUSE_GONE,    /* no such process runs */
    PAUSE_UNSEEN   /* stopped by signal, but not seen stopped within 20 ms (uninterruptible, or a machine too busy) */
};

/* One stop of one worker, from its first request to its end. */
struct pause_record {
    int32_t node;
    int64_t requested_ns; /* when the first of its requests was made */
    int64_t length_ns;    /* asked for, the merged requests together */
    int64_t stopped_ns;   /* when the stopped state was seen; 0: never */
    int64_t resumed_ns;   /* when it was seen running again; 0: the process had gone meanwhile */
};

/* Pause a worker from now on (now_ns) for length_ns. */
enum pause_outcome pauses_begin(struct pauses *pauses, int32_t node, int64_t now_ns, int64_t length_ns);
/* When the worker was last seen stopped (of the stop under way), 0 when it was not. */
int64_t pauses_stopped_ns(const struct pauses *pauses, int32_t node);
bool pauses_is_paused(const struct pauses *pauses, int32_t node);

/* When the next stop is to end; INT64_MAX: none is under way. */
int64_t pauses_next_at(const struct pauses *pauses);
/* End one stop whose time is over at now_ns (INT64_MAX: any), or whose process has gone; false: there is none. out:
 * what there is to record. To be called until it says false, also before pauses_begin: what it would write over is a
 * record. */
bool pauses_end_one(struct pauses *pauses, int64_t now_ns, struct pause_record *out);

#endif
