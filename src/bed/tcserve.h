/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The long-lived helper: netem/link-shape --serve with one `tc -batch -` behind it, in the switch's namespace. It takes
 * requests, a line each, and answers each with what tc complained about, the device's queue as JSON, and a line "[]".
 */
#ifndef LAGGARD_BED_TCSERVE_H
#define LAGGARD_BED_TCSERVE_H

#include <stddef.h>

#include "base/error.h"
#include "bed/topology.h"

struct tcserve;

/* topology NULL: in the caller's own namespace. */
MUST_CHECK struct tcserve *tcserve_new(const struct topology *topology, const char *netem_directory, struct error *err);
void tcserve_free(struct tcserve *serve);

/* What came back for one request. Strings are owned by whoever has the answer; tcserve_answer_clear. */
struct tcserve_answer {
    char *queue;     /* the JSON line; NULL: there was none */
    char *complaint; /* the first thing that tc or the script said against it; NULL: nothing */
};
void tcserve_answer_clear(struct tcserve_answer *answer);

/* Ask n requests (lines without newline) and wait for all the answers, in order; 10 s of silence, or an end, is an
 * error. answers: out, n of them, cleared first. */
MUST_CHECK int tcserve_ask(struct tcserve *serve, char *const *requests, size_t n, struct tcserve_answer *answers,
                           struct error *err);

#endif
