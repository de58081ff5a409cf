/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result directory of a run: made, never somebody else's. */
#ifndef LAGGARD_TOOLS_OUTPUT_H
#define LAGGARD_TOOLS_OUTPUT_H

#include <stdbool.h>

#include "base/error.h"

/* Make it, with the folders above it. wanted NULL: results/NAME-DATE-TIME. One that holds anything is refused: it may be
 * another run's. Returns its absolute path, a new string; NULL: err. */
MUST_CHECK char *output_make(const char *wanted, const char *name, struct error *err);
MUST_CHECK int output_write(const char *path, const char *text, struct error *err);
bool output_has(const char *directory, const char *file);

#endif
