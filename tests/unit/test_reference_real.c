/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs on the real sets of the LAG comparison against numbers that two other programs computed. Exact but for lag-wk on
 * linear M = 9 and 18 to 1e-8, where rounding of one unit in the last place flips decisions: there a range, widened a
 * little. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "tests/unit/cmocka_all.h"
#include "tests/unit/driver.h"

struct counts {
    uint32_t rounds_min, rounds_max, uplinks_min, uplinks_max;
};

struct line {
    const char *strategy;
    struct counts coarse, fine; /* to 1e-5, to 1e-8 */
    double loss_10, loss_100;
    uint32_t per_worker[9]; /* to 1e-8; 0: not in the reference */
};

#define EXACT(rounds, uplinks)                                                                                         \
    {                                                                                                                  \
        rounds, rounds, uplinks, uplinks                                                                               \
    }

struct table {
    enum model_kind kind;
    uint32_t workers;
    double whole, start, lowest, norm; /* L, L(0), L*, ‖θ*‖ */
    struct line lines[3];
};

static const struct table tables[] = {
    {MODEL_LINEAR,
     9,
     1672.69353110545,
     171989.304200,
     24528.5270418,
     28.7449059216,
     {{"gd",
       EXACT(434, 3906),
       EXACT(585, 5265),
       33012.7127376,
       24601.8040881,
       {585, 585, 585, 585, 585, 585, 585, 585, 585}},
      {"lag-ps",
       EXACT(427, 1292),
       EXACT(576, 1750),
       38798.5072940,
       24599.3203143,
       {286, 285, 286, 114, 114, 95, 190, 190, 190}},
      {"lag-wk", EXACT(374, 311), {498, 508, 380, 435}, 34552.1043010, 24564.6411682, {0}}}},
    {MODEL_LINEAR,
     18,
     1669.84752411742,
     171828.804200,
     24519.0764754,
     28.7420655775,
     {{"gd", EXACT(433, 7794), EXACT(584, 10512), 32989.8037650, 24591.7553959, {0}},
      {"lag-ps", EXACT(427, 2664), EXACT(576, 3604), 35129.4179601, 24587.3222450, {0}},
      {"lag-wk", EXACT(373, 527), {498, 503, 648, 694}, 34635.3946436, 24557.5276205, {0}}}},
    {MODEL_LINEAR,
     27,
     1669.84752411742,
     171828.804200,
     24519.0764754,
     28.7420655775,
     {{"gd", EXACT(433, 11691), EXACT(584, 15768), 32989.8037650, 24591.7553959, {0}},
      {"lag-ps", EXACT(428, 4368), EXACT(578, 5925), 34553.2656341, 24587.9696089, {0}},
      {"lag-wk", EXACT(376, 818), EXACT(505, 1044), 35236.3163970, 24556.0466099, {0}}}},
    {MODEL_LOGISTIC,
     9,
     1328.82913863816,
     1603.24942863516,
     1265.82293275627,
     1.85841176740,
     {{"gd",
       EXACT(362, 3258),
       EXACT(545, 4905),
       1283.89476760,
       1266.03483576,
       {545, 545, 545, 545, 545, 545, 545, 545, 545}},
      {"lag-ps",
       EXACT(354, 1314),
       EXACT(535, 1992),
       1281.54796564,
       1266.00956015,
       {177, 134, 176, 265, 267, 265, 178, 265, 265}},
      {"lag-wk",
       EXACT(295, 266),
       EXACT(446, 391),
       1281.22569314,
       1265.90639644,
       {25, 23, 25, 62, 85, 76, 26, 33, 36}}}},
    {MODEL_LOGISTIC,
     18,
     1309.73627733806,
     1597.01110401012,
     1263.86354305535,
     1.84425035006,
     {{"gd", EXACT(358, 6444), EXACT(540, 9720), 1281.31575952, 1264.06579048, {0}},
      {"lag-ps", EXACT(351, 2800), EXACT(530, 4248), 1279.15120564, 1264.04235469, {0}},
      {"lag-wk", EXACT(297, 441), EXACT(448, 633), 1278.74392300, 1263.95096808, {0}}}},
    {MODEL_LOGISTIC,
     27,
     1309.82160188742,
     1597.01110401012,
     1264.30898084636,
     1.84229641497,
     {{"gd", EXACT(359, 9693), EXACT(542, 14634), 1281.73158066, 1264.51348986, {0}},
      {"lag-ps", EXACT(353, 4279), EXACT(533, 6490), 1279.56462353, 1264.49020052, {0}},
      {"lag-wk", EXACT(307, 722), EXACT(462, 1020), 1279.14014600, 1264.40981252, {0}}}},
};

