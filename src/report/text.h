/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result directory as text of at most GRID_WIDTH columns, in parts. */
#ifndef LAGGARD_REPORT_TEXT_H
#define LAGGARD_REPORT_TEXT_H

#include <stdio.h>

#include "report/folder.h"

/* All of it, in the order of the parts below. */
void text_print(const struct folder *folder, FILE *to);

/* What was run and where; what of it failed or is missing. */
void text_heading(const struct folder *folder, FILE *to);
/* The table of strategies (means over repeats), their spread over repeats, and who won. */
void text_outcomes(const struct folder *folder, FILE *to);
/* Where the time of the rounds went, beside what order statistics say. */
void text_timing(const struct folder *folder, FILE *to);
/* Links asked and achieved, pauses, events. */
void text_conditions(const struct folder *folder, FILE *to);
/* Timers that fired late, warnings of the processes: whether the figures can be trusted. */
void text_warnings(const struct folder *folder, FILE *to);

#endif
