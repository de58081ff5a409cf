/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "report/stats.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/* Welford's update: no cancellation when the numbers are large and close to each other. */
void stats_add(struct stats *stats, double value)
{
    if (!isfinite(value))
        return;
    double from_mean = value - stats->mean;
    stats->n++;
    stats->mean += from_mean / (double)stats->n;
    stats->squares += from_mean * (value - stats->mean);
    if (stats->n == 1 || value < stats->min)
        stats->min = value;
    if (stats->n == 1 || value > stats->max)
        stats->max = value;
}

double stats_half_width(const struct stats *stats)
{
    return stats_joint_half_width(stats, 1);
}

double stats_joint_half_width(const struct stats *stats, size_t means)
{
    if (stats->n < 2 || means < 1)
        return NAN;
    double freedom = (double)(stats->n - 1);
    return gsl_cdf_tdist_Qinv(0.025 / (double)means, freedom) * sqrt(stats->squares / freedom / (double)stats->n);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double stats_quantile(double *values, size_t n, double q)
{
    if (n == 0)
        return NAN;
    qsort(values, n, sizeof *values, compare);
    double place = q * (double)(n - 1);
    size_t below = (size_t)place, above = below + 1 < n ? below + 1 : below;
    return values[below] + (place - (double)below) * (values[above] - values[below]);
}
