/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of strategies. A new one: its file, its name in strategy_private.h, a row here. */
#include "config.h"

#include "core/strategy.h"

#include <string.h>

#include "core/strategy_private.h"

const struct strategy_ops *const strategies[] = {
    &strategy_gd,     &strategy_gc,   &strategy_grouping, &strategy_lag_wk,
    &strategy_lag_ps, &strategy_lagc, &strategy_g_lag,    NULL,
};

const struct strategy_ops *strategy_find(const char *name)
{
    for (const struct strategy_ops *const *ops = strategies; *ops != NULL; ops++)
        if (strcmp((*ops)->name, name) == 0)
            return *ops;
    return NULL;
}
