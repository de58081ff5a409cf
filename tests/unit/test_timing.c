/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the time of a round went, and what order statistics say it should have been. */
#include "config.h"

#include "cmocka_all.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "report/grid.h"
#include "report/predict.h"
#include "report/stats.h"
#include "report/timing.h"

#include "made_results.h"

#define ALL_SEVEN "strategies = gd, gc, grouping, lag-wk, lag-ps, lagc, g-lag\n"
enum { GD, GC, GROUPING, LAG_WK, LAG_PS, LAGC, G_LAG };

static struct scenario *scenario_of(const char *text)
{
    struct scenario_errors errors = {0};
    struct scenario *scenario = scenario_parse("made.ini", text, strlen(text), &errors);
    if (scenario == NULL)
        scenario_errors_print(&errors, "made.ini", stderr);
    assert_non_null(scenario);
    scenario_errors_clear(&errors);
    return scenario;
}

static void assert_close(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.12g is not %.12g (+- %g)", a, b, tolerance);
}

/* ── stats ── */

static void stats__one_to_five__mean_range_and_students_interval(void **state)
{
    (void)state;
    struct stats stats = {0};
    stats_add(&stats, 1);
    assert_true(isnan(stats_half_width(&stats)));
    for (int i = 2; i <= 5; i++)
        stats_add(&stats, i);
    stats_add(&stats, NAN);
    stats_add(&stats, INFINITY);
    assert_int_equal(stats.n, 5);
    assert_close(stats.mean, 3, 1e-15);
    assert_true(stats.min == 1 && stats.max == 5);
    /* t(0.975; 4) = 2.776445, s = sqrt(2.5) */
    assert_close(stats_half_width(&stats), 2.776445105 * sqrt(2.5) / sqrt(5), 1e-8);
    /* t(0.995; 4) = 4.604095 */
    assert_close(stats_joint_half_width(&stats, 5), 4.604094871 * sqrt(2.5) / sqrt(5), 1e-8);
}

static void stats__quantiles__interpolate(void **state)
{
    (void)state;
    double values[] = {40, 10, 30, 20};
    assert_close(stats_quantile(values, 4, 0.5), 25, 1e-12);
    assert_close(stats_quantile(values, 4, 0), 10, 1e-12);
    assert_close(stats_quantile(values, 4, 1), 40, 1e-12);
    assert_true(isnan(stats_quantile(values, 0, 0.5)));
}

/* ── grid ── */

static char *printed(const struct grid *grid)
{
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);
    grid_print(grid, to);
    fclose(to);
    return text;
}

static void grid__letters_of_two_bytes__columns_stay_aligned(void **state)
{
    (void)state;
    struct grid grid;
    grid_init(&grid, "lr");
    grid_group(&grid, 1, 1, "MB");
    grid_add(&grid, "θθ");
    grid_add(&grid, "up");
    grid_add(&grid, "abcd");
    grid_add(&grid, "1");
    char *text = printed(&grid);
    assert_string_equal(text, "      MB\nθθ    up\nabcd   1\n");
    free(text);
    grid_clear(&grid);
}

static void grid__too_wide_for_two_blanks__takes_one(void **state)
{
    (void)state;
    struct grid grid;
    grid_init(&grid, "ll");
    grid_add(&grid, "%*s", 60, "a");
    grid_add(&grid, "%*s", GRID_WIDTH - 61, "b");
    char *text = printed(&grid);
    assert_int_equal(strlen(text), GRID_WIDTH + 1);
    free(text);
    grid_clear(&grid);
}

static void paragraph__long__is_broken_between_words(void **state)
{
    (void)state;
    char text[400] = "", *out = NULL;
    size_t len;
    for (int i = 0; i < 60; i++)
        strcat(text, "word ");
    FILE *to = open_memstream(&out, &len);
    grid_paragraph(to, 2, text);
    fclose(to);
    size_t lines = 0, words = 0;
    for (char *line = strtok(out, "\n"); line != NULL; line = strtok(NULL, "\n"), lines++) {
        assert_true(strlen(line) + (lines ? 0 : 2) <= GRID_WIDTH);
        assert_true(lines == 0 || strncmp(line, "  word", 6) == 0);
        for (char *at = line; (at = strstr(at, "word")) != NULL; at++)
            words++;
    }
    assert_int_equal(lines, 4);
    assert_int_equal(words, 60);
    free(out);
}

