/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of a code, shared by code.c (what a code is), code_draw.c (making and checking one), code_decode.c and
 * code_span.c. */
#ifndef LAGGARD_CORE_CODE_PRIVATE_H
#define LAGGARD_CORE_CODE_PRIVATE_H

#include "core/code.h"

#define CODE_RESIDUAL_MAX 1e-9

/* A pattern that was solved: which rows, which columns (bits), and a weight for each of the M rows (0 elsewhere). */
struct code_pattern {
    uint64_t *bits; /* 2 × words: rows, then columns */
    double *weight; /* M */
};

/* With s = r − 1, all weights of all rows that decode 1ᵀ are a = full + null c, c any s values: full is the shortest of
 * them, the columns of null are an orthonormal basis of {z : zᵀB = 0}. */
struct code {
    enum code_kind kind;
    uint32_t m, r;
    double *entry; /* CODE_CYCLIC: M × r, row-major: B[m][(m + j) mod M] */
    double *full;  /* CODE_CYCLIC: M */
    double *null;  /* CODE_CYCLIC: M × s, column-major */
    double worst_residual, worst_norm;
    uint32_t words, slots;         /* 64-bit words in M bits; size of the table below, a power of two */
    struct code_pattern *patterns; /* a newer pattern takes the place of an older one in its slot */
};

struct code *code_alloc(enum code_kind kind, uint32_t m, uint32_t r);

/* CODE_CYCLIC: the shortest weights (out, M values) that are 0 at `missing` (n ≤ r − 1 rows). -1 if the solver finds
 * none. */
MUST_CHECK int code_solve_missing(const struct code *code, const uint32_t *missing, uint32_t n, double *weight);

/* ‖aᵀB_S − 1_Sᵀ‖∞ for weights of all M rows. */
double code_residual(const struct code *code, const double *weight, const bool *columns);

#endif
