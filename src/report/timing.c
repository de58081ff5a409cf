/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "report/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/predict.h"

/* Drawing the times of a round again costs some 100 ns a worker: not for runs of a hundred million. */
enum { DRAWS_MAX = 20 * 1000 * 1000 };

/* The answer that ended a round: the last one used. By row of rounds.csv. */
struct last_answer {
    double sent, received, computing;
    bool is_known;
};

static const struct run *find_run(const struct folder *folder, const char *strategy, double repeat)
{
    for (size_t i = 0; i < folder->n_runs; i++)
        if (folder->run[i].repeat == repeat && strcmp(folder->strategy[folder->run[i].strategy], strategy) == 0)
            return &folder->run[i];
    return NULL;
}

static void take_answer(const struct results_table *table, size_t row, const int *column, struct last_answer *last)
{
    double received = folder_number(table, row, column[1]);
    if (!(received > last->received) && last->is_known)
        return;
    *last =
        (struct last_answer){.sent = folder_number(table, row, column[0]),
                             .received = received,
                             .computing = folder_number(table, row, column[2]) + folder_number(table, row, column[3]),
                             .is_known = true};
}

/* Rounds of a run ascend from 0, none left out, as the PS writes them: an answer finds its round by that. */
static struct last_answer *last_answers(const struct folder *folder)
{
    const struct results_table *table = &folder->table[RESULTS_ANSWERS];
    struct last_answer *last = mem_array(folder->table[RESULTS_ROUNDS].rows + 1, sizeof *last);
    const int column[] = {results_column(table, "sent_s"), results_column(table, "received_s"),
                          results_column(table, "compute_s"), results_column(table, "wait_s")};
    int strategy = results_column(table, "strategy"), repeat = results_column(table, "repeat");
    int round = results_column(table, "round"), used = results_column(table, "used");
    const struct run *run = NULL;
    for (size_t row = 0; row < table->rows; row++) {
        const char *name = folder_text(table, row, strategy);
        double at = folder_number(table, row, round), of = folder_number(table, row, repeat);
        if (folder_number(table, row, used) != 1)
            continue;
        if (run == NULL || run->repeat != of || strcmp(folder->strategy[run->strategy], name) != 0)
            run = find_run(folder, name, of);
        if (run != NULL && at >= 0 && at < (double)run->n_rounds)
            take_answer(table, row, column, &last[run->row[(size_t)at]]);
    }
    return last;
}

static void take_drawn(const struct folder *folder, const struct run *run, double round, double length,
                       struct timing *timing)
{
    int which = folder_choice(folder, run->strategy);
    double drawn = NAN;
    if (which >= 0 && run->repeat > 0 && round >= 0 && round < UINT32_MAX)
        drawn = predict_drawn(folder->scenario, (size_t)which, run->repeat - 1, (uint32_t)round);
    stats_add(&timing->drawn, drawn);
    stats_add(&timing->surplus, length - drawn);
}

static void take_run(const struct folder *folder, const struct run *run, const struct last_answer *last,
                     bool with_drawn, struct timing *timing)
{
    const struct results_table *table = &folder->table[RESULTS_ROUNDS];
    int begin = results_column(table, "begin_s"), end = results_column(table, "end_s");
    int round = results_column(table, "round");
    for (size_t i = 0; i < run->n_rounds; i++) {
        size_t row = run->row[i];
        double length = folder_number(table, row, end) - folder_number(table, row, begin);
        stats_add(&timing->round, length);
        if (with_drawn)
            take_drawn(folder, run, folder_number(table, row, round), length, timing);
        if (!last[row].is_known) {
            timing->n_quiet++;
            continue;
        }
        double away = last[row].received - last[row].sent;
        stats_add(&timing->computing, last[row].computing);
        stats_add(&timing->messages, away - last[row].computing);
        stats_add(&timing->ps, length - away);
    }
}

/* Is there a model of computing times at all, and is drawing from it again affordable? */
static bool can_draw(const struct folder *folder)
{
    const struct scenario *scenario = folder->scenario;
    if (scenario == NULL || (double)folder->table[RESULTS_ROUNDS].rows * scenario->cluster.workers > DRAWS_MAX)
        return false;
    for (uint32_t w = 0; w < scenario->cluster.workers; w++)
        if (scenario->compute[w].kind != DIST_NONE)
            return true;
    return false;
}

struct timing *timing_of(const struct folder *folder)
{
    struct timing *timing = mem_array(folder->n_strategies + 1, sizeof *timing);
    struct last_answer *last = last_answers(folder);
    bool with_drawn = can_draw(folder);
    for (size_t s = 0; s < folder->n_strategies; s++) {
        int which = folder_choice(folder, s);
        timing[s].expected = which < 0 ? NAN : predict_expected(folder->scenario, (size_t)which);
    }
    for (size_t i = 0; i < folder->n_runs; i++)
        take_run(folder, &folder->run[i], last, with_drawn, &timing[folder->run[i].strategy]);
    free(last);
    return timing;
}

/* ── punctuality ── */

struct punctuality punctuality_of(const struct folder *folder)
{
    const struct results_table *table = &folder->table[RESULTS_ANSWERS];
    struct punctuality result = {0};
    int compute = results_column(table, "compute_s"), wait = results_column(table, "wait_s");
    int overrun = results_column(table, "overrun_s"), late = results_column(table, "late_s");
    double *lates = mem_array(table->rows + 1, sizeof *lates), *computing = mem_array(table->rows + 1, sizeof *lates);
    for (size_t row = 0; row < table->rows; row++) {
        double late_s = folder_number(table, row, late);
        double computing_s = folder_number(table, row, compute) + folder_number(table, row, wait);
        if (!isfinite(late_s) || !isfinite(computing_s))
            continue;
        lates[result.answers] = late_s;
        computing[result.answers++] = computing_s;
        result.overrun += folder_number(table, row, overrun) > 0;
    }
    result.late_median_s = stats_quantile(lates, result.answers, 0.5);
    result.late_high_s = stats_quantile(lates, result.answers, 0.99);
    result.computing_median_s = stats_quantile(computing, result.answers, 0.5);
    free(lates);
    free(computing);
    return result;
}
