/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Smoothness and optima against the reference numbers of the LAG comparison (Octave and a plain C program agree on
 * them), and the cases where the normal equations do not help. */
#include "config.h"

#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/dataset.h"
#include "core/model.h"
#include "core/partition.h"
#include "core/random.h"
#include "tests/unit/shared_data.h"

/* Equal to the digits that the reference prints (a relative tolerance of half a unit of the last one, and some). */
static void assert_digits(double got, double reference, int digits)
{
    double tolerance = 0.6 * pow(10, floor(log10(fabs(reference))) + 1 - digits);
    if (!(fabs(got - reference) <= tolerance))
        fail_msg("%.16g is not %.16g to %d digits", got, reference, digits);
}

static double norm(const double *v, size_t d)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++)
        sum += v[j] * v[j];
    return sqrt(sum);
}

static double whole_smoothness(const struct model *model, const struct partition_set *parts)
{
    uint32_t *all = mem_array(parts->count, sizeof *all);
    for (size_t k = 0; k < parts->count; k++)
        all[k] = (uint32_t)k;
    double smoothness = model_smoothness(model, parts, all, parts->count);
    free(all);
    return smoothness;
}

static void synthetic__reference_set__published_numbers(void **state)
{
    (void)state;
    const double smoothness[] = {
        4, 5.29, 7.2361, 10.220809, 14.86950721, 22.2117091849, 33.9517031225, 52.923467257, 83.8562753383};
    struct dataset data;
    struct partition_set parts;
    struct error err = {""};
    assert_int_equal(dataset_synthetic(450, 50, 9, 1.3, false, 1, &data, &err), 0);
    assert_int_equal(partition_split(&data, 9, &parts, &err), 0);
    const struct model model = {MODEL_LINEAR, 0};
    for (uint32_t k = 0; k < 9; k++)
        assert_digits(model_smoothness(&model, &parts, &k, 1), smoothness[k], 12);
    assert_digits(whole_smoothness(&model, &parts), 91.8562753383, 12);
    double theta[50] = {0}, loss;
    assert_digits(model_loss(&model, &parts, theta), 114.566281847118, 15);
    assert_int_equal(model_optimum(&model, &parts, theta, &loss, &err), 0);
    assert_digits(loss, 0.638593772875771, 14);
    assert_digits(norm(theta, 50), 3.91517968966, 12);
    assert_digits(theta[0], -0.968170032305, 12);
    assert_digits(theta[1], -0.0940735290219, 12);
    assert_digits(theta[2], 0.646954271098, 12);
    partition_set_clear(&parts);
    dataset_clear(&data);
}

/* One of the experiments on real data: three sets, `splits` blocks of each, the first d features of each. */
struct real_case {
    enum model_kind kind;
    size_t splits;
    double smoothness, loss0, optimum, norm;
    int loss_digits; /* the reference prints 15 for L and the logistic losses; rounding leaves 14 */
};

static const struct real_case real_cases[] = {
    {MODEL_LINEAR, 3, 1672.69353110545, 171989.304200, 24528.5270418, 28.7449059216, 12},
    {MODEL_LINEAR, 6, 1669.84752411742, 171828.804200, 24519.0764754, 28.7420655775, 12},
    {MODEL_LINEAR, 9, 1669.84752411742, 171828.804200, 24519.0764754, 28.7420655775, 12},
    {MODEL_LOGISTIC, 3, 1328.82913863816, 1603.24942863516, 1265.82293275627, 1.85841176740, 14},
    {MODEL_LOGISTIC, 6, 1309.73627733806, 1597.01110401012, 1263.86354305535, 1.84425035006, 14},
    {MODEL_LOGISTIC, 9, 1309.82160188742, 1597.01110401012, 1264.30898084636, 1.84229641497, 14},
};

/* The smoothness of each worker's loss, M = 9. */
static const double real_parts[2][9] = {
    {541.155785794, 478.336204593, 573.700765220, 153.047242058, 141.674371454, 123.544267840, 253.375984385,
     269.020587900, 255.462062347},
    {206.232258536, 155.477788946, 179.049473085, 298.850873216, 431.491838897, 337.875656347, 239.972341150,
     298.909864123, 334.879134244},
};

