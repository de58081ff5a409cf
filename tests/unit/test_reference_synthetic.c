/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs on the synthetic set of the LAG comparison against numbers that two other programs computed. No decision of a
 * trigger is near a tie there, so rounds, uplinks and who sends are exact. */
#include "config.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/cmocka_all.h"
#include "tests/unit/driver.h"

static struct problem nine;

static int set_up(void **state)
{
    (void)state;
    problem_synthetic(&nine, 450, 50, 9, 1.3, MODEL_LINEAR, 0, 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    problem_clear(&nine);
    return 0;
}

/* Who sent in each round, or which groups did, as "1 3 4 8", "all" (of `count`) or "none". */
struct senders {
    uint32_t count, width; /* numbers; workers to a number */
    uint32_t rounds, sends[100];
    char text[100][32];
};

static void note_senders(void *context, const struct driver_round *round)
{
    struct senders *senders = context;
    uint32_t i = round->record->round, sent = 0;
    assert(i < 100);
    char *text = senders->text[i];
    text[0] = '\0';
    for (uint32_t k = 0; k < senders->count; k++) {
        bool sends = false;
        for (uint32_t j = 0; j < senders->width; j++)
            sends = sends || round->sent[k * senders->width + j];
        if (sends)
            snprintf(text + strlen(text), 32 - strlen(text), "%s%u", sent++ ? " " : "", k + 1);
    }
    senders->sends[i] = sent;
    senders->rounds = i + 1;
    if (sent == senders->count)
        strcpy(text, "all");
    if (sent == 0)
        strcpy(text, "none");
}

struct line {
    const char *strategy;
    uint32_t rounds_5, uplinks_5, rounds_8, uplinks_8, until[3]; /* uplinks in rounds 0…9, 0…19, 0…49 */
    uint32_t per_worker[9];
    double before, at; /* error one round before the target, and there */
    double loss[9];    /* L(θ^i) for i in loss_at */
};
static const uint32_t loss_at[9] = {0, 1, 2, 3, 5, 10, 20, 50, 100};

static const struct line lines[] = {
    {"gd",
     76,
     684,
     109,
     981,
     {90, 180, 450},
     {109, 109, 109, 109, 109, 109, 109, 109, 109},
     1.143e-8,
     9.299e-9,
     {114.566281847118, 63.2237287886, 44.2195740104, 33.6157233429, 21.2900760978, 7.71246811125, 1.51709338433,
      0.640384518454, 0.638593832378}},
    {"lag-wk",
     47,
     89,
     71,
     127,
     {25, 42, 92},
     {7, 7, 9, 10, 11, 11, 20, 21, 31},
     1.278e-8,
     9.283e-9,
     {114.566281847118, 63.2237287886, 42.6037171380, 31.2793416289, 17.8288252922, 3.55882422458, 0.658462192912,
      0.638596540386, 0.638593772876}},
    {"lag-ps",
     53,
     161,
     76,
     223,
     {42, 70, 154},
     {8, 9, 11, 15, 18, 24, 31, 41, 66},
     1.065e-8,
     7.423e-9,
     {114.566281847118, 63.2237287886, 43.4223926572, 31.8558710292, 19.0316479154, 4.78263150816, 0.840141103963,
      0.638615222911, 0.638593772880}},
};

static void assert_relative(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance * fabs(want)))
        fail_msg("%.15g is not %.15g within %g", got, want, tolerance);
}

static void check_counts(const struct line *line)
{
    struct driver_result coarse =
        driver_run(&nine, &(struct driver_options){.strategy = line->strategy, .target = 1e-5});
    assert_int_equal(coarse.summary.rounds_to_target, line->rounds_5);
    assert_int_equal(coarse.summary.uplink_to_target, line->uplinks_5);
    driver_clear(&coarse);
    struct driver_result fine = driver_run(&nine, &(struct driver_options){.strategy = line->strategy, .target = 1e-8});
    assert_int_equal(fine.summary.rounds_to_target, line->rounds_8);
    assert_int_equal(fine.summary.uplink_to_target, line->uplinks_8);
    for (uint32_t m = 0; m < 9; m++)
        assert_int_equal(fine.uplinks[m], line->per_worker[m]);
    assert_relative(fine.loss[line->rounds_8 - 1] - nine.lowest, line->before, 1e-3);
    assert_relative(fine.summary.final_error, line->at, 1e-3);
    driver_clear(&fine);
}

