/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the compiler checks for us. */
#ifndef LAGGARD_BASE_COMPILER_H
#define LAGGARD_BASE_COMPILER_H

#define MUST_CHECK               __attribute__((warn_unused_result))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#define NO_RETURN                __attribute__((noreturn))

#endif
