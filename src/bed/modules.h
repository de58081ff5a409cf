/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernel modules by name, from a folder with modules.dep, without any program: the guest has none. */
#ifndef LAGGARD_BED_MODULES_H
#define LAGGARD_BED_MODULES_H

#include <stddef.h>

#include "base/error.h"

enum { MODULES_MAX = 16, MODULE_PATH_MAX = 256 };

/* What must be loaded, in order, for a module: paths relative to the folder, dependencies first, the module last. dep:
 * the text of modules.dep. Returns how many; 0: not a module there (built in, or missing). */
size_t modules_order(const char *dep, const char *name, char paths[MODULES_MAX][MODULE_PATH_MAX]);

/* Load each of names (NULL-terminated) with what it needs; what is built in or loaded already is fine. */
MUST_CHECK int modules_load(const char *folder, const char *const *names, struct error *err);

#endif
