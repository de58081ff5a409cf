/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text in aligned columns. Cells are added left to right, row by row; the first row is the heading. */
#ifndef LAGGARD_REPORT_GRID_H
#define LAGGARD_REPORT_GRID_H

#include <stddef.h>
#include <stdio.h>

#include "base/compiler.h"

enum { GRID_COLUMNS_MAX = 16, GRID_WIDTH = 100 };

/* Embedded. */
struct grid {
    size_t columns, n, capacity;
    const char *align; /* a letter a column, l or r; borrowed */
    char **cell;       /* n */
    struct {
        size_t first, last;
        const char *text;
    } group[4];
    size_t groups;
};

void grid_init(struct grid *grid, const char *align);
void grid_clear(struct grid *grid);
/* The next cell. */
void grid_add(struct grid *grid, const char *format, ...) PRINTF_LIKE(2, 3);
/* A whole heading (or row), NULL-terminated. */
void grid_row(struct grid *grid, const char *const *cells);
/* A word that stands above the headings of columns first to last (0-based); borrowed. At most four, from left to right. */
void grid_group(struct grid *grid, size_t first, size_t last, const char *text);
/* Two blanks between columns, or one where GRID_WIDTH would not do. Rows that are not full are an error of ours. */
void grid_print(const struct grid *grid, FILE *to);

/* A text, indented and broken between words where GRID_WIDTH ends, with a newline. What stands before its first line
 * (`indent` characters) is the caller's to print. Runs of blanks count as one. */
void grid_paragraph(FILE *to, size_t indent, const char *text);

/* A number as a person reads it, into a buffer that is returned; "-" for NAN. */
enum { NUMBER_TEXT = 32 };
const char *number_count(char text[NUMBER_TEXT], double value);      /* 1320; 110.3 for a mean */
const char *number_plain(char text[NUMBER_TEXT], double value);      /* some three digits: 0.834, 8.06, 1234 */
const char *number_scientific(char text[NUMBER_TEXT], double value); /* 3.33e-02 */

#endif
