/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures with units: each unit, each wrong one, each overflow; and names that are nearly right. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scenario/nearest.h"
#include "scenario/units.h"

/* A figure that is read, or (why) what the sentence must hold when it is not. */
struct row {
    const char *text;
    uint64_t value;
    const char *why;
};

#define CHECK_ROWS(rows, reader, type)                                                                                 \
    for (size_t i = 0; i < sizeof(rows) / sizeof *(rows); i++) {                                                       \
        struct error err = {""};                                                                                       \
        type value = 77;                                                                                               \
        int result = reader((rows)[i].text, &value, &err);                                                             \
        check_row(&(rows)[i], result, (uint64_t)value, &err);                                                          \
    }

static void check_row(const struct row *row, int result, uint64_t value, const struct error *err)
{
    if (row->why == NULL && (result != 0 || value != row->value))
        fail_msg("\"%s\": got %d, %llu: %s", row->text, result, (unsigned long long)value, err->text);
    if (row->why && (result != -1 || value != 77 || strstr(err->text, row->why) == NULL))
        fail_msg("\"%s\": got %d, %llu: \"%s\" has no \"%s\"", row->text, result, (unsigned long long)value, err->text,
                 row->why);
}

static void duration__table__exact_or_refused(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"1us", 1000, NULL},
        {"5ms", 5000000, NULL},
        {"0.3ms", 300000, NULL},
        {"2s", 2000000000, NULL},
        {"1.5min", 90000000000, NULL},
        {"0.000001s", 1000, NULL},
        {"0.0001min", 6000000, NULL},
        {"0s", 0, NULL},
        {"007ms", 7000000, NULL},
        {"0.50000000000000000000000000000ms", 500000, NULL},
        {"525600min", 31536000000000000, NULL},
        {"31536000s", 31536000000000000, NULL},
        {"5", 0, "unit is missing: us, ms, s or min"},
        {"0", 0, "unit is missing"},
        {"0.5", 0, "unit is missing"},
        {"5 ms", 0, "without a space"},
        {"5Ms", 0, "\"Ms\" is no unit of a duration"},
        {"5MS", 0, "no unit"},
        {"5m", 0, "no unit"},
        {"5ns", 0, "no unit"},
        {"5sec", 0, "no unit"},
        {"5h", 0, "no unit"},
        {"5mbit", 0, "no unit of a duration"},
        {"5ms ", 0, "no unit"},
        {"5ms1", 0, "no unit"},
        {"5,5ms", 0, "no unit"},
        {"1e3ms", 0, "plain decimal"},
        {"0x5ms", 0, "plain decimal"},
        {"-5ms", 0, "a duration cannot be negative"},
        {"+5ms", 0, "not a duration"},
        {".5ms", 0, "not a duration"},
        {"5.ms", 0, "digit must follow the point"},
        {"ms", 0, "not a duration"},
        {"", 0, "not a duration"},
        {"inf", 0, "not a duration"},
        {"nanms", 0, "not a duration"},
        {" 5ms", 0, "not a duration"},
        {"0.5us", 0, "too fine"},
        {"0.0001ms", 0, "too fine"},
        {"0.0000001s", 0, "too fine"},
        {"0.00000000000000000000000000001s", 0, "nothing finer"},
        {"0.123456789012345678901234s", 0, "too many digits"},
        {"525600.1min", 0, "too large"},
        {"31536001s", 0, "too large"},
        {"18446744073709551615us", 0, "too large"},
        {"18446744073709551616us", 0, "too large"},
        {"18446744073709551615min", 0, "too large"},
        {"99999999999999999999999999s", 0, "too large"},
    };
    CHECK_ROWS(rows, units_duration, int64_t);
}

