/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Three ways to the same direction, W the curvature of each sample's loss (1 for least squares):
 *
 *   features   Cholesky of XᵀWX + μI, d × d
 *   samples    fewer samples than features and μ > 0: with A = W^½X,
 *              H⁻¹g = (g − Aᵀ(μI + AAᵀ)⁻¹Ag)/μ, so that only n × n is factored, and XXᵀ is formed once
 *   least      H singular: the shortest minimiser of ‖A s − b‖, b = W^(−½) × the slopes, by a singular value
 * decomposition
 *
 * Doors: newton_direction. Matrices are symmetric, their upper triangle by rows, which LAPACK calls the lower by
 * columns. */
#include "config.h"

#include "core/newton.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>
#include <lapacke.h>

#include "base/mem.h"

enum way { WAY_FEATURES, WAY_SAMPLES, WAY_LEAST };
enum { SCALED_ROWS = 256 };

struct newton {
    const struct model *model;
    const struct partition_set *parts;
    size_t n, d;
    double mu;
    enum way way;
    bool started;    /* a direction has been given */
    bool factored;   /* least squares: factor stays what it is */
    double *margin;  /* n: xᵀθ */
    double *weight;  /* n: √W */
    double *gram;    /* WAY_SAMPLES: XXᵀ, n × n */
    double *factor;  /* side × side */
    double *small;   /* n */
    lapack_int rank; /* WAY_LEAST: of the first time */
};

struct newton *newton_new(const struct model *model, const struct partition_set *parts)
{
    struct newton *newton = mem_zalloc(sizeof *newton);
    *newton = (struct newton){.model = model, .parts = parts, .d = parts->part[0].d};
    for (size_t k = 0; k < parts->count; k++)
        newton->n += parts->part[k].n;
    newton->mu = (double)parts->count * model->l2;
    newton->way = newton->n >= newton->d ? WAY_FEATURES : newton->mu > 0 ? WAY_SAMPLES : WAY_LEAST;
    newton->margin = mem_array(newton->n, sizeof(double));
    newton->weight = mem_array(newton->n, sizeof(double));
    newton->small = mem_array(newton->n, sizeof(double));
    return newton;
}

void newton_free(struct newton *newton)
{
    if (newton == NULL)
        return;
    free(newton->margin);
    free(newton->weight);
    free(newton->gram);
    free(newton->factor);
    free(newton->small);
    free(newton);
}

const double *newton_margins(const struct newton *newton)
{
    return newton->margin;
}

/* out (n) = X v */
static void times(const struct newton *newton, const double *v, double *out)
{
    const int d = (int)newton->d;
    for (size_t k = 0; k < newton->parts->count; out += newton->parts->part[k].n, k++) {
        const struct partition *p = &newton->parts->part[k];
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)p->n, d, 1, p->x, d, v, 1, 0, out, 1);
    }
}

/* out (d) += Xᵀ v */
static void add_transposed(const struct newton *newton, const double *v, double *out)
{
    const int d = (int)newton->d;
    for (size_t k = 0; k < newton->parts->count; v += newton->parts->part[k].n, k++) {
        const struct partition *p = &newton->parts->part[k];
        cblas_dgemv(CblasRowMajor, CblasTrans, (int)p->n, d, 1, p->x, d, v, 1, 1, out, 1);
    }
}

double newton_reach(struct newton *newton, const double *v)
{
    times(newton, v, newton->small);
    return fabs(newton->small[cblas_idamax((int)newton->n, newton->small, 1)]);
}

/* √W: for the logistic loss W = σ(t)σ(−t), whose root is e^(−|t|/2)/(1 + e^(−|t|)). */
static void find_weights(struct newton *newton)
{
    for (size_t i = 0; i < newton->n; i++) {
        double e = exp(-fabs(newton->margin[i]));
        newton->weight[i] = newton->model->kind == MODEL_LINEAR ? 1 : sqrt(e) / (1 + e);
    }
}

/* out (n × d) = rows [first, last) of partition p, each times its weight. */
static void scale_rows(const struct partition *p, const double *weight, size_t first, size_t last, double *out)
{
    for (size_t i = first; i < last; i++)
        for (size_t j = 0; j < p->d; j++)
            *out++ = weight[i] * p->x[i * p->d + j];
}

/* factor = XᵀWX + μI */
static void form_features(struct newton *newton)
{
    const size_t d = newton->d;
    double *scaled = mem_array(SCALED_ROWS * d, sizeof *scaled), *h = newton->factor;
    memset(h, 0, d * d * sizeof *h);
    const double *weight = newton->weight;
    for (size_t k = 0; k < newton->parts->count; weight += newton->parts->part[k].n, k++) {
        const struct partition *p = &newton->parts->part[k];
        for (size_t first = 0; first < p->n; first += SCALED_ROWS) {
            size_t last = p->n - first < SCALED_ROWS ? p->n : first + SCALED_ROWS;
            scale_rows(p, weight, first, last, scaled);
            cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)d, (int)(last - first), 1, scaled, (int)d, 1, h,
                        (int)d);
        }
    }
    for (size_t j = 0; j < d; j++)
        h[j * d + j] += newton->mu;
    free(scaled);
}

