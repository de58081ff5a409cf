/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which libraries this program runs with, for the manifest. */
#ifndef LAGGARD_TOOLS_VERSIONS_H
#define LAGGARD_TOOLS_VERSIONS_H

#include "results/manifest.h"

/* The last one's name is NULL. Static. */
const struct manifest_library *versions_libraries(void);

#endif
