/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same timeline that the bed carries out, written down instead. Columns are named as in events.csv. */
#include "config.h"

#include "check_events.h"

#include <inttypes.h>

#include "base/clock.h"
#include "bed/timeline.h"

enum { MINUTE_S = 60 };

int64_t check_events_until(const struct scenario *scenario)
{
    int64_t minute_ns = (int64_t)MINUTE_S * NS_PER_S;
    int64_t last_ns = scenario->n_events > 0 ? scenario->event[scenario->n_events - 1].at_ns : 0;
    if (scenario->max_time_ns > 0)
        return scenario->max_time_ns;
    return last_ns < minute_ns ? minute_ns : last_ns + 1;
}

static void print_planned(uint32_t repeat, const struct planned *planned, FILE *to)
{
    char target[TIMELINE_TEXT_MAX], value[TIMELINE_TEXT_MAX];
    timeline_target(planned->event, target);
    timeline_value(planned->event, value);
    fprintf(to, "%" PRIu32 ",%" PRId64 ".%09" PRId64 ",%s,%s,%s,%s\n", repeat + 1, planned->at_ns / NS_PER_S,
            planned->at_ns % NS_PER_S, timeline_what(planned->event), target, value,
            planned->random ? "random" : "scenario");
}

void check_events_print(const struct scenario *scenario, int64_t until_ns, FILE *to)
{
    fprintf(to, "repeat,requested_s,what,target,value,source\n");
    for (uint32_t repeat = 0; repeat < scenario->repeats; repeat++) {
        struct timeline *timeline = timeline_new(scenario, repeat);
        struct planned planned;
        while (timeline_next_at(timeline) < until_ns && timeline_next(timeline, &planned))
            print_planned(repeat, &planned, to);
        timeline_free(timeline);
    }
}
