/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The summaries of several result directories as one CSV table: a column "directory", then those of summary.csv. */
#ifndef LAGGARD_REPORT_CSV_H
#define LAGGARD_REPORT_CSV_H

#include <stdio.h>

#include "report/folder.h"

void csv_heading(FILE *to);
/* Rows of finished runs. */
void csv_rows(const struct folder *folder, FILE *to);

#endif
