/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures with units. One reader of decimals (mantissa and how many digits are behind the point) serves all three
 * quantities; the unit is a power of ten (or a minute), so the value is exact integer arithmetic or an error. */
#include "config.h"

#include "scenario/units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A decimal as written: mantissa × 10^−digits; rest is what follows it. */
struct decimal {
    uint64_t mantissa;
    unsigned digits;
    const char *rest;
};

struct unit {
    const char *name;
    uint64_t factor;
};

/* What a quantity's sentences say. */
struct quantity {
    const char *what;    /* "duration" */
    const char *units;   /* "us, ms, s or min" */
    const char *example; /* "5ms" */
    const char *finest;  /* "a microsecond" */
    const char *largest; /* "a year" */
    const struct unit *unit;
    uint64_t step, max; /* the value is a multiple of step */
};

static const struct unit duration_units[] = {
    {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"min", UINT64_C(60000000000)}, {NULL, 0}};
static const struct quantity duration = {"duration",           "us, ms, s or min", "5ms", "a microsecond",
                                         "a year (525600min)", duration_units,     1000,  UINT64_C(31536000000000000)};

static const struct unit rate_units[] = {
    {"bit", 1}, {"kbit", 1000}, {"mbit", 1000000}, {"gbit", 1000000000}, {NULL, 0}};
static const struct quantity rate = {"rate",     "kbit, mbit or gbit", "10mbit", "8 bits per second",
                                     "1000gbit", rate_units,           8,        UINT64_C(1000000000000)};

static const struct unit percent_units[] = {{"%", 10000}, {NULL, 0}};
static const struct quantity percent = {"share", "%", "0.1%", "0.0001%", "100%", percent_units, 1, 1000000};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Add a digit; false when it does not fit. */
static bool push_digit(uint64_t *value, char c)
{
    return !__builtin_mul_overflow(*value, UINT64_C(10), value) &&
           !__builtin_add_overflow(*value, (uint64_t)(c - '0'), value);
}

/* Zeros at the end of a fraction are left out, so that 0.500000000000000000000ms is as good as 0.5ms. */
static int read_fraction(const char **at, struct decimal *out)
{
    const char *p = *at, *last = *at;
    while (is_digit(*p)) {
        if (*p != '0')
            last = p + 1;
        p++;
    }
    for (const char *q = *at; q < last; q++, out->digits++)
        if (!push_digit(&out->mantissa, *q))
            return -1;
    *at = p;
    return 0;
}

static int read_decimal(const char *text, const struct quantity *q, struct decimal *out, struct error *err)
{
    const char *p = text;
    if (*p == '-')
        return error_set(err, "a %s cannot be negative", q->what);
    if (!is_digit(*p))
        return error_set(err, "not a %s: that is a plain decimal number with %s, for example %s", q->what, q->units,
                         q->example);
    *out = (struct decimal){0};
    for (; is_digit(*p); p++)
        if (!push_digit(&out->mantissa, *p))
            return error_set(err, "too large: a %s is at most %s", q->what, q->largest);
    if (*p == '.') {
        p++;
        if (!is_digit(*p))
            return error_set(err, "a digit must follow the point");
        if (read_fraction(&p, out) != 0)
            return error_set(err, "too many digits: nothing finer than %s", q->finest);
    }
    out->rest = p;
    return 0;
}

/* The unit after the decimal, or an error that knows the usual mistakes. */
static const struct unit *read_unit(const struct decimal *decimal, const struct quantity *q, struct error *err)
{
    const char *name = decimal->rest;
    for (const struct unit *unit = q->unit; unit->name; unit++)
        if (strcmp(unit->name, name) == 0)
            return unit;
    size_t len = strlen(name);
    if (len == 0)
        error_set(err, "the unit is missing: %s, for example %s", q->units, q->example);
    else if (name[0] == ' ' || name[0] == '\t')
        error_set(err, "the unit follows the number without a space (%s), for example %s", q->units, q->example);
    else if (q == &rate && len >= 3 && strcmp(name + len - 3, "bps") == 0)
        error_set(err, "\"%s\" means bytes per second to tc and bits to others: write %s, for example %s", name,
                  q->units, q->example);
    else if (name[0] == 'e' || name[0] == 'E' || name[0] == 'x' || name[0] == 'X')
        error_set(err, "a %s is written in plain decimal digits with %s, for example %s", q->what, q->units,
                  q->example);
    else
        error_set(err, "\"%.20s\" is no unit of a %s: write %s, for example %s", name, q->what, q->units, q->example);
    return NULL;
}

