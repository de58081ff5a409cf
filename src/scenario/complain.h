/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of a file's errors while it grows: all are collected, then sorted by line. */
#ifndef LAGGARD_SCENARIO_COMPLAIN_H
#define LAGGARD_SCENARIO_COMPLAIN_H

#include "base/compiler.h"
#include "scenario/scenario.h"

/* A file that is wrong in every line does not need more sentences than this; further ones are dropped. */
enum { COMPLAIN_MAX = 200 };

/* Add a sentence, unless this line has the very same already; line 0: about the file as a whole or a --set. */
void complain(struct scenario_errors *errors, int line, const char *format, ...) PRINTF_LIKE(3, 4);
/* By line, in the order of complaint within one; those without a line last. */
void complain_sort(struct scenario_errors *errors);

#endif