static void rate__table__exact_or_refused(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"8bit", 8, NULL},
        {"10kbit", 10000, NULL},
        {"1.5mbit", 1500000, NULL},
        {"100mbit", 100000000, NULL},
        {"0.001mbit", 1000, NULL},
        {"1gbit", 1000000000, NULL},
        {"1000gbit", 1000000000000, NULL},
        {"10mbps", 0, "\"mbps\" means bytes per second to tc"},
        {"10bps", 0, "means bytes per second"},
        {"10kbps", 0, "means bytes per second"},
        {"1000", 0, "unit is missing: kbit, mbit or gbit"},
        {"10Mbit", 0, "\"Mbit\" is no unit of a rate"},
        {"10mibit", 0, "no unit"},
        {"10MB", 0, "no unit"},
        {"10mbit/s", 0, "no unit"},
        {"10 mbit", 0, "without a space"},
        {"10ms", 0, "no unit of a rate"},
        {"-5mbit", 0, "a rate cannot be negative"},
        {"1e3kbit", 0, "plain decimal"},
        {"0x10mbit", 0, "plain decimal"},
        {"unlimited", 0, "not a rate"},
        {"1bit", 0, "too fine"},
        {"0.001kbit", 0, "too fine"},
        {"0.0001kbit", 0, "too fine"},
        {"1001gbit", 0, "too large"},
        {"1000.000001gbit", 0, "too large"},
        {"18446744073709551615gbit", 0, "too large"},
        {"18446744073709551624bit", 0, "too large"},
    };
    CHECK_ROWS(rows, units_rate, uint64_t);
}

static void percent__table__exact_or_refused(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"0%", 0, NULL},
        {"0.1%", 1000, NULL},
        {"0.0001%", 1, NULL},
        {"33.3333%", 333333, NULL},
        {"100%", 1000000, NULL},
        {"100.0%", 1000000, NULL},
        {"0.1", 0, "unit is missing: %"},
        {"1", 0, "unit is missing: %"},
        {"0.1 %", 0, "without a space"},
        {"0.1percent", 0, "no unit"},
        {"1%%", 0, "no unit"},
        {"-1%", 0, "cannot be negative"},
        {"1e-3%", 0, "plain decimal"},
        {"0.00001%", 0, "too fine"},
        {"100.0001%", 0, "too large"},
        {"101%", 0, "too large"},
        {"18446744073709551616%", 0, "too large"},
    };
    CHECK_ROWS(rows, units_percent, uint32_t);
}

static void count__table__exact_or_refused(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"0", 0, NULL},
        {"12", 12, NULL},
        {"18446744073709551615", UINT64_MAX, NULL},
        {"18446744073709551616", 0, "too large"},
        {"99999999999999999999999", 0, "too large"},
        {"-1", 0, "cannot be negative"},
        {"+1", 0, "not a whole number"},
        {"1.0", 0, "not a whole number"},
        {"1e3", 0, "not a whole number"},
        {"0x10", 0, "not a whole number"},
        {"10ms", 0, "not a whole number"},
        {" 1", 0, "not a whole number"},
        {"1,000", 0, "not a whole number"},
        {"", 0, "missing"},
    };
    CHECK_ROWS(rows, units_count, uint64_t);
}

static void number__sound_text__exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } rows[] = {{"0", 0},     {"1e-8", 1e-8},   {"-2.5", -2.5}, {"+1.5E+3", 1500},
                {"0.1", 0.1}, {"1e308", 1e308}, {"1e-400", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value = 77;
        assert_int_equal(units_number(rows[i].text, &value, NULL), 0);
        assert_true(value == rows[i].value);
    }
}

static void number__unsound_text__refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",    "inf", "nan", "-inf",  "0x1p3", "1e",    "1e+", ".5", "5.", "1.e3",
                                        "5ms", "1 ",  " 1",  "1_000", "1,5",   "1e400", "-",   "+",  "e5", "infinity"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct error err = {""};
        double value = 77;
        if (units_number(texts[i], &value, &err) != -1 || value != 77 || err.text[0] == '\0')
            fail_msg("\"%s\" was taken for %g", texts[i], value);
    }
}

static void write__any_figure__reads_back_the_same(void **state)
{
    (void)state;
    char text[UNITS_TEXT_MAX];
    for (uint32_t ppm = 0; ppm <= 1000000; ppm += ppm < 20000 ? 1 : 997) {
        uint32_t back;
        assert_int_equal(units_percent(units_write_percent(text, ppm), &back, NULL), 0);
        assert_int_equal(back, ppm);
    }
    for (uint64_t bps = 8; bps < 1000000000000; bps = bps * 3 + 8) {
        uint64_t back;
        assert_int_equal(units_rate(units_write_rate(text, bps), &back, NULL), 0);
        assert_true(back == bps);
    }
    for (int64_t us = 0; us < 31536000000000; us = us * 3 + 1) {
        int64_t back;
        assert_int_equal(units_duration(units_write_duration(text, us * 1000), &back, NULL), 0);
        assert_true(back == us * 1000);
    }
    for (double number = 1e-300; number < 1e300; number *= -7.3) {
        double back;
        assert_int_equal(units_number(units_write_number(text, number), &back, NULL), 0);
        assert_true(back == number);
        if (number > 1e299)
            break;
    }
}

