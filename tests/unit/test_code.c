/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gradient codes: support, decoding of every set that must decode, the running test of decodability, and refusals. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/code.h"
#include "core/model.h"
#include "core/random.h"
#include "tests/unit/cmocka_all.h"

static struct code *make(enum code_kind kind, uint32_t m, uint32_t r)
{
    struct error err = {""};
    struct code *code = code_new(kind, m, r, 1, &err);
    if (code == NULL)
        fail_msg("M = %u, r = %u: %s", m, r, err.text);
    return code;
}

/* How far the decoded sum of known "gradients" g_k is from Σ_{k ∈ S} g_k, relative to Σ |g_k|; INFINITY if it does not
 * decode. mask: the rows in hand; columns: S. */
static double decode_error(struct code *code, uint32_t m, uint64_t mask, const bool *columns)
{
    uint32_t row[64] = {0}, n = 0;
    double weight[64], sum = 0, want = 0, size = 0;
    for (uint32_t k = 0; k < m; k++)
        if (mask >> k & 1)
            row[n++] = k;
    if (code_decode(code, row, n, columns, weight, NULL) != CODE_OK)
        return INFINITY;
    for (uint32_t k = 0; k < m; k++) {
        double g = random_normal((struct random_key){7, RANDOM_TEST, k, 0}, 0);
        if (columns != NULL && !columns[k])
            continue;
        want += g;
        size += fabs(g);
        for (uint32_t j = 0; j < n; j++)
            sum += weight[j] * code_entry(code, row[j], k) * g;
    }
    return fabs(sum - want) / size;
}

static uint32_t bits_in(uint64_t mask)
{
    return (uint32_t)__builtin_popcountll(mask);
}

static void code__cyclic__support_and_first_coefficient(void **state)
{
    (void)state;
    struct code *code = make(CODE_CYCLIC, 7, 3);
    for (uint32_t row = 0; row < 7; row++) {
        uint32_t parts[3];
        assert_int_equal(code_support(CODE_CYCLIC, 7, 3, row, parts), 3);
        assert_true(code_entry(code, row, row) == 1);
        for (uint32_t column = 0; column < 7; column++) {
            bool stored = (column + 7 - row) % 7 < 3;
            assert_int_equal(stored, column == parts[0] || column == parts[1] || column == parts[2]);
            assert_int_equal(stored, code_entry(code, row, column) != 0);
        }
    }
    code_free(code);
}

static void code__r_1__identity(void **state)
{
    (void)state;
    struct code *code = make(CODE_CYCLIC, 9, 1);
    for (uint32_t row = 0; row < 9; row++)
        for (uint32_t column = 0; column < 9; column++)
            assert_true(code_entry(code, row, column) == (row == column));
    assert_true(isinf(decode_error(code, 9, 0xff, NULL)));
    assert_true(decode_error(code, 9, 0x1ff, NULL) == 0);
    code_free(code);
}

/* r = M: every row is a multiple of the sum, and the first coefficient makes it the sum. */
static void code__r_m__each_row_is_the_sum(void **state)
{
    (void)state;
    struct code *code = make(CODE_CYCLIC, 8, 8);
    for (uint32_t row = 0; row < 8; row++) {
        assert_true(fabs(code_entry(code, row, (row + 5) % 8) - 1) < 1e-9);
        assert_true(decode_error(code, 8, UINT64_C(1) << row, NULL) < 1e-9);
    }
    code_free(code);
}

static void decode__every_set_of_m_minus_r_plus_1__exact_sum(void **state)
{
    (void)state;
    for (uint32_t m = 2; m <= 12; m++)
        for (uint32_t r = 1; r <= m; r++) {
            struct code *code = make(CODE_CYCLIC, m, r);
            assert_true(code_worst_residual(code) < 1e-9);
            for (uint64_t mask = 0; mask < UINT64_C(1) << m; mask++)
                if (bits_in(mask) == m - r + 1 && !(decode_error(code, m, mask, NULL) < 1e-8))
                    fail_msg("M = %u, r = %u, rows %#lx: error %g", m, r, (unsigned long)mask,
                             decode_error(code, m, mask, NULL));
            code_free(code);
        }
}

/* The contacted are the rows with a selected column; any A − r + 1 of them decode, whatever S is. */
static void decode__every_selection__a_minus_r_plus_1_suffice(void **state)
{
    (void)state;
    const uint32_t sizes[][2] = {{6, 2}, {7, 3}, {8, 3}, {8, 4}};
    for (size_t c = 0; c < 4; c++) {
        uint32_t m = sizes[c][0], r = sizes[c][1];
        struct code *code = make(CODE_CYCLIC, m, r);
        for (uint64_t selection = 1; selection < UINT64_C(1) << m; selection++) {
            bool columns[8];
            uint64_t contacted = 0;
            for (uint32_t k = 0; k < m; k++)
                columns[k] = selection >> k & 1;
            for (uint32_t row = 0; row < m; row++)
                for (uint32_t k = 0; k < m; k++)
                    if (columns[k] && code_entry(code, row, k) != 0)
                        contacted |= UINT64_C(1) << row;
            for (uint64_t mask = 1; mask <= contacted; mask++)
                if ((mask & ~contacted) == 0 && bits_in(mask) == bits_in(contacted) - r + 1)
                    assert_true(decode_error(code, m, mask, columns) < 1e-8);
        }
        code_free(code);
    }
}

