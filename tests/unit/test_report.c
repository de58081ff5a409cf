/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the report says of directories whose contents are known, damaged and cut short ones among them. */
#include "config.h"

#include "cmocka_all.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "report/folder.h"
#include "report/grid.h"
#include "report/plot.h"
#include "report/report.h"

#include "made_results.h"

static struct made made;

static int begin(void **state)
{
    (void)state;
    made_begin(&made);
    return 0;
}

static int end(void **state)
{
    (void)state;
    made_end(&made);
    made_remove(&made);
    return 0;
}

static const char scenario_text[] = "[scenario]\nname = made-up\nrepeats = 1\nstrategies = gd, gc, lag-ps\n"
                                    "target_relative_error = 1e-3\n[cluster]\nworkers = 4\nredundancy = 2\n"
                                    "[problem]\nsamples = 40\nfeatures = 5\n";

static void assert_says(const char *text, const char *wanted)
{
    if (strstr(text, wanted) == NULL)
        fail_msg("\"%s\" is not in:\n%s", wanted, text);
}

static void assert_does_not_say(const char *text, const char *unwanted)
{
    if (strstr(text, unwanted) != NULL)
        fail_msg("\"%s\" is in:\n%s", unwanted, text);
}

static void assert_fits(const char *text)
{
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        if (strcspn(line, "\n") > GRID_WIDTH && strchr(line, '/') != line)
            fail_msg("wider than %d: %.*s", GRID_WIDTH, (int)strcspn(line, "\n"), line);
}

/* ── the table and the winners ── */

static void three_strategies__table_and_winners_say_so(void **state)
{
    (void)state;
    made_file(&made, "scenario.ini", scenario_text);
    made_reached(&made, "gd", 1, 8, 1320, 1320);
    made_reached(&made, "gc", 1, 4, 1147, 3825);
    made_reached(&made, "lag-ps", 1, 2, 311, 311);
    made_end(&made);
    char *text = made_text(&made);
    assert_says(text, "made-up: 4 workers, redundancy 2, seed 1, each strategy 1 time\n");
    assert_says(text, "target: error below 0.001 of the initial one, that is 0.1;");
    assert_says(text, "gd            10     8.00    1320");
    assert_says(text, "1.00e-03  met\n");
    assert_says(text, "quickest          lag-ps 2.00 s; then gc 4.00 s (2 times); last gd 8.00 s (4 times)\n");
    assert_says(text, "fewest uplinks    lag-ps 311; then gc 1147 (3.69 times); last gd 1320 (4.24 times)\n");
    assert_says(text, "fewest gradients  lag-ps 311; then gd 1320 (4.24 times); last gc 3825 (12.3 times)\n");
    assert_does_not_say(text, "MISSING");
    assert_does_not_say(text, "within the noise");
    assert_fits(text);
    free(text);
}

static void two_strategies_alike__share_the_first_place(void **state)
{
    (void)state;
    made_reached(&made, "gc", 1, 1, 100, 5);
    made_reached(&made, "gd", 1, 2, 100, 5);
    made_reached(&made, "lagc", 1, 3, 200, 5);
    made_end(&made);
    char *text = made_text(&made);
    assert_says(text, "fewest uplinks    gc and gd 100; then lagc 200 (2 times)\n");
    assert_says(text, "fewest gradients  gc and gd and lagc 5\n");
    free(text);
}

static void strategy_that_missed_the_target__cannot_win(void **state)
{
    (void)state;
    struct session_summary missed = {.rounds = 3, .seconds = 0.5, .total = {.uplink = 1}, .final_error = 7};
    made_summary(&made, "gd", 1, &missed);
    made_end(&made);
    char *text = made_text(&made);
    assert_says(text, "7.00e+00  missed\n");
    assert_says(text, "No strategy met its target, so nobody has won.");
    free(text);
}

static void strategy_that_met_it_in_one_repeat_of_two__cannot_win(void **state)
{
    (void)state;
    struct session_summary missed = {.rounds = 3, .seconds = 0.5, .total = {.uplink = 1}, .final_error = 7};
    made_reached(&made, "gd", 1, 1, 1, 1);
    made_reached(&made, "gc", 1, 2, 2, 2);
    made_summary(&made, "gd", 2, &missed);
    made_reached(&made, "gc", 2, 2, 2, 2);
    made_end(&made);
    char *text = made_text(&made);
    assert_says(text, "1 of 2\n");
    assert_says(text, "Of the 1 that met the target in every repeat:\nquickest          gc 2.00 s\n");
    free(text);
}

