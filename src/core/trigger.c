/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ring of squared step lengths, and the right-hand side of the lazy triggers. */
#include "config.h"

#include "core/trigger.h"

#include <stdlib.h>

#include "base/mem.h"

void history_init(struct history *history, uint32_t depth)
{
    *history = (struct history){.depth = depth, .squares = mem_array(depth, sizeof(double))};
}

void history_clear(struct history *history)
{
    free(history->squares);
    *history = (struct history){0};
}

void history_add(struct history *history, double step_square)
{
    if (history->depth == 0)
        return;
    history->squares[history->next] = step_square;
    history->next = (history->next + 1) % history->depth;
    if (history->filled < history->depth)
        history->filled++;
}

double history_sum(const struct history *history)
{
    double sum = 0;
    for (uint32_t back = 1; back <= history->filled; back++)
        sum += history->squares[(history->next + history->depth - back) % history->depth];
    return sum;
}

double trigger_threshold(const struct history *history, double xi, double alpha, uint32_t count)
{
    double scale = alpha * (double)count;
    return xi * history_sum(history) / (scale * scale);
}
