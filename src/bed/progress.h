/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a person sees on stderr while a run goes on: on a terminal one line that is rewritten, elsewhere one line for
 * each strategy that is over. */
#ifndef LAGGARD_BED_PROGRESS_H
#define LAGGARD_BED_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Embedded. */
struct progress {
    bool quiet;
    unsigned columns;         /* of the terminal; 0: it is none */
    uint32_t runs, run;       /* of all strategies and repeats; the one in hand counts from 1 */
    uint32_t repeats, repeat; /* repeat counts from 0 */
    char strategy[32];
    int64_t start_ns, shown_ns;
    double first_error; /* of the first round seen in this run: the bar's left end */
    bool is_open;       /* a line without its newline is on the terminal */
};

void progress_init(struct progress *progress, bool quiet, unsigned columns, uint32_t runs, uint32_t repeats);
void progress_note(struct progress *progress, const char *sentence); /* "probing the links": on a terminal only */
void progress_say(struct progress *progress, const char *line);      /* a line that stays, quiet or not */
void progress_run(struct progress *progress, const char *strategy, uint32_t repeat, int64_t now_ns);
/* error and target may be NAN: not known, or another kind of target. */
void progress_round(struct progress *progress, uint32_t round, double error, double target, int64_t now_ns);
/* failed NULL: it ended well. */
void progress_end(struct progress *progress, uint32_t rounds, bool reached, const char *failed, int64_t now_ns);
void progress_close(struct progress *progress);

/* How far an error has come from its first value to the target, on the logarithmic scale on which it falls: 0 to 1. */
double progress_share(double first, double error, double target);

#endif