/* In pairs: gc is quicker in each repeat, though the repeats differ by more than the strategies. */
static void repeats__differences_in_pairs__decide_what_is_noise(void **state)
{
    (void)state;
    const double base[] = {1, 5, 3, 9};
    for (uint32_t repeat = 1; repeat <= 4; repeat++) {
        double at = base[repeat - 1];
        made_reached(&made, "gd", repeat, at + 0.5 + 0.02 * repeat, 100 + 10 * (repeat % 2), 10);
        made_reached(&made, "gc", repeat, at, 104, 20);
    }
    made_end(&made);
    char *text = made_text(&made);
    assert_says(text, "quickest          gc 4.50 s; then gd 5.05 s (1.12 times)\n");
    assert_says(text, "fewest uplinks    gc 104; then gd 105 (1.01 times), within the noise\n");
    assert_says(text, "4 of 4\n");
    assert_says(text, "1.00 to 9.00");
    assert_fits(text);
    free(text);
}

/* ── runs that went wrong ── */

static void run_cut_short__its_rounds_are_reported(void **state)
{
    (void)state;
    made_file(&made, "scenario.ini", scenario_text);
    made_file(&made, "manifest.json",
              "{\"status\": \"failed\", \"failure\": \"gc, repeat 1: worker3 is gone\", \"notes\": [\"a note\"],\n"
              "\"kernel\": {\"kind\": \"host\", \"release\": \"6.1\"}}");
    made_reached(&made, "gd", 1, 8, 1320, 1320);
    made_round(&made, "gc", 1, 0, 0, 0.5, 3, 2);
    made_round(&made, "gc", 1, 1, 0.5, 1.5, 4, 1.5);
    made_end(&made);
    char *text = made_text(&made);
    assert_says(text, "FAILED: gc, repeat 1: worker3 is gone\n");
    assert_says(text, "UNFINISHED: gc, repeat 1: 2 rounds were recorded\n");
    assert_says(text, "MISSING: lag-ps, repeat 1: no round was recorded\n");
    assert_says(text, "gc             2     1.50       7");
    assert_says(text, "1.50e+00  cut\n");
    assert_says(text, "Of the 1 that met the target:\nquickest          gd 8.00 s\n");
    assert_says(text, "kernel host 6.1\n");
    assert_says(text, "- a note\n");
    free(text);
}

static void folder_without_results__is_an_error_that_names_it(void **state)
{
    (void)state;
    struct error err = {{0}};
    made_end(&made);
    char *command = mem_printf("rm %s/*.csv", made.path);
    assert_int_equal(system(command), 0);
    free(command);
    assert_int_equal(report_text(made.path, false, stderr, &err), -1);
    assert_says(err.text, made.path);
    assert_says(err.text, "summary.csv");
}

static void damaged_table__is_an_error_with_its_line(void **state)
{
    (void)state;
    struct error err = {{0}};
    made_end(&made);
    made_file(&made, "summary.csv", "strategy,repeat\ngd,1\ngd\n");
    assert_int_equal(report_text(made.path, false, stderr, &err), -1);
    assert_says(err.text, "summary.csv:3:");
}

static void scenario_that_cannot_be_read__leaves_the_tables(void **state)
{
    (void)state;
    made_file(&made, "scenario.ini", "[scenario]\nnme = x\n");
    made_reached(&made, "gd", 1, 8, 1320, 1320);
    made_end(&made);
    char *text = made_text(&made);
    assert_says(text, "note: no comparison with the scenario");
    assert_says(text, "nme");
    assert_says(text, "quickest          gd 8.00 s\n");
    free(text);
}

/* ── conditions ── */

static void links__asked_and_achieved__name_the_farthest_off(void **state)
{
    (void)state;
    made_reached(&made, "gd", 1, 8, 1320, 1320);
    made_link(&made, "ps", "delay_ms", 0, 0.01);
    made_link(&made, "worker1", "delay_ms", 2, 2.1);
    made_link(&made, "worker2", "delay_ms", 2, 1.7);
    made_end(&made);
    char *text = made_text(&made);
    assert_says(text, "delay_ms  ping, before      1  0      0.0100        ps.up: 0.0100 for 0\n");
    assert_says(text, "delay_ms  ping, before      2  2.00   1.70 to 2.10  worker2.up: 1.70 for 2.00\n");
    free(text);
}

