/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parsers share: which samples are kept, and a matrix that grows by rows. Private to core/dataset_*.c. */
#ifndef LAGGARD_CORE_DATASET_ROWS_H
#define LAGGARD_CORE_DATASET_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/dataset.h"

struct dataset_rows {
    struct dataset *out; /* borrowed; d is set before the first row */
    size_t limit;        /* 0: none */
    size_t capacity;     /* rows that x and y have room for */
};

/* Is a sample with this label kept? Then *label becomes what the class pair says. */
bool dataset_keeps(const struct class_pair *classes, double *label);

/* Room for one more sample: its d values, to be filled in. NULL, with the sentence but no place, above a maximum. */
MUST_CHECK double *dataset_rows_add(struct dataset_rows *rows, double label, struct error *err);
bool dataset_rows_full(const struct dataset_rows *rows); /* the limit is reached */

/* Give back what is not used. No sample at all is an error, which names the file. */
MUST_CHECK int dataset_rows_finish(struct dataset_rows *rows, const char *name, const struct class_pair *classes,
                                   struct error *err);

#endif
