/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cblas.h>

#include "base/mem.h"
#include "core/model.h"
#include "core/random.h"

/* Gaussian rows, labels ±1 (which suits both models). shift moves the rows within their array, by so many doubles. */
struct sample {
    double *x, *y;
    struct partition part;
};

static struct sample sample_of(size_t n, size_t d, size_t shift)
{
    struct sample sample = {.x = mem_array(n * d + shift, sizeof(double)), .y = mem_array(n, sizeof(double))};
    sample.part = (struct partition){.n = n, .d = d, .x = sample.x + shift, .y = sample.y};
    for (size_t i = 0; i < n; i++) {
        struct random_key key = {.seed = 5, .purpose = RANDOM_TEST, .b = i};
        for (size_t j = 0; j < d; j++)
            sample.x[shift + i * d + j] = random_normal(key, j);
        sample.y[i] = random_uniform(key, d) < 0.5 ? -1 : 1;
    }
    return sample;
}

static void sample_clear(struct sample *sample)
{
    free(sample->x);
    free(sample->y);
}

static double *some_theta(size_t d)
{
    double *theta = mem_array(d, sizeof *theta);
    for (size_t j = 0; j < d; j++)
        theta[j] = 0.3 * random_normal((struct random_key){.seed = 6, .purpose = RANDOM_TEST}, j);
    return theta;
}

/* The definitions, sample by sample. */
static double loss_by_hand(const struct model *model, const struct partition *part, const double *theta)
{
    double loss = 0, squares = 0;
    for (size_t i = 0; i < part->n; i++) {
        double z = 0;
        for (size_t j = 0; j < part->d; j++)
            z += part->x[i * part->d + j] * theta[j];
        loss += model->kind == MODEL_LINEAR ? (z - part->y[i]) * (z - part->y[i]) / 2 : log(1 + exp(-part->y[i] * z));
    }
    for (size_t j = 0; j < part->d; j++)
        squares += theta[j] * theta[j];
    return loss + model->l2 / 2 * squares;
}

static void partition__any_size__loss_as_defined_and_gradient_its_slope(void **state)
{
    (void)state;
    const size_t sizes[][2] = {{1, 1}, {31, 7}, {32, 7}, {33, 7}, {100, 40}, {5, 60}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int kind = MODEL_LINEAR; kind <= MODEL_LOGISTIC; kind++) {
            const struct model model = {kind, 0.7};
            struct sample sample = sample_of(sizes[s][0], sizes[s][1], 0);
            double *theta = some_theta(sizes[s][1]), *gradient = mem_array(sizes[s][1], sizeof *gradient);
            gradient[0] = 1e300; /* overwritten, not added to */
            double loss = model_partition(&model, &sample.part, theta, gradient);
            assert_true(fabs(loss - loss_by_hand(&model, &sample.part, theta)) < 1e-12 * loss);
            assert_true(model_partition(&model, &sample.part, theta, NULL) == loss);
            for (size_t j = 0; j < sizes[s][1]; j++) {
                const double h = 1e-5, old = theta[j];
                theta[j] = old + h;
                double above = loss_by_hand(&model, &sample.part, theta);
                theta[j] = old - h;
                double below = loss_by_hand(&model, &sample.part, theta);
                theta[j] = old;
                assert_true(fabs((above - below) / (2 * h) - gradient[j]) < 1e-6 * (1 + fabs(gradient[j])));
            }
            free(theta);
            free(gradient);
            sample_clear(&sample);
        }
}

/* Any cut at multiples of the block, and any place in memory, must give the same bits: iterates are compared by them.
 */
static void add_rows__cut_and_moved__same_bits(void **state)
{
    (void)state;
    enum { N = 203, D = 37 };
    const size_t steps[] = {MODEL_BLOCK_ROWS, 2 * MODEL_BLOCK_ROWS, 5 * MODEL_BLOCK_ROWS};
    for (int kind = MODEL_LINEAR; kind <= MODEL_LOGISTIC; kind++) {
        const struct model model = {kind, 0};
        struct sample sample = sample_of(N, D, 0);
        double *theta = some_theta(D), whole[D] = {0};
        model_add_rows(&model, &sample.part, 0, N, theta, whole);
        for (size_t shift = 0; shift < 4; shift++) {
            struct sample moved = sample_of(N, D, shift);
            for (size_t s = 0; s < 3; s++) {
                double buffer[D + 3] = {0}, *parts = buffer + shift;
                for (size_t first = 0; first < N; first += steps[s])
                    model_add_rows(&model, &moved.part, first, first + steps[s] < N ? first + steps[s] : N, theta,
                                   parts);
                assert_memory_equal(parts, whole, sizeof whole);
            }
            sample_clear(&moved);
        }
        free(theta);
        sample_clear(&sample);
    }
}

