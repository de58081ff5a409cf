/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a result directory: tables, manifest and scenario, and from them the list of runs. */
#include "config.h"

#include "report/folder.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

double folder_number(const struct results_table *table, size_t row, int column)
{
    return column < 0 ? NAN : results_number(table, row, column);
}

const char *folder_text(const struct results_table *table, size_t row, int column)
{
    return column < 0 ? "" : results_field(table, row, column);
}

/* ── the files ── */

static int read_tables(struct folder *folder, struct error *err)
{
    for (int file = 0; file < RESULTS_FILES; file++) {
        char *path = mem_printf("%s/%s", folder->path, results_file_name((enum results_file)file));
        bool is_there = access(path, F_OK) == 0;
        free(path);
        if (is_there && results_read(folder->path, (enum results_file)file, &folder->table[file], err) < 0)
            return -1;
    }
    if (folder->table[RESULTS_SUMMARY].columns == 0 && folder->table[RESULTS_ROUNDS].columns == 0)
        return error_set(err, "%s: holds no results: neither %s nor %s is there", folder->path,
                         results_file_name(RESULTS_SUMMARY), results_file_name(RESULTS_ROUNDS));
    return 0;
}

static void read_scenario(struct folder *folder)
{
    struct scenario_errors errors = {0};
    char *path = mem_printf("%s/scenario.ini", folder->path);
    if (access(path, F_OK) == 0) {
        folder->scenario = scenario_read(path, NULL, 0, &errors);
        if (folder->scenario == NULL)
            folder->complaint = mem_printf("%s: %s", path, errors.n ? errors.error[0].text : "cannot be read");
    }
    scenario_errors_clear(&errors);
    free(path);
}

static char *text_of(const json_t *root, const char *key)
{
    return mem_strdup(json_string_value(json_object_get(root, key)));
}

static char *kernel_of(const json_t *kernel)
{
    const char *kind = json_string_value(json_object_get(kernel, "kind"));
    const char *release = json_string_value(json_object_get(kernel, "release"));
    return kind ? mem_printf("%s %s", kind, release ? release : "(unknown)") : NULL;
}

static void read_notes(const json_t *notes, struct about *about)
{
    about->n_notes = json_array_size(notes);
    about->notes = mem_array(about->n_notes + 1, sizeof *about->notes);
    for (size_t i = 0; i < about->n_notes; i++) {
        const char *text = json_string_value(json_array_get(notes, i));
        about->notes[i] = mem_strdup(text ? text : "");
    }
}

/* A manifest that is damaged is as good as none: it only adds to what the tables say. */
static void read_manifest(struct folder *folder)
{
    char *path = mem_printf("%s/manifest.json", folder->path);
    json_t *root = json_load_file(path, 0, NULL), *machine = json_object_get(root, "machine");
    free(path);
    folder->about = (struct about){.status = text_of(root, "status"),
                                   .failure = text_of(root, "failure"),
                                   .begin = text_of(root, "begin"),
                                   .kernel = kernel_of(json_object_get(root, "kernel")),
                                   .processor = text_of(machine, "processor"),
                                   .processors = (int)json_integer_value(json_object_get(machine, "processors"))};
    read_notes(json_object_get(root, "notes"), &folder->about);
    json_decref(root);
}

/* ── strategies and runs ── */

static size_t strategy_number(struct folder *folder, const char *name)
{
    size_t i = 0;
    while (i < folder->n_strategies && strcmp(folder->strategy[i], name) != 0)
        i++;
    if (i == folder->n_strategies) {
        folder->strategy = mem_resize(folder->strategy, i + 1, sizeof *folder->strategy);
        folder->strategy[folder->n_strategies++] = name;
    }
    return i;
}

static struct run *find_run(struct folder *folder, size_t strategy, uint32_t repeat)
{
    /* From the back: rows of a run stand together. */
    for (size_t i = folder->n_runs; i-- > 0;)
        if (folder->run[i].strategy == strategy && folder->run[i].repeat == repeat)
            return &folder->run[i];
    folder->run = mem_resize(folder->run, folder->n_runs + 1, sizeof *folder->run);
    struct run *run = &folder->run[folder->n_runs++];
    *run = (struct run){.strategy = strategy, .repeat = repeat, .initial_error = NAN};
    for (int i = 0; i < FIGURES; i++)
        run->figure[i] = NAN;
    return run;
}

static struct run *run_of_row(struct folder *folder, enum results_file file, size_t row)
{
    const struct results_table *table = &folder->table[file];
    double repeat = folder_number(table, row, results_column(table, "repeat"));
    size_t strategy = strategy_number(folder, folder_text(table, row, results_column(table, "strategy")));
    return find_run(folder, strategy, repeat >= 0 && repeat < UINT32_MAX ? (uint32_t)repeat : 0);
}

