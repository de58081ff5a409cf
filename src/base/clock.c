/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "base/clock.h"

#include <time.h>

int64_t clock_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}