/* Three CSV files, or false if they are not there. */
static bool load_sets(enum model_kind kind, struct dataset sets[3])
{
    static const char *const names[2][3] = {{"housing", "bodyfat", "abalone"}, {"ionosphere", "adult", "derm"}};
    for (int i = 0; i < 3; i++) {
        size_t len;
        char *name = mem_printf("data/lag/%s.csv", names[kind][i]);
        char *bytes = read_shared(name, &len);
        struct error err = {""};
        if (bytes == NULL) {
            free(name);
            return false;
        }
        if (dataset_parse_csv(name, bytes, len, NULL, 0, &sets[i], &err) < 0)
            fail_msg("%s", err.text);
        free(bytes);
        free(name);
    }
    return true;
}

/* The first d features of `splits` blocks of each set, one partition a block. The parts' rows are in *x and *y. */
static struct partition_set cut(const struct dataset sets[3], size_t splits, size_t d, double **x, double **y)
{
    struct partition_set parts = {.count = 3 * splits, .part = mem_array(3 * splits, sizeof(struct partition))};
    size_t rows = sets[0].n + sets[1].n + sets[2].n, at = 0;
    *x = mem_array(rows * d, sizeof **x);
    *y = mem_array(rows, sizeof **y);
    for (size_t k = 0; k < parts.count; k++) {
        const struct dataset *set = &sets[k / splits];
        size_t n = set->n / splits, first = k % splits * n;
        parts.part[k] = (struct partition){.n = n, .d = d, .x = *x + at * d, .y = *y + at};
        for (size_t i = 0; i < n; i++, at++) {
            memcpy(*x + at * d, set->x + (first + i) * set->d, d * sizeof **x);
            (*y)[at] = set->y[first + i];
        }
    }
    return parts;
}

static void check_real(const struct real_case *c, const struct dataset sets[3])
{
    double *x, *y, loss, theta[34] = {0};
    size_t d = c->kind == MODEL_LINEAR ? 8 : 34;
    struct partition_set parts = cut(sets, c->splits, d, &x, &y);
    const struct model model = {c->kind, c->kind == MODEL_LINEAR ? 0 : 1e-4};
    struct error err = {""};
    assert_digits(whole_smoothness(&model, &parts), c->smoothness, 14);
    for (uint32_t k = 0; c->splits == 3 && k < 9; k++)
        assert_digits(model_smoothness(&model, &parts, &k, 1), real_parts[c->kind][k], 12);
    assert_digits(model_loss(&model, &parts, theta), c->loss0, c->loss_digits);
    if (model_optimum(&model, &parts, theta, &loss, &err) < 0)
        fail_msg("%s", err.text);
    assert_digits(loss, c->optimum, c->loss_digits);
    assert_digits(norm(theta, d), c->norm, 12);
    partition_set_clear(&parts);
    free(x);
    free(y);
}

static void real__reference_sets__published_numbers(void **state)
{
    (void)state;
    for (int kind = MODEL_LINEAR; kind <= MODEL_LOGISTIC; kind++) {
        struct dataset sets[3] = {{0}};
        if (!load_sets(kind, sets))
            skip();
        for (int i = 0; kind == MODEL_LOGISTIC && i < 3; i++)
            dataset_make_signs(&sets[i]);
        for (size_t i = 0; i < sizeof real_cases / sizeof real_cases[0]; i++)
            if ((int)real_cases[i].kind == kind)
                check_real(&real_cases[i], sets);
        for (int i = 0; i < 3; i++)
            dataset_clear(&sets[i]);
    }
}

/* Gaussian data of any shape. copies: every feature stands that many times, so that the rank is d / copies. */
static struct dataset gaussian(size_t n, size_t d, size_t copies, bool signs)
{
    struct dataset data = {.n = n, .d = d, .x = mem_array(n * d, sizeof(double)), .y = mem_array(n, sizeof(double))};
    for (size_t i = 0; i < n; i++) {
        struct random_key key = {.seed = 7, .purpose = RANDOM_TEST, .b = i};
        for (size_t j = 0; j < d; j++)
            data.x[i * d + j] = random_normal(key, j / copies);
        data.y[i] = random_normal(key, d);
    }
    if (signs)
        dataset_make_signs(&data);
    return data;
}

