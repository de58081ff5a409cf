/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the host's side tells the guest to do, as it goes over the serial line: {"cwd":…, "directory":…, …}. */
#ifndef LAGGARD_BED_GUEST_JOB_H
#define LAGGARD_BED_GUEST_JOB_H

#include <jansson.h>

#include "bed/bed.h"

/* New reference. */
json_t *guest_job_pack(const struct bed_options *options, const char *cwd);
/* The same back; all strings are borrowed from job. -1: a member is missing, or of another type; err names it. */
MUST_CHECK int guest_job_unpack(json_t *job, struct bed_options *options, const char **cwd, struct error *err);

#endif
