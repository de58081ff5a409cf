/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A running test of decodability (doors: code_span_*): an orthonormal basis of the rows so far, restricted to the
 * selected columns, and what is left of 1_S outside it. */
#include "config.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/code.h"
#include "core/code_private.h"

#define DEPENDENT 1e-10 /* of a row's own length: what is left of it then is rounding */
#define NEAR      1e-6  /* code_decode has the last word, so this may be generous */

struct code_span {
    const struct code *code;
    bool *column;              /* S */
    uint32_t rows, supporting; /* rows added that have a selected column; rows of the code that have one */
    uint32_t rank, room;
    double **basis; /* room pointers to M values each, allocated when first needed */
    double *left;   /* M: 1_S less its part in the basis */
};

struct code_span *code_span_new(const struct code *code)
{
    struct code_span *span = mem_zalloc(sizeof *span);
    span->code = code;
    span->column = mem_array(code->m, sizeof *span->column);
    span->left = mem_array(code->m, sizeof *span->left);
    span->basis = mem_array(code->m, sizeof *span->basis);
    return span;
}

void code_span_free(struct code_span *span)
{
    if (span == NULL)
        return;
    for (uint32_t k = 0; k < span->room; k++)
        free(span->basis[k]);
    free(span->basis);
    free(span->left);
    free(span->column);
    free(span);
}

static bool row_supports(const struct code_span *span, uint32_t row)
{
    const struct code *code = span->code;
    uint32_t first = code->kind == CODE_FRACTIONAL ? row / code->r * code->r : row;
    for (uint32_t j = 0; j < code->r; j++)
        if (span->column[(first + j) % code->m])
            return true;
    return false;
}

void code_span_begin(struct code_span *span, const bool *columns)
{
    uint32_t m = span->code->m;
    span->rows = span->supporting = span->rank = 0;
    for (uint32_t k = 0; k < m; k++) {
        span->column[k] = columns == NULL || columns[k];
        span->left[k] = span->column[k] ? 1 : 0;
    }
    for (uint32_t row = 0; row < m; row++)
        span->supporting += row_supports(span, row);
}

static double dot(const double *x, const double *y, uint32_t m)
{
    double sum = 0;
    for (uint32_t k = 0; k < m; k++)
        sum += x[k] * y[k];
    return sum;
}

static void remove_part(double *x, const double *unit, uint32_t m)
{
    double part = dot(x, unit, m);
    for (uint32_t k = 0; k < m; k++)
        x[k] -= part * unit[k];
}

/* Take row into the basis, unless it depends on what is there (Gram–Schmidt, twice for orthogonality to rounding). */
static void extend_basis(struct code_span *span, uint32_t row)
{
    uint32_t m = span->code->m;
    assert(span->rank < m);
    if (span->rank == span->room)
        span->basis[span->room++] = mem_array(m, sizeof **span->basis);
    double *unit = span->basis[span->rank];
    for (uint32_t k = 0; k < m; k++)
        unit[k] = span->column[k] ? code_entry(span->code, row, k) : 0;
    double before = sqrt(dot(unit, unit, m));
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t k = 0; k < span->rank; k++)
            remove_part(unit, span->basis[k], m);
    double after = sqrt(dot(unit, unit, m));
    if (!(after > DEPENDENT * before))
        return;
    for (uint32_t k = 0; k < m; k++)
        unit[k] /= after;
    remove_part(span->left, unit, m);
    span->rank++;
}

bool code_span_add(struct code_span *span, uint32_t row)
{
    assert(row < span->code->m);
    if (row_supports(span, row)) {
        span->rows++;
        if (span->rank < span->code->m)
            extend_basis(span, row);
    }
    if (span->rows + span->code->r > span->supporting) /* at most r − 1 are missing: the code's promise */
        return true;
    double worst = 0;
    for (uint32_t k = 0; k < span->code->m; k++)
        worst = fmax(worst, fabs(span->left[k]));
    return worst < NEAR;
}
