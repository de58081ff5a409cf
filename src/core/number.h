/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decimal numbers in text that somebody else wrote. */
#ifndef LAGGARD_CORE_NUMBER_H
#define LAGGARD_CORE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

enum { NUMBER_LEN_MAX = 400 };

/* Is text[0 … len) as a whole one finite decimal number (sign, digits, point, exponent; no blanks, hex, "inf" or
 * "nan")? Then *value (out) is the double nearest to it, whatever the locale. Text longer than NUMBER_LEN_MAX is not.
 */
MUST_CHECK bool number_parse(const char *text, size_t len, double *value);

#endif
