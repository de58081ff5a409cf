/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "bed/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"

enum { BAR_CELLS = 20, LINE_MAX_BYTES = 512, GAP_NS = 100 * NS_PER_MS };

void progress_init(struct progress *progress, bool quiet, unsigned columns, uint32_t runs, uint32_t repeats)
{
    *progress = (struct progress){.quiet = quiet, .columns = columns, .runs = runs, .repeats = repeats};
}

/* ── lines ── */

/* Back to the start of the line, and clear it (ECMA-48 EL). */
static void rewrite(struct progress *progress)
{
    if (progress->is_open)
        fputs("\r\033[K", stderr);
    progress->is_open = false;
}

/* A line that will be rewritten: never wider than the terminal, or what wrapped would stay. */
static PRINTF_LIKE(2, 3) void show(struct progress *progress, const char *format, ...)
{
    char line[LINE_MAX_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    rewrite(progress);
    fprintf(stderr, "%.*s", (int)progress->columns - 1, line);
    fflush(stderr);
    progress->is_open = true;
}

static PRINTF_LIKE(2, 3) void keep(struct progress *progress, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    rewrite(progress);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    fflush(stderr);
    va_end(args);
}

void progress_say(struct progress *progress, const char *line)
{
    keep(progress, "%s", line);
}

void progress_note(struct progress *progress, const char *sentence)
{
    if (!progress->quiet && progress->columns > 0)
        show(progress, "%s", sentence);
}

void progress_close(struct progress *progress)
{
    rewrite(progress);
    fflush(stderr);
}

/* ── runs ── */

void progress_run(struct progress *progress, const char *strategy, uint32_t repeat, int64_t now_ns)
{
    progress->run++;
    progress->repeat = repeat;
    progress->start_ns = now_ns;
    progress->shown_ns = INT64_MIN;
    progress->first_error = NAN;
    snprintf(progress->strategy, sizeof progress->strategy, "%s", strategy);
}

/* "[3/14] grouping  repeat 1/2    3.2 s" */
static const char *head(const struct progress *progress, int64_t now_ns, char text[128])
{
    char repeat[48] = "";
    if (progress->repeats > 1)
        snprintf(repeat, sizeof repeat, "repeat %" PRIu32 "/%" PRIu32 "  ", progress->repeat + 1, progress->repeats);
    snprintf(text, 128, "[%" PRIu32 "/%" PRIu32 "] %-9s %s%6.1f s", progress->run, progress->runs, progress->strategy,
             repeat, (double)(now_ns - progress->start_ns) / NS_PER_S);
    return text;
}

double progress_share(double first, double error, double target)
{
    if (!(error > 0) || !(target > 0) || !(first > target))
        return 0;
    double share = log(first / error) / log(first / target);
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

static const char *bar(double share, char cells[BAR_CELLS + 1])
{
    for (int i = 0; i < BAR_CELLS; i++)
        cells[i] = i < (int)(BAR_CELLS * share) ? '#' : '.';
    cells[BAR_CELLS] = '\0';
    return cells;
}

void progress_round(struct progress *progress, uint32_t round, double error, double target, int64_t now_ns)
{
    char text[128], cells[BAR_CELLS + 1];
    if (progress->quiet || progress->columns == 0)
        return;
    if (isnan(progress->first_error))
        progress->first_error = error;
    if (progress->shown_ns != INT64_MIN && now_ns - progress->shown_ns < GAP_NS)
        return;
    progress->shown_ns = now_ns;
    head(progress, now_ns, text);
    if (isnan(error) || isnan(target))
        show(progress, "%s  round %" PRIu32, text, round);
    else
        show(progress, "%s  round %-5" PRIu32 " error %.1e of %.1e [%s]", text, round, error, target,
             bar(progress_share(progress->first_error, error, target), cells));
}

void progress_end(struct progress *progress, uint32_t rounds, bool reached, const char *failed, int64_t now_ns)
{
    char text[128];
    if (progress->quiet)
        return;
    head(progress, now_ns, text);
    if (failed != NULL)
        keep(progress, "%s  %5" PRIu32 " rounds, failed: %s", text, rounds, failed);
    else
        keep(progress, "%s  %5" PRIu32 " rounds, target %s", text, rounds, reached ? "reached" : "not reached");
}
