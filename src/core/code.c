/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a code is: sizes, support, entries, life. Making one: code_draw.c; using one: code_decode.c, code_span.c. */
#include "config.h"

#include "core/code.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "core/code_private.h"

enum { PATTERNS_MAX = 1024, PATTERN_BYTES_MAX = 16 << 20 };
#define CHECK_COST_MAX 2e9

int code_check_size(enum code_kind kind, uint32_t m, uint32_t r, struct error *err)
{
    if (m < 1 || m > CODE_WORKERS_MAX)
        return error_set(err, "a gradient code is for 1 to %d workers, not %u", CODE_WORKERS_MAX, m);
    if (r < 1 || r > m)
        return error_set(err, "redundancy %u: a gradient code for %u workers needs 1 to %u", r, m, m);
    if (kind == CODE_FRACTIONAL && m % r != 0)
        return error_set(err, "redundancy %u does not divide the number of workers %u, which a fractional code needs",
                         r, m);
    if (kind == CODE_CYCLIC && (double)m * r * r * r > CHECK_COST_MAX)
        return error_set(
            err, "a cyclic code of redundancy %u for %u workers takes too long to check: at most %u is possible", r, m,
            (uint32_t)cbrt(CHECK_COST_MAX / m));
    return 0;
}

static uint32_t pattern_slots(uint32_t m)
{
    uint32_t slots = PATTERNS_MAX;
    while (slots > 1 && slots * m * sizeof(double) > PATTERN_BYTES_MAX)
        slots /= 2;
    return slots;
}

struct code *code_alloc(enum code_kind kind, uint32_t m, uint32_t r)
{
    struct code *code = mem_zalloc(sizeof *code);
    code->kind = kind;
    code->m = m;
    code->r = r;
    code->words = (m + 63) / 64;
    if (kind == CODE_FRACTIONAL)
        return code;
    code->entry = mem_array((size_t)m * r, sizeof *code->entry);
    code->full = mem_array(m, sizeof *code->full);
    code->null = mem_array((size_t)m * (r - 1), sizeof *code->null);
    code->slots = pattern_slots(m);
    code->patterns = mem_array(code->slots, sizeof *code->patterns);
    return code;
}

void code_free(struct code *code)
{
    if (code == NULL)
        return;
    for (uint32_t slot = 0; slot < code->slots; slot++) {
        free(code->patterns[slot].bits);
        free(code->patterns[slot].weight);
    }
    free(code->patterns);
    free(code->entry);
    free(code->full);
    free(code->null);
    free(code);
}

double code_entry(const struct code *code, uint32_t row, uint32_t column)
{
    assert(row < code->m && column < code->m);
    if (code->kind == CODE_FRACTIONAL)
        return row / code->r == column / code->r ? 1 : 0;
    uint32_t offset = (column + code->m - row) % code->m;
    return offset < code->r ? code->entry[(size_t)row * code->r + offset] : 0;
}

uint32_t code_support(enum code_kind kind, uint32_t m, uint32_t r, uint32_t row, uint32_t *parts)
{
    uint32_t first = kind == CODE_FRACTIONAL ? row / r * r : row;
    for (uint32_t j = 0; j < r; j++)
        parts[j] = (first + j) % m;
    return r;
}

double code_worst_residual(const struct code *code)
{
    return code->worst_residual;
}

double code_worst_norm(const struct code *code)
{
    return code->worst_norm;
}

double code_residual(const struct code *code, const double *weight, const bool *columns)
{
    double worst = 0;
    for (uint32_t column = 0; column < code->m; column++) {
        if (columns != NULL && !columns[column])
            continue;
        double sum = -1;
        for (uint32_t j = 0; j < code->r; j++) {
            uint32_t row = (column + code->m - j) % code->m;
            sum += weight[row] * code->entry[(size_t)row * code->r + j];
        }
        if (!(fabs(sum) <= worst)) /* so that a NaN stays */
            worst = fabs(sum);
    }
    return worst;
}
