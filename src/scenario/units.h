/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures as people write them: text with its unit to an integer in one fixed unit, exactly or not at all.
 *
 * With a unit (duration, rate, percent): plain decimals only. No sign, exponent, hexadecimal digits, "inf" or space
 * before the unit; digits stand on both sides of a point. A bare number is an error: tc would read `delay 5` as 5 µs
 * and `rate 1000` as 1 kbit/s. What cannot be held exactly (0.5us, 0.00001%) or overflows is an error too. Without a
 * unit: a count is digits only, a number may have a sign, a point and an exponent (1e-8).
 *
 * All return 0, or -1 and a sentence that says what would be right; *out is untouched on error. */
#ifndef LAGGARD_SCENARIO_UNITS_H
#define LAGGARD_SCENARIO_UNITS_H

#include <stdint.h>

#include "base/error.h"

/* us, ms, s, min: to nanoseconds, a whole number of microseconds, at most a year. */
MUST_CHECK int units_duration(const char *text, int64_t *out_ns, struct error *err);
/* bit, kbit, mbit, gbit (per second, decimal, as tc means them): to bit/s, a multiple of 8, at most 1000gbit. */
MUST_CHECK int units_rate(const char *text, uint64_t *out_bps, struct error *err);
/* %: to parts per million, at most 100 %. */
MUST_CHECK int units_percent(const char *text, uint32_t *out_ppm, struct error *err);
/* Digits only: a whole number below 2^64. */
MUST_CHECK int units_count(const char *text, uint64_t *out, struct error *err);
/* A finite number. */
MUST_CHECK int units_number(const char *text, double *out, struct error *err);

/* The same figures as text, which reads back to the same figure: "2000us", "50000kbit" ("8bit" below a kbit), "0.1%",
 * "1e-08". out holds UNITS_TEXT_MAX bytes; returns out. */
enum { UNITS_TEXT_MAX = 40 };
char *units_write_duration(char out[UNITS_TEXT_MAX], int64_t ns);
char *units_write_rate(char out[UNITS_TEXT_MAX], uint64_t bps);
char *units_write_percent(char out[UNITS_TEXT_MAX], uint32_t ppm);
char *units_write_number(char out[UNITS_TEXT_MAX], double number);

#endif
