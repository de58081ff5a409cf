/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lazy triggers (LAG paper, eq. 15; LAGC paper, lazy aggregation) and the history of steps that they compare with.
 *
 *   h_i = Σ_{d=1..min(D,i)} ξ ‖θ^{i+1−d} − θ^{i−d}‖²         right-hand side: h_i / (α² M²)
 *   WK: ‖∇L_m(θ̂_m) − ∇L_m(θ^i)‖² > rhs, ξ = 1/D              PS: L_m² ‖θ̂_m − θ^i‖² > rhs, ξ = 10/D */
#ifndef LAGGARD_CORE_TRIGGER_H
#define LAGGARD_CORE_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Embedded; a ring of the last `depth` squared step lengths. */
struct history {
    uint32_t depth, filled, next;
    double *squares;
};

void history_init(struct history *history, uint32_t depth);
void history_clear(struct history *history);
void history_add(struct history *history, double step_square); /* ‖θ^{i+1} − θ^i‖², newest */
double history_sum(const struct history *history);             /* without ξ; newest first */

/* rhs = ξ · sum / (α² count²) */
double trigger_threshold(const struct history *history, double xi, double alpha, uint32_t count);

#endif
