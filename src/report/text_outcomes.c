/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of strategies, and who won in time, in messages and in gradients. */
#include "config.h"

#include "report/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/grid.h"
#include "report/stats.h"

/* Over the finished runs of a strategy; over all of them if none has finished. */
static struct stats stats_of(const struct folder *folder, size_t strategy, enum figure figure)
{
    struct stats finished = {0}, all = {0};
    size_t n_finished = 0;
    for (size_t i = 0; i < folder->n_runs; i++) {
        const struct run *run = &folder->run[i];
        if (run->strategy != strategy)
            continue;
        stats_add(&all, run->figure[figure]);
        if (run->is_finished) {
            n_finished++;
            stats_add(&finished, run->figure[figure]);
        }
    }
    return n_finished > 0 ? finished : all;
}

static double mean_of(const struct folder *folder, size_t strategy, enum figure figure)
{
    struct stats stats = stats_of(folder, strategy, figure);
    return stats.n > 0 ? stats.mean : NAN;
}

static size_t count_runs(const struct folder *folder, size_t strategy, bool only_finished, bool only_reached)
{
    size_t n = 0;
    for (size_t i = 0; i < folder->n_runs; i++) {
        const struct run *run = &folder->run[i];
        n += run->strategy == strategy && (run->is_finished || !only_finished) &&
             (run->figure[FIGURE_REACHED] == 1 || !only_reached);
    }
    return n;
}

/* Is every run of it finished, at its target, and none missing? */
static bool has_reached(const struct folder *folder, size_t strategy)
{
    size_t n = count_runs(folder, strategy, true, true);
    return n > 0 && n == folder_repeats(folder);
}

/* ── the table ── */

static void add_target(struct grid *grid, const struct folder *folder, size_t strategy)
{
    size_t finished = count_runs(folder, strategy, true, false), met = count_runs(folder, strategy, true, true);
    if (finished == 0)
        grid_add(grid, "cut");
    else if (folder_repeats(folder) > 1)
        grid_add(grid, "%zu of %" PRIu32, met, folder_repeats(folder));
    else
        grid_add(grid, "%s", met ? "met" : "missed");
}

/* Not below a kilobyte: the column stays narrow. */
static void add_megabytes(struct grid *grid, double bytes)
{
    char text[NUMBER_TEXT];
    if (bytes > 0 && bytes < 99500)
        grid_add(grid, "%.3f", bytes / 1e6);
    else
        grid_add(grid, "%s", number_plain(text, bytes / 1e6));
}

static void add_strategy(struct grid *grid, const struct folder *folder, size_t strategy)
{
    static const enum figure counts[] = {FIGURE_UPLINK, FIGURE_DOWNLINK, FIGURE_NOTICES};
    char text[NUMBER_TEXT];
    grid_add(grid, "%s", folder->strategy[strategy]);
    grid_add(grid, "%s", number_count(text, mean_of(folder, strategy, FIGURE_ROUNDS)));
    grid_add(grid, "%s", number_plain(text, mean_of(folder, strategy, FIGURE_SECONDS)));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        grid_add(grid, "%s", number_count(text, mean_of(folder, strategy, counts[i])));
    add_megabytes(grid, mean_of(folder, strategy, FIGURE_UPLINK_BYTES));
    add_megabytes(grid, mean_of(folder, strategy, FIGURE_DOWNLINK_BYTES));
    grid_add(grid, "%s", number_count(text, mean_of(folder, strategy, FIGURE_GRADIENTS)));
    grid_add(grid, "%s", number_count(text, mean_of(folder, strategy, FIGURE_WASTED)));
    grid_add(grid, "%s", number_scientific(text, mean_of(folder, strategy, FIGURE_FINAL_ERROR)));
    add_target(grid, folder, strategy);
}

static void print_table(const struct folder *folder, FILE *to)
{
    static const char *const heading[] = {"strategy", "rounds", "seconds", "uplink", "downlink", "notices", "up",
                                          "down",     "all",    "wasted",  "error",  "target",   NULL};
    struct grid grid;
    grid_init(&grid, "lrrrrrrrrrrl");
    grid_group(&grid, 3, 5, "messages");
    grid_group(&grid, 6, 7, "MB");
    grid_group(&grid, 8, 9, "gradients");
    grid_group(&grid, 10, 10, "final");
    grid_row(&grid, heading);
    for (size_t s = 0; s < folder->n_strategies; s++)
        if (count_runs(folder, s, false, false) > 0)
            add_strategy(&grid, folder, s);
    grid_print(&grid, to);
    grid_clear(&grid);
}

/* ── repeats ── */

static void add_range(struct grid *grid, const struct stats *stats,
                      const char *(*number)(char text[NUMBER_TEXT], double value))
{
    char mean[NUMBER_TEXT], half[NUMBER_TEXT], low[NUMBER_TEXT], high[NUMBER_TEXT];
    if (stats->n == 0) {
        grid_add(grid, "-");
        grid_add(grid, "-");
        return;
    }
    if (stats->n > 1)
        grid_add(grid, "%s +- %s", number(mean, stats->mean), number(half, stats_half_width(stats)));
    else
        grid_add(grid, "%s", number(mean, stats->mean));
    grid_add(grid, "%s to %s", number(low, stats->min), number(high, stats->max));
}

