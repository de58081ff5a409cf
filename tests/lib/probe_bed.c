/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bed's network without its processes: built, shaped, changed and probed as a run does it, in the namespaces of the
 * caller. probe_bed SCENARIO NETEM-DIRECTORY RESULT-DIRECTORY Writes links.csv; exit status 0 when every figure was
 * inside its tolerance, 1 when one was not, 2 on an error. */
#include "config.h"

#include <stdio.h>

#include "bare_bed.h"
#include "base/clock.h"
#include "bed/probe.h"

static int probe(const struct bare_bed *bed)
{
    struct error err = {{0}};
    uint32_t outside = 0, lost = 0;
    struct results_writer *links = results_open(bed->directory, RESULTS_LINKS, false, &err);
    if (links == NULL || shaper_set_all(bed->shaper, bed->scenario, &err) < 0)
        return bare_bed_complain(&err);
    int64_t start = clock_now_ns();
    if (probe_links(bed->topology, bed->scenario, bed->shaper, links, &outside, &err) < 0)
        return bare_bed_complain(&err);
    printf("probe_bed: probed in %.1f s\n", (double)(clock_now_ns() - start) / NS_PER_S);
    if (probe_counts(bed->scenario, bed->shaper, links, &lost, &err) < 0)
        return bare_bed_complain(&err);
    results_close(links);
    return outside > 0 || lost > 0;
}

int main(int argc, char **argv)
{
    return bare_bed_main(argc, argv, probe);
}
