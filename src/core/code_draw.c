/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making a cyclic code (door: code_new).
 *
 * With s = r − 1: draw H, s × M, so that each of its rows sums to zero; row m of B is the vector in the null space of H
 * that is supported on columns m … m + s and begins with 1. Then 1ᵀ and all rows of B lie in the null space of H, which
 * has dimension M − s, and any M − s rows of B span it.
 *
 * How good the code is depends on H. Purely Gaussian columns give windows of s neighbours that are nearly singular, so
 * huge entries of B, and weights of 10⁶ at M = 100, r = 10. Here H is made of waves whose frequencies are spread evenly
 * over the circle: any s neighbouring columns are nearly orthogonal, and B's rows are close to r ones. Waves alone are
 * no code (sets of workers a whole period apart cannot be missed), so Gaussian noise is added: a tenth of the waves'
 * size was the best in trials over M = 9 … 1000, with weights a hundred times smaller than those of purely Gaussian H.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <lapacke.h>

#include "base/mem.h"
#include "core/code.h"
#include "core/code_private.h"
#include "core/random.h"

enum { ATTEMPTS_MAX = 50, CANDIDATES = 8, SETS_MAX = 5000 };
#define NOISE 0.1

/* Numbers below this are normals of H; from here on, the sampled sets. */
#define SAMPLE_INDEX (UINT64_C(1) << 40)

/* H, s × M, column-major. */
static void draw_waves(const struct code *code, struct random_key key, double *h)
{
    uint32_t m = code->m, s = code->r - 1;
    for (uint32_t j = 0; j < s; j++) {
        bool lone = j % 2 == 0 && j + 1 == s; /* without a partner: the alternating wave */
        double frequency = lone ? m / 2.0 : round((j / 2 + 1.0) * m / code->r);
        double mean = 0;
        for (uint32_t k = 0; k < m; k++) {
            double phase = 2 * M_PI * frequency * k / m;
            h[(size_t)k * s + j] =
                (j % 2 == 0 ? cos(phase) : sin(phase)) + NOISE * random_normal(key, (uint64_t)k * s + j);
            mean += h[(size_t)k * s + j] / m;
        }
        for (uint32_t k = 0; k < m; k++)
            h[(size_t)k * s + j] -= mean;
    }
}

/* Each row of B from its window of H. -1 if a window is singular. */
static int draw_rows(struct code *code, const double *h)
{
    uint32_t m = code->m, s = code->r - 1;
    double *window = mem_array((size_t)s * s, sizeof *window);
    lapack_int *pivot = mem_array(s, sizeof *pivot);
    int failed = 0;
    for (uint32_t row = 0; row < m && !failed; row++) {
        double *entry = code->entry + (size_t)row * code->r;
        entry[0] = 1;
        for (uint32_t j = 0; j < s; j++) {
            memcpy(window + (size_t)j * s, h + (size_t)((row + 1 + j) % m) * s, s * sizeof *window);
            entry[1 + j] = -h[(size_t)row * s + j];
        }
        if (s > 0)
            failed = LAPACKE_dgesv(LAPACK_COL_MAJOR, (lapack_int)s, 1, window, (lapack_int)s, pivot, entry + 1,
                                   (lapack_int)s) != 0;
    }
    free(pivot);
    free(window);
    return failed ? -1 : 0;
}

/* The first M − s rows and columns of B are an upper triangle of width r with ones on its diagonal. Solve xᵀU = bᵀ in
 * place; stable, because windows of H are well conditioned. */
static void solve_triangle(const struct code *code, double *x)
{
    uint32_t s = code->r - 1;
    for (uint32_t column = 0; column < code->m - s; column++)
        for (uint32_t j = 1; j <= s && j <= column; j++)
            x[column] -= x[column - j] * code->entry[(size_t)(column - j) * code->r + j];
}

/* null: each of the last s rows of B as a combination of the first M − s, made orthonormal. full: 1ᵀ from the first M −
 * s rows, less its part in null. */
static int find_solutions(struct code *code)
{
    uint32_t m = code->m, s = code->r - 1;
    for (uint32_t k = 0; k < m; k++)
        code->full[k] = k < m - s ? 1 : 0;
    solve_triangle(code, code->full);
    if (s == 0)
        return 0;
    for (uint32_t t = 0; t < s; t++) {
        double *column = code->null + (size_t)t * m;
        for (uint32_t k = 0; k < m - s; k++)
            column[k] = -code_entry(code, m - s + t, k);
        solve_triangle(code, column);
        for (uint32_t k = m - s; k < m; k++)
            column[k] = k == m - s + t;
    }
    double *tau = mem_array(s, sizeof *tau);
    lapack_int bad = LAPACKE_dgeqrf(LAPACK_COL_MAJOR, (lapack_int)m, (lapack_int)s, code->null, (lapack_int)m, tau);
    if (bad == 0)
        bad = LAPACKE_dorgqr(LAPACK_COL_MAJOR, (lapack_int)m, (lapack_int)s, (lapack_int)s, code->null, (lapack_int)m,
                             tau);
    free(tau);
    for (uint32_t t = 0; t < s; t++) {
        const double *column = code->null + (size_t)t * m;
        double dot = 0;
        for (uint32_t k = 0; k < m; k++)
            dot += column[k] * code->full[k];
        for (uint32_t k = 0; k < m; k++)
            code->full[k] -= dot * column[k];
    }
    return bad == 0 ? 0 : -1;
}

