/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From [problem] to samples and partitions: reads the files that a scenario names, and prepares them (classes, center,
 * scale, order, split) the same way in every process. */
#ifndef LAGGARD_INPUT_INPUT_H
#define LAGGARD_INPUT_INPUT_H

#include "core/dataset.h"
#include "core/partition.h"
#include "scenario/scenario.h"

struct input {
    struct model model;
    struct dataset data;
    struct partition_set parts;
};

/* The steps, in this order: the classes' samples, the first `samples` of them (fewer is an error), signs for the
 * logistic model, center, scale, order, split over the workers. On error *out is cleared. */
MUST_CHECK int input_load(const struct scenario *scenario, struct input *out, struct error *err);
void input_clear(struct input *input);

/* A whole file in memory (at most max bytes). New buffer; *len without the NUL that follows it. NULL on error. */
MUST_CHECK char *input_read_file(const char *path, size_t max, size_t *len, struct error *err);

#endif
