/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The script goes to a file and gnuplot draws from it, so that people can change a plot without us. Data are inline: the
 * script is all that is needed. A strategy has the same colour in every plot of every run. */
#include "config.h"

#include "report/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "core/strategy.h"

extern char **environ;

const char *const plot_files[] = {"error-seconds.png", "error-uplink.png", "error-seconds.svg", "error-uplink.svg",
                                  NULL};

/* Points of a curve beyond these are not seen. */
enum { POINTS_MAX = 1500, MARKS = 7 };

/* Okabe and Ito's colours, told apart with any kind of colour vision; their yellow is too faint on white. */
static const char *const palette[] = {"#000000", "#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#0072B2", "#D55E00"};
enum { COLOURS = sizeof palette / sizeof *palette };

static size_t colour_of(const char *strategy)
{
    size_t i = 0;
    while (strategies[i] != NULL && strcmp(strategies[i]->name, strategy) != 0)
        i++;
    return i;
}

/* ── data ── */

static size_t count_points(const struct folder *folder, const struct run *run)
{
    const struct results_table *table = &folder->table[RESULTS_ROUNDS];
    int error = results_column(table, "error");
    size_t n = 0;
    for (size_t i = 0; i < run->n_rounds; i++)
        n += folder_number(table, run->row[i], error) > 0;
    return n;
}

/* seconds, uplinks so far, error: a line a round, the first and the last always among them. A logarithm needs errors above 0. */
static void print_curve(const struct folder *folder, const struct run *run, FILE *to)
{
    const struct results_table *table = &folder->table[RESULTS_ROUNDS];
    int end = results_column(table, "end_s"), uplink = results_column(table, "uplink");
    int error = results_column(table, "error");
    size_t stride = 1 + run->n_rounds / POINTS_MAX;
    double uplinks = 0;
    if (run->initial_error > 0)
        fprintf(to, "0 0 %.9g\n", run->initial_error);
    for (size_t i = 0; i < run->n_rounds; i++) {
        size_t row = run->row[i];
        double value = folder_number(table, row, error);
        uplinks += folder_number(table, row, uplink);
        if (value > 0 && (i % stride == 0 || i + 1 == run->n_rounds))
            fprintf(to, "%.9g %.0f %.9g\n", folder_number(table, row, end), uplinks, value);
    }
}

static void print_data(const struct folder *folder, FILE *to)
{
    for (size_t i = 0; i < folder->n_runs; i++) {
        const struct run *run = &folder->run[i];
        if (count_points(folder, run) == 0)
            continue;
        fprintf(to, "# %s, repeat %" PRIu32 "\n$run%zu << EOD\n", folder->strategy[run->strategy], run->repeat, i);
        print_curve(folder, run, to);
        fprintf(to, "EOD\n");
    }
}

/* ── curves ── */

/* The first run of a strategy stands in the key, and has marks. */
static bool is_first(const struct folder *folder, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (folder->run[j].strategy == folder->run[i].strategy && count_points(folder, &folder->run[j]) > 0)
            return false;
    return true;
}

/* column 1: seconds, 2: uplinks */
static void print_plot(const struct folder *folder, int column, FILE *to)
{
    const char *between = "plot ";
    for (size_t i = 0; i < folder->n_runs; i++) {
        const struct run *run = &folder->run[i];
        const char *name = folder->strategy[run->strategy];
        size_t points = count_points(folder, run), colour = colour_of(name);
        if (points == 0)
            continue;
        fprintf(to, "%s$run%zu using %d:3 ", between, i, column);
        if (is_first(folder, i))
            fprintf(to, "with linespoints linestyle %zu pointinterval %zu title \"%s\" noenhanced", 1 + colour,
                    1 + (points < POINTS_MAX ? points : POINTS_MAX) / MARKS, name);
        else
            fprintf(to, "with lines linestyle %zu notitle", 1 + colour);
        between = ", \\\n     ";
    }
    if (folder_target(folder) > 0)
        fprintf(to, "%starget with lines linewidth 1.5 dashtype 2 linecolor rgb \"#808080\" title \"target\"", between);
    fprintf(to, "\n");
}

static void print_styles(const struct folder *folder, FILE *to)
{
    static const int marks[] = {7, 5, 9, 13, 11, 4, 6};
    double width = folder_repeats(folder) > 1 ? 1.2 : 2.2;
    for (size_t i = 0; i < 2 * COLOURS; i++)
        fprintf(to, "set style line %zu linecolor rgb \"%s\" linewidth %g pointtype %d pointsize 1.1%s\n", i + 1,
                palette[i % COLOURS], width, marks[i % COLOURS], i < COLOURS ? "" : " dashtype 4");
}

