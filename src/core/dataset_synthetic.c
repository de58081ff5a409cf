/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Least-squares sets whose partitions have a chosen smoothness, (h^(m−1) + 1)². Two recipes:
 *
 *   square partitions   X_m = I + h^(m−1) q_m q_mᵀ, orthonormal q_m: the set of the LAG comparison, to the last bit
 *   any other shape     Gaussian rows, looked up by (seed, partition, row, column), scaled to that smoothness
 *
 * Every step is one IEEE operation in a fixed order, or rounded to far fewer digits than machines differ by: the worker
 * on another kind of processor makes the same doubles, which its proof of having the same data needs. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/dataset.h"
#include "core/model.h"
#include "core/partition.h"
#include "core/random.h"

/* The shape of the set, and the two things that its partitions share. */
struct recipe {
    size_t samples, d, partitions;
    uint64_t seed;
    uint64_t lehmer;   /* state of the square recipe's generator */
    double *direction; /* q_1 … q_M, one after the other */
    double *truth;     /* θ° */
};

enum { LEHMER_FACTOR = 16807, LEHMER_MODULUS = 2147483647, LEHMER_START = 2018 };

/* Seed 1 starts at LEHMER_START; every seed at something from 1 to LEHMER_MODULUS − 1. */
static uint64_t lehmer_start(uint64_t seed)
{
    const uint64_t states = LEHMER_MODULUS - 1;
    return 1 + (seed % states + LEHMER_START - 2) % states;
}

/* A uniform in (−1, 1). */
static double lehmer_draw(uint64_t *state)
{
    *state = *state * LEHMER_FACTOR % LEHMER_MODULUS;
    return 2 * ((double)*state / LEHMER_MODULUS) - 1;
}

static double dot(const double *a, const double *b, size_t d)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++)
        sum += a[j] * b[j];
    return sum;
}

/* q_m: a random vector made orthogonal to those before it (Gram and Schmidt, twice) and of norm 1. */
static void make_direction(struct recipe *recipe, size_t m)
{
    const size_t d = recipe->d;
    double *q = recipe->direction + m * d;
    for (size_t j = 0; j < d; j++)
        q[j] = lehmer_draw(&recipe->lehmer);
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < m; k++) {
            const double *earlier = recipe->direction + k * d;
            double t = dot(earlier, q, d);
            for (size_t j = 0; j < d; j++)
                q[j] -= t * earlier[j];
        }
    double norm = sqrt(dot(q, q, d));
    for (size_t j = 0; j < d; j++)
        q[j] /= norm;
}

/* X_m and y_m, all rows of one partition. */
static void fill_square(struct recipe *recipe, size_t m, double c, double *x, double *y)
{
    const size_t d = recipe->d;
    const double *q = recipe->direction + m * d;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < d; j++)
            x[i * d + j] = (c * q[i]) * q[j] + (i == j ? 1 : 0);
        double exact = dot(x + i * d, recipe->truth, d);
        y[i] = exact + 0.1 * lehmer_draw(&recipe->lehmer);
    }
}

static void make_square(struct recipe *recipe, double heterogeneity, struct dataset *out)
{
    const size_t d = recipe->d, block = d * d;
    recipe->lehmer = lehmer_start(recipe->seed);
    recipe->direction = mem_array(recipe->partitions * d, sizeof *recipe->direction);
    for (size_t j = 0; j < d; j++)
        recipe->truth[j] = lehmer_draw(&recipe->lehmer);
    for (size_t m = 0; m < recipe->partitions; m++)
        make_direction(recipe, m);
    double c = 1;
    for (size_t m = 0; m < recipe->partitions; m++, c *= heterogeneity)
        fill_square(recipe, m, c, out->x + m * block, out->y + m * d);
}

/* A standard normal in single precision: logarithms differ in their last bits from one processor to another. */
static double gauss(const struct recipe *recipe, uint64_t partition, uint64_t row, uint64_t column)
{
    struct random_key key = {.seed = recipe->seed, .purpose = RANDOM_DATA, .a = partition, .b = row};
    return (double)(float)random_normal(key, column);
}