static void logs__warnings__are_counted_and_their_times_left_out(void **state)
{
    (void)state;
    made_reached(&made, "gd", 1, 8, 1320, 1320);
    made_end(&made);
    char *path = mem_printf("%s/logs", made.path);
    assert_int_equal(mkdir(path, 0777), 0);
    free(path);
    made_file(&made, "logs/worker3.log",
              "1.5 worker3 info: welcome\n2.5 worker3 warn: \033[31mred\n3.5 worker3 warn: \033[31mred\n");
    made_file(&made, "logs/ps.log", "9.5 ps error: the run fails\nno time warn: not one of ours\n");
    char *text = made_text(&made);
    assert_says(text, "Warnings (logs/):\n- ps error: the run fails\n- worker3 warn: ?[31mred (2 times)\n");
    assert_does_not_say(text, "welcome");
    assert_does_not_say(text, "not one of ours");
    free(text);
}

static void overruns__many__are_a_warning(void **state)
{
    (void)state;
    struct made_answer answer = {0, 1, 0, 0.02, 0.012, 0, 0.002, 0, true};
    made_round(&made, "gd", 1, 0, 0, 0.02, 1, 1);
    made_answer(&made, "gd", 1, &answer);
    made_end(&made);
    char *text = made_text(&made);
    assert_says(text, "WARNING: 100 % of the answers took longer to compute");
    free(text);
}

static void mean_round__beside_its_prediction__is_judged(void **state)
{
    (void)state;
    char *text;
    made_file(&made, "scenario.ini",
              "[scenario]\nname = made\nstrategies = gd, gc\n[cluster]\nworkers = 4\nredundancy = 2\n"
              "[compute]\nmodel = constant\nmean = 20ms\n[problem]\nsamples = 40\nfeatures = 5\n");
    for (uint32_t round = 0; round < 10; round++) {
        double begin = round, gd = 0.0205 + 0.001 * (round % 2), gc = 0.050 + 0.001 * (round % 2);
        made_round(&made, "gd", 1, round, begin, begin + gd, 4, 1);
        made_round(&made, "gc", 1, round, begin, begin + gc, 4, 1);
        made_answer(&made, "gd", 1, &(struct made_answer){round, 1, begin, begin + gd, 0.02, 0, 0, 0, true});
        made_answer(&made, "gc", 1, &(struct made_answer){round, 1, begin, begin + gc, gc, 0, 0, 0, true});
    }
    made_end(&made);
    text = made_text(&made);
    assert_says(text, "gd            10  21.0  +- 0.377       20.0      1.00   0   20.0      20.0        21.0\n");
    assert_says(text,
                "gc: the mean is 10.5 ms longer than expected + messages, more than chance allows (+- 0.448 ms);");
    assert_does_not_say(text, "gd: the mean");
    assert_fits(text);
    free(text);
}

/* ── csv ── */

static void csv__rows_of_summary__behind_their_directory(void **state)
{
    (void)state;
    struct error err;
    char *text = NULL;
    size_t len;
    made_reached(&made, "g-lag", 2, 1.5, 7, 9);
    made_end(&made);
    FILE *to = open_memstream(&text, &len);
    report_csv_heading(to);
    assert_int_equal(report_csv(made.path, to, &err), 0);
    fclose(to);
    assert_says(text, "directory,strategy,repeat,rounds,seconds,");
    assert_says(text, "uplink_to_target\n/tmp/laggard-report-");
    assert_says(text, ",g-lag,2,10,1.5,7,");
    assert_int_equal(strcspn(text, "\n") < len, 1);
    free(text);
}

/* ── plots ── */

static char *script_of(const struct made *of)
{
    struct folder folder;
    struct error err;
    char *text = NULL;
    size_t len;
    assert_int_equal(folder_read(of->path, &folder, &err), 0);
    FILE *to = open_memstream(&text, &len);
    plot_script(&folder, to);
    fclose(to);
    folder_clear(&folder);
    return text;
}

static void make_curves(void)
{
    made_file(&made, "scenario.ini", scenario_text);
    for (uint32_t round = 0; round < 20; round++) {
        double error = 50 * pow(0.6, round);
        made_round(&made, "gd", 1, round, round, round + 1, 12, round == 7 ? -1e-18 : error);
        made_round(&made, "lag-ps", 1, round, round / 4.0, (round + 1) / 4.0, round % 3, error);
    }
    made_reached(&made, "gd", 1, 20, 240, 240);
    made_reached(&made, "lag-ps", 1, 5, 20, 20);
    made_end(&made);
}

