/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "ps/recorder.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/mem.h"
#include "results/results.h"

struct row {
    struct recorder_answer answer;
    bool used;
};

struct recorder {
    char *directory; /* NULL: nothing is written */
    struct results_writer *rounds, *answers, *summary, *iterates;
    const char *strategy;
    uint32_t repeat;
    uint32_t written; /* rounds of this run whose rows are out */
    /* Answers of rounds whose error is not known yet, in order of arrival. The evaluator's queue bounds how many
     * rounds. */
    struct row *row;
    size_t n, capacity;
};

static int open_files(struct recorder *recorder, struct error *err)
{
    const char *directory = recorder->directory;
    if (mkdir(directory, 0777) < 0 && errno != EEXIST)
        return error_set_errno(err, "cannot make the directory %s", directory);
    recorder->rounds = results_open(directory, RESULTS_ROUNDS, false, err);
    recorder->answers = recorder->rounds ? results_open(directory, RESULTS_ANSWERS, false, err) : NULL;
    recorder->summary = recorder->answers ? results_open(directory, RESULTS_SUMMARY, false, err) : NULL;
    recorder->iterates = recorder->summary ? results_open(directory, RESULTS_ITERATES, false, err) : NULL;
    return recorder->iterates ? 0 : -1;
}

struct recorder *recorder_new(const char *directory, struct error *err)
{
    struct recorder *recorder = mem_zalloc(sizeof *recorder);
    recorder->directory = mem_strdup(directory);
    if (directory != NULL && open_files(recorder, err) < 0) {
        recorder_free(recorder);
        return NULL;
    }
    return recorder;
}

void recorder_free(struct recorder *recorder)
{
    if (recorder == NULL)
        return;
    results_close(recorder->rounds);
    results_close(recorder->answers);
    results_close(recorder->summary);
    results_close(recorder->iterates);
    free(recorder->row);
    free(recorder->directory);
    free(recorder);
}

void recorder_begin(struct recorder *recorder, const char *strategy, uint32_t repeat)
{
    recorder->strategy = strategy;
    recorder->repeat = repeat;
    recorder->written = 0;
    recorder->n = 0;
}

static double seconds(int64_t ns)
{
    return (double)ns / NS_PER_S;
}

static int write_answer(struct recorder *recorder, const struct row *row, struct error *err)
{
    static const char *const kinds[] = {"vector", "skip", "cancelled"};
    const struct recorder_answer *answer = &row->answer;
    struct results_writer *to = recorder->answers;
    bool timed = answer->kind != RECORDER_CANCELLED;
    results_begin(to);
    results_text(to, recorder->strategy);
    results_int(to, (int64_t)recorder->repeat + 1);
    results_int(to, answer->round);
    results_int(to, (int64_t)answer->worker + 1);
    results_double(to, seconds(answer->sent_ns));
    results_double(to, seconds(answer->received_ns));
    results_double(to, timed ? seconds(answer->compute_ns) : NAN);
    results_double(to, timed ? seconds(answer->wait_ns) : NAN);
    results_double(to, timed ? seconds(answer->overrun_ns) : NAN);
    results_double(to, timed ? seconds(answer->late_ns) : NAN);
    results_int(to, answer->evaluated);
    results_text(to, kinds[answer->kind]);
    results_int(to, row->used);
    return results_end(to, err);
}

int recorder_answer(struct recorder *recorder, const struct recorder_answer *answer, struct error *err)
{
    struct row row = {.answer = *answer};
    if (recorder->directory == NULL)
        return 0;
    if (answer->round < recorder->written)
        return write_answer(recorder, &row, err);
    if (recorder->n == recorder->capacity) {
        recorder->capacity = recorder->capacity ? 2 * recorder->capacity : 64;
        recorder->row = mem_resize(recorder->row, recorder->capacity, sizeof *recorder->row);
    }
    recorder->row[recorder->n++] = row;
    return 0;
}

void recorder_used(struct recorder *recorder, uint32_t round, const bool *used)
{
    for (size_t i = 0; i < recorder->n; i++)
        if (recorder->row[i].answer.round == round)
            recorder->row[i].used = used[recorder->row[i].answer.worker];
}

/* Write the answers of rounds below `below`, keep the others. */
static int flush(struct recorder *recorder, uint32_t below, struct error *err)
{
    size_t kept = 0;
    int result = 0;
    for (size_t i = 0; i < recorder->n; i++) {
        if (recorder->row[i].answer.round >= below)
            recorder->row[kept++] = recorder->row[i];
        else if (result == 0)
            result = write_answer(recorder, &recorder->row[i], err);
    }
    recorder->n = kept;
    return result;
}

int recorder_round(struct recorder *recorder, const struct round_record *record, struct error *err)
{
    if (recorder->directory == NULL)
        return 0;
    recorder->written = record->round + 1;
    if (results_round(recorder->rounds, recorder->strategy, recorder->repeat, record, err) < 0)
        return -1;
    return flush(recorder, recorder->written, err);
}

int recorder_end(struct recorder *recorder, const struct session_summary *summary, const char *iterates,
                 struct error *err)
{
    recorder->n = 0;
    if (recorder->directory == NULL)
        return 0;
    if (results_summary(recorder->summary, recorder->strategy, recorder->repeat, summary, err) < 0)
        return -1;
    if (results_iterates(recorder->iterates, recorder->strategy, recorder->repeat, summary, iterates, err) < 0)
        return -1;
    return results_summary_json(recorder->directory, err);
}
