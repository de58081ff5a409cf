/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/number.h"
#include "core/random.h"

static void number__well_formed__nearest_double(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"0", 0},
                 {"-0.5", -0.5},
                 {"+3.", 3},
                 {".25", 0.25},
                 {"1e3", 1e3},
                 {"12.5E-1", 1.25},
                 {"0.1", 0.1},
                 {"-0.256757", -0.256757},
                 {"9007199254740993", 9007199254740992.0},
                 {"0.64695427109812345678", 0.64695427109812345678},
                 {"179769313486231570000e288", 1.7976931348623157e308},
                 {"2.2250738585072014e-308", 2.2250738585072014e-308},
                 {"1e-400", 0},
                 {"0e999999999999", 0},
                 {"123456789012345678901234567890", 123456789012345678901234567890.0},
                 {"0.000000000000000000000000000000000000001", 1e-39}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = NAN;
        if (!number_parse(cases[i].text, strlen(cases[i].text), &value))
            fail_msg("'%s' is refused", cases[i].text);
        if (value != cases[i].value)
            fail_msg("'%s' gives %.17g", cases[i].text, value);
    }
}

static void number__anything_else__refused(void **state)
{
    (void)state;
    static const char *const cases[] = {"",  " 1", "1 ",  "nan",   "inf", "-Infinity", "0x10",   "1e", "1e+",   "e5",
                                        ".", "-",  "--1", "1.2.3", "1,5", "1e400",     "-1e309", "1f", "1e5.0", "１"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = 7;
        if (number_parse(cases[i], strlen(cases[i]), &value))
            fail_msg("'%s' is taken for %g", cases[i], value);
    }
    char digits[NUMBER_LEN_MAX + 1];
    double value;
    memset(digits, '1', sizeof digits);
    assert_false(number_parse(digits, NUMBER_LEN_MAX + 1, &value));
    assert_false(number_parse(digits, NUMBER_LEN_MAX, &value)); /* above the largest double */
    digits[1] = '.';
    assert_true(number_parse(digits, NUMBER_LEN_MAX, &value));
    assert_true(number_parse("12junk", 2, &value) && value == 12); /* len counts, not a NUL */
}

/* What strtod says of the same text, for numbers of every size and length. */
static void number__random_text__as_the_library(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        const struct random_key key = {.seed = 2, .purpose = RANDOM_TEST, .b = i};
        char text[64];
        int digits = 1 + (int)(random_bits(key, 0) % 18), exponent = (int)(random_bits(key, 1) % 50) - 25;
        snprintf(text, sizeof text, "%.*e", digits, random_normal(key, 2) * pow(10, exponent));
        double value = NAN;
        assert_true(number_parse(text, strlen(text), &value));
        if (value != strtod(text, NULL))
            fail_msg("'%s' gives %.17g", text, value);
    }
}

/* A program that sets its locale must read the same numbers. */
static void number__locale_with_decimal_comma__point_counts(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    const char *set = NULL;
    for (size_t i = 0; i < 4 && set == NULL; i++)
        set = setlocale(LC_NUMERIC, names[i]);
    if (set == NULL) {
        printf("no locale with a decimal comma is installed\n");
        skip();
    }
    double value = NAN;
    bool taken = number_parse("0.64695427109812345678", 22, &value), comma = number_parse("1,5", 3, &value);
    setlocale(LC_NUMERIC, "C");
    assert_true(taken && !comma && value == 0.64695427109812345678);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(number__well_formed__nearest_double),
        cmocka_unit_test(number__anything_else__refused),
        cmocka_unit_test(number__random_text__as_the_library),
        cmocka_unit_test(number__locale_with_decimal_comma__point_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
