/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups of r workers with the same partitions, as grouping and g-lag have them: in each round the first of a group to
 * answer answers for it. All r would give the same sum in the same order, so the iterates do not depend on who it is.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/strategy_private.h"
#include "core/vector.h"

/* "1, 3 or 9" for 9; at most `len` bytes. */
static void list_divisors(uint32_t m, char *text, size_t len)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t r = 1; r <= m && used < len; r++)
        if (m % r == 0)
            used += (size_t)snprintf(text + used, len - used, "%s%u", r == 1 ? "" : r == m ? " or " : ", ", r);
}

int strategy_check_groups(const struct strategy_config *config, struct error *err)
{
    if (strategy_check_common(config, err) < 0)
        return -1;
    uint32_t m = config->workers, r = config->redundancy;
    char divisors[200];
    list_divisors(m, divisors, sizeof divisors);
    if (r < 1 || r > m || m % r != 0)
        return error_set(err, "redundancy %u does not divide %u workers into groups: it can be %s", r, m, divisors);
    return 0;
}

bool strategy_lacks_group(const struct strategy *strategy)
{
    uint32_t r = strategy->config.redundancy;
    for (uint32_t first = 0; first < strategy->config.workers && !strategy->done; first += r) {
        uint32_t gone = 0;
        for (uint32_t worker = first; worker < first + r; worker++)
            gone += strategy->lost[worker];
        if (gone == r)
            return true;
    }
    return false;
}

void race_init(struct race *race, const struct strategy_config *config)
{
    race->groups = config->workers / config->redundancy;
    race->winner = mem_array(race->groups, sizeof *race->winner);
    race->heard = mem_array(race->groups, sizeof *race->heard);
}

void race_clear(struct race *race)
{
    free(race->heard);
    free(race->winner);
}

void race_begin(struct race *race, struct strategy *strategy, uint32_t awaited)
{
    race->awaited = awaited;
    strategy->done = awaited == 0;
    memset(race->heard, 0, race->groups * sizeof *race->heard);
}

bool race_needs(const struct race *race, const struct strategy *strategy, uint32_t worker)
{
    return !race->heard[worker / strategy->config.redundancy];
}

enum offer race_offer(struct race *race, struct strategy *strategy, const struct answer *answer)
{
    enum offer verdict = strategy_take(strategy, answer);
    if (verdict != OFFER_MORE)
        return verdict;
    uint32_t group = answer->worker / strategy->config.redundancy;
    if (race->heard[group])
        return OFFER_MORE; /* not the first of its group */
    race->heard[group] = true;
    race->winner[group] = answer->worker;
    vector_copy(strategy_slot(strategy, group), answer->vector, strategy->config.d);
    strategy->done = --race->awaited == 0;
    return strategy->done ? OFFER_DONE : OFFER_MORE;
}

void race_finish(const struct race *race, struct strategy *strategy, double *gradient, bool *used)
{
    strategy->open = false;
    strategy_sum_slots(strategy, race->groups, gradient);
    memset(used, 0, strategy->config.workers * sizeof *used);
    for (uint32_t group = 0; group < race->groups; group++)
        if (race->heard[group])
            used[race->winner[group]] = true;
}
