/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CLOCK_MONOTONIC in nanoseconds: the one clock of an experiment. core and wire never include this: they are told `now`. */
#ifndef LAGGARD_BASE_CLOCK_H
#define LAGGARD_BASE_CLOCK_H

#include <stdint.h>

enum { NS_PER_US = 1000, NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

int64_t clock_now_ns(void);

#endif
