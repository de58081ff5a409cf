/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Most numbers in data sets are short: an integer below 2⁵³ times or over a power of ten that a double holds exactly,
 * which one IEEE operation rounds correctly. The rest goes to the C library, in the C locale. */
#include "config.h"

#include "core/number.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A number taken apart: ± mantissa × 10^exponent. exact: no digit was lost. */
struct parts {
    uint64_t mantissa;
    long exponent;
    bool negative, exact;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits from at on, as far as they go; each after the point lowers the exponent. */
static const char *take_digits(const char *at, const char *end, bool after_point, struct parts *parts)
{
    for (; at < end && is_digit(*at); at++) {
        if (parts->mantissa > (UINT64_MAX - 9) / 10) {
            parts->exact = false;
            continue;
        }
        parts->mantissa = parts->mantissa * 10 + (uint64_t)(*at - '0');
        parts->exponent -= after_point;
    }
    return at;
}

/* "e-12": NULL if there are no digits. */
static const char *take_exponent(const char *at, const char *end, struct parts *parts)
{
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end || !is_digit(*at))
        return NULL;
    long value = 0;
    for (; at < end && is_digit(*at); at++)
        value = value < 100000 ? value * 10 + (*at - '0') : value;
    parts->exponent += negative ? -value : value;
    return at;
}

/* Does the grammar hold from the first to the last character? */
static bool take_apart(const char *text, size_t len, struct parts *parts)
{
    const char *at = text, *end = text + len;
    *parts = (struct parts){.exact = true};
    if (at < end && (*at == '-' || *at == '+'))
        parts->negative = *at++ == '-';
    const char *digits = at;
    at = take_digits(at, end, false, parts);
    size_t count = (size_t)(at - digits);
    if (at < end && *at == '.') {
        const char *fraction = ++at;
        at = take_digits(at, end, true, parts);
        count += (size_t)(at - fraction);
    }
    if (count == 0)
        return false;
    if (at < end && (*at == 'e' || *at == 'E'))
        at = take_exponent(at + 1, end, parts);
    return at == end;
}

static bool parse_slowly(const char *text, size_t len, double *value)
{
    char copy[NUMBER_LEN_MAX + 1];
    memcpy(copy, text, len);
    copy[len] = '\0';
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return false;
    *value = strtod_l(copy, NULL, plain);
    freelocale(plain);
    return isfinite(*value);
}

bool number_parse(const char *text, size_t len, double *value)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const long largest = sizeof power / sizeof power[0] - 1;
    struct parts parts;
    if (len > NUMBER_LEN_MAX || !take_apart(text, len, &parts))
        return false;
    if (!parts.exact || parts.mantissa > (UINT64_C(1) << 53) || labs(parts.exponent) > largest)
        return parse_slowly(text, len, value);
    double magnitude = (double)parts.mantissa;
    magnitude = parts.exponent < 0 ? magnitude / power[-parts.exponent] : magnitude * power[parts.exponent];
    *value = parts.negative ? -magnitude : magnitude;
    return true;
}