/* To the target, over those repeats that met it. */
static void print_spread(const struct folder *folder, FILE *to)
{
    static const char *const heading[] = {"strategy", "met",    "seconds", "range", "uplink",
                                          "range",    "rounds", "range",   NULL};
    struct grid grid;
    if (folder_repeats(folder) < 2)
        return;
    fprintf(to, "\nTo the target, over the repeats that met it (+-: 95 %% confidence of the mean):\n");
    grid_init(&grid, "lrrlrlrl");
    grid_row(&grid, heading);
    for (size_t s = 0; s < folder->n_strategies; s++) {
        struct stats seconds = stats_of(folder, s, FIGURE_SECONDS_TO_TARGET);
        struct stats uplink = stats_of(folder, s, FIGURE_UPLINK_TO_TARGET);
        struct stats rounds = stats_of(folder, s, FIGURE_ROUNDS_TO_TARGET);
        grid_add(&grid, "%s", folder->strategy[s]);
        grid_add(&grid, "%zu", seconds.n);
        add_range(&grid, &seconds, number_plain);
        add_range(&grid, &uplink, number_count);
        add_range(&grid, &rounds, number_count);
    }
    grid_print(&grid, to);
    grid_clear(&grid);
}

/* ── who won ── */

struct rank {
    size_t strategy;
    double value;
};

static int by_value(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->strategy > y->strategy) - (x->strategy < y->strategy);
}

static const struct run *run_of(const struct folder *folder, size_t strategy, uint32_t repeat)
{
    for (size_t i = 0; i < folder->n_runs; i++)
        if (folder->run[i].strategy == strategy && folder->run[i].repeat == repeat)
            return &folder->run[i];
    return NULL;
}

/* Repeats are paired: both met the same computing times. Does the mean difference stand out of the repeats' noise? */
static bool differ_clearly(const struct folder *folder, size_t a, size_t b, enum figure figure)
{
    struct stats difference = {0};
    for (uint32_t repeat = 1; repeat <= folder_repeats(folder); repeat++) {
        const struct run *x = run_of(folder, a, repeat), *y = run_of(folder, b, repeat);
        if (x != NULL && y != NULL)
            stats_add(&difference, y->figure[figure] - x->figure[figure]);
    }
    return difference.n < 2 || fabs(difference.mean) > stats_half_width(&difference);
}

static void print_rank(const struct folder *folder, const struct rank *rank, double best,
                       const char *(*number)(char text[NUMBER_TEXT], double value), const char *unit, FILE *to)
{
    char text[NUMBER_TEXT];
    fprintf(to, "%s %s%s", folder->strategy[rank->strategy], number(text, rank->value), unit);
    if (best > 0)
        fprintf(to, " (%.3g times)", rank->value / best);
}

/* "lag-wk 107; then lag-ps 311 (2.91 times); last gd 1320 (12.3 times)" */
static void print_ranks(const struct folder *folder, enum figure figure, struct rank *rank, size_t n, FILE *to)
{
    bool is_time = figure == FIGURE_SECONDS;
    const char *(*number)(char text[NUMBER_TEXT], double value) = is_time ? number_plain : number_count;
    const char *unit = is_time ? " s" : "";
    for (size_t i = 0; i < n; i++)
        rank[i].value = mean_of(folder, rank[i].strategy, figure);
    qsort(rank, n, sizeof *rank, by_value);
    size_t next = 1;
    for (; next < n && rank[next].value == rank[0].value; next++)
        fprintf(to, "%s and ", folder->strategy[rank[next - 1].strategy]);
    print_rank(folder, &rank[next - 1], 0, number, unit, to);
    if (next < n) {
        fprintf(to, "; then ");
        print_rank(folder, &rank[next], rank[0].value, number, unit, to);
        if (!differ_clearly(folder, rank[0].strategy, rank[next].strategy, figure))
            fprintf(to, ", within the noise");
    }
    if (next + 1 < n) {
        fprintf(to, "; last ");
        print_rank(folder, &rank[n - 1], rank[0].value, number, unit, to);
    }
}

static void print_winner(const struct folder *folder, const char *title, enum figure figure, struct rank *rank,
                         size_t n, FILE *to)
{
    char *text = NULL;
    size_t len;
    FILE *memory = open_memstream(&text, &len);
    if (memory == NULL)
        return;
    print_ranks(folder, figure, rank, n, memory);
    fclose(memory);
    fprintf(to, "%-17s ", title);
    grid_paragraph(to, 18, text);
    free(text);
}

static void print_winners(const struct folder *folder, FILE *to)
{
    struct rank *rank = mem_array(folder->n_strategies + 1, sizeof *rank);
    size_t n = 0;
    for (size_t s = 0; s < folder->n_strategies; s++)
        if (has_reached(folder, s))
            rank[n++].strategy = s;
    fprintf(to, "\n");
    if (n == 0) {
        fprintf(to, "No strategy met its target%s, so nobody has won.\n",
                folder_repeats(folder) > 1 ? " in every repeat" : "");
    } else {
        if (n < folder->n_strategies)
            fprintf(to, "Of the %zu that met the target%s:\n", n, folder_repeats(folder) > 1 ? " in every repeat" : "");
        print_winner(folder, "quickest", FIGURE_SECONDS, rank, n, to);
        print_winner(folder, "fewest uplinks", FIGURE_UPLINK, rank, n, to);
        print_winner(folder, "fewest gradients", FIGURE_GRADIENTS, rank, n, to);
    }
    free(rank);
}

void text_outcomes(const struct folder *folder, FILE *to)
{
    fprintf(to, "\n");
    print_table(folder, to);
    print_spread(folder, to);
    print_winners(folder, to);
}
