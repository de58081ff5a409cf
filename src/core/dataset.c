/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is done to samples once they are in memory: signs, centring, scaling, order. Sums run over the samples in their
 * order, in plain C: every process on every machine gets the same doubles. */
#include "config.h"

#include "core/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/random.h"

void dataset_clear(struct dataset *data)
{
    free(data->x);
    free(data->y);
    *data = (struct dataset){0};
}

void dataset_make_signs(struct dataset *data)
{
    for (size_t i = 0; i < data->n; i++)
        data->y[i] = data->y[i] > 0 ? 1 : -1;
}

/* Each feature's mean. New array of d values. */
static double *feature_means(const struct dataset *data)
{
    double *mean = mem_array(data->d, sizeof *mean);
    for (size_t i = 0; i < data->n; i++)
        for (size_t j = 0; j < data->d; j++)
            mean[j] += data->x[i * data->d + j];
    for (size_t j = 0; j < data->d; j++)
        mean[j] /= (double)data->n;
    return mean;
}

void dataset_center(struct dataset *data)
{
    double *mean = feature_means(data);
    for (size_t i = 0; i < data->n; i++)
        for (size_t j = 0; j < data->d; j++)
            data->x[i * data->d + j] -= mean[j];
    free(mean);
}

static double norm_squared(const double *row, size_t d)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++)
        sum += row[j] * row[j];
    return sum;
}

static void scale_samples(struct dataset *data)
{
    for (size_t i = 0; i < data->n; i++) {
        double *row = data->x + i * data->d, norm = sqrt(norm_squared(row, data->d));
        for (size_t j = 0; norm > 0 && j < data->d; j++)
            row[j] /= norm;
    }
}

static void scale_features(struct dataset *data)
{
    double *mean = feature_means(data), *sigma = mem_array(data->d, sizeof *sigma);
    for (size_t i = 0; i < data->n; i++)
        for (size_t j = 0; j < data->d; j++) {
            double off = data->x[i * data->d + j] - mean[j];
            sigma[j] += off * off;
        }
    for (size_t j = 0; j < data->d; j++)
        sigma[j] = sqrt(sigma[j] / (double)data->n);
    for (size_t i = 0; i < data->n; i++)
        for (size_t j = 0; j < data->d; j++)
            if (sigma[j] > 0)
                data->x[i * data->d + j] /= sigma[j];
    free(sigma);
    free(mean);
}

void dataset_scale(struct dataset *data, enum data_scale scale)
{
    if (scale == SCALE_UNIT)
        scale_samples(data);
    else if (scale == SCALE_STANDARD)
        scale_features(data);
}

struct place {
    double key;
    size_t from;
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->from < b->from ? -1 : 1;
}

static double order_key(const struct dataset *data, enum data_order order, uint64_t seed, size_t i)
{
    if (order == ORDER_NORM)
        return norm_squared(data->x + i * data->d, data->d);
    if (order == ORDER_LABEL)
        return data->y[i];
    return random_uniform((struct random_key){.seed = seed, .purpose = RANDOM_SHUFFLE, .b = i}, 0);
}

void dataset_order(struct dataset *data, enum data_order order, uint64_t seed)
{
    if (order == ORDER_FILE)
        return;
    struct place *place = mem_array(data->n, sizeof *place);
    for (size_t i = 0; i < data->n; i++)
        place[i] = (struct place){order_key(data, order, seed, i), i};
    qsort(place, data->n, sizeof *place, compare_places);
    double *x = mem_array(data->n * data->d, sizeof *x), *y = mem_array(data->n, sizeof *y);
    for (size_t i = 0; i < data->n; i++) {
        memcpy(x + i * data->d, data->x + place[i].from * data->d, data->d * sizeof *x);
        y[i] = data->y[place[i].from];
    }
    free(place);
    free(data->x);
    free(data->y);
    data->x = x;
    data->y = y;
}
