/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counted references to one iterate. Doors: theta_new, theta_ref, theta_unref. */
#include "config.h"

#include "core/theta.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

struct theta *theta_new(uint32_t round, size_t d)
{
    struct theta *theta = mem_zalloc(sizeof *theta + d * sizeof theta->value[0]);
    theta->references = 1;
    theta->round = round;
    theta->d = d;
    return theta;
}

struct theta *theta_ref(struct theta *theta)
{
    if (theta != NULL)
        theta->references++;
    return theta;
}

void theta_unref(struct theta *theta)
{
    if (theta == NULL)
        return;
    assert(theta->references > 0);
    if (--theta->references == 0)
        free(theta);
}