static void decode__one_column__its_fastest_worker_alone(void **state)
{
    (void)state;
    struct code *code = make(CODE_CYCLIC, 9, 3);
    const bool columns[9] = {[4] = true};
    for (uint32_t row = 0; row < 9; row++)
        assert_int_equal(decode_error(code, 9, UINT64_C(1) << row, columns) < 1e-12, row >= 2 && row <= 4);
    code_free(code);
}

static void decode__fewer_than_m_minus_r_plus_1__more(void **state)
{
    (void)state;
    struct code *code = make(CODE_CYCLIC, 9, 3);
    for (uint64_t mask = 0; mask < 512; mask++)
        if (bits_in(mask) == 6)
            assert_true(isinf(decode_error(code, 9, mask, NULL)));
    code_free(code);
}

static void decode__another_order__the_same_weights(void **state)
{
    (void)state;
    struct code *code = make(CODE_CYCLIC, 9, 3), *other = make(CODE_CYCLIC, 9, 3);
    const uint32_t forward[7] = {0, 1, 3, 4, 5, 7, 8}, backward[7] = {8, 7, 5, 4, 3, 1, 0};
    double a[7], b[7], c[7];
    assert_int_equal(code_decode(code, forward, 7, NULL, a, NULL), CODE_OK);
    assert_int_equal(code_decode(code, backward, 7, NULL, b, NULL), CODE_OK);  /* from memory */
    assert_int_equal(code_decode(other, backward, 7, NULL, c, NULL), CODE_OK); /* anew */
    for (int k = 0; k < 7; k++)
        assert_true(a[k] == b[6 - k] && a[k] == c[6 - k]);
    code_free(other);
    code_free(code);
}

static void decode__more_patterns_than_are_kept__still_right(void **state)
{
    (void)state;
    struct code *code = make(CODE_CYCLIC, 12, 4);
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t mask = 0; mask < 4096; mask++)
            if (bits_in(mask) >= 9)
                assert_true(decode_error(code, 12, mask, NULL) < 1e-8);
    for (uint64_t selection = 1; selection < 4096; selection++) {
        bool columns[12];
        for (uint32_t k = 0; k < 12; k++)
            columns[k] = selection >> k & 1;
        assert_true(decode_error(code, 12, 0xeff, columns) < 1e-8);
    }
    code_free(code);
}

static void decode__wrong_rows__bad(void **state)
{
    (void)state;
    struct error err = {""};
    struct code *code = make(CODE_CYCLIC, 5, 2);
    double weight[3] = {9, 9, 9};
    assert_int_equal(code_decode(code, (const uint32_t[]){1, 5, 2}, 3, NULL, weight, &err), CODE_BAD);
    assert_non_null(strstr(err.text, "row 5"));
    assert_int_equal(code_decode(code, (const uint32_t[]){1, 2, 1}, 3, NULL, weight, &err), CODE_BAD);
    assert_non_null(strstr(err.text, "twice"));
    assert_int_equal(code_decode(code, (const uint32_t[]){1, 2}, 2, NULL, weight, &err), CODE_MORE);
    assert_true(weight[0] == 9 && weight[1] == 9 && weight[2] == 9);
    code_free(code);
}

static void decode__fractional__one_of_each_group(void **state)
{
    (void)state;
    struct code *code = make(CODE_FRACTIONAL, 6, 2);
    const bool columns[6] = {[3] = true};
    double weight[4];
    assert_true(decode_error(code, 6, 0x2a, NULL) < 1e-15); /* workers 1, 3, 5 */
    assert_true(isinf(decode_error(code, 6, 0x0f, NULL)));
    assert_true(decode_error(code, 6, 0x04, columns) < 1e-15);
    assert_int_equal(code_decode(code, (const uint32_t[]){3, 0, 2, 4}, 4, NULL, weight, NULL), CODE_OK);
    assert_true(weight[0] == 0 && weight[1] == 1 && weight[2] == 1 && weight[3] == 1);
    code_free(code);
}

