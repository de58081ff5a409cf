/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Result directories made up for the tests of the report, row by row, through the writers that real runs use. */
#ifndef LAGGARD_TESTS_MADE_RESULTS_H
#define LAGGARD_TESTS_MADE_RESULTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/session.h"
#include "results/results.h"

/* Embedded. A temporary folder and an open writer of each file. */
struct made {
    char path[64];
    struct results_writer *writer[RESULTS_FILES];
};

void made_begin(struct made *made);
/* Close the writers: what was written is a result directory. */
void made_end(struct made *made);
/* Remove the folder. */
void made_remove(const struct made *made);
void made_file(const struct made *made, const char *name, const char *text);

/* repeat from 1, as in the files; error NAN: not known. */
void made_round(struct made *made, const char *strategy, uint32_t repeat, uint32_t round, double begin_s, double end_s,
                uint64_t uplink, double error);
struct made_answer {
    uint32_t round, worker;
    double sent_s, received_s, compute_s, wait_s, overrun_s, late_s;
    bool used;
};
void made_answer(struct made *made, const char *strategy, uint32_t repeat, const struct made_answer *answer);
void made_summary(struct made *made, const char *strategy, uint32_t repeat, const struct session_summary *summary);
/* A run in one row: reached its target after these. */
void made_reached(struct made *made, const char *strategy, uint32_t repeat, double seconds, uint64_t uplink,
                  uint64_t gradients);
void made_link(struct made *made, const char *node, const char *figure, double asked, double achieved);

/* The report of the folder as a new string. */
char *made_text(const struct made *made);
/* A file of the folder as a new string, or NULL. */
char *made_read(const struct made *made, const char *name);

#endif
