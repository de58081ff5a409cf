/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Synthetic sets, what is done to samples in memory, and partitions. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/dataset.h"
#include "core/model.h"
#include "core/partition.h"

/* A data set from arrays, copied. */
static struct dataset dataset_of(size_t n, size_t d, const double *x, const double *y)
{
    struct dataset data = {.n = n, .d = d, .x = mem_array(n * d, sizeof *x), .y = mem_array(n, sizeof *y)};
    memcpy(data.x, x, n * d * sizeof *x);
    memcpy(data.y, y, n * sizeof *y);
    return data;
}

static struct dataset synthetic(size_t n, size_t d, size_t partitions, double h, bool logistic, uint64_t seed)
{
    struct dataset data;
    struct error err = {""};
    if (dataset_synthetic(n, d, partitions, h, logistic, seed, &data, &err) < 0)
        fail_msg("%s", err.text);
    return data;
}

/* The published recipe's own numbers: first and last entries of its file, to the last bit. */
static void synthetic__square__published_set(void **state)
{
    (void)state;
    struct dataset data = synthetic(450, 50, 9, 1.3, false, 1);
    assert_true(data.x[0] == 1.0156727817335121);
    assert_true(data.x[1] == -0.023925286584351071);
    assert_true(data.y[0] == -0.97153998995042901);
    assert_true(data.x[449 * 50 + 49] == 1.4915484503995826);
    assert_true(data.y[449] == 1.1819620091611573);
    dataset_clear(&data);
}

static void synthetic__another_seed__another_set(void **state)
{
    (void)state;
    const size_t shapes[][2] = {{18, 6}, {20, 6}};
    for (int s = 0; s < 2; s++) {
        struct dataset a = synthetic(shapes[s][0], 6, 3, 1.3, false, 1),
                       b = synthetic(shapes[s][0], 6, 3, 1.3, false, 2);
        struct dataset again = synthetic(shapes[s][0], 6, 3, 1.3, false, 2);
        assert_memory_not_equal(a.x, b.x, a.n * a.d * sizeof(double));
        assert_memory_not_equal(a.y, b.y, a.n * sizeof(double));
        assert_memory_equal(again.x, b.x, a.n * a.d * sizeof(double));
        dataset_clear(&a);
        dataset_clear(&b);
        dataset_clear(&again);
    }
}

static void synthetic__any_shape__smoothness_asked_for(void **state)
{
    (void)state;
    /* samples, features, partitions: square, uneven, wide, tall, more partitions than features */
    const size_t shapes[][3] = {{50, 10, 5}, {53, 10, 5}, {20, 60, 4}, {200, 7, 4}, {40, 4, 10}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const size_t m = shapes[s][2];
        struct dataset data = synthetic(shapes[s][0], shapes[s][1], m, 1.4, false, 3);
        struct partition_set parts;
        struct error err = {""};
        assert_int_equal(partition_split(&data, m, &parts, &err), 0);
        double c = 1;
        for (uint32_t k = 0; k < m; k++, c *= 1.4) {
            double got = model_smoothness(&(struct model){MODEL_LINEAR, 0}, &parts, &k, 1);
            assert_true(fabs(got / ((c + 1) * (c + 1)) - 1) < 1e-6);
        }
        partition_set_clear(&parts);
        dataset_clear(&data);
    }
}

/* Labels are Xθ° + 0.1 × noise: what least squares leaves over is the noise. */
static void synthetic__gaussian__noise_of_a_tenth(void **state)
{
    (void)state;
    struct dataset data = synthetic(2000, 5, 4, 1, false, 4);
    struct partition_set parts;
    struct error err = {""};
    double theta[5], loss;
    assert_int_equal(partition_split(&data, 4, &parts, &err), 0);
    assert_int_equal(model_optimum(&(struct model){MODEL_LINEAR, 0}, &parts, theta, &loss, &err), 0);
    double sigma = sqrt(2 * loss / (2000 - 5));
    assert_true(fabs(sigma - 0.1) < 4 * 0.1 / sqrt(2 * 1995.0));
    partition_set_clear(&parts);
    dataset_clear(&data);
}

