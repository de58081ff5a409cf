/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random numbers that are looked up rather than drawn: a uniform in (0, 1) for each (seed, purpose, a, b, index), so
 * that every strategy, process and driver sees the same one without sharing any state. */
#ifndef LAGGARD_CORE_RANDOM_H
#define LAGGARD_CORE_RANDOM_H

#include <stdint.h>

/* Numbers are part of the meaning of a seed: never renumber. */
enum random_purpose {
    RANDOM_COMPUTE = 1, /* a = worker, b = round */
    RANDOM_CODE = 2,    /* a = attempt, b = entry */
    RANDOM_DATA = 3,    /* a = partition, b = row, index = column */
    RANDOM_SHUFFLE = 4, /* a = 0, b = position */
    RANDOM_PAUSE = 5,   /* a = worker, b = which pause */
    RANDOM_BOOTSTRAP = 6,
    RANDOM_LINK = 7,
    RANDOM_TEST = 8,
    RANDOM_REPEAT = 9 /* the seeds of repeats; index = repeat */
};

struct random_key {
    uint64_t seed;
    enum random_purpose purpose;
    uint64_t a, b;
};

uint64_t random_bits(struct random_key key, uint64_t index);
double random_uniform(struct random_key key, uint64_t index); /* an odd multiple of 2⁻⁵³: strictly inside (0, 1) */
double random_normal(struct random_key key, uint64_t index);  /* standard normal, by inversion */

/* The seed of repeat number `repeat` (0-based) of a scenario: the same for every strategy, so that comparisons are
 * paired. */
uint64_t random_repeat_seed(uint64_t seed, uint32_t repeat);

/* The generator itself, Philox4x64-10: 256 bits out for a 256-bit counter and a 128-bit key. */
void random_philox(const uint64_t counter[4], const uint64_t key[2], uint64_t out[4]);

#endif
