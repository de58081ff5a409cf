/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "bed/guest_job.h"

/* One format for both ways, so that they cannot differ. */
#define JOB_FORMAT "{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:b, s:b}"

json_t *guest_job_pack(const struct bed_options *options, const char *cwd)
{
    return json_pack(JOB_FORMAT, "cwd", cwd, "directory", options->directory, "scenario", options->scenario_path,
                     "program", options->program, "daemons", options->daemon_directory, "netem",
                     options->netem_directory, "columns", (int)options->columns, "quiet", (int)options->quiet, "strict",
                     (int)options->strict);
}

int guest_job_unpack(json_t *job, struct bed_options *options, const char **cwd, struct error *err)
{
    json_error_t why;
    int columns, quiet, strict;
    *options = (struct bed_options){0};
    if (json_unpack_ex(job, &why, 0, JOB_FORMAT, "cwd", cwd, "directory", &options->directory, "scenario",
                       &options->scenario_path, "program", &options->program, "daemons", &options->daemon_directory,
                       "netem", &options->netem_directory, "columns", &columns, "quiet", &quiet, "strict", &strict) < 0)
        return error_set(err, "the job that came over the serial line is damaged: %s", why.text);
    options->columns = columns > 0 ? (unsigned)columns : 0;
    options->quiet = quiet != 0;
    options->strict = strict != 0;
    return 0;
}
