/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checking, quantiles and draws. What order statistics say is in dist_order.c. */
#include "config.h"

#include "core/dist.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>

#include "core/random.h"

const char *const dist_names[] = {"none",   "constant", "exponential", "shifted-exponential",
                                  "pareto", "weibull",  "lognormal",   "bimodal",
                                  "trace",  NULL};

static int check_mean(const struct dist *dist, struct error *err)
{
    if (dist->kind == DIST_CONSTANT && dist->mean == 0)
        return 0;
    if (!(dist->mean > 0) || !isfinite(dist->mean))
        return error_set(err, "%s: mean = %g s; a positive time is needed", dist_names[dist->kind], dist->mean);
    return 0;
}

/* low < shape < high; the lower end itself is allowed if low_included. */
static int check_shape(const struct dist *dist, double low, bool low_included, double high, struct error *err)
{
    if (dist->shape < high && (dist->shape > low || (low_included && dist->shape == low)))
        return 0;
    return error_set(err, "%s: shape = %g; %g %s shape < %g is needed", dist_names[dist->kind], dist->shape, low,
                     low_included ? "≤" : "<", high);
}

static int check_bimodal(const struct dist *dist, struct error *err)
{
    if (!(dist->probability >= 0 && dist->probability <= 1))
        return error_set(err, "bimodal: probability = %g; a share from 0%% to 100%% is needed", dist->probability);
    if (!(dist->factor >= 1) || !isfinite(dist->factor))
        return error_set(err, "bimodal: factor = %g; 1 or more is needed (how many times slower)", dist->factor);
    return 0;
}

static int check_trace(const struct dist *dist, struct error *err)
{
    if (dist->rows == 0 || dist->columns == 0 || dist->table == NULL)
        return error_set(err, "trace: the table is empty; at least one row and one column are needed");
    if (!(dist->scale > 0) || !isfinite(dist->scale))
        return error_set(err, "trace: scale = %g; a positive number is needed", dist->scale);
    for (size_t i = 0; i < dist->rows * dist->columns; i++)
        if (!(dist->table[i] >= 0) || !isfinite(dist->table[i]))
            return error_set(err, "trace: row %zu, column %zu is %g s; a time cannot be negative or infinite",
                             i / dist->columns + 1, i % dist->columns + 1, dist->table[i]);
    return 0;
}

int dist_check(const struct dist *dist, struct error *err)
{
    if (dist->kind == DIST_NONE)
        return 0;
    if (dist->kind == DIST_TRACE)
        return check_trace(dist, err);
    if (check_mean(dist, err) < 0)
        return -1;
    switch (dist->kind) {
    case DIST_SHIFTED_EXPONENTIAL:
        return check_shape(dist, 0, true, 1, err);
    case DIST_PARETO:
        return check_shape(dist, 1, false, INFINITY, err);
    case DIST_WEIBULL: /* below 0.05, Γ(1 + 1/k) leaves nothing of the scale */
        return check_shape(dist, 0.05, true, INFINITY, err);
    case DIST_LOGNORMAL: /* above 10, the median is below 1e-21 of the mean */
        return check_shape(dist, 0, false, 10, err);
    case DIST_BIMODAL:
        return check_bimodal(dist, err);
    default:
        return 0;
    }
}

/* The quantile of a distribution known by its name in GSL, from whichever tail is the smaller one. */
#define INVERSE(name, ...)                                                                                             \
    (lower < upper ? gsl_cdf_##name##_Pinv(lower, __VA_ARGS__) : gsl_cdf_##name##_Qinv(upper, __VA_ARGS__))

double dist_tail_quantile(const struct dist *dist, double lower, double upper)
{
    const double mean = dist->mean, shape = dist->shape;
    switch (dist->kind) {
    case DIST_CONSTANT:
        return mean;
    case DIST_EXPONENTIAL:
        return INVERSE(exponential, mean);
    case DIST_SHIFTED_EXPONENTIAL:
        return mean * shape + INVERSE(exponential, mean * (1 - shape));
    case DIST_PARETO:
        return INVERSE(pareto, shape, mean * (shape - 1) / shape);
    case DIST_WEIBULL:
        return INVERSE(weibull, mean / gsl_sf_gamma(1 + 1 / shape), shape);
    case DIST_LOGNORMAL:
        return INVERSE(lognormal, log(mean) - 0.5 * shape * shape, shape);
    case DIST_BIMODAL:
        return dist_bimodal_fast(dist) * (upper < dist->probability ? dist->factor : 1);
    case DIST_NONE:
    case DIST_TRACE:
        break;
    }
    return 0;
}

double dist_bimodal_fast(const struct dist *dist)
{
    return dist->mean / (1 - dist->probability + dist->probability * dist->factor);
}

double dist_quantile(const struct dist *dist, double u, uint64_t row, uint64_t column)
{
    assert(u > 0 && u < 1);
    if (dist->kind == DIST_TRACE)
        return dist->scale * dist->table[row % dist->rows * dist->columns + column % dist->columns];
    return dist_tail_quantile(dist, u, 1 - u);
}

double dist_compute_draw(const struct dist *dist, uint64_t repeat_seed, uint32_t worker, uint32_t round)
{
    struct random_key key = {.seed = repeat_seed, .purpose = RANDOM_COMPUTE, .a = worker, .b = round};
    return dist_quantile(dist, random_uniform(key, 0), round, worker);
}
