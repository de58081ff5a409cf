/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random numbers that are looked up rather than drawn: a uniform in (0, 1) for each (seed, purpose, a, b, index), so that every
 * strategy, process and driver sees the same one without sharing any state. */
#ifndef LAGGARD_CORE_RANDOM_H
#define LAGGARD_CORE_RANDOM_H

#include <stdint.h>

/* Numbers are part of the meaning of a seed: never renumber. */
enum random_purpose {
    RANDOM_COMPUTE = 1, /* a = worker, b = round */
    RANDOM_CODE = 2,    /* a = attempt, b = entry */
    RANDOM_DATA = 3,    /* a = partition, b = entry */
    RANDOM_SHUFFLE = 4, /* a = 0, b = position */
    RANDOM_PAUSE = 5,   /* a = worker, b = which pause */
    RANDOM_BOOTSTRAP = 6,
    RANDOM_LINK = 7,
    RANDOM_TEST = 8
};

struct random_key {
    uint64_t seed;
    enum random_purpose purpose;
    uint64_t a, b;
};

uint64_t random_bits(struct random_key key, uint64_t index);
double random_uniform(struct random_key key, uint64_t index); /* strictly inside (0, 1), 53 bits */
double random_normal(struct random_key key, uint64_t index);  /* standard normal, by inversion */

/* The seed of repeat number `repeat` (0-based) of a scenario: the same for every strategy, so that comparisons are paired. */
uint64_t random_repeat_seed(uint64_t seed, uint32_t repeat);

#endif
