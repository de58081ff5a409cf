/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gradient codes: an M × M matrix B, row m supported on the r partitions that worker m stores, such that any M − r + 1 rows span
 * 1ᵀ (LAGC paper, gradient coding; cyclic code of Tandon et al.). */
#ifndef LAGGARD_CORE_CODE_H
#define LAGGARD_CORE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum code_kind { CODE_CYCLIC, CODE_FRACTIONAL };
enum code_status { CODE_OK, CODE_MORE, CODE_BAD };

struct code;

/* Draw and check a code: worst decoding residual below 1e-9 over all sets of M − r + 1 rows, or a seeded sample of them when
 * there are more than 5,000; redraws, and fails with a clear error (residual reached) after 50 attempts. 1 ≤ r ≤ m ≤ 4096;
 * CODE_FRACTIONAL: r divides m. Returns NULL on error. */
MUST_CHECK struct code *code_new(enum code_kind kind, uint32_t m, uint32_t r, uint64_t seed, struct error *err);
void code_free(struct code *code);

double code_entry(const struct code *code, uint32_t row, uint32_t column);

/* The quality found at the check: worst residual ‖aᵀB_F − 1ᵀ‖∞ and largest ‖a_F‖₂. */
double code_worst_residual(const struct code *code);
double code_worst_norm(const struct code *code);

/* Find weights a with aᵀB_{F,S} = 1_Sᵀ for the answers in hand.
 *   code     borrowed; remembers the pattern           rows     n distinct workers, 0-based, any order
 *   columns  which partitions must be summed (S): M flags, NULL: all
 *   weights  out, n values in the order of rows, unitless; untouched unless CODE_OK
 * CODE_OK; CODE_MORE: these rows do not span yet; CODE_BAD: err names the wrong row. O(n²K), O(n) if seen before. */
MUST_CHECK enum code_status code_decode(struct code *code, const uint32_t *rows, size_t n, const bool *columns,
                                        double *weights, struct error *err);

#endif