static void number__any_size__keeps_three_digits(void **state)
{
    (void)state;
    char text[NUMBER_TEXT];
    assert_string_equal(number_plain(text, 0), "0");
    assert_string_equal(number_plain(text, 8.0561), "8.06");
    assert_string_equal(number_plain(text, 0.83462), "0.835");
    assert_string_equal(number_plain(text, 0.012345), "0.0123");
    assert_string_equal(number_plain(text, 9.9999), "10.0");
    assert_string_equal(number_plain(text, 1234.5), "1234");
    assert_string_equal(number_plain(text, 2e-7), "2e-07");
    assert_string_equal(number_plain(text, NAN), "-");
    assert_string_equal(number_plain(text, INFINITY), "inf");
    assert_string_equal(number_count(text, 1320), "1320");
    assert_string_equal(number_count(text, 110.26), "110.3");
    assert_string_equal(number_count(text, 12345.6), "12346");
    assert_string_equal(number_count(text, NAN), "-");
    assert_string_equal(number_scientific(text, 0.033312), "3.33e-02");
}

/* ── predictions ── */

static const char exponential[] = "[scenario]\nname = made\nseed = 3\n" ALL_SEVEN "[cluster]\nworkers = 12\n"
                                  "redundancy = 3\n[compute]\nmodel = exponential\nmean = 10ms\n";

static double harmonic(int n)
{
    double sum = 0;
    for (int j = 1; j <= n; j++)
        sum += 1.0 / j;
    return sum;
}

static void expected__exponential__is_the_textbooks(void **state)
{
    (void)state;
    struct scenario *scenario = scenario_of(exponential);
    assert_close(predict_expected(scenario, GD), 0.01 * harmonic(12), 1e-12);
    assert_close(predict_expected(scenario, LAG_WK), 0.01 * harmonic(12), 1e-12);
    /* the 10th of 12, three partitions each */
    assert_close(predict_expected(scenario, GC), 3 * 0.01 * (harmonic(12) - harmonic(2)), 1e-12);
    /* four groups, each with mean 10 ms / 3, three partitions each */
    assert_close(predict_expected(scenario, GROUPING), 0.01 * harmonic(4), 1e-12);
    assert_true(isnan(predict_expected(scenario, LAG_PS)));
    assert_true(isnan(predict_expected(scenario, LAGC)));
    assert_true(isnan(predict_expected(scenario, G_LAG)));
    assert_true(isnan(predict_drawn(scenario, G_LAG, 0, 0)));
    scenario_free(scenario);
}

static void expected__strategy_with_a_redundancy_and_a_code_of_its_own__uses_them(void **state)
{
    (void)state;
    struct scenario *scenario =
        scenario_of("[scenario]\nname = made\n" ALL_SEVEN "[cluster]\nworkers = 12\nredundancy = 3\n"
                    "[strategy:gc]\ncode = fractional\nredundancy = 4\n"
                    "[strategy:grouping]\nredundancy = 2\n"
                    "[compute]\nmodel = exponential\nmean = 10ms\n");
    assert_close(predict_expected(scenario, GC), 0.01 * harmonic(3), 1e-12);
    assert_close(predict_expected(scenario, GROUPING), 0.01 * harmonic(6), 1e-12);
    scenario_free(scenario);
}

static void drawn__round_by_round__is_what_the_workers_draw(void **state)
{
    (void)state;
    struct scenario *scenario = scenario_of(exponential);
    double x[12], slowest = 0, groups = 0;
    uint64_t seed = random_repeat_seed(3, 1);
    for (uint32_t w = 0; w < 12; w++) {
        x[w] = dist_compute_draw(&scenario->compute[w], seed, w, 7);
        slowest = fmax(slowest, x[w]);
    }
    for (uint32_t w = 0; w < 12; w += 3)
        groups = fmax(groups, fmin(x[w], fmin(x[w + 1], x[w + 2])));
    assert_close(predict_drawn(scenario, GD, 1, 7), slowest, 1e-15);
    assert_close(predict_drawn(scenario, GROUPING, 1, 7), 3 * groups, 1e-15);
    size_t slower = 0;
    for (uint32_t w = 0; w < 12; w++)
        slower += 3 * x[w] > predict_drawn(scenario, GC, 1, 7);
    assert_int_equal(slower, 2);
    scenario_free(scenario);
}

