/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bed's network without its processes: built, shaped, changed and probed as a run does it, in the namespaces of the
 * caller. probe_bed SCENARIO NETEM-DIRECTORY RESULT-DIRECTORY Writes links.csv; exit status 0 when every figure was
 * inside its tolerance, 1 when one was not, 2 on an error. */
#include "config.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "bed/probe.h"

static int complain(const struct error *err)
{
    printf("probe_bed: error: %s\n", err->text);
    return 2;
}

static int probe(const struct scenario *scenario, struct topology *topology, struct shaper *shaper,
                 const char *directory)
{
    struct error err = {{0}};
    uint32_t outside = 0, lost = 0;
    struct results_writer *links = results_open(directory, RESULTS_LINKS, false, &err);
    if (links == NULL || shaper_set_all(shaper, scenario, &err) < 0)
        return complain(&err);
    int64_t start = clock_now_ns();
    if (probe_links(topology, scenario, shaper, links, &outside, &err) < 0)
        return complain(&err);
    printf("probe_bed: probed in %.1f s\n", (double)(clock_now_ns() - start) / NS_PER_S);
    if (probe_counts(scenario, shaper, links, &lost, &err) < 0)
        return complain(&err);
    results_close(links);
    return outside > 0 || lost > 0;
}

int main(int argc, char **argv)
{
    struct error err = {{0}};
    struct scenario_errors errors = {0};
    log_open("probe_bed", LOG_LEVEL_INFO);
    if (argc != 4)
        return complain(&(struct error){"SCENARIO NETEM-DIRECTORY RESULT-DIRECTORY"});
    struct scenario *scenario = scenario_read(argv[1], NULL, 0, &errors);
    scenario_errors_print(&errors, argv[1], stdout);
    if (scenario == NULL)
        return 2;
    struct topology *topology = topology_new(scenario->cluster.workers, true, &err);
    struct shaper *shaper = topology ? shaper_new(topology, argv[2], &err) : NULL;
    int status = shaper ? probe(scenario, topology, shaper, argv[3]) : complain(&err);
    shaper_free(shaper);
    topology_free(topology);
    scenario_free(scenario);
    return status;
}