/* ‖∇L(θ*)‖ beside ‖∇L(0)‖. */
static double relative_gradient(const struct model *model, const struct partition_set *parts, const double *theta)
{
    size_t d = parts->part[0].d;
    double *sum = mem_array(d, sizeof *sum), *one = mem_array(d, sizeof *one), *zero = mem_array(d, sizeof *zero);
    double norms[2];
    for (int at = 0; at < 2; at++) {
        memset(sum, 0, d * sizeof *sum);
        for (size_t k = 0; k < parts->count; k++) {
            model_partition(model, &parts->part[k], at ? theta : zero, one);
            for (size_t j = 0; j < d; j++)
                sum[j] += one[j];
        }
        norms[at] = norm(sum, d);
    }
    free(sum);
    free(one);
    free(zero);
    return norms[1] / norms[0];
}

/* Solve, check that the gradient vanishes; theta: d values. */
static void assert_solved(const struct dataset *data, struct model model, double *theta)
{
    struct partition_set parts;
    struct error err = {""};
    double loss;
    assert_int_equal(partition_split(data, 4, &parts, &err), 0);
    if (model_optimum(&model, &parts, theta, &loss, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(relative_gradient(&model, &parts, theta) < 1e-12);
    assert_true(loss == model_loss(&model, &parts, theta));
    partition_set_clear(&parts);
}

static void optimum__every_shape_and_model__gradient_is_zero(void **state)
{
    (void)state;
    const size_t shapes[][3] = {{90, 20, 1}, {20, 90, 1}, {40, 40, 1}, {90, 20, 2}, {20, 90, 3}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int kind = MODEL_LINEAR; kind <= MODEL_LOGISTIC; kind++)
            for (int ridge = 0; ridge < 2; ridge++) {
                if (kind == MODEL_LOGISTIC && !ridge && shapes[s][0] < 2 * shapes[s][1])
                    continue; /* n samples in n dimensions can be separated */
                struct dataset data = gaussian(shapes[s][0], shapes[s][1], shapes[s][2], kind == MODEL_LOGISTIC);
                double *theta = mem_array(data.d, sizeof *theta);
                assert_solved(&data, (struct model){kind, ridge ? 0.3 : 0}, theta);
                free(theta);
                dataset_clear(&data);
            }
}

static void optimum__singular__shortest_of_the_minimisers(void **state)
{
    (void)state;
    for (int kind = MODEL_LINEAR; kind <= MODEL_LOGISTIC; kind++) {
        struct dataset data = gaussian(90, 20, 2, kind == MODEL_LOGISTIC);
        double theta[20];
        assert_solved(&data, (struct model){kind, 0}, theta);
        for (int j = 0; j < 20; j += 2)
            assert_true(fabs(theta[j] - theta[j + 1]) < 1e-10);
        dataset_clear(&data);
    }
}

/* The third feature is a mixture of the first two but for rounding: now and then Cholesky goes through, on a pivot that
 * is noise. The shortest θ has nothing in the direction that no sample sees. */
static void optimum__nearly_singular__shortest_of_the_minimisers(void **state)
{
    (void)state;
    for (int kind = MODEL_LINEAR; kind <= MODEL_LOGISTIC; kind++)
        for (int mixture = 1; mixture <= 20; mixture++) {
            struct dataset data = gaussian(90, 6, 1, kind == MODEL_LOGISTIC);
            const double w = 0.1 * mixture;
            for (size_t i = 0; i < 90; i++)
                data.x[i * 6 + 2] = w * data.x[i * 6] + data.x[i * 6 + 1];
            double theta[6];
            assert_solved(&data, (struct model){kind, 0}, theta);
            assert_true(fabs(w * theta[0] + theta[1] - theta[2]) < 1e-10);
            dataset_clear(&data);
        }
}

/* A few samples a thousand times as long as the rest, on the wrong side: the full Newton step overshoots. */
static void optimum__outliers__damped_steps_get_there(void **state)
{
    (void)state;
    for (size_t every = 3; every < 12; every++) {
        struct dataset data = gaussian(80, 4, 1, true);
        for (size_t i = 0; i < 80; i += every)
            for (size_t j = 0; j < 4; j++)
                data.x[i * 4 + j] *= pow(10, (double)(i % 5));
        double theta[4];
        assert_solved(&data, (struct model){MODEL_LOGISTIC, 1e-6}, theta);
        dataset_clear(&data);
    }
}

/* Both sides of the matrix lead to the same θ*: zero features added to a tall set make it a wide one. */
static void optimum__padded_with_zero_features__same(void **state)
{
    (void)state;
    struct dataset tall = gaussian(30, 20, 1, true), wide = gaussian(30, 50, 1, true);
    memcpy(wide.y, tall.y, 30 * sizeof(double));
    for (size_t i = 0; i < 30; i++)
        for (size_t j = 0; j < 50; j++)
            wide.x[i * 50 + j] = j < 20 ? tall.x[i * 20 + j] : 0;
    double a[20], b[50];
    assert_solved(&tall, (struct model){MODEL_LOGISTIC, 0.5}, a);
    assert_solved(&wide, (struct model){MODEL_LOGISTIC, 0.5}, b);
    for (int j = 0; j < 50; j++)
        assert_true(fabs(b[j] - (j < 20 ? a[j] : 0)) < 1e-12);
    dataset_clear(&tall);
    dataset_clear(&wide);
}

/* A regulariser too small to see beside XXᵀ once gave back θ = 0 without a word. Of a wide set that can be fitted
 * exactly, least squares tends to the shortest fit. */
static void optimum__tiny_l2_and_few_samples__still_found(void **state)
{
    (void)state;
    struct dataset data = gaussian(20, 60, 1, false);
    double ridge[60], shortest[60];
    assert_solved(&data, (struct model){MODEL_LINEAR, 1e-20}, ridge);
    assert_solved(&data, (struct model){MODEL_LINEAR, 0}, shortest);
    for (int j = 0; j < 60; j++)
        assert_true(fabs(ridge[j] - shortest[j]) < 1e-12);
    dataset_make_signs(&data);
    assert_solved(&data, (struct model){MODEL_LOGISTIC, 1e-9}, ridge);
    dataset_clear(&data);
}

static void assert_no_optimum(const struct dataset *data)
{
    struct partition_set parts;
    struct error err = {""};
    double loss, *theta = mem_array(data->d, sizeof *theta);
    assert_int_equal(partition_split(data, 2, &parts, &err), 0);
    assert_int_equal(model_optimum(&(struct model){MODEL_LOGISTIC, 0}, &parts, theta, &loss, &err), -1);
    assert_non_null(strstr(err.text, "no finite optimum"));
    partition_set_clear(&parts);
    free(theta);
}

static void optimum__separable_without_l2__refused(void **state)
{
    (void)state;
    struct dataset data = gaussian(60, 5, 1, true);
    for (size_t i = 0; i < data.n; i++) /* the plane x_1 = 0 separates */
        data.y[i] = data.x[i * 5] > 0 ? 1 : -1;
    assert_no_optimum(&data);
    dataset_clear(&data);
}

/* Only in the direction of x_1, which half of the samples do not have, can the loss be lowered for ever. */
static void optimum__partly_separable_without_l2__refused(void **state)
{
    (void)state;
    for (size_t copies = 1; copies <= 2; copies++) {
        struct dataset data = gaussian(200, 6, copies, true);
        for (size_t i = 0; i < data.n; i++)
            for (size_t j = 0; j < copies; j++)
                data.x[i * 6 + j] = i % 2 ? data.y[i] * fabs(data.x[i * 6 + j]) : 0;
        assert_no_optimum(&data);
        dataset_clear(&data);
    }
}

int main(void)
{
    model_init_blas();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(synthetic__reference_set__published_numbers),
        cmocka_unit_test(real__reference_sets__published_numbers),
        cmocka_unit_test(optimum__every_shape_and_model__gradient_is_zero),
        cmocka_unit_test(optimum__singular__shortest_of_the_minimisers),
        cmocka_unit_test(optimum__nearly_singular__shortest_of_the_minimisers),
        cmocka_unit_test(optimum__outliers__damped_steps_get_there),
        cmocka_unit_test(optimum__padded_with_zero_features__same),
        cmocka_unit_test(optimum__tiny_l2_and_few_samples__still_found),
        cmocka_unit_test(optimum__separable_without_l2__refused),
        cmocka_unit_test(optimum__partly_separable_without_l2__refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