static void script__curves__begin_at_the_initial_error_and_skip_what_has_no_logarithm(void **state)
{
    (void)state;
    make_curves();
    char *text = script_of(&made);
    assert_says(text, "# gd, repeat 1\n$run0 << EOD\n0 0 100\n1 12 50\n2 24 30\n");
    assert_says(text, "7 84 2.33");
    assert_says(text, "\n9 108 0.8"); /* round 7's error is below zero: no line, but its uplinks count */
    assert_does_not_say(text, "\n8 96 ");
    assert_says(text, "target = 0.1\n");
    assert_says(text, "title \"lag-ps\"");
    free(text);
}

static void script__name_with_quotes__stays_inside_its_string(void **state)
{
    (void)state;
    made_file(&made, "scenario.ini", "[scenario]\nname = it's `date`\nstrategies = gd\n");
    made_round(&made, "gd", 1, 0, 0, 1, 12, 1);
    made_end(&made);
    char *text = script_of(&made);
    if (strstr(text, "set title 'it") != NULL)
        assert_says(text, "set title 'it''s `date`:");
    free(text);
}

static void script__long_run__has_few_points_but_the_last(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 5000; round++)
        made_round(&made, "gd", 1, round, round, round + 1, 1, 1.0 / (round + 1));
    made_end(&made);
    char *text = script_of(&made);
    size_t lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_true(lines > 1000 && lines < 1700);
    assert_says(text, "\n5000 5000 0.0002\n");
    free(text);
}

static void after_run__report_and_plots__are_there(void **state)
{
    (void)state;
    struct error err = {{0}};
    char *said = NULL;
    size_t len;
    make_curves();
    FILE *to = open_memstream(&said, &len);
    if (report_after_run(made.path, to, &err) < 0)
        fail_msg("%s", err.text);
    fclose(to);
    char *kept = made_read(&made, "report.txt");
    assert_says(kept, "quickest          lag-ps 5.00 s");
    assert_true(strncmp(said, kept, strlen(kept)) == 0);
    bool has_gnuplot = strstr(said, "gnuplot is missing") == NULL;
    free(kept);
    free(said);
    if (!has_gnuplot)
        skip();
    for (size_t i = 0; plot_files[i] != NULL; i++) {
        char *plot = made_read(&made, plot_files[i]);
        assert_non_null(plot);
        assert_true(strncmp(plot, strstr(plot_files[i], ".png") ? "\x89PNG" : "<?xml", 4) == 0);
        free(plot);
    }
}

static void gnuplot__missing__is_a_line_and_no_failure(void **state)
{
    (void)state;
    struct error err = {{0}};
    char *said = NULL, *path = mem_strdup(getenv("PATH"));
    size_t len;
    make_curves();
    FILE *to = open_memstream(&said, &len);
    setenv("PATH", made.path, 1);
    int status = report_after_run(made.path, to, &err);
    setenv("PATH", path, 1);
    fclose(to);
    assert_int_equal(status, 0);
    assert_says(said, "no plots: gnuplot is missing (Debian: apt install gnuplot-nox)\n");
    free(path);
    free(said);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(three_strategies__table_and_winners_say_so),
        TEST(two_strategies_alike__share_the_first_place),
        TEST(strategy_that_missed_the_target__cannot_win),
        TEST(strategy_that_met_it_in_one_repeat_of_two__cannot_win),
        TEST(repeats__differences_in_pairs__decide_what_is_noise),
        TEST(run_cut_short__its_rounds_are_reported),
        TEST(folder_without_results__is_an_error_that_names_it),
        TEST(damaged_table__is_an_error_with_its_line),
        TEST(scenario_that_cannot_be_read__leaves_the_tables),
        TEST(links__asked_and_achieved__name_the_farthest_off),
        TEST(logs__warnings__are_counted_and_their_times_left_out),
        TEST(overruns__many__are_a_warning),
        TEST(mean_round__beside_its_prediction__is_judged),
        TEST(csv__rows_of_summary__behind_their_directory),
        TEST(script__curves__begin_at_the_initial_error_and_skip_what_has_no_logarithm),
        TEST(script__name_with_quotes__stays_inside_its_string),
        TEST(script__long_run__has_few_points_but_the_last),
        TEST(after_run__report_and_plots__are_there),
        TEST(gnuplot__missing__is_a_line_and_no_failure),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
