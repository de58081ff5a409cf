/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a result directory says: tables and plots. */
#ifndef LAGGARD_REPORT_REPORT_H
#define LAGGARD_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/* After a run: print the tables to `to`, write DIRECTORY/report.txt and the plots, and name them. Plots that cannot be
 * made because gnuplot is missing are no failure, but a line. */
MUST_CHECK int report_after_run(const char *directory, FILE *to, struct error *err);

/* Print the tables; with_files: and write the files, as after a run. */
MUST_CHECK int report_text(const char *directory, bool with_files, FILE *to, struct error *err);

/* One CSV table over several directories: the heading once, then the rows of each. */
void report_csv_heading(FILE *to);
MUST_CHECK int report_csv(const char *directory, FILE *to, struct error *err);

#endif
