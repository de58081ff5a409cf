/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mean order statistics: what a round waits for, before any network. With U uniform, X = Q(U), and the F-th smallest of
 * M uniforms has density ∝ u^(F−1) (1 − u)^(M−F). The minimum of r copies of X has the upper tail P(X > x)^r.
 *
 * Closed forms (strategies: "Computing time of a worker"):
 *   exponential     η (H_M − H_(M−F));  min of r: η/r
 *   Pareto          x_min Γ(M−F+1−1/β) Γ(M+1) / (Γ(M−F+1) Γ(M+1−1/β));  min of r: shape rβ
 *   Weibull         min of r: scale r^(−1/k)
 *   bimodal         slow if fewer than F of M are fast;  min of r: probability p^r */
#include "config.h"

#include "core/dist.h"

#include <assert.h>
#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_sf_gamma.h>

/* η (H_M − H_(M−F)), smallest terms first. */
static double exponential_mean(double mean, uint32_t f, uint32_t m)
{
    double sum = 0;
    for (uint32_t i = 0; i < f; i++)
        sum += 1.0 / (double)(m - i);
    return mean * sum;
}

static double pareto_mean(double x_min, double shape, uint32_t f, uint32_t m)
{
    double above = (double)(m - f) + 1, all = (double)m + 1, inverse = 1 / shape;
    if (above - inverse <= 0)
        return INFINITY;
    /* Γ(a − 1/β)/Γ(a) as one function: the difference of two large logarithms would lose digits. */
    double log_ratio = gsl_sf_lnpoch(above, -inverse) - gsl_sf_lnpoch(all, -inverse);
    return x_min * exp(log_ratio);
}

static double bimodal_mean(const struct dist *dist, double slow, uint32_t f, uint32_t m)
{
    double fast = dist_bimodal_fast(dist);
    return fast * (1 + (dist->factor - 1) * gsl_cdf_binomial_P(f - 1, 1 - slow, m));
}

/* What the integrand needs. */
struct order {
    const struct dist *dist;
    double f, m, r; /* the F-th of M minima of r */
    double log_norm;
};

/* Density of the order statistic of uniforms times the quantile, over z = log(u / (1 − u)): log-concave, smooth at both
 * ends of u, and both tails keep their digits. */
static double integrand(double z, void *context)
{
    const struct order *order = context;
    double log_lower = z < 0 ? z - log1p(exp(z)) : -log1p(exp(-z));
    double log_upper = z < 0 ? -log1p(exp(z)) : -z - log1p(exp(-z));
    double weight = exp(order->log_norm + order->f * log_lower + (order->m - order->f + 1) * log_upper);
    if (weight == 0)
        return 0;
    double log_tail = log_upper / order->r; /* of one X, where the minimum of r has exp(log_upper) */
    return weight * dist_tail_quantile(order->dist, -expm1(log_tail), exp(log_tail));
}

double dist_order_integral(const struct dist *dist, uint32_t f, uint32_t m, uint32_t r)
{
    struct order order = {.dist = dist, .f = f, .m = m, .r = r};
    order.log_norm = gsl_sf_lngamma(order.m + 1) - gsl_sf_lngamma(order.f) - gsl_sf_lngamma(order.m - order.f + 1);
    /* The mode, and pieces that grow away from it: the peak is 1/√M wide, the tails reach as far as doubles do. */
    double above = order.m - order.f + 1, mode = log(order.f / above);
    double width = sqrt((order.m + 1) / (order.f * above));
    double point[] = {mode - 700,        mode - 60 * width, mode - 10 * width, mode,
                      mode + 10 * width, mode + 60 * width, mode + 700};
    enum { POINTS = sizeof point / sizeof point[0], INTERVALS = 2000 };
    gsl_function function = {.function = integrand, .params = &order};
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(INTERVALS);
    gsl_error_handler_t *old = gsl_set_error_handler_off();
    double sum = 0;
    for (int i = 0; i + 1 < POINTS; i++) {
        double part = 0, error;
        if (point[i] < point[i + 1])
            gsl_integration_qag(&function, point[i], point[i + 1], 0, 1e-11, INTERVALS, GSL_INTEG_GAUSS31, space, &part,
                                &error);
        sum += part;
    }
    gsl_set_error_handler(old);
    gsl_integration_workspace_free(space);
    return sum;
}

double dist_order_mean(const struct dist *dist, uint32_t f, uint32_t m)
{
    assert(f >= 1 && f <= m);
    const double mean = dist->mean, shape = dist->shape;
    switch (dist->kind) {
    case DIST_NONE:
        return 0;
    case DIST_CONSTANT:
        return mean;
    case DIST_EXPONENTIAL:
        return exponential_mean(mean, f, m);
    case DIST_SHIFTED_EXPONENTIAL:
        return mean * shape + exponential_mean(mean * (1 - shape), f, m);
    case DIST_PARETO:
        return pareto_mean(mean * (shape - 1) / shape, shape, f, m);
    case DIST_BIMODAL:
        return bimodal_mean(dist, dist->probability, f, m);
    case DIST_WEIBULL:
    case DIST_LOGNORMAL:
        return dist_order_integral(dist, f, m, 1);
    case DIST_TRACE:
        break;
    }
    return NAN;
}

double dist_group_mean(const struct dist *dist, uint32_t groups, uint32_t r)
{
    assert(groups >= 1 && r >= 1);
    const double mean = dist->mean, shape = dist->shape;
    switch (dist->kind) {
    case DIST_EXPONENTIAL:
        return exponential_mean(mean / r, groups, groups);
    case DIST_SHIFTED_EXPONENTIAL:
        return mean * shape + exponential_mean(mean * (1 - shape) / r, groups, groups);
    case DIST_PARETO:
        return pareto_mean(mean * (shape - 1) / shape, shape * r, groups, groups);
    case DIST_BIMODAL:
        return bimodal_mean(dist, pow(dist->probability, r), groups, groups);
    case DIST_WEIBULL:
        return dist_order_mean(dist, groups, groups) * pow(r, -1 / shape);
    case DIST_LOGNORMAL:
        return dist_order_integral(dist, groups, groups, r);
    case DIST_NONE:
    case DIST_CONSTANT:
    case DIST_TRACE:
        break;
    }
    return dist_order_mean(dist, groups, groups);
}
