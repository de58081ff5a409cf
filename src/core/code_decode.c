/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decoding (door: code_decode).
 *
 * The weights of a set of rows are found once, for the rows in ascending order, and kept: the same stragglers are late
 * again and again. All columns and at most r − 1 rows missing: from the code's own null space. Otherwise: the shortest
 * least-squares solution (complete orthogonal factorisation), accepted when its residual is small. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <lapacke.h>

#include "base/mem.h"
#include "core/code.h"
#include "core/code_private.h"

#define RANK_TOLERANCE   1e-12
#define WEIGHT_TOLERANCE 1e-14

int code_solve_missing(const struct code *code, const uint32_t *missing, uint32_t n, double *weight)
{
    uint32_t m = code->m, s = code->r - 1;
    memcpy(weight, code->full, m * sizeof *weight);
    if (n == 0)
        return 0;
    double *matrix = mem_array((size_t)n * s, sizeof *matrix), *c = mem_array(s, sizeof *c);
    for (uint32_t t = 0; t < s; t++)
        for (uint32_t j = 0; j < n; j++)
            matrix[(size_t)t * n + j] = code->null[(size_t)t * m + missing[j]];
    for (uint32_t j = 0; j < n; j++)
        c[j] = -code->full[missing[j]];
    lapack_int bad;
    if (n == s) {
        lapack_int *pivot = mem_array(s, sizeof *pivot);
        bad = LAPACKE_dgesv(LAPACK_COL_MAJOR, (lapack_int)s, 1, matrix, (lapack_int)s, pivot, c, (lapack_int)s);
        free(pivot);
    } else { /* the shortest c is the shortest a: full is orthogonal to null */
        bad = LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', (lapack_int)n, (lapack_int)s, 1, matrix, (lapack_int)n, c,
                            (lapack_int)s);
    }
    for (uint32_t t = 0; t < s && bad == 0; t++)
        for (uint32_t k = 0; k < m; k++)
            weight[k] += c[t] * code->null[(size_t)t * m + k];
    for (uint32_t j = 0; j < n; j++)
        weight[missing[j]] = 0;
    free(matrix);
    free(c);
    return bad == 0 ? 0 : -1;
}

/* Flags of the rows in hand to weights of all M rows, or CODE_MORE. */
static enum code_status solve_least_squares(const struct code *code, const bool *have, const bool *columns,
                                            double *weight)
{
    uint32_t m = code->m;
    uint32_t *row = mem_array(m, sizeof *row), *column = mem_array(m, sizeof *column), n = 0, s = 0;
    for (uint32_t k = 0; k < m; k++) {
        if (have[k])
            row[n++] = k;
        if (columns == NULL || columns[k])
            column[s++] = k;
    }
    memset(weight, 0, m * sizeof *weight);
    lapack_int bad = 0, rank = 0;
    if (n > 0 && s > 0) { /* minimise ‖B_{F,S}ᵀ a − 1‖, s equations, n unknowns */
        double *matrix = mem_array((size_t)n * s, sizeof *matrix), *x = mem_array(n > s ? n : s, sizeof *x);
        lapack_int *pivot = mem_array(n, sizeof *pivot);
        for (uint32_t j = 0; j < n; j++)
            for (uint32_t k = 0; k < s; k++)
                matrix[(size_t)j * s + k] = code_entry(code, row[j], column[k]);
        for (uint32_t k = 0; k < s; k++)
            x[k] = 1;
        bad = LAPACKE_dgelsy(LAPACK_COL_MAJOR, (lapack_int)s, (lapack_int)n, 1, matrix, (lapack_int)s, x,
                             (lapack_int)(n > s ? n : s), pivot, RANK_TOLERANCE, &rank);
        for (uint32_t j = 0; j < n; j++)
            weight[row[j]] = fabs(x[j]) > WEIGHT_TOLERANCE ? x[j] : 0;
        free(pivot);
        free(x);
        free(matrix);
    }
    free(column);
    free(row);
    return bad == 0 && code_residual(code, weight, columns) < CODE_RESIDUAL_MAX ? CODE_OK : CODE_MORE;
}