static void take_summaries(struct folder *folder)
{
    const struct results_table *table = &folder->table[RESULTS_SUMMARY];
    const char *const *name = results_columns(RESULTS_SUMMARY) + 2;
    for (size_t row = 0; row < table->rows; row++) {
        struct run *run = run_of_row(folder, RESULTS_SUMMARY, row);
        run->is_finished = true;
        for (int i = 0; i < FIGURES; i++)
            run->figure[i] = folder_number(table, row, results_column(table, name[i]));
    }
}

/* What rounds.csv adds to an unfinished run, row by row. */
static void add_round(struct run *run, const struct results_table *table, size_t row)
{
    static const struct {
        enum figure figure;
        const char *column;
    } sums[] = {
        {FIGURE_UPLINK, "uplink"},
        {FIGURE_DOWNLINK, "downlink"},
        {FIGURE_NOTICES, "notices"},
        {FIGURE_UPLINK_BYTES, "uplink_bytes"},
        {FIGURE_DOWNLINK_BYTES, "downlink_bytes"},
        {FIGURE_GRADIENTS, "gradients"},
        {FIGURE_WASTED, "wasted"},
    };
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        double *sum = &run->figure[sums[i].figure];
        *sum = (isnan(*sum) ? 0 : *sum) + folder_number(table, row, results_column(table, sums[i].column));
    }
    run->figure[FIGURE_ROUNDS] = (double)run->n_rounds;
    run->figure[FIGURE_SECONDS] = folder_number(table, row, results_column(table, "end_s"));
    run->figure[FIGURE_FINAL_ERROR] = folder_number(table, row, results_column(table, "error"));
    run->figure[FIGURE_REACHED] = 0;
}

static void take_rounds(struct folder *folder)
{
    const struct results_table *table = &folder->table[RESULTS_ROUNDS];
    for (size_t row = 0; row < table->rows; row++) {
        struct run *run = run_of_row(folder, RESULTS_ROUNDS, row);
        if ((run->n_rounds & (run->n_rounds - 1)) == 0) /* 0 or a power of two: it is full */
            run->row = mem_resize(run->row, run->n_rounds ? 2 * run->n_rounds : 1, sizeof *run->row);
        run->row[run->n_rounds++] = row;
        if (!run->is_finished)
            add_round(run, table, row);
    }
}

static void take_initial_errors(struct folder *folder)
{
    const struct results_table *table = &folder->table[RESULTS_ITERATES];
    int column = results_column(table, "initial_error");
    for (size_t row = 0; row < table->rows; row++)
        run_of_row(folder, RESULTS_ITERATES, row)->initial_error = folder_number(table, row, column);
}

int folder_read(const char *path, struct folder *out, struct error *err)
{
    *out = (struct folder){.path = mem_strdup(path)};
    size_t len = strlen(out->path);
    while (len > 1 && out->path[len - 1] == '/')
        out->path[--len] = '\0';
    if (read_tables(out, err) < 0) {
        folder_clear(out);
        return -1;
    }
    read_scenario(out);
    read_manifest(out);
    for (size_t i = 0; out->scenario != NULL && i < out->scenario->n_strategies; i++)
        strategy_number(out, out->scenario->strategy[i].ops->name);
    take_summaries(out);
    take_rounds(out);
    take_initial_errors(out);
    return 0;
}

void folder_clear(struct folder *folder)
{
    for (int file = 0; file < RESULTS_FILES; file++)
        results_table_clear(&folder->table[file]);
    scenario_free(folder->scenario);
    free(folder->about.status);
    free(folder->about.failure);
    free(folder->about.kernel);
    free(folder->about.processor);
    free(folder->about.begin);
    for (size_t i = 0; i < folder->about.n_notes; i++)
        free(folder->about.notes[i]);
    free(folder->about.notes);
    for (size_t i = 0; i < folder->n_runs; i++)
        free(folder->run[i].row);
    free(folder->strategy);
    free(folder->run);
    free(folder->complaint);
    free(folder->path);
    *folder = (struct folder){0};
}

/* ── questions ── */

int folder_choice(const struct folder *folder, size_t strategy)
{
    for (size_t i = 0; folder->scenario != NULL && i < folder->scenario->n_strategies; i++)
        if (strcmp(folder->scenario->strategy[i].ops->name, folder->strategy[strategy]) == 0)
            return (int)i;
    return -1;
}

double folder_target(const struct folder *folder)
{
    if (folder->scenario == NULL)
        return NAN;
    if (folder->scenario->target_kind != TARGET_RELATIVE_ERROR)
        return folder->scenario->target;
    for (size_t i = 0; i < folder->n_runs; i++)
        if (isfinite(folder->run[i].initial_error))
            return folder->scenario->target * folder->run[i].initial_error;
    return NAN;
}

uint32_t folder_repeats(const struct folder *folder)
{
    uint32_t repeats = folder->scenario ? folder->scenario->repeats : 0;
    for (size_t i = 0; i < folder->n_runs; i++)
        if (folder->run[i].repeat > repeats)
            repeats = folder->run[i].repeat;
    return repeats;
}
