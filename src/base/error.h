/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors that a person reads: what was wrong, where (file, section, key, peer), what would be right.
 *
 * A function that can fail for reasons outside the program returns 0 or -1 and writes its sentence here; three outcomes
 * or more make an enum. Our own bugs are assertions (which stay on), out of memory ends the process. */
#ifndef LAGGARD_BASE_ERROR_H
#define LAGGARD_BASE_ERROR_H

#include "base/compiler.h"

enum { ERROR_TEXT_MAX = 1024 };

/* Embedded, never allocated. text is one sentence without a final newline; empty when nothing went wrong. */
struct error {
    char text[ERROR_TEXT_MAX];
};

/* The exit status of every command of laggard, as its manual says. */
enum exit_status {
    EXIT_DONE = 0,       /* done */
    EXIT_RUN_FAILED = 1, /* the run failed */
    EXIT_WRONG = 2,      /* the scenario or the command line is wrong */
    EXIT_MACHINE = 3     /* this machine cannot do it; `laggard doctor` says why */
};

/* Set the sentence; always returns -1, so that `return error_set(err, …)` reads well. err may be NULL. */
int error_set(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);

/* Put "prefix: " before the sentence there is (the place that the lower layer could not know). Returns -1. */
int error_prefix(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);

/* The same with strerror(errno) at the end: "format…: No such file or directory". Returns -1. */
int error_set_errno(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