static void add_rows__nothing_to_add__unchanged(void **state)
{
    (void)state;
    struct sample sample = sample_of(64, 3, 0);
    double theta[3] = {1, 2, 3}, gradient[3] = {4, 5, 6};
    assert_true(model_add_rows(&(struct model){MODEL_LOGISTIC, 9}, &sample.part, 32, 32, theta, gradient) == 0);
    assert_true(gradient[0] == 4 && gradient[1] == 5 && gradient[2] == 6);
    sample_clear(&sample);
}

static void logistic__huge_margins__finite(void **state)
{
    (void)state;
    const double x[] = {1e4, -1e4, 1e308, -1e308}, y[] = {1, 1, 1, 1};
    const double losses[] = {0, 1e4, 0, 1e308}, slopes[] = {0, 1e4, 0, 1e308};
    const struct model model = {MODEL_LOGISTIC, 0};
    for (int i = 0; i < 4; i++) {
        struct partition part = {.n = 1, .d = 1, .x = &x[i], .y = &y[i]};
        double theta = 1, gradient;
        assert_true(model_partition(&model, &part, &theta, &gradient) == losses[i]);
        assert_true(gradient == slopes[i]);
    }
    /* 1e-20 would vanish beside 1 in log(1 + …) */
    struct partition part = {.n = 1, .d = 1, .x = x, .y = y};
    double theta = 46e-4;
    assert_true(fabs(model_partition(&model, &part, &theta, NULL) / exp(-46) - 1) < 1e-12);
}

static void loss__all_partitions__sum(void **state)
{
    (void)state;
    const struct model model = {MODEL_LINEAR, 2};
    struct sample a = sample_of(10, 3, 0), b = sample_of(20, 3, 0);
    struct partition parts[] = {a.part, b.part};
    double theta[3] = {1, -1, 2};
    double sum = model_partition(&model, &a.part, theta, NULL) + model_partition(&model, &b.part, theta, NULL);
    assert_true(model_loss(&model, &(struct partition_set){2, parts}, theta) == sum);
    sample_clear(&a);
    sample_clear(&b);
}

/* By power iteration: λ_max(XᵀX) of several partitions together. */
static double largest_by_power(const struct partition *parts, const uint32_t *which, size_t n)
{
    size_t d = parts[0].d;
    double *v = some_theta(d), *next = mem_array(d, sizeof *next), norm = 0;
    for (int step = 0; step < 3000; step++) {
        memset(next, 0, d * sizeof *next);
        for (size_t k = 0; k < n; k++) {
            const struct partition *p = &parts[which[k]];
            for (size_t i = 0; i < p->n; i++) {
                double z = cblas_ddot((int)d, p->x + i * d, 1, v, 1);
                cblas_daxpy((int)d, z, p->x + i * d, 1, next, 1);
            }
        }
        norm = cblas_dnrm2((int)d, next, 1);
        for (size_t j = 0; j < d; j++)
            v[j] = next[j] / norm;
    }
    free(v);
    free(next);
    return norm;
}

static void smoothness__either_side__as_power_iteration(void **state)
{
    (void)state;
    const size_t widths[] = {6, 25, 90}; /* fewer features than rows, between, more */
    const uint32_t which[] = {2, 0};
    for (size_t w = 0; w < 3; w++) {
        struct sample s[3] = {sample_of(9, widths[w], 0), sample_of(40, widths[w], 0), sample_of(20, widths[w], 0)};
        struct partition parts[3] = {s[0].part, s[1].part, s[2].part};
        const struct partition_set set = {3, parts};
        double largest = largest_by_power(parts, which, 2);
        double linear = model_smoothness(&(struct model){MODEL_LINEAR, 0.5}, &set, which, 2);
        double logistic = model_smoothness(&(struct model){MODEL_LOGISTIC, 0.5}, &set, which, 2);
        assert_true(fabs(linear - (largest + 1)) < 1e-9 * largest);
        assert_true(fabs(logistic - (largest / 4 + 1)) < 1e-9 * largest);
        for (int i = 0; i < 3; i++)
            sample_clear(&s[i]);
    }
}

/* GSL's own CBLAS once stood before OpenBLAS on the link line: the same results, twenty times slower. */
static void blas__linked__is_the_fast_one(void **state)
{
    (void)state;
    Dl_info product, threads;
    if (!dladdr((void *)(uintptr_t)cblas_dgemv, &product) ||
        !dladdr((void *)(uintptr_t)openblas_set_num_threads, &threads))
        skip();
    assert_string_equal(product.dli_fname, threads.dli_fname);
}

int main(void)
{
    model_init_blas();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partition__any_size__loss_as_defined_and_gradient_its_slope),
        cmocka_unit_test(add_rows__cut_and_moved__same_bits),
        cmocka_unit_test(add_rows__nothing_to_add__unchanged),
        cmocka_unit_test(logistic__huge_margins__finite),
        cmocka_unit_test(loss__all_partitions__sum),
        cmocka_unit_test(smoothness__either_side__as_power_iteration),
        cmocka_unit_test(blas__linked__is_the_fast_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
