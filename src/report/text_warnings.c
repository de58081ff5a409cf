/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Can the figures be trusted? What the workers' timers say, and what the processes warned of in logs/. */
#include "config.h"

#include "report/text.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/grid.h"
#include "report/timing.h"

/* A figure is suspect when so large a share of the answers came from computing that took longer than the time drawn for it, or
 * when waits usually end so late in comparison with the computing time. */
static const double OVERRUN_SHARE = 0.01, LATE_SHARE = 0.05, LATE_FLOOR_S = 1e-3;
enum { WARNINGS_MAX = 12, LINE_MAX_BYTES = 4096, LINES_MAX = 1000 };

/* Takes text. */
static void print_suspicion(char *text, FILE *to)
{
    fprintf(to, "WARNING: ");
    grid_paragraph(to, strlen("WARNING: "), text);
    free(text);
}

static void print_punctuality(const struct folder *folder, FILE *to)
{
    struct punctuality seen = punctuality_of(folder);
    if (seen.answers == 0)
        return;
    double share = (double)seen.overrun / (double)seen.answers;
    fprintf(to, "\nWorkers' timers: late by %.2g ms (median), %.2g ms (99th percentile).\n", seen.late_median_s * 1e3,
            seen.late_high_s * 1e3);
    if (share > OVERRUN_SHARE) {
        char *text =
            mem_printf("%.3g %% of the answers took longer to compute than their drawn time: this machine is too "
                       "small for the scenario, or its mean computing time too short.",
                       100 * share);
        print_suspicion(text, to);
    }
    if (seen.late_median_s > LATE_FLOOR_S && seen.late_median_s > LATE_SHARE * seen.computing_median_s) {
        char *text =
            mem_printf("waits usually ended late by more than %g %% of the computing time (median %.3g ms): this "
                       "machine is too small for the scenario.",
                       100 * LATE_SHARE, seen.computing_median_s * 1e3);
        print_suspicion(text, to);
    }
}

/* ── logs ── */

/* A sentence, without the time at which it was said, and how often it was. */
struct warning {
    char *text;
    size_t n;
};

/* "12.345678 worker3 warn: sentence" → "worker3 warn: sentence", or NULL: not a warning. In place. */
static const char *warning_of(char *line)
{
    char *name = strchr(line, ' '), *level = name ? strchr(name + 1, ' ') : NULL;
    line[strcspn(line, "\r\n")] = '\0';
    if (!isdigit((unsigned char)line[0]) || level == NULL ||
        (strncmp(level, " warn: ", 7) != 0 && strncmp(level, " error: ", 8) != 0))
        return NULL;
    /* What comes from a log goes to a terminal. */
    for (char *at = name; *at; at++)
        if (iscntrl((unsigned char)*at))
            *at = '?';
    return name + 1;
}

static size_t add_warning(struct warning *warning, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(warning[i].text, text) == 0) {
            warning[i].n++;
            return n;
        }
    if (n == LINES_MAX)
        return n;
    warning[n] = (struct warning){mem_strdup(text), 1};
    return n + 1;
}

static size_t read_log(const char *path, struct warning *warning, size_t n)
{
    char line[LINE_MAX_BYTES];
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return n;
    while (fgets(line, sizeof line, file) != NULL) {
        const char *text = warning_of(line);
        if (text != NULL)
            n = add_warning(warning, n, text);
    }
    fclose(file);
    return n;
}

static int is_log(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);
    return len > 4 && strcmp(entry->d_name + len - 4, ".log") == 0;
}

static void print_warning(const struct warning *warning, FILE *to)
{
    char *text = warning->n > 1 ? mem_printf("%s (%zu times)", warning->text, warning->n) : mem_strdup(warning->text);
    fprintf(to, "- ");
    grid_paragraph(to, 2, text);
    free(text);
}

static void print_logged(const struct folder *folder, FILE *to)
{
    struct warning *warning = mem_array(LINES_MAX, sizeof *warning);
    struct dirent **entry = NULL;
    size_t n = 0;
    char *logs = mem_printf("%s/logs", folder->path);
    int entries = scandir(logs, &entry, is_log, versionsort);
    for (int i = 0; i < entries; i++) {
        char *path = mem_printf("%s/%s", logs, entry[i]->d_name);
        n = read_log(path, warning, n);
        free(path);
        free(entry[i]);
    }
    if (n > 0)
        fprintf(to, "\nWarnings (logs/):\n");
    for (size_t i = 0; i < n; i++) {
        if (i < WARNINGS_MAX)
            print_warning(&warning[i], to);
        free(warning[i].text);
    }
    if (n > WARNINGS_MAX)
        fprintf(to, "- and %zu more\n", n - WARNINGS_MAX);
    free(entry);
    free(logs);
    free(warning);
}

static void print_notes(const struct folder *folder, FILE *to)
{
    if (folder->about.n_notes > 0)
        fprintf(to, "\nNotes:\n");
    for (size_t i = 0; i < folder->about.n_notes; i++) {
        fprintf(to, "- ");
        grid_paragraph(to, 2, folder->about.notes[i]);
    }
}

void text_warnings(const struct folder *folder, FILE *to)
{
    print_punctuality(folder, to);
    print_notes(folder, to);
    print_logged(folder, to);
}
