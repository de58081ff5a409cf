/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Were the conditions those that the scenario asked for? Links, pauses and events. */
#include "config.h"

#include "report/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/grid.h"
#include "report/stats.h"

/* ── links ── */

struct links_columns {
    int node, direction, figure, asked, achieved, how, when;
};

/* One figure as found in one way at one time, over all links. */
struct link_line {
    const char *figure, *how, *when; /* borrowed from the table */
    bool is_asked;                   /* links that nobody shapes stand in a line of their own */
    struct stats asked, achieved;
    size_t worst; /* the row that is farthest off */
    double worst_off;
};

static struct links_columns links_columns(const struct results_table *table)
{
    return (struct links_columns){results_column(table, "node"),     results_column(table, "direction"),
                                  results_column(table, "figure"),   results_column(table, "asked"),
                                  results_column(table, "achieved"), results_column(table, "how"),
                                  results_column(table, "when")};
}

static struct link_line *find_line(struct link_line *line, size_t *n, const struct link_line *like)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp(line[i].figure, like->figure) == 0 && strcmp(line[i].how, like->how) == 0 &&
            strcmp(line[i].when, like->when) == 0 && line[i].is_asked == like->is_asked)
            return &line[i];
    line[*n] = *like;
    return &line[(*n)++];
}

/* At most one line a row: line has room for table->rows. */
static size_t gather_links(const struct results_table *table, struct link_line *line)
{
    struct links_columns column = links_columns(table);
    size_t n = 0;
    for (size_t row = 0; row < table->rows; row++) {
        double asked = folder_number(table, row, column.asked), achieved = folder_number(table, row, column.achieved);
        const struct link_line like = {.figure = folder_text(table, row, column.figure),
                                       .how = folder_text(table, row, column.how),
                                       .when = folder_text(table, row, column.when),
                                       .is_asked = asked > 0,
                                       .worst_off = -1};
        struct link_line *at = find_line(line, &n, &like);
        double off = fabs(achieved - asked);
        stats_add(&at->asked, asked);
        stats_add(&at->achieved, achieved);
        if (off > at->worst_off) {
            at->worst_off = off;
            at->worst = row;
        }
    }
    return n;
}

static void add_span(struct grid *grid, const struct stats *stats)
{
    char low[NUMBER_TEXT], high[NUMBER_TEXT];
    if (stats->n == 0)
        grid_add(grid, "-");
    else if (stats->min == stats->max)
        grid_add(grid, "%s", number_plain(low, stats->min));
    else
        grid_add(grid, "%s to %s", number_plain(low, stats->min), number_plain(high, stats->max));
}

static void add_link_line(struct grid *grid, const struct results_table *table, const struct link_line *line)
{
    struct links_columns column = links_columns(table);
    char asked[NUMBER_TEXT], achieved[NUMBER_TEXT];
    grid_add(grid, "%s", line->figure);
    grid_add(grid, "%s, %s", line->how, line->when);
    grid_add(grid, "%zu", line->achieved.n);
    add_span(grid, &line->asked);
    add_span(grid, &line->achieved);
    if (line->worst_off <= 0) {
        grid_add(grid, "-");
        return;
    }
    grid_add(grid, "%s.%s: %s for %s", folder_text(table, line->worst, column.node),
             folder_text(table, line->worst, column.direction),
             number_plain(achieved, folder_number(table, line->worst, column.achieved)),
             number_plain(asked, folder_number(table, line->worst, column.asked)));
}

static void print_links(const struct folder *folder, FILE *to)
{
    static const char *const heading[] = {"figure", "found by", "links", "asked", "achieved", "farthest off", NULL};
    const struct results_table *table = &folder->table[RESULTS_LINKS];
    struct link_line *line = mem_array(table->rows + 1, sizeof *line);
    size_t n = gather_links(table, line);
    struct grid grid;
    if (n > 0) {
        fprintf(to, "\nLinks, each direction for itself:\n");
        grid_init(&grid, "llrlll");
        grid_row(&grid, heading);
        for (size_t i = 0; i < n; i++)
            add_link_line(&grid, table, &line[i]);
        grid_print(&grid, to);
        grid_clear(&grid);
    }
    free(line);
}

/* ── pauses ── */

static void print_pauses(const struct folder *folder, FILE *to)
{
    const struct results_table *table = &folder->table[RESULTS_PAUSES];
    int requested = results_column(table, "requested_s"), stopped = results_column(table, "stopped_s");
    int length = results_column(table, "length_s"), observed = results_column(table, "observed_s");
    struct stats delay = {0}, asked = {0}, seen = {0}, excess = {0};
    for (size_t row = 0; row < table->rows; row++) {
        double length_s = folder_number(table, row, length), observed_s = folder_number(table, row, observed);
        stats_add(&delay, folder_number(table, row, stopped) - folder_number(table, row, requested));
        stats_add(&asked, length_s);
        stats_add(&seen, observed_s);
        stats_add(&excess, observed_s - length_s);
    }
    if (table->rows == 0)
        return;
    fprintf(to, "\nPauses: %zu, asked %.3g s, observed %.3g s", table->rows, asked.mean * (double)asked.n,
            seen.mean * (double)seen.n);
    if (excess.n > 0)
        fprintf(to, ";\n        each %.2g to %.2g ms longer than asked", excess.min * 1e3, excess.max * 1e3);
    if (delay.n > 0)
        fprintf(to, ", begun at most %.2g ms late", delay.max * 1e3);
    fprintf(to, "\n");
    if (seen.n < table->rows)
        fprintf(to, "        (%zu of them had not ended when their run did)\n", table->rows - seen.n);
}

/* ── events ── */

struct event_line {
    const char *what, *source;
    size_t n;
    struct stats late;
};

/* Pauses have a table of their own. */
static size_t gather_events(const struct results_table *table, struct event_line *line)
{
    int what = results_column(table, "what"), source = results_column(table, "source");
    int requested = results_column(table, "requested_s"), applied = results_column(table, "applied_s");
    size_t n = 0;
    for (size_t row = 0; row < table->rows; row++) {
        const char *kind = folder_text(table, row, what), *from = folder_text(table, row, source);
        size_t i = 0;
        if (strcmp(kind, "pause") == 0)
            continue;
        while (i < n && (strcmp(line[i].what, kind) != 0 || strcmp(line[i].source, from) != 0))
            i++;
        if (i == n)
            line[n++] = (struct event_line){.what = kind, .source = from};
        line[i].n++;
        stats_add(&line[i].late, folder_number(table, row, applied) - folder_number(table, row, requested));
    }
    return n;
}

static void print_events(const struct folder *folder, FILE *to)
{
    const struct results_table *table = &folder->table[RESULTS_EVENTS];
    struct event_line *line = mem_array(table->rows + 1, sizeof *line);
    size_t n = gather_events(table, line);
    if (n > 0)
        fprintf(to, "\n");
    for (size_t i = 0; i < n; i++) {
        fprintf(to, "Events: %s (%s) %zu", line[i].what, line[i].source, line[i].n);
        if (line[i].late.n > 0)
            fprintf(to, ", in force at most %.3g ms after it was asked for", line[i].late.max * 1e3);
        if (line[i].late.n < line[i].n)
            fprintf(to, ", %zu not applied", line[i].n - line[i].late.n);
        fprintf(to, "\n");
    }
    free(line);
}

void text_conditions(const struct folder *folder, FILE *to)
{
    print_links(folder, to);
    print_pauses(folder, to);
    print_events(folder, to);
}