static void check_course(const struct line *line)
{
    struct senders senders = {.count = 9, .width = 1};
    struct driver_options options = {
        .strategy = line->strategy, .max_rounds = 100, .watch = note_senders, .context = &senders};
    struct driver_result run = driver_run(&nine, &options);
    assert_int_equal(run.iterates, 101);
    for (int k = 0; k < 9; k++)
        assert_relative(run.loss[loss_at[k]], line->loss[k], 1e-11);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 50; i++) {
        sum += senders.sends[i];
        if (i == 9 || i == 19 || i == 49)
            assert_int_equal(sum, line->until[i == 9 ? 0 : i == 19 ? 1 : 2]);
    }
    driver_clear(&run);
}

static void gd__reference_set__rounds_uplinks_losses(void **state)
{
    (void)state;
    check_counts(&lines[0]);
    check_course(&lines[0]);
}

static void lag_wk__reference_set__rounds_uplinks_losses(void **state)
{
    (void)state;
    check_counts(&lines[1]);
    check_course(&lines[1]);
}

static void lag_ps__reference_set__rounds_uplinks_losses(void **state)
{
    (void)state;
    check_counts(&lines[2]);
    check_course(&lines[2]);
}

static void check_senders(const char *strategy, uint32_t redundancy, const char *const expected[21])
{
    struct senders senders = {.count = 9 / redundancy, .width = redundancy};
    struct driver_options options = {
        .strategy = strategy, .redundancy = redundancy, .max_rounds = 21, .watch = note_senders, .context = &senders};
    struct driver_result run = driver_run(&nine, &options);
    for (int i = 0; i < 21; i++)
        assert_string_equal(senders.text[i], expected[i]);
    driver_clear(&run);
}

static void lag_wk__reference_set__who_sends(void **state)
{
    (void)state;
    const char *const expected[21] = {"all",  "7 8 9", "5 6 7", "7 8 9", "3 7",     "9",   "5 7",
                                      "none", "6 9",   "none",  "2 9",   "1 3 4 8", "9",   "6 7 8",
                                      "9",    "none",  "9",     "7",     "5 9",     "4 8", "3 7 9"};
    check_senders("lag-wk", 1, expected);
}

static const char *const lag_ps_senders[21] = {
    "all",     "4 5 6 7 8 9", "6 7 8 9", "3 5 7 8 9", "4 6 8 9",   "7 8 9", "2 5 8 9",
    "6 7 9",   "8 9",         "7 9",     "4 6 8 9",   "1 3 5 7 9", "8",     "6 9",
    "2 7 8 9", "9",           "4 5 8 9", "6 7 9",     "8 9",       "3 9",   "5 6 7 8 9"};

static void lag_ps__reference_set__who_sends(void **state)
{
    (void)state;
    check_senders("lag-ps", 1, lag_ps_senders);
}

static void g_lag__r_3__which_groups_are_selected(void **state)
{
    (void)state;
    const char *const expected[21] = {"all", "2 3", "all", "3", "2 3", "3", "2 3", "1 3", "3",   "2 3", "none",
                                      "3",   "2 3", "1 3", "3", "2 3", "3", "3",   "2 3", "1 3", "3"};
    check_senders("g-lag", 3, expected);
}

static void lag_wk__round_1__threshold_of_the_reference(void **state)
{
    (void)state;
    struct driver_options options = {.strategy = "gd", .max_rounds = 1};
    struct driver_result run = driver_run(&nine, &options);
    double square = 0;
    for (uint32_t j = 0; j < 50; j++)
        square += run.theta[50 + j] * run.theta[50 + j];
    assert_relative(sqrt(square), 0.869114708140, 1e-11);
    assert_relative(run.theta[50], -0.132397693025, 1e-11);
    struct history history;
    history_init(&history, 10);
    history_add(&history, square);
    assert_relative(trigger_threshold(&history, 0.1, nine.alpha, 9), 7.86840748729, 1e-11);
    assert_relative(trigger_threshold(&history, 1, nine.alpha, 9), 78.6840748729, 1e-11);
    history_clear(&history);
    driver_clear(&run);
}

/* What lagc's rounds looked like. */
struct lagc_course {
    uint32_t redundancy, at_most;
    uint32_t selected[8], contacted[8];
};

static void note_lagc(void *context, const struct driver_round *round)
{
    struct lagc_course *course = context;
    const struct round_record *record = round->record;
    if (record->round < 8) {
        course->selected[record->round] = record->selected;
        course->contacted[record->round] = record->contacted;
    }
    uint32_t most = record->contacted > 0 ? record->contacted - course->redundancy + 1 : 0;
    course->at_most += most;
    assert_true(round->sends <= most);
}

