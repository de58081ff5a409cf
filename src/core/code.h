/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gradient codes: an M × M matrix B, row m supported on the r partitions that worker m stores, such that any M − r + 1
 * rows span 1ᵀ (LAGC paper, gradient coding; cyclic code of Tandon et al.).
 *
 *   CODE_CYCLIC      row m holds partitions m, m + 1, …, m + r − 1 (mod M), its first coefficient is 1
 *   CODE_FRACTIONAL  row m holds the r partitions of its group ⌊m/r⌋, every coefficient is 1 */
#ifndef LAGGARD_CORE_CODE_H
#define LAGGARD_CORE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum code_kind { CODE_CYCLIC, CODE_FRACTIONAL };
enum code_status { CODE_OK, CODE_MORE, CODE_BAD };

enum { CODE_WORKERS_MAX = 4096 };

struct code;

/* Can there be such a code at all? 1 ≤ r ≤ m ≤ CODE_WORKERS_MAX; CODE_FRACTIONAL: r divides m; CODE_CYCLIC: m r³ ≤
 * 2·10⁹ (what its check costs). The error says what would be right. */
MUST_CHECK int code_check_size(enum code_kind kind, uint32_t m, uint32_t r, struct error *err);

/* Draw and check a code: worst decoding residual below 1e-9 over all sets of M − r + 1 rows, or 5,000 of them when
 * there are more (the M that lack r − 1 neighbours, and a seeded sample). Of the first 8 draws that pass the one with
 * the smallest worst weights is taken; fails with a clear error (residual reached) if none of 50 passes. NULL on error.
 */
MUST_CHECK struct code *code_new(enum code_kind kind, uint32_t m, uint32_t r, uint64_t seed, struct error *err);
void code_free(struct code *code);

double code_entry(const struct code *code, uint32_t row, uint32_t column);

/* Which partitions row holds, in the order of its coefficients: writes r values, returns r. Needs no code. */
uint32_t code_support(enum code_kind kind, uint32_t m, uint32_t r, uint32_t row, uint32_t *parts);

/* The quality found at the check: worst residual ‖aᵀB_F − 1ᵀ‖∞ and largest ‖a_F‖₂. */
double code_worst_residual(const struct code *code);
double code_worst_norm(const struct code *code);

/* Find weights a with aᵀB_{F,S} = 1_Sᵀ for the answers in hand. They depend on the set of rows only, not on its order.
 *   code     borrowed; remembers the pattern           rows     n distinct workers, 0-based, any order
 *   columns  which partitions must be summed (S): M flags, NULL: all
 *   weights  out, n values in the order of rows, unitless; untouched unless CODE_OK. Exactly 0: the row is not needed.
 * CODE_OK: ‖aᵀB_{F,S} − 1_Sᵀ‖∞ < 1e-9; CODE_MORE: these rows do not span yet; CODE_BAD: err names the wrong row.
 * O(n²|S|) at worst, O(r³ + rM) for all columns and at most r − 1 rows missing, O(M) if seen before. */
MUST_CHECK enum code_status code_decode(struct code *code, const uint32_t *rows, size_t n, const bool *columns,
                                        double *weights, struct error *err);

/* A running test of whether the answers that came so far could decode, O(n|S|) an answer, so that code_decode is asked
 * only when it is worth it. Opaque; the code is borrowed and must outlive it. */
struct code_span;
struct code_span *code_span_new(const struct code *code);
void code_span_free(struct code_span *span);
/* Begin anew for these columns (M flags, NULL: all; copied). */
void code_span_begin(struct code_span *span, const bool *columns);
/* Add a row (< M, each once). True: 1_S is in the span of the rows added, or so near that code_decode must say. (A row
 * without a selected column adds nothing, and is never the one that completes it.) */
bool code_span_add(struct code_span *span, uint32_t row);

#endif
