/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <gsl/gsl_cdf.h>

#include "core/random.h"

enum { DRAWS = 20000 };

static struct random_key key_of(uint64_t seed, uint64_t a, uint64_t b)
{
    return (struct random_key){.seed = seed, .purpose = RANDOM_TEST, .a = a, .b = b};
}

/* The vectors that the authors of Philox publish with Random123 (file kat_vectors, philox4x64, 10 rounds). */
static void philox__published_vectors__match(void **state)
{
    (void)state;
    static const struct {
        uint64_t counter[4], key[2], out[4];
    } vectors[] = {
        {{0, 0, 0, 0},
         {0, 0},
         {UINT64_C(0x16554d9eca36314c), UINT64_C(0xdb20fe9d672d0fdc), UINT64_C(0xd7e772cee186176b),
          UINT64_C(0x7e68b68aec7ba23b)}},
        {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
         {UINT64_MAX, UINT64_MAX},
         {UINT64_C(0x87b092c3013fe90b), UINT64_C(0x438c3c67be8d0224), UINT64_C(0x9cc7d7c69cd777b6),
          UINT64_C(0xa09caebf594f0ba0)}},
        {{UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344), UINT64_C(0xa4093822299f31d0),
          UINT64_C(0x082efa98ec4e6c89)},
         {UINT64_C(0x452821e638d01377), UINT64_C(0xbe5466cf34e90c6c)},
         {UINT64_C(0xa528f45403e61d95), UINT64_C(0x38c72dbd566e9788), UINT64_C(0xa5a1610e72fd18b5),
          UINT64_C(0x57bd43b5e52b7fe6)}},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        uint64_t out[4];
        random_philox(vectors[i].counter, vectors[i].key, out);
        assert_memory_equal(out, vectors[i].out, sizeof out);
    }
}

/* What a seed means must not change from one release to the next. */
static void bits__known_keys__known_values(void **state)
{
    (void)state;
    uint64_t out[4];
    random_philox((uint64_t[]){5, 4, 3, 0}, (uint64_t[]){1, RANDOM_COMPUTE}, out);
    struct random_key key = {.seed = 1, .purpose = RANDOM_COMPUTE, .a = 3, .b = 4};
    assert_true(random_bits(key, 5) == out[0]);
    assert_true(random_bits((struct random_key){.purpose = 0}, 0) == UINT64_C(0x16554d9eca36314c));
}

static void bits__any_field_changed__another_value(void **state)
{
    (void)state;
    struct random_key key = key_of(1, 2, 3), changed[4] = {key, key, key, key};
    changed[0].seed++;
    changed[1].purpose--;
    changed[2].a++;
    changed[3].b++;
    uint64_t value = random_bits(key, 4);
    assert_true(random_bits(key, 4) == value);
    assert_true(random_bits(key, 5) != value);
    for (int i = 0; i < 4; i++)
        assert_true(random_bits(changed[i], 4) != value);
    /* No two fields are merely added up. */
    assert_true(random_bits(key_of(1, 3, 2), 4) != value);
    assert_true(random_bits(key_of(2, 1, 3), 4) != value);
    assert_true(random_bits(key_of(1, 2, 4), 3) != value);
}

/* The four ways in which neighbours are drawn: along the index, and along each field of the key. */
static double along(int way, uint64_t i)
{
    switch (way) {
    case 0:
        return random_uniform(key_of(1, 0, 0), i);
    case 1:
        return random_uniform(key_of(1, i, 0), 0);
    case 2:
        return random_uniform(key_of(1, 0, i), 0);
    default:
        return random_uniform(key_of(i, 0, 0), 0);
    }
}

/* Chi-square over cells: a p value outside [1e-4, 1 − 1e-4] is as unlikely as it says. The seeds are fixed. */
static void assert_even(const uint32_t *count, size_t cells)
{
    double expected = (double)DRAWS / (double)cells, chi = 0;
    for (size_t i = 0; i < cells; i++)
        chi += (count[i] - expected) * (count[i] - expected) / expected;
    double p = gsl_cdf_chisq_Q(chi, (double)cells - 1);
    if (p < 1e-4 || p > 1 - 1e-4)
        fail_msg("chi-square %g over %zu cells: p = %g", chi, cells, p);
}

/* Neither 0 nor 1, whose logarithms would be infinite, can come out. */
static void uniform__any__odd_multiple_of_2_to_minus_53(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 1000; i++) {
        double scaled = random_uniform(key_of(2, 0, 0), i) * 0x1p53;
        assert_true(scaled == floor(scaled) && fmod(scaled, 2) == 1 && scaled < 0x1p53);
    }
}

static void uniform__along_every_field__even(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        uint32_t count[100] = {0};
        for (uint64_t i = 0; i < DRAWS; i++) {
            double u = along(way, i);
            assert_true(u > 0 && u < 1);
            count[(int)(u * 100)]++;
        }
        assert_even(count, 100);
    }
}

static void uniform__neighbours__independent(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        uint32_t count[100] = {0};
        for (uint64_t i = 0; i < DRAWS; i++)
            count[(int)(along(way, i) * 10) * 10 + (int)(along(way, i + 1) * 10)]++;
        assert_even(count, 100);
    }
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov and Smirnov: √n D above 2.2 has probability 1.3e-4. */
static double distance(double *sorted, size_t n, double (*cdf)(double))
{
    double worst = 0;
    qsort(sorted, n, sizeof *sorted, compare_doubles);
    for (size_t i = 0; i < n; i++) {
        double at = cdf(sorted[i]);
        worst = fmax(worst, fmax(at - (double)i / (double)n, (double)(i + 1) / (double)n - at));
    }
    return worst * sqrt((double)n);
}

static double identity(double x)
{
    return x;
}

static void draws__kolmogorov_smirnov__follow_their_law(void **state)
{
    (void)state;
    static double u[DRAWS], z[DRAWS];
    for (uint64_t i = 0; i < DRAWS; i++) {
        u[i] = random_uniform(key_of(3, 1, 4), i);
        z[i] = random_normal(key_of(3, 1, 5), i);
    }
    assert_true(distance(u, DRAWS, identity) < 2.2);
    assert_true(distance(z, DRAWS, gsl_cdf_ugaussian_P) < 2.2);
}

static void repeat_seed__differs_by_seed_and_repeat(void **state)
{
    (void)state;
    uint64_t seen[8];
    for (uint32_t i = 0; i < 8; i++) {
        seen[i] = random_repeat_seed(i / 4, i % 4);
        for (uint32_t j = 0; j < i; j++)
            assert_true(seen[i] != seen[j]);
    }
    assert_true(random_repeat_seed(0, 2) == seen[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox__published_vectors__match),
        cmocka_unit_test(bits__known_keys__known_values),
        cmocka_unit_test(bits__any_field_changed__another_value),
        cmocka_unit_test(uniform__any__odd_multiple_of_2_to_minus_53),
        cmocka_unit_test(uniform__along_every_field__even),
        cmocka_unit_test(uniform__neighbours__independent),
        cmocka_unit_test(draws__kolmogorov_smirnov__follow_their_law),
        cmocka_unit_test(repeat_seed__differs_by_seed_and_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