static void synthetic__logistic__signs_of_the_same(void **state)
{
    (void)state;
    struct dataset linear = synthetic(50, 10, 5, 1.3, false, 1), logistic = synthetic(50, 10, 5, 1.3, true, 1);
    assert_memory_equal(linear.x, logistic.x, 500 * sizeof(double));
    for (size_t i = 0; i < 50; i++)
        assert_true(logistic.y[i] == (linear.y[i] > 0 ? 1 : -1));
    dataset_clear(&linear);
    dataset_clear(&logistic);
}

static void synthetic__impossible__refused(void **state)
{
    (void)state;
    static const struct {
        size_t samples, features, partitions;
        double h;
        const char *words;
    } cases[] = {
        {10, 0, 2, 1, "features = 0"},
        {10, 20000000, 2, 1, "features = 20000000"},
        {1, 5, 2, 1, "samples = 1"},
        {60000000, 5, 2, 1, "samples = 60000000"},
        {1000000, 1000, 2, 1, "samples × features"},
        {10, 5, 2, 0, "heterogeneity = 0"},
        {10, 5, 2, NAN, "heterogeneity"},
        {2000, 5, 2000, 1.3, "at most 1e12"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct dataset data;
        struct error err = {""};
        assert_int_equal(dataset_synthetic(cases[i].samples, cases[i].features, cases[i].partitions, cases[i].h, false,
                                           1, &data, &err),
                         -1);
        if (strstr(err.text, cases[i].words) == NULL)
            fail_msg("'%s' does not say '%s'", err.text, cases[i].words);
        assert_null(data.x);
    }
}

static void transforms__by_hand__same(void **state)
{
    (void)state;
    struct dataset data = dataset_of(4, 2, (double[]){1, 7, 3, 7, 5, 7, 7, 7}, (double[]){0, 2, -1, 1e-9});
    dataset_make_signs(&data);
    assert_memory_equal(data.y, ((double[]){-1, 1, -1, 1}), 4 * sizeof(double));
    dataset_center(&data);
    assert_memory_equal(data.x, ((double[]){-3, 0, -1, 0, 1, 0, 3, 0}), 8 * sizeof(double));
    dataset_scale(&data, SCALE_NONE);
    assert_true(data.x[0] == -3);
    dataset_scale(&data, SCALE_STANDARD); /* a constant feature stays as it is */
    const double sigma = sqrt(5);
    assert_memory_equal(data.x, ((double[]){-3 / sigma, 0, -1 / sigma, 0, 1 / sigma, 0, 3 / sigma, 0}),
                        8 * sizeof(double));
    dataset_clear(&data);
    data = dataset_of(3, 2, (double[]){3, 4, 0, 0, -6, 8}, (double[]){1, 2, 3});
    dataset_scale(&data, SCALE_UNIT); /* a zero sample too */
    assert_memory_equal(data.x, ((double[]){0.6, 0.8, 0, 0, -0.6, 0.8}), 6 * sizeof(double));
    dataset_clear(&data);
}

static void scale_standard__not_centred__variance_about_the_mean(void **state)
{
    (void)state;
    struct dataset data = dataset_of(2, 1, (double[]){10, 14}, (double[]){1, 1});
    dataset_scale(&data, SCALE_STANDARD);
    assert_true(data.x[0] == 5 && data.x[1] == 7);
    dataset_clear(&data);
}

static void order__norm_and_label__ascending_ties_by_position(void **state)
{
    (void)state;
    const double x[] = {3, 0, 0, 1, 0, -3, 2, 0}, y[] = {2, 9, 2, 1};
    struct dataset data = dataset_of(4, 2, x, y);
    dataset_order(&data, ORDER_FILE, 1);
    assert_memory_equal(data.x, x, sizeof x);
    dataset_order(&data, ORDER_NORM, 1);
    assert_memory_equal(data.x, ((double[]){0, 1, 2, 0, 3, 0, 0, -3}), sizeof x);
    assert_memory_equal(data.y, ((double[]){9, 1, 2, 2}), sizeof y);
    dataset_order(&data, ORDER_LABEL, 1);
    assert_memory_equal(data.y, ((double[]){1, 2, 2, 9}), sizeof y);
    assert_memory_equal(data.x, ((double[]){2, 0, 3, 0, 0, -3, 0, 1}), sizeof x);
    dataset_clear(&data);
}

static void order__shuffle__a_permutation_that_the_seed_decides(void **state)
{
    (void)state;
    enum { N = 500 };
    double x[N], sums[3] = {0};
    struct dataset shuffled[3];
    for (int i = 0; i < N; i++)
        x[i] = i;
    for (int s = 0; s < 3; s++) {
        shuffled[s] = dataset_of(N, 1, x, x);
        dataset_order(&shuffled[s], ORDER_SHUFFLE, s == 2 ? 8 : 7);
        bool seen[N] = {false};
        for (int i = 0; i < N; i++) {
            assert_true(shuffled[s].x[i] == shuffled[s].y[i]);
            assert_false(seen[(int)shuffled[s].x[i]]);
            seen[(int)shuffled[s].x[i]] = true;
            sums[s] += shuffled[s].x[i] * (i + 1);
        }
    }
    assert_memory_equal(shuffled[0].x, shuffled[1].x, sizeof x);
    assert_memory_not_equal(shuffled[0].x, shuffled[2].x, sizeof x);
    /* Spearman's correlation with the old order, four of its standard deviations */
    double centre = (N - 1) / 2.0, rho = (sums[0] / N - centre * (N + 1) / 2.0) / ((N * (double)N - 1) / 12);
    assert_true(fabs(rho) < 4 / sqrt(N - 1));
    for (int s = 0; s < 3; s++)
        dataset_clear(&shuffled[s]);
}

static void split__any_counts__nearly_equal_and_complete(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 13; n++)
        for (size_t count = 1; count <= n; count++) {
            struct dataset data = {
                .n = n, .d = 3, .x = mem_array(3 * n, sizeof(double)), .y = mem_array(n, sizeof(double))};
            struct partition_set parts;
            struct error err = {""};
            size_t at = 0;
            assert_int_equal(partition_split(&data, count, &parts, &err), 0);
            for (size_t k = 0; k < count; k++) {
                assert_int_equal(parts.part[k].n, n / count + (k < n % count));
                assert_ptr_equal(parts.part[k].x, data.x + 3 * at);
                assert_ptr_equal(parts.part[k].y, data.y + at);
                at += parts.part[k].n;
            }
            assert_int_equal(at, n);
            partition_set_clear(&parts);
            dataset_clear(&data);
        }
}

