/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mean round, taken apart, beside its prediction. */
#include "config.h"

#include "report/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/grid.h"
#include "report/timing.h"

static double mean_ms(const struct stats *stats)
{
    return stats->n > 0 ? stats->mean * 1e3 : NAN;
}

/* Parts of the mean round: rounds in which nobody was asked have none, and weigh as 0. */
static double part_ms(const struct stats *part, const struct timing *timing)
{
    return part->n > 0 ? part->mean * 1e3 * (double)part->n / (double)timing->round.n : NAN;
}

static void add_strategy(struct grid *grid, const char *name, const struct timing *timing)
{
    char text[NUMBER_TEXT];
    double messages = part_ms(&timing->messages, timing), expected = timing->expected * 1e3;
    grid_add(grid, "%s", name);
    grid_add(grid, "%zu", timing->round.n);
    grid_add(grid, "%s", number_plain(text, mean_ms(&timing->round)));
    grid_add(grid, "+- %s", number_plain(text, stats_half_width(&timing->round) * 1e3));
    grid_add(grid, "%s", number_plain(text, part_ms(&timing->computing, timing)));
    grid_add(grid, "%s", number_plain(text, messages));
    grid_add(grid, "%s", number_plain(text, part_ms(&timing->ps, timing)));
    grid_add(grid, "%s", number_plain(text, mean_ms(&timing->drawn)));
    grid_add(grid, "%s", number_plain(text, expected));
    grid_add(grid, "%s", number_plain(text, expected + messages));
}

static bool has_prediction(const struct folder *folder, const struct timing *timing)
{
    for (size_t s = 0; s < folder->n_strategies; s++)
        if (timing[s].drawn.n > 0 || isfinite(timing[s].expected))
            return true;
    return false;
}

static void print_difference(const char *name, const struct timing *timing, double off, double half, FILE *to)
{
    double messages = part_ms(&timing->messages, timing);
    char *beside = timing->surplus.n > 0
                       ? mem_printf("; %.3g ms beside drawn + messages", timing->surplus.mean * 1e3 - messages)
                       : mem_strdup("");
    char *text =
        mem_printf("%s: the mean is %.3g ms %s than expected + messages, more than chance allows (+- %.3g ms)%s", name,
                   fabs(off), off > 0 ? "longer" : "shorter", half, beside);
    grid_paragraph(to, 0, text);
    free(text);
    free(beside);
}

/* Milliseconds by which the mean is longer than predicted; NAN: there is nothing to compare. */
static double off_ms(const struct timing *timing)
{
    double off = mean_ms(&timing->round) - timing->expected * 1e3 - part_ms(&timing->messages, timing);
    return timing->round.n > 1 && isfinite(off) ? off : NAN;
}

/* A sentence on each strategy whose mean round lies outside what was predicted for it, or that all agree. */
static void print_verdict(const struct folder *folder, const struct timing *timing, FILE *to)
{
    size_t compared = 0, outside = 0;
    for (size_t s = 0; s < folder->n_strategies; s++)
        compared += isfinite(off_ms(&timing[s]));
    for (size_t s = 0; s < folder->n_strategies; s++) {
        double half = stats_joint_half_width(&timing[s].round, compared) * 1e3;
        if (fabs(off_ms(&timing[s])) > half) {
            outside++;
            print_difference(folder->strategy[s], &timing[s], off_ms(&timing[s]), half, to);
        }
    }
    if (outside > 0 && folder->table[RESULTS_PAUSES].rows > 0)
        fprintf(to, "Pauses are in what was measured, but in no prediction.\n");
    if (compared > 0 && outside == 0)
        fprintf(to, "The means agree with expected + messages (all together: 95 %% confidence).\n");
}

void text_timing(const struct folder *folder, FILE *to)
{
    static const char *const heading[] = {"strategy", "rounds", "mean",     "95 %",       "computing", "messages",
                                          "PS",       "drawn",  "expected", "+ messages", NULL};
    struct timing *timing = timing_of(folder);
    struct grid grid;
    size_t n = 0;
    grid_init(&grid, "lrrlrrrrrr");
    grid_group(&grid, 2, 3, "measured");
    grid_group(&grid, 4, 6, "= of its last answer");
    grid_group(&grid, 7, 9, "order statistics");
    grid_row(&grid, heading);
    for (size_t s = 0; s < folder->n_strategies; s++)
        if (timing[s].round.n > 0) {
            add_strategy(&grid, folder->strategy[s], &timing[s]);
            n++;
        }
    if (n > 0) {
        fprintf(to, "\nThe mean round, in ms:\n");
        grid_print(&grid, to);
        if (has_prediction(folder, timing))
            print_verdict(folder, timing, to);
    }
    grid_clear(&grid);
    free(timing);
}