static void write__round_figures__short(void **state)
{
    (void)state;
    char text[UNITS_TEXT_MAX];
    assert_string_equal(units_write_percent(text, 1000), "0.1%");
    assert_string_equal(units_write_percent(text, 1), "0.0001%");
    assert_string_equal(units_write_percent(text, 1000000), "100%");
    assert_string_equal(units_write_rate(text, 50000000), "50000kbit");
    assert_string_equal(units_write_rate(text, 8), "8bit");
    assert_string_equal(units_write_duration(text, 2000000), "2000us");
    assert_string_equal(units_write_number(text, 0.1), "0.1");
    assert_string_equal(units_write_number(text, 1e-8), "1e-08");
}

static void nearest__edits__counted(void **state)
{
    (void)state;
    assert_int_equal(nearest_distance("delay", "delay"), 0);
    assert_int_equal(nearest_distance("Delay", "dELAY"), 0);
    assert_int_equal(nearest_distance("dealy", "delay"), 1); /* a swap */
    assert_int_equal(nearest_distance("delya", "delay"), 1);
    assert_int_equal(nearest_distance("dely", "delay"), 1);
    assert_int_equal(nearest_distance("delayy", "delay"), 1);
    assert_int_equal(nearest_distance("dexay", "delay"), 1);
    assert_int_equal(nearest_distance("", "delay"), 5);
    assert_int_equal(nearest_distance("delay", ""), 5);
    assert_int_equal(nearest_distance("kitten", "sitting"), 3);
}

static const char *best_of(const char *written, const char *const *known)
{
    struct nearest nearest = {0};
    for (; *known; known++)
        nearest_offer(&nearest, written, *known);
    return nearest.name;
}

static void nearest__close_name__offered(void **state)
{
    (void)state;
    static const char *const names[] = {"gd", "gc", "grouping", "lag-wk", "lag-ps", "lagc", "g-lag", NULL};
    assert_string_equal(best_of("grupping", names), "grouping");
    assert_string_equal(best_of("lagwk", names), "lag-wk");
    assert_string_equal(best_of("GLAG", names), "g-lag");
    assert_string_equal(best_of("lag-pc", names), "lag-ps");
}

static void nearest__strange_name__nothing_offered(void **state)
{
    (void)state;
    static const char *const names[] = {"gd", "gc", "grouping", "lag-wk", "lag-ps", "lagc", "g-lag", NULL};
    assert_null(best_of("sgd-momentum", names));
    assert_null(best_of("xy", names));
    assert_null(best_of("", names));
}

static void nearest__longest_names__within_bounds(void **state)
{
    (void)state;
    char a[3 * NEAREST_MAX], b[3 * NEAREST_MAX];
    memset(a, 'a', sizeof a - 1);
    memset(b, 'b', sizeof b - 1);
    a[sizeof a - 1] = b[sizeof b - 1] = '\0';
    assert_int_equal(nearest_distance(a, b), NEAREST_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(duration__table__exact_or_refused),
        cmocka_unit_test(rate__table__exact_or_refused),
        cmocka_unit_test(percent__table__exact_or_refused),
        cmocka_unit_test(count__table__exact_or_refused),
        cmocka_unit_test(number__sound_text__exact),
        cmocka_unit_test(number__unsound_text__refused),
        cmocka_unit_test(write__any_figure__reads_back_the_same),
        cmocka_unit_test(write__round_figures__short),
        cmocka_unit_test(nearest__edits__counted),
        cmocka_unit_test(nearest__close_name__offered),
        cmocka_unit_test(nearest__strange_name__nothing_offered),
        cmocka_unit_test(nearest__longest_names__within_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
