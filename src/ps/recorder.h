/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The PS's part of the result directory: rounds.csv, answers.csv, summary.csv, iterates.csv and summary.json. Rows of a
 * round appear once its error is known, so that what lies past the first iterate that met the target never appears. */
#ifndef LAGGARD_PS_RECORDER_H
#define LAGGARD_PS_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "core/session.h"

struct recorder;

/* Writes into directory (made if missing, its old files of these names replaced); NULL: nothing is written, and nothing
 * fails. */
MUST_CHECK struct recorder *recorder_new(const char *directory, struct error *err);
void recorder_free(struct recorder *recorder); /* NULL is fine */

/* One row of answers.csv. Times in ns; sent and received since the run's start. */
struct recorder_answer {
    uint32_t worker, round, evaluated;
    int64_t sent_ns, received_ns;
    int64_t compute_ns, wait_ns, overrun_ns, late_ns; /* not for RECORDER_CANCELLED */
    enum recorder_kind { RECORDER_VECTOR, RECORDER_SKIP, RECORDER_CANCELLED } kind;
};

/* A run begins; repeat counts from 0 (people see it from 1). strategy is borrowed until its end. */
void recorder_begin(struct recorder *recorder, const char *strategy, uint32_t repeat);
/* An answer has come in, in time or late. */
MUST_CHECK int recorder_answer(struct recorder *recorder, const struct recorder_answer *answer, struct error *err);
/* The round is over and used these workers' answers (M flags). */
void recorder_used(struct recorder *recorder, uint32_t round, const bool *used);
/* A round's record is complete: its row and those of its answers so far are written. Rounds ascend. */
MUST_CHECK int recorder_round(struct recorder *recorder, const struct round_record *record, struct error *err);
/* The run is over: its rows of summary.csv and iterates.csv, and summary.json anew. Answers of rounds that do not
 * belong to it are dropped. iterates: SHA-256 as hexadecimal digits. */
MUST_CHECK int recorder_end(struct recorder *recorder, const struct session_summary *summary, const char *iterates,
                            struct error *err);

#endif
