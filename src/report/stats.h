/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a handful of numbers says. */
#ifndef LAGGARD_REPORT_STATS_H
#define LAGGARD_REPORT_STATS_H

#include <stddef.h>

/* Embedded; zero is empty. Numbers that are not finite are not counted. */
struct stats {
    size_t n;
    double mean, min, max;
    double squares; /* Σ (x − mean)² */
};

void stats_add(struct stats *stats, double value);
/* Half of the 95 % confidence interval of the mean, by Student's t; NAN below two numbers. */
double stats_half_width(const struct stats *stats);
/* The same, so wide that `means` such intervals hold together with 95 % (Bonferroni). */
double stats_joint_half_width(const struct stats *stats, size_t means);
/* The q-quantile (0 ≤ q ≤ 1) of n numbers, interpolated; sorts them. NAN for none. */
double stats_quantile(double *values, size_t n, double q);

#endif