/* For random orders and selections: it never misses a set that decodes, and in this code it never cries wolf. */
static void span__random_orders__agrees_with_decode(void **state)
{
    (void)state;
    enum { M = 10, R = 3 };
    struct code *code = make(CODE_CYCLIC, M, R);
    struct code_span *span = code_span_new(code);
    for (uint64_t trial = 0; trial < 300; trial++) {
        bool columns[M];
        uint32_t order[M], any = 0;
        for (uint32_t k = 0; k < M; k++) {
            columns[k] = random_uniform((struct random_key){trial, RANDOM_TEST, 0, k}, 0) < (trial % 9 + 1) / 9.0;
            any += columns[k];
            uint32_t place = (uint32_t)(random_uniform((struct random_key){trial, RANDOM_TEST, 1, k}, 0) * (k + 1));
            order[k] = order[place];
            order[place] = k;
        }
        if (any == 0)
            continue;
        code_span_begin(span, columns);
        uint64_t mask = 0;
        bool done = false;
        for (uint32_t k = 0; k < M; k++) {
            mask |= UINT64_C(1) << order[k];
            bool now = code_span_add(span, order[k]);
            done = done || now;
            assert_int_equal(done, decode_error(code, M, mask, columns) < 1e-8);
        }
    }
    code_span_free(span);
    code_free(code);
}

/* Many workers: any 91 of 100. The worst weights stay small enough for doubles. */
static void code__100_workers_r_10__well_conditioned(void **state)
{
    (void)state;
    enum { M = 100, R = 10 };
    struct code *code = make(CODE_CYCLIC, M, R);
    assert_true(code_worst_residual(code) < 1e-9);
    assert_true(code_worst_norm(code) < 1e5);
    for (uint64_t trial = 0; trial < 50; trial++) {
        bool missing[M] = {false};
        uint32_t row[M], n = 0;
        double weight[M], sum[M];
        for (uint32_t gone = 0; gone < R - 1;) {
            uint32_t k = (uint32_t)(random_uniform((struct random_key){trial, RANDOM_TEST, 2, gone}, n++) * M);
            gone += !missing[k];
            missing[k] = true;
        }
        n = 0;
        for (uint32_t k = 0; k < M; k++)
            if (!missing[k])
                row[n++] = k;
        assert_int_equal(code_decode(code, row, n, NULL, weight, NULL), CODE_OK);
        for (uint32_t k = 0; k < M; k++) {
            sum[k] = -1;
            for (uint32_t j = 0; j < n; j++)
                sum[k] += weight[j] * code_entry(code, row[j], k);
            assert_true(fabs(sum[k]) < 1e-8);
        }
    }
    code_free(code);
}

static void code__the_same_seed__the_same_code(void **state)
{
    (void)state;
    struct code *a = make(CODE_CYCLIC, 9, 3), *b = make(CODE_CYCLIC, 9, 3), *c = code_new(CODE_CYCLIC, 9, 3, 2, NULL);
    assert_true(code_entry(a, 4, 5) == code_entry(b, 4, 5));
    assert_true(code_entry(a, 4, 5) != code_entry(c, 4, 5));
    code_free(c);
    code_free(b);
    code_free(a);
}

static void refuse(enum code_kind kind, uint32_t m, uint32_t r, const char *why)
{
    struct error err = {""};
    assert_null(code_new(kind, m, r, 1, &err));
    if (strstr(err.text, why) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.text, why);
}

static void code__impossible_sizes__refused_with_what_would_be_right(void **state)
{
    (void)state;
    refuse(CODE_CYCLIC, 0, 1, "1 to 4096 workers");
    refuse(CODE_CYCLIC, 5000, 2, "1 to 4096 workers");
    refuse(CODE_CYCLIC, 9, 0, "1 to 9");
    refuse(CODE_CYCLIC, 9, 10, "1 to 9");
    refuse(CODE_FRACTIONAL, 9, 2, "does not divide");
    refuse(CODE_CYCLIC, 4096, 100, "at most 78");
}

int main(void)
{
    model_init_blas();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code__cyclic__support_and_first_coefficient),
        cmocka_unit_test(code__r_1__identity),
        cmocka_unit_test(code__r_m__each_row_is_the_sum),
        cmocka_unit_test(decode__every_set_of_m_minus_r_plus_1__exact_sum),
        cmocka_unit_test(decode__every_selection__a_minus_r_plus_1_suffice),
        cmocka_unit_test(decode__one_column__its_fastest_worker_alone),
        cmocka_unit_test(decode__fewer_than_m_minus_r_plus_1__more),
        cmocka_unit_test(decode__another_order__the_same_weights),
        cmocka_unit_test(decode__more_patterns_than_are_kept__still_right),
        cmocka_unit_test(decode__wrong_rows__bad),
        cmocka_unit_test(decode__fractional__one_of_each_group),
        cmocka_unit_test(span__random_orders__agrees_with_decode),
        cmocka_unit_test(code__100_workers_r_10__well_conditioned),
        cmocka_unit_test(code__the_same_seed__the_same_code),
        cmocka_unit_test(code__impossible_sizes__refused_with_what_would_be_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
