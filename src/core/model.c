/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loss, gradient and smoothness of both models. The optimum is in optimum.c.
 *
 * The rows are walked once, in blocks that stay in cache between the two products that need them: margins z = X_b θ,
 * then X_bᵀ c, with c_n = ∂ℓ/∂z_n. What differs between the models is only ℓ: see row_loss. */
#include "config.h"

#include "core/model.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>
#include <lapacke.h>

#include "base/mem.h"

void model_init_blas(void)
{
    openblas_set_num_threads(1);
}

/* ℓ(z, y) and its derivative in z. exp only of what is not positive, so that nothing overflows. */
static double row_loss(enum model_kind kind, double z, double y, double *slope)
{
    if (kind == MODEL_LINEAR) {
        *slope = z - y;
        return 0.5 * (z - y) * (z - y);
    }
    double t = y * z, e = exp(-fabs(t));
    *slope = -y * (t >= 0 ? e / (1 + e) : 1 / (1 + e));
    return log1p(e) + (t < 0 ? -t : 0);
}

/* Some of BLAS's kernels (SSE3's) add up in another order where a matrix does not begin at a multiple of 16 bytes. Its
 * bits must not depend on where it lies, so such a block is copied first; memory of malloc never is one. */
static const double *settle_block(const double *x, size_t n, double **scratch, size_t scratch_len)
{
    if ((uintptr_t)x % 16 == 0)
        return x;
    if (*scratch == NULL)
        *scratch = mem_array(scratch_len, sizeof **scratch);
    memcpy(*scratch, x, n * sizeof *x);
    return *scratch;
}

double model_add_rows(const struct model *model, const struct partition *part, size_t first, size_t last,
                      const double *theta, double *gradient)
{
    assert(first % MODEL_BLOCK_ROWS == 0 && first <= last && last <= part->n);
    const int d = (int)part->d;
    double z[MODEL_BLOCK_ROWS], slope[MODEL_BLOCK_ROWS], loss = 0, *scratch = NULL;
    for (size_t row = first; row < last; row += MODEL_BLOCK_ROWS) {
        size_t n = last - row < MODEL_BLOCK_ROWS ? last - row : MODEL_BLOCK_ROWS;
        const double *x = settle_block(part->x + row * part->d, n * part->d, &scratch, MODEL_BLOCK_ROWS * part->d);
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)n, d, 1, x, d, theta, 1, 0, z, 1);
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += row_loss(model->kind, z[i], part->y[row + i], &slope[i]);
        loss += sum;
        if (gradient != NULL)
            cblas_dgemv(CblasRowMajor, CblasTrans, (int)n, d, 1, x, d, slope, 1, 1, gradient, 1);
    }
    free(scratch);
    return loss;
}

double model_partition(const struct model *model, const struct partition *part, const double *theta, double *gradient)
{
    const int d = (int)part->d;
    if (gradient != NULL)
        memset(gradient, 0, part->d * sizeof *gradient);
    double loss = model_add_rows(model, part, 0, part->n, theta, gradient);
    if (gradient != NULL)
        cblas_daxpy(d, model->l2, theta, 1, gradient, 1);
    return loss + 0.5 * model->l2 * cblas_ddot(d, theta, 1, theta, 1);
}

double model_loss(const struct model *model, const struct partition_set *parts, const double *theta)
{
    double loss = 0;
    for (size_t k = 0; k < parts->count; k++)
        loss += model_partition(model, &parts->part[k], theta, NULL);
    return loss;
}

/* XᵀX of the partitions named, d × d, its upper triangle. */
static double *gram_of_features(const struct partition_set *parts, const uint32_t *which, size_t n, size_t d)
{
    double *gram = mem_array(d * d, sizeof *gram);
    for (size_t i = 0; i < n; i++) {
        const struct partition *p = &parts->part[which[i]];
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)d, (int)p->n, 1, p->x, (int)d, 1, gram, (int)d);
    }
    return gram;
}

/* XXᵀ of the partitions named, rows × rows, its upper triangle: a block for each pair of partitions. */
static double *gram_of_rows(const struct partition_set *parts, const uint32_t *which, size_t n, size_t rows, size_t d)
{
    double *gram = mem_array(rows * rows, sizeof *gram);
    for (size_t i = 0, at_i = 0; i < n; at_i += parts->part[which[i]].n, i++) {
        const struct partition *p = &parts->part[which[i]];
        for (size_t j = i, at_j = at_i; j < n; at_j += parts->part[which[j]].n, j++) {
            const struct partition *q = &parts->part[which[j]];
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)p->n, (int)q->n, (int)d, 1, p->x, (int)d, q->x,
                        (int)d, 0, gram + at_i * rows + at_j, (int)rows);
        }
    }
    return gram;
}

/* The largest eigenvalue of a symmetric matrix, side × side, of which the upper triangle counts; overwritten. */
static double largest_eigenvalue(double *matrix, size_t side)
{
    const lapack_int n = (lapack_int)side;
    lapack_int found = 0, support[2];
    double *value = mem_array(side, sizeof *value);
    /* LAPACK's lower triangle by columns is our upper one by rows. */
    lapack_int info =
        LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'N', 'I', 'L', n, matrix, n, 0, 0, n, n, 0, &found, value, NULL, 1, support);
    double largest = info == 0 && found == 1 ? value[0] : NAN;
    free(value);
    return largest;
}

double *model_gram_of_rows(const struct partition_set *parts)
{
    size_t rows = 0;
    uint32_t *all = mem_array(parts->count, sizeof *all);
    for (size_t k = 0; k < parts->count; k++) {
        all[k] = (uint32_t)k;
        rows += parts->part[k].n;
    }
    double *gram = gram_of_rows(parts, all, parts->count, rows, parts->part[0].d);
    free(all);
    return gram;
}

double model_smoothness(const struct model *model, const struct partition_set *parts, const uint32_t *which, size_t n)
{
    assert(n > 0);
    size_t rows = 0, d = parts->part[which[0]].d;
    for (size_t i = 0; i < n; i++)
        rows += parts->part[which[i]].n;
    double *gram = rows < d ? gram_of_rows(parts, which, n, rows, d) : gram_of_features(parts, which, n, d);
    double largest = largest_eigenvalue(gram, rows < d ? rows : d);
    free(gram);
    return (model->kind == MODEL_LOGISTIC ? 0.25 : 1) * largest + (double)n * model->l2;
}
