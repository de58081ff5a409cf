/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two plots by gnuplot: error against seconds, error against uplink messages; each as PNG and as SVG. */
#ifndef LAGGARD_REPORT_PLOT_H
#define LAGGARD_REPORT_PLOT_H

#include <stdio.h>

#include "report/folder.h"

/* The files that plot_make leaves in the folder, NULL-terminated. */
extern const char *const plot_files[];

/* The gnuplot script with its data in it: DIR/plots.gnuplot. It can be edited and run again, in DIR. */
void plot_script(const struct folder *folder, FILE *to);

enum plot_status { PLOT_DONE, PLOT_NO_GNUPLOT, PLOT_NOTHING, PLOT_FAILED };
/* Write the script and run gnuplot on it. PLOT_NOTHING: no round has a positive error. err says what is wrong with
 * anything but PLOT_DONE. */
MUST_CHECK enum plot_status plot_make(const struct folder *folder, struct error *err);

#endif
