/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An iterate θ^i that several owners share (the stale gradients of several partitions refer to the same one). Not
 * atomic: one thread owns all references. */
#ifndef LAGGARD_CORE_THETA_H
#define LAGGARD_CORE_THETA_H

#include <stddef.h>
#include <stdint.h>

struct theta {
    size_t references;
    uint32_t round;
    size_t d;
    double value[]; /* d values */
};

struct theta *theta_new(uint32_t round, size_t d); /* one reference, zero values */
struct theta *theta_ref(struct theta *theta);      /* returns theta; NULL is fine */
void theta_unref(struct theta *theta);             /* NULL is fine */

#endif