/* factor = μI + W^½ XXᵀ W^½ */
static void form_samples(struct newton *newton)
{
    const size_t n = newton->n;
    if (newton->gram == NULL)
        newton->gram = model_gram_of_rows(newton->parts);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i; j < n; j++)
            newton->factor[i * n + j] = newton->weight[i] * newton->gram[i * n + j] * newton->weight[j];
        newton->factor[i * n + i] += newton->mu;
    }
}

/* Cholesky. False if the matrix is singular to working precision. */
static bool factorize(struct newton *newton, size_t side)
{
    const lapack_int n = (lapack_int)side;
    double norm = LAPACKE_dlansy(LAPACK_COL_MAJOR, '1', 'L', n, newton->factor, n), inverse_condition = 0;
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, newton->factor, n) != 0)
        return false;
    if (newton->mu == 0 && LAPACKE_dpocon(LAPACK_COL_MAJOR, 'L', n, newton->factor, n, norm, &inverse_condition) != 0)
        return false;
    return newton->mu > 0 || inverse_condition > (double)side * DBL_EPSILON;
}

static bool prepare(struct newton *newton)
{
    size_t side = newton->way == WAY_FEATURES ? newton->d : newton->n;
    if (newton->factored)
        return true;
    if (newton->factor == NULL)
        newton->factor = mem_array(side * side, sizeof(double));
    if (newton->way == WAY_FEATURES)
        form_features(newton);
    else
        form_samples(newton);
    newton->factored = newton->model->kind == MODEL_LINEAR;
    return factorize(newton, side);
}

/* v = factor⁻¹ v */
static void solve(const struct newton *newton, size_t side, double *v)
{
    const lapack_int n = (lapack_int)side;
    LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', n, 1, newton->factor, n, v, n);
}

/* b_n = slope / √W: z − y, or −y e^(−t/2) with t = yz. Bounded, so that a hopeless sample does not become infinite. */
static double balanced_slope(const struct newton *newton, double z, double y)
{
    if (newton->model->kind == MODEL_LINEAR)
        return z - y;
    return -y * exp(fmin(-0.5 * y * z, 300));
}

static void direct_samples(struct newton *newton, const double *theta, double *direction)
{
    double *v = newton->small;
    for (size_t k = 0, at = 0; k < newton->parts->count; k++)
        for (size_t i = 0; i < newton->parts->part[k].n; i++, at++) {
            double b = balanced_slope(newton, newton->margin[at], newton->parts->part[k].y[i]);
            v[at] = b - newton->weight[at] * newton->margin[at];
        }
    solve(newton, newton->n, v);
    for (size_t i = 0; i < newton->n; i++)
        v[i] *= newton->weight[i];
    memcpy(direction, theta, newton->d * sizeof *direction);
    add_transposed(newton, v, direction);
}

static enum newton_status direct_least(struct newton *newton, double *direction)
{
    const size_t n = newton->n, d = newton->d;
    double *a = mem_array(n * d, sizeof *a), *b = mem_array(n > d ? n : d, sizeof *b);
    double *values = mem_array(n < d ? n : d, sizeof *values);
    for (size_t k = 0, at = 0; k < newton->parts->count; at += newton->parts->part[k].n, k++) {
        const struct partition *p = &newton->parts->part[k];
        scale_rows(p, newton->weight + at, 0, p->n, a + at * d);
        for (size_t i = 0; i < p->n; i++)
            b[at + i] = balanced_slope(newton, newton->margin[at + i], p->y[i]);
    }
    lapack_int rank = 0;
    lapack_int info = LAPACKE_dgelsd(LAPACK_ROW_MAJOR, (lapack_int)n, (lapack_int)d, 1, a, (lapack_int)d, b, 1, values,
                                     (double)(n > d ? n : d) * DBL_EPSILON, &rank);
    memcpy(direction, b, d * sizeof *direction);
    free(values);
    free(b);
    free(a);
    if (info != 0)
        return NEWTON_FAILED;
    bool lost = newton->started && rank < newton->rank;
    newton->rank = newton->started ? newton->rank : rank;
    return lost ? NEWTON_SINGULAR : NEWTON_OK;
}

enum newton_status newton_direction(struct newton *newton, const double *theta, const double *gradient,
                                    double *direction)
{
    times(newton, theta, newton->margin);
    find_weights(newton);
    if (newton->way != WAY_LEAST && !prepare(newton)) {
        if (newton->started && newton->mu == 0)
            return NEWTON_SINGULAR;
        newton->way = WAY_LEAST; /* with μ > 0: too small beside the rest to count */
    }
    enum newton_status status = NEWTON_OK;
    if (newton->way == WAY_LEAST) {
        status = direct_least(newton, direction);
    } else if (newton->way == WAY_SAMPLES) {
        direct_samples(newton, theta, direction);
    } else {
        memcpy(direction, gradient, newton->d * sizeof *direction);
        solve(newton, newton->d, direction);
    }
    newton->started = true;
    return status;
}