static void split__fewer_samples_than_partitions__refused(void **state)
{
    (void)state;
    const struct dataset data = {.n = 3, .d = 1};
    struct partition_set parts;
    struct error err = {""};
    assert_int_equal(partition_split(&data, 4, &parts, &err), -1);
    assert_non_null(strstr(err.text, "3 samples cannot be split into 4 partitions"));
    assert_int_equal(partition_split(&data, 0, &parts, &err), -1);
    assert_null(parts.part);
}

int main(void)
{
    model_init_blas();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(synthetic__square__published_set),
        cmocka_unit_test(synthetic__another_seed__another_set),
        cmocka_unit_test(synthetic__any_shape__smoothness_asked_for),
        cmocka_unit_test(synthetic__gaussian__noise_of_a_tenth),
        cmocka_unit_test(synthetic__logistic__signs_of_the_same),
        cmocka_unit_test(synthetic__impossible__refused),
        cmocka_unit_test(transforms__by_hand__same),
        cmocka_unit_test(scale_standard__not_centred__variance_about_the_mean),
        cmocka_unit_test(order__norm_and_label__ascending_ties_by_position),
        cmocka_unit_test(order__shuffle__a_permutation_that_the_seed_decides),
        cmocka_unit_test(split__any_counts__nearly_equal_and_complete),
        cmocka_unit_test(split__fewer_samples_than_partitions__refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
