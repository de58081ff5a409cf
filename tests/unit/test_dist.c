/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/dist.h"
#include "core/random.h"

enum { ROUNDS = 4000 };

/* One of each that draws at random, of finite variance where the Monte Carlo needs it. */
static const struct dist samples[] = {
    {.kind = DIST_EXPONENTIAL, .mean = 0.02},
    {.kind = DIST_SHIFTED_EXPONENTIAL, .mean = 0.02, .shape = 0.7},
    {.kind = DIST_PARETO, .mean = 0.02, .shape = 3.5},
    {.kind = DIST_WEIBULL, .mean = 0.02, .shape = 0.8},
    {.kind = DIST_LOGNORMAL, .mean = 0.02, .shape = 0.6},
    {.kind = DIST_BIMODAL, .mean = 0.02, .probability = 0.5, .factor = 8},
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static void assert_near(double got, double wanted, double relative)
{
    if (!(fabs(got - wanted) <= relative * fabs(wanted)))
        fail_msg("%.15g is not %.15g", got, wanted);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Mean and its standard error of a statistic over rounds. */
struct estimate {
    double sum, squares;
};

static void estimate_add(struct estimate *estimate, double x)
{
    estimate->sum += x;
    estimate->squares += x * x;
}

/* Four standard errors: one estimate in 16,000 lies outside, and the seeds are fixed. */
static void assert_within(const struct estimate *estimate, double wanted, const char *what)
{
    double mean = estimate->sum / ROUNDS;
    double error = sqrt((estimate->squares / ROUNDS - mean * mean) / (ROUNDS - 1));
    if (!(fabs(mean - wanted) <= 4 * error))
        fail_msg("%s: %g ± %g measured, %g predicted", what, mean, error, wanted);
}

static void draws__order_statistics__as_predicted(void **state)
{
    (void)state;
    enum { M = 6 };
    for (int s = 0; s < SAMPLES; s++) {
        struct estimate ordered[M] = {{0}}, grouped = {0}, plain = {0};
        for (uint32_t round = 0; round < ROUNDS; round++) {
            double x[M], slowest = 0;
            for (uint32_t m = 0; m < M; m++)
                x[m] = dist_compute_draw(&samples[s], 11, m, round);
            estimate_add(&plain, x[5]);
            for (int g = 0; g < M; g += 3)
                slowest = fmax(slowest, fmin(fmin(x[g], x[g + 1]), x[g + 2]));
            estimate_add(&grouped, slowest);
            qsort(x, M, sizeof x[0], compare_doubles);
            for (int f = 0; f < M; f++)
                estimate_add(&ordered[f], x[f]);
        }
        const char *name = dist_names[samples[s].kind];
        assert_within(&plain, samples[s].mean, name);
        assert_within(&grouped, dist_group_mean(&samples[s], 2, 3), name);
        for (uint32_t f = 0; f < M; f++)
            assert_within(&ordered[f], dist_order_mean(&samples[s], f + 1, M), name);
    }
}

static void order_mean__closed_forms__agree_with_integration(void **state)
{
    (void)state;
    const uint32_t cases[][2] = {{1, 1}, {1, 12}, {7, 12}, {12, 12}, {998, 1000}, {50000, 100000}, {100000, 100000}};
    const struct dist heavy = {.kind = DIST_PARETO, .mean = 1, .shape = 1.2};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        uint32_t f = cases[c][0], m = cases[c][1];
        for (int s = 0; s < 3; s++)
            assert_near(dist_order_integral(&samples[s], f, m, 1), dist_order_mean(&samples[s], f, m), 1e-8);
        assert_near(dist_order_integral(&heavy, f, m, 1), dist_order_mean(&heavy, f, m), 1e-8);
    }
    for (int s = 0; s < 5; s++) /* not bimodal: its quantile jumps */
        assert_near(dist_order_integral(&samples[s], 4, 4, 3), dist_group_mean(&samples[s], 4, 3), 1e-8);
}

static void order_mean__by_hand__same(void **state)
{
    (void)state;
    const struct dist exponential = {.kind = DIST_EXPONENTIAL, .mean = 6};
    assert_near(dist_order_mean(&exponential, 1, 3), 2, 1e-14);
    assert_near(dist_order_mean(&exponential, 2, 3), 5, 1e-14);
    assert_near(dist_order_mean(&exponential, 3, 3), 11, 1e-14);
    assert_near(dist_group_mean(&exponential, 2, 3), 3, 1e-14);
    /* Pareto, β = 2, x_min = 1: E[X_(2:2)] = Γ(½)Γ(3)/(Γ(1)Γ(2½)) = 8/3; of two the mean sum is 4. */
    const struct dist pareto = {.kind = DIST_PARETO, .mean = 2, .shape = 2};
    assert_near(dist_order_mean(&pareto, 2, 2), 8 / 3.0, 1e-13);
    assert_near(dist_order_mean(&pareto, 1, 2), 4 / 3.0, 1e-13);
    /* Bimodal, fast 1 and slow 5 with probability ½: the slower of two is fast with probability ¼. */
    const struct dist bimodal = {.kind = DIST_BIMODAL, .mean = 3, .probability = 0.5, .factor = 5};
    assert_near(dist_order_mean(&bimodal, 2, 2), 4, 1e-13);
    assert_near(dist_group_mean(&bimodal, 1, 2), 2, 1e-13);
    const struct dist constant = {.kind = DIST_CONSTANT, .mean = 0.25}, none = {.kind = DIST_NONE};
    assert_true(dist_order_mean(&constant, 3, 7) == 0.25 && dist_group_mean(&constant, 3, 7) == 0.25);
    assert_true(dist_order_mean(&none, 3, 7) == 0 && dist_group_mean(&none, 3, 7) == 0);
}

static void order_mean__all_of_them__sum_to_m_means(void **state)
{
    (void)state;
    for (int s = 0; s < SAMPLES; s++) {
        double sum = 0;
        for (uint32_t f = 1; f <= 9; f++)
            sum += dist_order_mean(&samples[s], f, 9);
        assert_near(sum, 9 * samples[s].mean, 1e-8);
    }
}

static void order_mean__no_finite_mean__infinite(void **state)
{
    (void)state;
    const struct dist pareto = {.kind = DIST_PARETO, .mean = 1, .shape = 1};
    assert_true(isinf(dist_order_mean(&pareto, 4, 4)));
    assert_true(isfinite(dist_order_mean(&pareto, 3, 4)));
    assert_true(isnan(dist_order_mean(&(struct dist){.kind = DIST_TRACE}, 1, 2)));
    assert_true(isnan(dist_group_mean(&(struct dist){.kind = DIST_TRACE}, 1, 2)));
}

static void quantile__known_points__exact(void **state)
{
    (void)state;
    assert_near(dist_quantile(&(struct dist){.kind = DIST_EXPONENTIAL, .mean = 2}, 0.5, 0, 0), 2 * log(2), 1e-14);
    assert_near(dist_quantile(&(struct dist){.kind = DIST_PARETO, .mean = 3, .shape = 1.5}, 0.875, 0, 0), 4, 1e-14);
    assert_near(dist_quantile(&(struct dist){.kind = DIST_SHIFTED_EXPONENTIAL, .mean = 4, .shape = 0.5}, 0.5, 0, 0),
                2 + 2 * log(2), 1e-14);
    assert_near(dist_quantile(&(struct dist){.kind = DIST_LOGNORMAL, .mean = 1, .shape = 2}, 0.5, 0, 0), exp(-2),
                1e-14);
    assert_near(dist_quantile(&(struct dist){.kind = DIST_WEIBULL, .mean = 2, .shape = 0.5}, 0.5, 0, 0),
                log(2) * log(2), 1e-13);
    const struct dist bimodal = {.kind = DIST_BIMODAL, .mean = 3, .probability = 0.25, .factor = 9};
    assert_near(dist_quantile(&bimodal, 0.74, 0, 0), 1, 1e-14);
    assert_near(dist_quantile(&bimodal, 0.76, 0, 0), 9, 1e-14);
    assert_true(dist_quantile(&(struct dist){.kind = DIST_NONE}, 0.3, 0, 0) == 0);
    for (int s = 0; s < SAMPLES; s++) { /* the furthest that a uniform goes */
        assert_true(isfinite(dist_quantile(&samples[s], 1 - 0x1p-53, 0, 0)));
        assert_true(dist_quantile(&samples[s], 0x1p-53, 0, 0) >= 0);
    }
}

static void trace__rows_and_columns__wrap_around(void **state)
{
    (void)state;
    const double table[] = {1, 2, 3, 4, 5, 6};
    const struct dist trace = {.kind = DIST_TRACE, .scale = 0.5, .table = table, .rows = 2, .columns = 3};
    assert_true(dist_compute_draw(&trace, 9, 0, 0) == 0.5);
    assert_true(dist_compute_draw(&trace, 9, 2, 1) == 3);
    assert_true(dist_compute_draw(&trace, 9, 4, 3) == 2.5);
}

static void compute_draw__worker_round_seed__each_counts(void **state)
{
    (void)state;
    const struct dist *dist = &samples[0];
    double x = dist_compute_draw(dist, 1, 2, 3);
    assert_true(dist_compute_draw(dist, 1, 2, 3) == x);
    assert_true(dist_compute_draw(dist, 2, 2, 3) != x);
    assert_true(dist_compute_draw(dist, 1, 3, 3) != x);
    assert_true(dist_compute_draw(dist, 1, 2, 4) != x);
}

static void check__out_of_range__refused_by_name(void **state)
{
    (void)state;
    const double negative[] = {1, -1};
    const struct {
        struct dist dist;
        const char *words;
    } cases[] = {
        {{.kind = DIST_CONSTANT, .mean = -1}, "constant: mean"},
        {{.kind = DIST_EXPONENTIAL, .mean = 0}, "exponential: mean"},
        {{.kind = DIST_EXPONENTIAL, .mean = NAN}, "exponential: mean"},
        {{.kind = DIST_EXPONENTIAL, .mean = INFINITY}, "exponential: mean"},
        {{.kind = DIST_SHIFTED_EXPONENTIAL, .mean = 1, .shape = 1}, "shape = 1; 0 ≤ shape < 1"},
        {{.kind = DIST_SHIFTED_EXPONENTIAL, .mean = 1, .shape = -0.1}, "shape"},
        {{.kind = DIST_PARETO, .mean = 1, .shape = 1}, "1 < shape"},
        {{.kind = DIST_PARETO, .mean = 1, .shape = NAN}, "shape"},
        {{.kind = DIST_WEIBULL, .mean = 1, .shape = 0}, "shape"},
        {{.kind = DIST_LOGNORMAL, .mean = 1, .shape = 0}, "shape"},
        {{.kind = DIST_LOGNORMAL, .mean = 1, .shape = 10}, "shape"},
        {{.kind = DIST_BIMODAL, .mean = 1, .probability = 1.5, .factor = 2}, "probability"},
        {{.kind = DIST_BIMODAL, .mean = 1, .probability = 0.5, .factor = 0.5}, "factor"},
        {{.kind = DIST_TRACE, .scale = 1}, "empty"},
        {{.kind = DIST_TRACE, .scale = 0, .table = negative, .rows = 1, .columns = 1}, "scale"},
        {{.kind = DIST_TRACE, .scale = 1, .table = negative, .rows = 1, .columns = 2}, "row 1, column 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error err = {""};
        assert_int_equal(dist_check(&cases[i].dist, &err), -1);
        if (strstr(err.text, cases[i].words) == NULL)
            fail_msg("'%s' does not say '%s'", err.text, cases[i].words);
    }
}

static void check__in_range__accepted(void **state)
{
    (void)state;
    const double table[] = {0, 1};
    const struct dist more[] = {
        {.kind = DIST_NONE},
        {.kind = DIST_CONSTANT, .mean = 0},
        {.kind = DIST_SHIFTED_EXPONENTIAL, .mean = 1, .shape = 0},
        {.kind = DIST_TRACE, .scale = 1, .table = table, .rows = 1, .columns = 2},
    };
    struct error err = {""};
    for (int s = 0; s < SAMPLES; s++)
        assert_int_equal(dist_check(&samples[s], &err), 0);
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
        assert_int_equal(dist_check(&more[i], &err), 0);
}

static void names__one_for_each_kind(void **state)
{
    (void)state;
    assert_string_equal(dist_names[DIST_NONE], "none");
    assert_string_equal(dist_names[DIST_SHIFTED_EXPONENTIAL], "shifted-exponential");
    assert_string_equal(dist_names[DIST_TRACE], "trace");
    assert_null(dist_names[DIST_TRACE + 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws__order_statistics__as_predicted),
        cmocka_unit_test(order_mean__closed_forms__agree_with_integration),
        cmocka_unit_test(order_mean__by_hand__same),
        cmocka_unit_test(order_mean__all_of_them__sum_to_m_means),
        cmocka_unit_test(order_mean__no_finite_mean__infinite),
        cmocka_unit_test(quantile__known_points__exact),
        cmocka_unit_test(trace__rows_and_columns__wrap_around),
        cmocka_unit_test(compute_draw__worker_round_seed__each_counts),
        cmocka_unit_test(check__out_of_range__refused_by_name),
        cmocka_unit_test(check__in_range__accepted),
        cmocka_unit_test(names__one_for_each_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
