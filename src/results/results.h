/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result directory: which files, which columns, how they are written and read. One table per file (columns.c);
 * writers and readers go by it, and laggard-results(5) is checked against it. Rows are written whole, in one write
 * each: the files are readable up to the last finished row whenever a run is cut short.
 *
 * rounds.csv    strategy, repeat, round, begin_s, end_s, contacted, answered, used, selected, uplink, downlink, notices,
 *               uplink_bytes, downlink_bytes, notice_bytes, gradients, wasted, step_norm, error
 * answers.csv   strategy, repeat, round, worker, sent_s, received_s, compute_s, wait_s, overrun_s, late_s, evaluated,
 *               kind (vector | skip | cancelled), used (0 or 1)
 * summary.csv   strategy, repeat, rounds, seconds, uplink, downlink, notices, uplink_bytes, downlink_bytes, gradients,
 *               wasted, final_error, reached, seconds_to_target, rounds_to_target, uplink_to_target
 *               (contract: this order)
 * iterates.csv  strategy, repeat, rounds, sha256 (of all iterates of the run, chained: the same if and only if two runs
 *               went the same way, bit by bit), initial_error (of θ^0: what a relative target is relative to)
 * events.csv    strategy, repeat, requested_s, applied_s, what, target, value, observed,
 *               source (scenario | random | user)
 * pauses.csv    strategy, repeat, worker, requested_s, stopped_s, length_s, resumed_s, observed_s
 * links.csv     node, direction, figure (delay_ms, jitter_ms, rate_mbit, loss_percent, drops, rtt_ms, rtt_min_ms,
 *               retransmits), asked, achieved, samples, how (ping | bulk | tcp_info | kernel), when (before | during)
 *
 * Times in seconds since the start of the strategy's run. Repeats and workers count from 1, rounds from 0. Doubles have 17
 * significant digits. */
#ifndef LAGGARD_RESULTS_RESULTS_H
#define LAGGARD_RESULTS_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "core/session.h"

enum results_file {
    RESULTS_ROUNDS,
    RESULTS_ANSWERS,
    RESULTS_SUMMARY,
    RESULTS_ITERATES,
    RESULTS_EVENTS,
    RESULTS_PAUSES,
    RESULTS_LINKS,
    RESULTS_FILES
};

/* File name ("rounds.csv") and NULL-terminated column names. */
const char *results_file_name(enum results_file file);
const char *const *results_columns(enum results_file file);

/* One CSV file being written. Opening writes the header line when the file is new (append = false truncates). */
struct results_writer;
MUST_CHECK struct results_writer *results_open(const char *directory, enum results_file file, bool append,
                                               struct error *err);
void results_close(struct results_writer *writer); /* NULL is fine */

/* A row is begun, filled left to right in the order of the columns, and ended; an assertion holds that all were filled.
 */
void results_begin(struct results_writer *writer);
void results_text(struct results_writer *writer, const char *text); /* quoted as RFC 4180 where needed */
void results_int(struct results_writer *writer, int64_t value);
void results_double(struct results_writer *writer, double value);             /* NAN: an empty field */
MUST_CHECK int results_end(struct results_writer *writer, struct error *err); /* one write(2) */

/* The rows that PS and simulator write. */
MUST_CHECK int results_round(struct results_writer *writer, const char *strategy, uint32_t repeat,
                             const struct round_record *record, struct error *err);
MUST_CHECK int results_summary(struct results_writer *writer, const char *strategy, uint32_t repeat,
                               const struct session_summary *summary, struct error *err);

/* sha256: 64 hexadecimal digits. */
MUST_CHECK int results_iterates(struct results_writer *writer, const char *strategy, uint32_t repeat,
                                const struct session_summary *summary, const char *sha256, struct error *err);

/* Write summary.json whole, anew (temporary name in the same directory, then rename), from the rows of summary.csv. */
MUST_CHECK int results_summary_json(const char *directory, struct error *err);

/* Reading: a whole CSV file as text fields. A last line that was cut short is dropped. */
struct results_table {
    size_t rows, columns;
    char **name;  /* columns */
    char **field; /* rows × columns */
    char *bytes;  /* the file, into which name and field point */
};
MUST_CHECK int results_read(const char *directory, enum results_file file, struct results_table *out,
                            struct error *err);
void results_table_clear(struct results_table *table);
int results_column(const struct results_table *table, const char *name); /* −1: none */
const char *results_field(const struct results_table *table, size_t row, int column);
double results_number(const struct results_table *table, size_t row, int column); /* empty: NAN */

#endif
