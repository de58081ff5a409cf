/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a kernel can do for a bed, tried in the network namespace of the caller, which should be one that nobody else is
 * in. */
#ifndef LAGGARD_BED_FEATURES_H
#define LAGGARD_BED_FEATURES_H

#include <stdbool.h>

enum feature { FEATURE_VETH, FEATURE_NETEM, FEATURE_IFB, FEATURE_REDIRECT, FEATURE_OFFLOADS, FEATURES };

extern const char *const feature_names[FEATURES]; /* "veth", … */

/* Try each by making one, with ip, tc and ethtool. Returns bit 1 << feature for each that works. Leaves two devices
 * behind, so the namespace must go afterwards. */
unsigned features_try(void);

/* Run a program found in PATH, silently; argv NULL-terminated. true: exit status 0. */
bool features_run(char *const argv[]);

/* The directories where Debian keeps ip, tc and ethtool, whoever asks. */
void features_set_path(void);

#endif
