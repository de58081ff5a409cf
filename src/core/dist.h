/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distributions of computing times and pauses, given by their mean, and what order statistics say of them. */
#ifndef LAGGARD_CORE_DIST_H
#define LAGGARD_CORE_DIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum dist_kind {
    DIST_NONE,
    DIST_CONSTANT,
    DIST_EXPONENTIAL,
    DIST_SHIFTED_EXPONENTIAL, /* shape: the constant part's share of the mean, 0 ≤ shape < 1 */
    DIST_PARETO,              /* shape β > 1; x_min = mean (β − 1)/β */
    DIST_WEIBULL,             /* shape k ≥ 0.05 */
    DIST_LOGNORMAL,           /* shape σ of the logarithm, 0 < σ < 10 */
    DIST_BIMODAL,             /* with `probability` slower by `factor` ≥ 1; the mean is that of the mixture */
    DIST_TRACE                /* table[row * columns + column] × scale; rows and columns wrap around */
};

/* Embedded. mean in seconds. table (rows × columns, row-major, in seconds) is borrowed from whoever read the file. */
struct dist {
    enum dist_kind kind;
    double mean, shape, probability, factor, scale;
    const double *table;
    size_t rows, columns;
};

/* The names of the scenario file ("shifted-exponential"), in the order of the enum; NULL-terminated. */
extern const char *const dist_names[];

/* Are the parameters inside their ranges? The error says which one is not and what would be right. */
MUST_CHECK int dist_check(const struct dist *dist, struct error *err);

/* The quantile at u ∈ (0, 1), by inversion; DIST_TRACE: table at (row, column). Seconds, ≥ 0. */
double dist_quantile(const struct dist *dist, double u, uint64_t row, uint64_t column);

/* The same with both tails given, lower = P(X ≤ x) and upper = P(X > x) = 1 − lower, so that neither end loses digits.
 * Not for DIST_TRACE. */
double dist_tail_quantile(const struct dist *dist, double lower, double upper);

/* The time of a fast one, DIST_BIMODAL; a slow one takes `factor` times as long. */
double dist_bimodal_fast(const struct dist *dist);

/* X of worker (0-based) in round: the draw that every strategy sees (RANDOM_COMPUTE). Seconds per partition. */
double dist_compute_draw(const struct dist *dist, uint64_t repeat_seed, uint32_t worker, uint32_t round);

/* E[X_(F:M)]: the F-th smallest (1-based) of M independent ones. Closed form for constant, exponential (and shifted),
 * Pareto, bimodal; numerical integration of the quantile function otherwise. NAN for DIST_TRACE; infinite where the
 * mean is. */
double dist_order_mean(const struct dist *dist, uint32_t f, uint32_t m);
/* E[max over G groups of min over r of X]: what grouping waits for, per partition (M = G r workers). */
double dist_group_mean(const struct dist *dist, uint32_t groups, uint32_t r);
/* The F-th smallest of M minima of r, by numerical integration whatever the distribution (not bimodal, whose quantile
 * jumps): what the closed forms are checked against. About 1e-9 relative. */
double dist_order_integral(const struct dist *dist, uint32_t f, uint32_t m, uint32_t r);

#endif
