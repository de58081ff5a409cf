/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Least squares and logistic regression: loss, gradient, smoothness, optimum (strategies: "Common ground").
 *
 *   linear    L_k(θ) = ½ Σ_n (x_nᵀθ − y_n)² + (λ/2)‖θ‖²
 *   logistic  L_k(θ) = Σ_n log(1 + exp(−y_n x_nᵀθ)) + (λ/2)‖θ‖²,  y ∈ {−1, +1}
 *
 * Sums, not means; the regulariser once per partition. A gradient is bit-identical however its rows are cut into calls,
 * as long as cuts fall on multiples of MODEL_BLOCK_ROWS; losses of calls added up agree to rounding. */
#ifndef LAGGARD_CORE_MODEL_H
#define LAGGARD_CORE_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "core/partition.h"

enum model_kind { MODEL_LINEAR, MODEL_LOGISTIC };
enum { MODEL_BLOCK_ROWS = 32 };

struct model {
    enum model_kind kind;
    double l2; /* λ, once per partition */
};

/* Every program calls this first: BLAS on the calling thread alone, so that workers do not fight over processors and
 * sums are taken in one order. */
void model_init_blas(void);

/* Add rows [first, last) of part: their gradient to gradient (d values, NULL: loss only); returns their loss. One pass
 * over the rows. No regulariser. first is a multiple of MODEL_BLOCK_ROWS. theta: d values. */
double model_add_rows(const struct model *model, const struct partition *part, size_t first, size_t last,
                      const double *theta, double *gradient);

/* Whole partition with its regulariser: gradient (out, d values, NULL: loss only) is overwritten; returns L_k(θ). */
double model_partition(const struct model *model, const struct partition *part, const double *theta, double *gradient);

/* L(θ) = Σ_k L_k(θ), partitions in index order. */
double model_loss(const struct model *model, const struct partition_set *parts, const double *theta);

/* Smoothness of the summed loss of the partitions named (c λ_max(XᵀX) + n·λ): one partition's L_k, a group's L_g, or
 * with all of them L. Works on the smaller side of X. */
double model_smoothness(const struct model *model, const struct partition_set *parts, const uint32_t *which, size_t n);

/* XXᵀ of all rows, n × n row-major, its upper triangle (the lower one holds whatever it holds). New array. */
double *model_gram_of_rows(const struct partition_set *parts);

/* θ* (out, d values) and L(θ*) (out). Cholesky on the smaller side (λ > 0 when samples < features), least squares by a
 * rank-revealing solve when the normal equations are singular; logistic: damped Newton until the gradient is at
 * rounding level. Fails with a clear error when there is no finite optimum (separable data and λ = 0). */
MUST_CHECK int model_optimum(const struct model *model, const struct partition_set *parts, double *theta, double *loss,
                             struct error *err);

#endif