/* What X (rows × d) must be multiplied by for λ_max(XᵀX) to become (c + 1)²; in single precision, for the same reason.
 */
static double scale_to(const double *x, size_t rows, size_t d, double c)
{
    struct partition part = {.n = rows, .d = d, .x = x, .y = NULL};
    const uint32_t first = 0;
    double largest = model_smoothness(&(struct model){.kind = MODEL_LINEAR, .l2 = 0},
                                      &(struct partition_set){.count = 1, .part = &part}, &first, 1);
    return (double)(float)((c + 1) / sqrt(largest));
}

static void fill_gaussian(const struct recipe *recipe, size_t m, double c, double *x, double *y, size_t rows)
{
    const size_t d = recipe->d;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < d; j++)
            x[i * d + j] = gauss(recipe, m, i, j);
    double scale = scale_to(x, rows, d, c);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < d; j++)
            x[i * d + j] *= scale;
        y[i] = dot(x + i * d, recipe->truth, d) + 0.1 * gauss(recipe, m, i, d);
    }
}

static void make_gaussian(struct recipe *recipe, double heterogeneity, struct dataset *out)
{
    /* θ° has a partition number of its own, that no partition has. */
    for (size_t j = 0; j < recipe->d; j++)
        recipe->truth[j] = gauss(recipe, UINT64_MAX, 0, j);
    double c = 1;
    for (size_t m = 0; m < recipe->partitions; m++, c *= heterogeneity) {
        size_t first = partition_first(recipe->samples, recipe->partitions, m);
        size_t rows = partition_first(recipe->samples, recipe->partitions, m + 1) - first;
        fill_gaussian(recipe, m, c, out->x + first * recipe->d, out->y + first, rows);
    }
}

/* Sizes that a set can have, and a smoothness that a double can hold with room for its square. */
static int check_shape(size_t samples, size_t features, size_t partitions, double heterogeneity, struct error *err)
{
    if (features == 0 || features > DATASET_FEATURES_MAX)
        return error_set(err, "synthetic data: features = %zu; 1 to %d is possible", features, DATASET_FEATURES_MAX);
    if (partitions == 0 || samples < partitions || samples > DATASET_SAMPLES_MAX)
        return error_set(
            err,
            "synthetic data: samples = %zu; at least one for each of the %zu partitions and at most %d are possible",
            samples, partitions, DATASET_SAMPLES_MAX);
    if (samples > DATASET_VALUES_MAX / features)
        return error_set(err, "synthetic data: samples × features = %zu × %zu; at most %d values are possible", samples,
                         features, DATASET_VALUES_MAX);
    if (!isfinite(heterogeneity) || heterogeneity <= 0)
        return error_set(err, "synthetic data: heterogeneity = %g; a positive number is needed", heterogeneity);
    double last = pow(heterogeneity, (double)(partitions - 1));
    if (!(last <= 1e12))
        return error_set(err,
                         "synthetic data: heterogeneity %g over %zu partitions makes the last one's features %g times "
                         "as long as the first's; at most 1e12 is possible",
                         heterogeneity, partitions, last);
    return 0;
}

int dataset_synthetic(size_t samples, size_t features, size_t partitions, double heterogeneity, bool logistic,
                      uint64_t seed, struct dataset *out, struct error *err)
{
    *out = (struct dataset){0};
    if (check_shape(samples, features, partitions, heterogeneity, err) < 0)
        return -1;
    struct recipe recipe = {.samples = samples, .d = features, .partitions = partitions, .seed = seed};
    recipe.truth = mem_array(features, sizeof *recipe.truth);
    *out = (struct dataset){.n = samples, .d = features};
    out->x = mem_array(samples * features, sizeof *out->x);
    out->y = mem_array(samples, sizeof *out->y);
    if (samples == partitions * features && partitions <= features)
        make_square(&recipe, heterogeneity, out);
    else
        make_gaussian(&recipe, heterogeneity, out);
    if (logistic)
        dataset_make_signs(out);
    free(recipe.direction);
    free(recipe.truth);
    return 0;
}
