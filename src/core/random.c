/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Philox4x64-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011): a keyed bijection
 * of 256-bit counters. A random_key fits without hashing, so that two different keys never share a block:
 *
 *   key      seed | purpose            counter  index | b | a | 0
 *
 * Doors: random_bits, random_uniform, random_normal; random_philox for the test against the published vectors. */
#include "config.h"

#include "core/random.h"

#include <gsl/gsl_cdf.h>

__extension__ typedef unsigned __int128 wide;

enum { PHILOX_ROUNDS = 10 };

/* One round mixes the words in pairs by the two halves of a 128-bit product. */
static void philox_round(uint64_t c[4], const uint64_t k[2])
{
    wide p0 = (wide)UINT64_C(0xD2E7470EE14C6C93) * c[0];
    wide p1 = (wide)UINT64_C(0xCA5A826395121157) * c[2];
    uint64_t old1 = c[1], old3 = c[3];
    c[0] = (uint64_t)(p1 >> 64) ^ old1 ^ k[0];
    c[1] = (uint64_t)p1;
    c[2] = (uint64_t)(p0 >> 64) ^ old3 ^ k[1];
    c[3] = (uint64_t)p0;
}

void random_philox(const uint64_t counter[4], const uint64_t key[2], uint64_t out[4])
{
    uint64_t k[2] = {key[0], key[1]};
    for (int i = 0; i < 4; i++)
        out[i] = counter[i];
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        philox_round(out, k);
        k[0] += UINT64_C(0x9E3779B97F4A7C15); /* the golden ratio */
        k[1] += UINT64_C(0xBB67AE8584CAA73B); /* √3 − 1 */
    }
}

uint64_t random_bits(struct random_key key, uint64_t index)
{
    const uint64_t counter[4] = {index, key.b, key.a, 0};
    const uint64_t words[2] = {key.seed, (uint64_t)key.purpose};
    uint64_t out[4];
    random_philox(counter, words, out);
    return out[0];
}

double random_uniform(struct random_key key, uint64_t index)
{
    /* An odd multiple of 2⁻⁵³: neither 0 nor 1 can come out, and both ends are equally far. */
    return (double)((random_bits(key, index) >> 11) | 1) * 0x1p-53;
}

double random_normal(struct random_key key, uint64_t index)
{
    return gsl_cdf_ugaussian_Pinv(random_uniform(key, index));
}

uint64_t random_repeat_seed(uint64_t seed, uint32_t repeat)
{
    return random_bits((struct random_key){.seed = seed, .purpose = RANDOM_REPEAT}, repeat);
}