static void drawn__mean_over_many_rounds__is_the_expected_value(void **state)
{
    (void)state;
    struct scenario *scenario = scenario_of(exponential);
    for (size_t which = GD; which <= LAG_WK; which++) {
        struct stats drawn = {0};
        for (uint32_t round = 0; round < 4000; round++)
            stats_add(&drawn, predict_drawn(scenario, which, 0, round));
        /* 4000 rounds, a fixed seed: twice the confidence interval */
        assert_close(drawn.mean, predict_expected(scenario, which), 2 * stats_half_width(&drawn));
    }
    scenario_free(scenario);
}

static void workers_that_differ__have_draws_but_no_expected_value(void **state)
{
    (void)state;
    char text[512];
    snprintf(text, sizeof text, "%s[compute:worker3]\nmodel = constant\nmean = 1s\n", exponential);
    struct scenario *scenario = scenario_of(text);
    assert_true(isnan(predict_expected(scenario, GD)));
    assert_close(predict_drawn(scenario, GD, 0, 0), 1, 1e-12);
    scenario_free(scenario);
}

/* ── the parts of a round ── */

static struct made made;

static int make_two_rounds(void **state)
{
    (void)state;
    made_begin(&made);
    /* Round 0: worker 2 answers last and is used; worker 3's answer comes later and is not. */
    const struct made_answer answers[] = {
        {0, 1, 0.001, 0.010, 0.002, 0.003, 0, 0.0001, true},
        {0, 2, 0.001, 0.031, 0.004, 0.016, 0, 0.0003, true},
        {0, 3, 0.001, 0.050, 0.001, 0.040, 0.001, 0.0002, false},
    };
    made_round(&made, "gd", 1, 0, 0, 0.032, 3, 1);
    made_round(&made, "gd", 1, 1, 0.032, 0.036, 0, 0.5); /* nobody was asked */
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        made_answer(&made, "gd", 1, &answers[i]);
    made_end(&made);
    return 0;
}

static int remove_made(void **state)
{
    (void)state;
    made_remove(&made);
    return 0;
}

static void round__parts__are_those_of_the_last_answer_used(void **state)
{
    (void)state;
    struct folder folder;
    struct error err;
    assert_int_equal(folder_read(made.path, &folder, &err), 0);
    struct timing *timing = timing_of(&folder);
    assert_int_equal(timing[0].round.n, 2);
    assert_int_equal(timing[0].n_quiet, 1);
    assert_close(timing[0].round.mean, (0.032 + 0.004) / 2, 1e-12);
    assert_int_equal(timing[0].computing.n, 1);
    assert_close(timing[0].computing.mean, 0.020, 1e-12);
    assert_close(timing[0].messages.mean, 0.010, 1e-12);
    assert_close(timing[0].ps.mean, 0.002, 1e-12);
    assert_int_equal(timing[0].drawn.n, 0); /* no scenario */
    assert_true(isnan(timing[0].expected));
    free(timing);
    folder_clear(&folder);
}

static void punctuality__three_answers__counts_the_one_that_overran(void **state)
{
    (void)state;
    struct folder folder;
    struct error err;
    assert_int_equal(folder_read(made.path, &folder, &err), 0);
    struct punctuality seen = punctuality_of(&folder);
    assert_int_equal(seen.answers, 3);
    assert_int_equal(seen.overrun, 1);
    assert_close(seen.late_median_s, 0.0002, 1e-12);
    assert_close(seen.computing_median_s, 0.020, 1e-12);
    folder_clear(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stats__one_to_five__mean_range_and_students_interval),
        cmocka_unit_test(stats__quantiles__interpolate),
        cmocka_unit_test(grid__letters_of_two_bytes__columns_stay_aligned),
        cmocka_unit_test(grid__too_wide_for_two_blanks__takes_one),
        cmocka_unit_test(paragraph__long__is_broken_between_words),
        cmocka_unit_test(number__any_size__keeps_three_digits),
        cmocka_unit_test(expected__exponential__is_the_textbooks),
        cmocka_unit_test(expected__strategy_with_a_redundancy_and_a_code_of_its_own__uses_them),
        cmocka_unit_test(drawn__round_by_round__is_what_the_workers_draw),
        cmocka_unit_test(drawn__mean_over_many_rounds__is_the_expected_value),
        cmocka_unit_test(workers_that_differ__have_draws_but_no_expected_value),
        cmocka_unit_test_setup_teardown(round__parts__are_those_of_the_last_answer_used, make_two_rounds, remove_made),
        cmocka_unit_test_setup_teardown(punctuality__three_answers__counts_the_one_that_overran, make_two_rounds,
                                        remove_made),
    };
    return cmocka_run_group_tests_name("timing", tests, NULL, NULL);
}
