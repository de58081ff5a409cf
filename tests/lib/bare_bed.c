/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "bare_bed.h"

#include <stdio.h>

#include "base/log.h"

int bare_bed_complain(const struct error *err)
{
    printf("error: %s\n", err->text);
    return 2;
}

static int build(const struct scenario *scenario, char **argv, int (*part)(const struct bare_bed *bed))
{
    struct error err;
    struct bare_bed bed = {.scenario = scenario, .directory = argv[3]};
    bed.topology = topology_new(scenario->cluster.workers, true, &err);
    bed.shaper = bed.topology ? shaper_new(bed.topology, argv[2], &err) : NULL;
    int status = bed.shaper ? part(&bed) : bare_bed_complain(&err);
    shaper_free(bed.shaper);
    topology_free(bed.topology);
    return status;
}

int bare_bed_main(int argc, char **argv, int (*part)(const struct bare_bed *bed))
{
    struct scenario_errors errors = {0};
    log_open("bed", LOG_LEVEL_INFO);
    if (argc != 4)
        return bare_bed_complain(&(struct error){"SCENARIO NETEM-DIRECTORY RESULT-DIRECTORY"});
    struct scenario *scenario = scenario_read(argv[1], NULL, 0, &errors);
    scenario_errors_print(&errors, argv[1], stdout);
    if (scenario == NULL)
        return 2;
    int status = build(scenario, argv, part);
    scenario_free(scenario);
    return status;
}
