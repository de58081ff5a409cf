/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Run `PROGRAM -batch -` (ip or tc) in the caller's namespaces on these lines. */
#ifndef LAGGARD_BED_BATCH_H
#define LAGGARD_BED_BATCH_H

#include "base/error.h"

/* Fails with the line that failed and what the program said of it. */
MUST_CHECK int batch_run(const char *program, const char *lines, struct error *err);

#endif