/* Text of a scenario inside a gnuplot string. */
static void print_quoted(const char *text, FILE *to)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', to);
        if ((unsigned char)*text >= ' ')
            fputc(*text, to);
    }
}

static void print_title(const struct folder *folder, FILE *to)
{
    const struct scenario *scenario = folder->scenario;
    uint32_t repeats = folder_repeats(folder);
    fprintf(to, "set title '");
    if (scenario != NULL) {
        print_quoted(scenario->name, to);
        fprintf(to, ": %" PRIu32 " workers, redundancy %" PRIu32, scenario->cluster.workers,
                scenario->cluster.redundancy);
    }
    if (repeats > 1)
        fprintf(to, "%s%" PRIu32 " repeats", scenario ? ", " : "", repeats);
    fprintf(to, "' noenhanced\n");
}

void plot_script(const struct folder *folder, FILE *to)
{
    bool is_gradient = folder->scenario != NULL && folder->scenario->target_kind == TARGET_GRADIENT;
    fprintf(to, "# Run it in this folder: gnuplot plots.gnuplot\n"
                "# Data: seconds since the start of the run, uplink messages so far, error\n");
    print_data(folder, to);
    if (folder_target(folder) > 0)
        fprintf(to, "target = %.9g\n", folder_target(folder));
    fprintf(to,
            "set encoding utf8\nset logscale y\nset format y '10^{%%L}'\nset grid ytics linetype 1 linecolor rgb "
            "'#e0e0e0' linewidth 0.8\n"
            "set xrange [0:*]\nset border 3\nset tics nomirror\nset key outside right top Left reverse spacing 1.3 "
            "samplen 3\n"
            "set ylabel '%s'\n",
            is_gradient ? "norm of the gradient, ‖∇L(θ)‖" : "error, L(θ) − L(θ*)");
    print_title(folder, to);
    print_styles(folder, to);
    fprintf(to, "png = strstrt(GPVAL_TERMINALS, ' pngcairo ') ? 'pngcairo' : 'png'\n");
    for (int i = 0; plot_files[i] != NULL; i++) {
        if (strstr(plot_files[i], ".png"))
            fprintf(to, "set terminal @png size 1200, 760 font 'DejaVu Sans,15'\n");
        else
            fprintf(to, "set terminal svg size 900, 570 dynamic font 'DejaVu Sans,13' background rgb 'white'\n");
        bool is_time = strstr(plot_files[i], "seconds") != NULL;
        fprintf(to, "set output '%s'\nset xlabel '%s'\n", plot_files[i],
                is_time ? "time since the start of the run, s" : "uplink messages (gradients that reached the PS)");
        print_plot(folder, is_time ? 1 : 2, to);
    }
}

/* ── gnuplot ── */

static int run_gnuplot(const char *directory, const char *complaints)
{
    char program[] = "gnuplot", script[] = "plots.gnuplot", *argv[] = {program, script, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, complaints, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_addchdir_np(&actions, directory);
    int failed = posix_spawnp(&pid, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
        errno = failed;
        return -1;
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}

static int write_script(const struct folder *folder, const char *path, struct error *err)
{
    FILE *file = fopen(path, "we");
    if (file == NULL)
        return error_set_errno(err, "%s: cannot be written", path);
    plot_script(folder, file);
    bool failed = ferror(file) != 0;
    return fclose(file) != 0 || failed ? error_set_errno(err, "%s: cannot be written whole", path) : 0;
}

static enum plot_status draw(const struct folder *folder, const char *complaints, struct error *err)
{
    int status = run_gnuplot(folder->path, complaints);
    if (status < 0 && errno == ENOENT) {
        error_set(err, "no plots: gnuplot is missing (Debian: apt install gnuplot-nox)");
        unlink(complaints);
        return PLOT_NO_GNUPLOT;
    }
    if (status != 0) {
        error_set(err, "no plots: gnuplot failed; its words are in %s", complaints);
        return PLOT_FAILED;
    }
    unlink(complaints);
    return PLOT_DONE;
}

enum plot_status plot_make(const struct folder *folder, struct error *err)
{
    size_t points = 0;
    for (size_t i = 0; i < folder->n_runs; i++)
        points += count_points(folder, &folder->run[i]);
    if (points == 0) {
        error_set(err, "no plots: no round has an error above zero");
        return PLOT_NOTHING;
    }
    char *directory = realpath(folder->path, NULL);
    if (directory == NULL) {
        error_set_errno(err, "no plots: %s", folder->path);
        return PLOT_FAILED;
    }
    char *script = mem_printf("%s/plots.gnuplot", directory), *complaints = mem_printf("%s/plots.err", directory);
    enum plot_status status = PLOT_FAILED;
    if (write_script(folder, script, err) == 0)
        status = draw(folder, complaints, err);
    free(complaints);
    free(script);
    free(directory);
    return status;
}