static int read_quantity(const char *text, const struct quantity *q, uint64_t *out, struct error *err)
{
    struct decimal decimal = {0};
    if (read_decimal(text, q, &decimal, err) != 0)
        return -1;
    const struct unit *unit = read_unit(&decimal, q, err);
    if (unit == NULL)
        return -1;
    uint64_t factor = unit->factor, divisor = 1, value;
    for (unsigned i = 0; i < decimal.digits; i++) {
        if (factor % 10 == 0)
            factor /= 10;
        else if (__builtin_mul_overflow(divisor, UINT64_C(10), &divisor))
            return error_set(err, "too many digits: nothing finer than %s", q->finest);
    }
    if (__builtin_mul_overflow(decimal.mantissa, factor, &value) || value / divisor > q->max)
        return error_set(err, "too large: a %s is at most %s", q->what, q->largest);
    if (value % divisor != 0 || value / divisor % q->step != 0)
        return error_set(err, "too fine: a %s is a whole multiple of %s", q->what, q->finest);
    *out = value / divisor;
    return 0;
}

int units_duration(const char *text, int64_t *out_ns, struct error *err)
{
    uint64_t value;
    if (read_quantity(text, &duration, &value, err) != 0)
        return -1;
    *out_ns = (int64_t)value;
    return 0;
}

int units_rate(const char *text, uint64_t *out_bps, struct error *err)
{
    return read_quantity(text, &rate, out_bps, err);
}

int units_percent(const char *text, uint32_t *out_ppm, struct error *err)
{
    uint64_t value;
    if (read_quantity(text, &percent, &value, err) != 0)
        return -1;
    *out_ppm = (uint32_t)value;
    return 0;
}

int units_count(const char *text, uint64_t *out, struct error *err)
{
    uint64_t value = 0;
    if (text[0] == '-')
        return error_set(err, "a number of things cannot be negative");
    for (const char *p = text; *p; p++) {
        if (!is_digit(*p))
            return error_set(err, "not a whole number: digits only, no sign, point, exponent or unit");
        if (!push_digit(&value, *p))
            return error_set(err, "too large: a whole number is below 2^64");
    }
    if (text[0] == '\0')
        return error_set(err, "a whole number is missing");
    *out = value;
    return 0;
}

/* [+-] digits [. digits] [e [+-] digits]: what strtod takes, without its hexadecimal digits, infinities and spaces. */
static bool is_number(const char *p)
{
    p += *p == '-' || *p == '+';
    if (!is_digit(*p))
        return false;
    while (is_digit(*p))
        p++;
    if (*p == '.') {
        if (!is_digit(*++p))
            return false;
        while (is_digit(*p))
            p++;
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        p += *p == '-' || *p == '+';
        if (!is_digit(*p))
            return false;
        while (is_digit(*p))
            p++;
    }
    return *p == '\0';
}

int units_number(const char *text, double *out, struct error *err)
{
    if (!is_number(text))
        return error_set(err, "not a number: decimal digits, for example 0.5 or 1e-8, without a unit");
    double value = strtod(text, NULL);
    if (!isfinite(value))
        return error_set(err, "too large for a number: the largest is about 1.8e308");
    *out = value;
    return 0;
}

char *units_write_duration(char out[UNITS_TEXT_MAX], int64_t ns)
{
    snprintf(out, UNITS_TEXT_MAX, "%" PRId64 "us", ns / 1000);
    return out;
}

char *units_write_rate(char out[UNITS_TEXT_MAX], uint64_t bps)
{
    if (bps % 1000 == 0)
        snprintf(out, UNITS_TEXT_MAX, "%" PRIu64 "kbit", bps / 1000);
    else
        snprintf(out, UNITS_TEXT_MAX, "%" PRIu64 "bit", bps);
    return out;
}

char *units_write_percent(char out[UNITS_TEXT_MAX], uint32_t ppm)
{
    int digits = 4;
    for (uint32_t rest = ppm % 10000; digits > 0 && rest % 10 == 0; rest /= 10)
        digits--;
    static const uint32_t power[] = {10000, 1000, 100, 10, 1};
    if (digits == 0)
        snprintf(out, UNITS_TEXT_MAX, "%" PRIu32 "%%", ppm / 10000);
    else
        snprintf(out, UNITS_TEXT_MAX, "%" PRIu32 ".%0*" PRIu32 "%%", ppm / 10000, digits, ppm % 10000 / power[digits]);
    return out;
}

char *units_write_number(char out[UNITS_TEXT_MAX], double number)
{
    /* The shortest of these that reads back to the same double. */
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(out, UNITS_TEXT_MAX, "%.*g", digits, number);
        if (strtod(out, NULL) == number)
            break;
    }
    return out;
}
