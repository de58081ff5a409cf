/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A running test of decodability (doors: code_span_*): an orthonormal basis of the rows so far, restricted to the
 * selected columns, and what is left of 1_S outside it.
 *
 * All columns of a cyclic code need no basis: H is drawn from a continuous distribution, and with j ≥ r rows missing
 * the weights full + null c would have to vanish at j places with r − 1 values to choose, which happens with
 * probability 0. */
#include "config.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>

#include "base/mem.h"
#include "core/code.h"
#include "core/code_private.h"

#define DEPENDENT 1e-10 /* of a row's own length: what is left of it then is rounding */
#define NEAR      1e-6  /* code_decode has the last word, so this may be generous */

struct code_span {
    const struct code *code;
    bool *column;              /* M flags: S */
    uint32_t *place;           /* M: of a selected column among the selected */
    uint32_t n;                /* |S| */
    uint32_t rows, supporting; /* rows added that have a selected column; rows of the code that have one */
    uint32_t rank, room;
    double *basis; /* room × n, row-major */
    double *part;  /* M: products with the basis */
    double *left;  /* n: 1_S less its part in the basis */
};

struct code_span *code_span_new(const struct code *code)
{
    struct code_span *span = mem_zalloc(sizeof *span);
    span->code = code;
    span->column = mem_array(code->m, sizeof *span->column);
    span->place = mem_array(code->m, sizeof *span->place);
    span->part = mem_array(code->m, sizeof *span->part);
    span->left = mem_array(code->m, sizeof *span->left);
    return span;
}

void code_span_free(struct code_span *span)
{
    if (span == NULL)
        return;
    free(span->basis);
    free(span->left);
    free(span->part);
    free(span->place);
    free(span->column);
    free(span);
}

/* Write the row's selected entries to `entries` (n values, cleared before; NULL: none wanted). Has it any? */
static bool restrict_row(const struct code_span *span, uint32_t row, double *entries)
{
    const struct code *code = span->code;
    uint32_t first = code->kind == CODE_FRACTIONAL ? row / code->r * code->r : row;
    bool any = false;
    for (uint32_t j = 0; j < code->r; j++) {
        uint32_t column = (first + j) % code->m;
        if (!span->column[column])
            continue;
        any = true;
        if (entries != NULL)
            entries[span->place[column]] = code_entry(code, row, column);
    }
    return any;
}

void code_span_begin(struct code_span *span, const bool *columns)
{
    uint32_t m = span->code->m;
    span->n = span->rows = span->supporting = span->rank = span->room = 0;
    for (uint32_t k = 0; k < m; k++) {
        span->column[k] = columns == NULL || columns[k];
        span->place[k] = span->n;
        span->n += span->column[k];
        span->left[k] = 1;
    }
    for (uint32_t row = 0; row < m; row++)
        span->supporting += restrict_row(span, row, NULL);
    free(span->basis); /* its rows have another length now */
    span->basis = NULL;
}

/* x less its part in the basis: x −= QᵀQx. */
static void remove_parts(const struct code_span *span, double *x)
{
    if (span->rank == 0)
        return;
    const int rank = (int)span->rank, n = (int)span->n;
    cblas_dgemv(CblasRowMajor, CblasNoTrans, rank, n, 1, span->basis, n, x, 1, 0, span->part, 1);
    cblas_dgemv(CblasRowMajor, CblasTrans, rank, n, -1, span->basis, n, span->part, 1, 1, x, 1);
}

/* A place for one more vector of the basis, cleared. */
static double *next_vector(struct code_span *span)
{
    if (span->rank == span->room) {
        span->room = span->room ? 2 * span->room : 16;
        span->basis = mem_resize(span->basis, (size_t)span->room * span->n, sizeof *span->basis);
    }
    double *vector = span->basis + (size_t)span->rank * span->n;
    memset(vector, 0, span->n * sizeof *vector);
    return vector;
}

/* Take row into the basis, unless it depends on what is there (Gram–Schmidt; once more when much was cancelled). */
static void extend_basis(struct code_span *span, uint32_t row)
{
    const int n = (int)span->n;
    double *vector = next_vector(span);
    restrict_row(span, row, vector);
    double before = cblas_dnrm2(n, vector, 1);
    remove_parts(span, vector);
    double after = cblas_dnrm2(n, vector, 1);
    if (after < 0.7 * before) {
        remove_parts(span, vector);
        after = cblas_dnrm2(n, vector, 1);
    }
    if (!(after > DEPENDENT * before))
        return;
    cblas_dscal(n, 1 / after, vector, 1);
    cblas_daxpy(n, -cblas_ddot(n, vector, 1, span->left, 1), vector, 1, span->left, 1);
    span->rank++;
}

bool code_span_add(struct code_span *span, uint32_t row)
{
    assert(row < span->code->m);
    if (!restrict_row(span, row, NULL))
        return span->n == 0;
    span->rows++;
    if (span->rows + span->code->r > span->supporting) /* at most r − 1 are missing: the code's promise */
        return true;
    if (span->n == span->code->m && span->code->kind == CODE_CYCLIC)
        return false;
    if (span->rank < span->n)
        extend_basis(span, row);
    double worst = 0;
    for (uint32_t k = 0; k < span->n; k++)
        worst = fmax(worst, fabs(span->left[k]));
    return worst < NEAR;
}
