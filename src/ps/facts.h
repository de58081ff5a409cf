/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the PS knows before the first worker arrives: the data, what each partition must look like, and the optimum. */
#ifndef LAGGARD_PS_FACTS_H
#define LAGGARD_PS_FACTS_H

#include "base/error.h"
#include "input/input.h"
#include "scenario/scenario.h"
#include "wire/message.h"

/* Embedded. K = M partitions of d features. */
struct facts {
    const struct scenario *scenario; /* borrowed */
    struct input input;
    uint32_t workers;
    size_t d;
    struct wire_stored *partition; /* K: number, SHA-256, L_k by our own reckoning */
    double smoothness;             /* L of the whole sum */
    double *optimum;               /* θ*, d values */
    double optimum_loss;           /* L(θ*) */
};

/* Read the data and reckon all of it. On error *out is cleared. */
MUST_CHECK int facts_load(const struct scenario *scenario, struct facts *out, struct error *err);
void facts_clear(struct facts *facts);

/* Two L_k of the same rows: are they the same but for rounding? */
bool facts_smoothness_agrees(double a, double b);

/* The run of strategy number `which` in this repeat. smoothness: L_k as the workers reported them, K values, borrowed
 * with facts for as long as the session lives. */
void facts_session_config(const struct facts *facts, size_t which, uint32_t repeat, const double *smoothness,
                          struct session_config *out);

#endif
