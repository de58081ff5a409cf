/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmocka and what it wants included before it. */
#ifndef LAGGARD_TESTS_CMOCKA_ALL_H
#define LAGGARD_TESTS_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