/* Weights by the null space, if at most r − 1 rows are missing. */
static enum code_status solve_null_space(const struct code *code, const bool *have, const bool *columns, double *weight)
{
    uint32_t *missing = mem_array(code->m, sizeof *missing), n = 0;
    for (uint32_t k = 0; k < code->m; k++)
        if (!have[k])
            missing[n++] = k;
    bool ok = n < code->r && code_solve_missing(code, missing, n, weight) == 0 &&
              code_residual(code, weight, columns) < CODE_RESIDUAL_MAX;
    free(missing);
    return ok ? CODE_OK : CODE_MORE;
}

/* The lowest row in hand of each group that has a selected column. */
static enum code_status solve_fractional(const struct code *code, const bool *have, const bool *columns, double *weight)
{
    uint32_t r = code->r;
    memset(weight, 0, code->m * sizeof *weight);
    for (uint32_t first = 0; first < code->m; first += r) {
        bool needed = columns == NULL;
        for (uint32_t j = 0; j < r && !needed; j++)
            needed = columns[first + j];
        uint32_t row = first;
        while (row < first + r && !have[row])
            row++;
        if (needed && row == first + r)
            return CODE_MORE;
        if (needed)
            weight[row] = 1;
    }
    return CODE_OK;
}

static void set_bits(uint64_t *bits, const bool *flags, uint32_t m)
{
    for (uint32_t k = 0; k < m; k++)
        if (flags == NULL || flags[k])
            bits[k / 64] |= UINT64_C(1) << (k % 64);
}

/* The slot of this pattern; *seen: it is the one there, else its place is made ready and its weights await. */
static struct code_pattern *find_pattern(struct code *code, const bool *have, const bool *columns, bool *seen)
{
    size_t words = 2 * (size_t)code->words;
    uint64_t *bits = mem_array(words, sizeof *bits), hash = 0;
    set_bits(bits, have, code->m);
    set_bits(bits + code->words, columns, code->m);
    for (size_t w = 0; w < words; w++)
        hash = (hash ^ bits[w]) * UINT64_C(0x9e3779b97f4a7c15) ^ (hash >> 29);
    struct code_pattern *pattern = &code->patterns[(hash >> 32) & (code->slots - 1)];
    *seen = pattern->bits != NULL && memcmp(pattern->bits, bits, words * sizeof *bits) == 0;
    if (*seen) {
        free(bits);
        return pattern;
    }
    free(pattern->bits);
    pattern->bits = bits;
    if (pattern->weight == NULL)
        pattern->weight = mem_array(code->m, sizeof *pattern->weight);
    return pattern;
}

static enum code_status solve_cyclic(struct code *code, const bool *have, const bool *columns, double *weight)
{
    bool seen;
    struct code_pattern *pattern = find_pattern(code, have, columns, &seen);
    enum code_status status = CODE_OK;
    if (!seen) {
        status = CODE_MORE;
        if (columns == NULL)
            status = solve_null_space(code, have, columns, pattern->weight);
        if (status != CODE_OK)
            status = solve_least_squares(code, have, columns, pattern->weight);
        if (status != CODE_OK) { /* what fails is not kept */
            free(pattern->bits);
            pattern->bits = NULL;
        }
    }
    if (status == CODE_OK)
        memcpy(weight, pattern->weight, code->m * sizeof *weight);
    return status;
}

enum code_status code_decode(struct code *code, const uint32_t *rows, size_t n, const bool *columns, double *weights,
                             struct error *err)
{
    bool *have = mem_array(code->m, sizeof *have);
    double *weight = mem_array(code->m, sizeof *weight);
    enum code_status status = CODE_OK;
    for (size_t j = 0; j < n && status == CODE_OK; j++) {
        if (rows[j] >= code->m || have[rows[j]]) {
            error_set(err, "row %u of a code of %u rows: %s", rows[j], code->m,
                      rows[j] >= code->m ? "there is no such row" : "given twice");
            status = CODE_BAD;
        } else {
            have[rows[j]] = true;
        }
    }
    if (status == CODE_OK)
        status = code->kind == CODE_FRACTIONAL ? solve_fractional(code, have, columns, weight)
                                               : solve_cyclic(code, have, columns, weight);
    for (size_t j = 0; j < n && status == CODE_OK; j++)
        weights[j] = weight[rows[j]];
    free(weight);
    free(have);
    return status;
}