static void lagc__r_1_to_4__reference_counts(void **state)
{
    (void)state;
    static const struct {
        uint32_t contacted, at_most, assigned, first[8];
    } expected[4] = {{223, 223, 223, {9, 6, 4, 5, 4, 3, 4, 3}},
                     {368, 292, 446, {9, 7, 5, 8, 7, 4, 7, 5}},
                     {471, 319, 669, {9, 8, 6, 9, 8, 5, 9, 6}},
                     {547, 319, 892, {9, 9, 7, 9, 9, 6, 9, 7}}};
    const uint32_t selected[8] = {9, 6, 4, 5, 4, 3, 4, 3};
    struct driver_result twin = driver_run(&nine, &(struct driver_options){.strategy = "lag-ps", .target = 1e-8});
    for (uint32_t r = 1; r <= 4; r++) {
        struct lagc_course course = {.redundancy = r};
        struct driver_options options = {
            .strategy = "lagc", .redundancy = r, .target = 1e-8, .order = r, .watch = note_lagc, .context = &course};
        struct driver_result run = driver_run(&nine, &options);
        assert_int_equal(run.summary.rounds_to_target, 76);
        assert_int_equal(run.contacts, expected[r - 1].contacted);
        assert_int_equal(run.summary.total.downlink, expected[r - 1].contacted);
        assert_int_equal(course.at_most, expected[r - 1].at_most);
        assert_true(run.summary.total.uplink <= expected[r - 1].at_most);
        assert_int_equal(run.assigned, expected[r - 1].assigned);
        assert_memory_equal(course.selected, selected, sizeof selected);
        assert_memory_equal(course.contacted, expected[r - 1].first, sizeof selected);
        assert_true(driver_distance(&run, &twin) < 1e-10);
        driver_clear(&run);
    }
    driver_clear(&twin);
}

static void add_used(void *context, const struct driver_round *round)
{
    *(uint32_t *)context += round->record->used;
}

static void g_lag__r_1_3_9__reference_counts(void **state)
{
    (void)state;
    static const struct {
        uint32_t r;
        double target;
        uint32_t rounds, uplinks;
    } cases[] = {{1, 1e-5, 53, 161}, {1, 1e-8, 76, 223}, {3, 1e-5, 65, 100},
                 {3, 1e-8, 94, 144}, {9, 1e-5, 76, 76},  {9, 1e-8, 109, 109}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        uint32_t used = 0;
        struct driver_options options = {.strategy = "g-lag",
                                         .redundancy = cases[k].r,
                                         .target = cases[k].target,
                                         .order = k,
                                         .watch = add_used,
                                         .context = &used};
        struct driver_result run = driver_run(&nine, &options);
        assert_int_equal(run.summary.rounds_to_target, cases[k].rounds);
        assert_int_equal(used, cases[k].uplinks);
        assert_int_equal(run.summary.total.uplink, cases[k].uplinks); /* the others of a group are cancelled in time */
        driver_clear(&run);
    }
}

static void g_lag__groups_of_3__smoothness_of_the_reference(void **state)
{
    (void)state;
    const double expected[3] = {9.2361, 24.211709185, 85.856275338};
    for (uint32_t g = 0; g < 3; g++) {
        const uint32_t parts[3] = {3 * g, 3 * g + 1, 3 * g + 2};
        assert_relative(problem_group_smoothness(&nine, parts, 3), expected[g], 1e-10);
    }
}

static void gc_and_grouping__r_3__gd_rounds(void **state)
{
    (void)state;
    struct driver_options options = {.strategy = "gc", .redundancy = 3, .target = 1e-8};
    struct driver_result gc = driver_run(&nine, &options);
    assert_int_equal(gc.summary.rounds_to_target, 109);
    assert_true(gc.summary.total.uplink <= 109 * 7);
    driver_clear(&gc);
    uint32_t used = 0;
    options.strategy = "grouping";
    options.watch = add_used;
    options.context = &used;
    struct driver_result grouping = driver_run(&nine, &options);
    assert_int_equal(grouping.summary.rounds_to_target, 109);
    assert_int_equal(used, 109 * 3);
    assert_int_equal(grouping.summary.total.uplink, 109 * 3);
    driver_clear(&grouping);
}

int main(void)
{
    model_init_blas();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gd__reference_set__rounds_uplinks_losses),
        cmocka_unit_test(lag_wk__reference_set__rounds_uplinks_losses),
        cmocka_unit_test(lag_ps__reference_set__rounds_uplinks_losses),
        cmocka_unit_test(lag_wk__reference_set__who_sends),
        cmocka_unit_test(lag_ps__reference_set__who_sends),
        cmocka_unit_test(g_lag__r_3__which_groups_are_selected),
        cmocka_unit_test(lag_wk__round_1__threshold_of_the_reference),
        cmocka_unit_test(lagc__r_1_to_4__reference_counts),
        cmocka_unit_test(g_lag__r_1_3_9__reference_counts),
        cmocka_unit_test(g_lag__groups_of_3__smoothness_of_the_reference),
        cmocka_unit_test(gc_and_grouping__r_3__gd_rounds),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