static void assert_relative(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance * fabs(want)))
        fail_msg("%.15g is not %.15g within %g", got, want, tolerance);
}

/* Uplinks of each round, to find those until the coarser target in the one run. */
static void note_sends(void *context, const struct driver_round *round)
{
    ((uint32_t *)context)[round->record->round] = round->sends;
}

static void check_line(struct problem *problem, const struct line *line)
{
    static uint32_t sends[1000];
    struct driver_options options = {
        .strategy = line->strategy, .target = 1e-8, .max_rounds = 1000, .watch = note_sends, .context = sends};
    struct driver_result run = driver_run(problem, &options);
    assert_true(run.summary.reached);
    uint32_t coarse = 0, uplinks = 0;
    while (!(run.loss[coarse] - problem->lowest < 1e-5))
        uplinks += sends[coarse++];
    assert_int_equal(coarse, line->coarse.rounds_min);
    assert_int_equal(uplinks, line->coarse.uplinks_min);
    assert_in_range(run.summary.rounds_to_target, line->fine.rounds_min, line->fine.rounds_max);
    assert_in_range(run.summary.uplink_to_target, line->fine.uplinks_min, line->fine.uplinks_max);
    assert_relative(run.loss[10], line->loss_10, 1e-11);
    assert_relative(run.loss[100], line->loss_100, 1e-11);
    for (uint32_t m = 0; m < 9 && line->per_worker[0] > 0; m++)
        assert_int_equal(run.uplinks[m], line->per_worker[m]);
    driver_clear(&run);
}

static void check_table(const struct table *table)
{
    struct problem problem = {0};
    if (!problem_lag(&problem, table->kind, table->workers)) {
        print_message("the data sets of the LAG comparison are not there\n");
        skip();
    }
    double square = 0;
    for (size_t j = 0; j < problem.data.d; j++)
        square += problem.optimum[j] * problem.optimum[j];
    double *zero = calloc(problem.data.d, sizeof *zero);
    assert_relative(problem.whole, table->whole, 1e-13);
    assert_relative(problem_error(&problem, zero) + problem.lowest, table->start, 1e-11);
    assert_relative(problem.lowest, table->lowest, 1e-11);
    assert_relative(sqrt(square), table->norm, 1e-10);
    free(zero);
    for (int k = 0; k < 3; k++)
        check_line(&problem, &table->lines[k]);
    problem_clear(&problem);
}

static void linear__9_workers__reference_counts(void **state)
{
    (void)state;
    check_table(&tables[0]);
}

static void linear__18_workers__reference_counts(void **state)
{
    (void)state;
    check_table(&tables[1]);
}

static void linear__27_workers__reference_counts(void **state)
{
    (void)state;
    check_table(&tables[2]);
}

static void logistic__9_workers__reference_counts(void **state)
{
    (void)state;
    check_table(&tables[3]);
}

static void logistic__18_workers__reference_counts(void **state)
{
    (void)state;
    check_table(&tables[4]);
}

static void logistic__27_workers__reference_counts(void **state)
{
    (void)state;
    check_table(&tables[5]);
}

int main(void)
{
    model_init_blas();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear__9_workers__reference_counts),
        cmocka_unit_test(linear__18_workers__reference_counts),
        cmocka_unit_test(linear__27_workers__reference_counts),
        cmocka_unit_test(logistic__9_workers__reference_counts),
        cmocka_unit_test(logistic__18_workers__reference_counts),
        cmocka_unit_test(logistic__27_workers__reference_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