/* C(m, s), or anything above SETS_MAX. */
static uint64_t sets_of(uint32_t m, uint32_t s)
{
    uint64_t count = 1;
    for (uint32_t j = 0; j < s && j < m - s && count <= SETS_MAX; j++)
        count = count * (m - j) / (j + 1);
    return count;
}

/* The next s-subset of 0 … m−1 in lexicographic order. */
static void next_set(uint32_t *set, uint32_t s, uint32_t m)
{
    uint32_t j = s;
    while (j > 0 && set[j - 1] == m - s + j - 1)
        j--;
    if (j == 0)
        return;
    set[j - 1]++;
    for (uint32_t k = j; k < s; k++)
        set[k] = set[k - 1] + 1;
}

/* Set number `index` of those checked when there are too many: neighbours first, then a partial shuffle. all: 0 … m−1
 * in any order, kept by the caller. */
static void sample_set(struct random_key key, uint64_t index, uint32_t *set, uint32_t s, uint32_t *all, uint32_t m)
{
    for (uint32_t j = 0; j < s; j++) {
        if (index < m) {
            set[j] = (uint32_t)((index + j) % m);
            continue;
        }
        uint32_t k = j + (uint32_t)(random_uniform(key, SAMPLE_INDEX + index * m + j) * (m - j));
        uint32_t held = all[j];
        all[j] = all[k];
        all[k] = held;
        set[j] = all[j];
    }
}

/* Fill in worst_residual and worst_norm over the sets of s rows that may be missing. Gives up (-1) once the residual is
 * too large or the norm reaches norm_max. */
static int measure(struct code *code, struct random_key key, double norm_max)
{
    uint32_t m = code->m, s = code->r - 1;
    uint64_t sets = sets_of(m, s);
    uint32_t *set = mem_array(s, sizeof *set), *all = mem_array(m, sizeof *all);
    double *weight = mem_array(m, sizeof *weight);
    for (uint32_t k = 0; k < m; k++)
        all[k] = k;
    for (uint32_t j = 0; j < s; j++)
        set[j] = j;
    int failed = 0;
    for (uint64_t index = 0; index < sets && index < SETS_MAX && !failed; index++) {
        if (sets > SETS_MAX)
            sample_set(key, index, set, s, all, m);
        else if (index > 0)
            next_set(set, s, m);
        double residual = INFINITY, square = 0;
        if (code_solve_missing(code, set, s, weight) == 0)
            residual = code_residual(code, weight, NULL);
        for (uint32_t k = 0; k < m; k++)
            square += weight[k] * weight[k];
        code->worst_residual = fmax(code->worst_residual, isnan(residual) ? INFINITY : residual);
        code->worst_norm = fmax(code->worst_norm, sqrt(square));
        failed = !(code->worst_residual < CODE_RESIDUAL_MAX) || !(sqrt(square) < norm_max);
    }
    free(weight);
    free(all);
    free(set);
    return failed ? -1 : 0;
}

/* One draw, measured. NULL if it is no better than norm_max; *residual: the smallest worst residual seen. */
static struct code *draw(uint32_t m, uint32_t r, struct random_key key, double norm_max, double *residual)
{
    struct code *code = code_alloc(CODE_CYCLIC, m, r);
    double *h = mem_array((size_t)m * (r - 1), sizeof *h);
    draw_waves(code, key, h);
    int bad = draw_rows(code, h) || find_solutions(code);
    free(h);
    if (!bad) {
        bad = measure(code, key, norm_max);
        if (code->worst_residual < *residual)
            *residual = code->worst_residual;
    }
    if (!bad)
        return code;
    code_free(code);
    return NULL;
}

struct code *code_new(enum code_kind kind, uint32_t m, uint32_t r, uint64_t seed, struct error *err)
{
    if (code_check_size(kind, m, r, err) < 0)
        return NULL;
    if (kind == CODE_FRACTIONAL) {
        struct code *code = code_alloc(kind, m, r);
        code->worst_norm = sqrt(m / r);
        return code;
    }
    struct code *best = NULL;
    double residual = INFINITY;
    uint32_t attempts = r == 1 || r == m ? 1 : ATTEMPTS_MAX; /* these two come out as I and as ones */
    for (uint32_t attempt = 0; attempt < attempts && (best == NULL || attempt < CANDIDATES); attempt++) {
        struct random_key key = {seed, RANDOM_CODE, attempt, 0};
        struct code *code = draw(m, r, key, best ? best->worst_norm : INFINITY, &residual);
        if (code == NULL)
            continue;
        code_free(best);
        best = code;
    }
    if (best == NULL)
        error_set(
            err,
            "no good cyclic code for %u workers and redundancy %u: the best of %u draws decodes with residual %.1e, "
            "above %.0e; use a smaller redundancy, or a fractional code",
            m, r, attempts, residual, CODE_RESIDUAL_MAX);
    return best;
}
