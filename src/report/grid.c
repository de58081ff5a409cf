/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "report/grid.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void grid_init(struct grid *grid, const char *align)
{
    *grid = (struct grid){.columns = strlen(align), .align = align};
    assert(grid->columns > 0 && grid->columns <= GRID_COLUMNS_MAX);
}

void grid_clear(struct grid *grid)
{
    for (size_t i = 0; i < grid->n; i++)
        free(grid->cell[i]);
    free(grid->cell);
    *grid = (struct grid){0};
}

void grid_add(struct grid *grid, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (grid->n == grid->capacity) {
        grid->capacity = grid->capacity ? 2 * grid->capacity : 64;
        grid->cell = mem_resize(grid->cell, grid->capacity, sizeof *grid->cell);
    }
    grid->cell[grid->n++] = mem_strdup(text);
}

void grid_row(struct grid *grid, const char *const *cells)
{
    for (size_t i = 0; cells[i] != NULL; i++)
        grid_add(grid, "%s", cells[i]);
}

void grid_group(struct grid *grid, size_t first, size_t last, const char *text)
{
    size_t at = grid->groups++;
    assert(at < sizeof grid->group / sizeof *grid->group && first <= last && last < grid->columns);
    grid->group[at].first = first;
    grid->group[at].last = last;
    grid->group[at].text = text;
}

/* Characters, not bytes: names may be UTF-8. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static void blanks(FILE *to, size_t n)
{
    while (n-- > 0)
        fputc(' ', to);
}

/* In the middle above its columns. */
static void print_groups(const struct grid *grid, const size_t *width, size_t gap, FILE *to)
{
    size_t at = 0, written = 0;
    for (size_t column = 0, group = 0; column < grid->columns && group < grid->groups; column++) {
        if (column == grid->group[group].first) {
            size_t span = 0, len = width_of(grid->group[group].text);
            for (size_t i = column; i <= grid->group[group].last; i++)
                span += width[i] + (i > column ? gap : 0);
            size_t start = at + (span > len ? (span - len) / 2 : 0);
            blanks(to, start > written ? start - written : 0);
            fputs(grid->group[group].text, to);
            written = (start > written ? start : written) + len;
            group++;
        }
        at += width[column] + gap;
    }
    if (grid->groups > 0)
        fputc('\n', to);
}

static void print_row(const struct grid *grid, size_t row, const size_t *width, size_t gap, FILE *to)
{
    for (size_t column = 0; column < grid->columns; column++) {
        const char *text = grid->cell[row * grid->columns + column];
        size_t fill = width[column] - width_of(text);
        bool is_last = column + 1 == grid->columns;
        blanks(to, column ? gap : 0);
        if (grid->align[column] == 'r')
            blanks(to, fill);
        fputs(text, to);
        if (grid->align[column] != 'r' && !is_last)
            blanks(to, fill);
    }
    fputc('\n', to);
}

void grid_print(const struct grid *grid, FILE *to)
{
    size_t width[GRID_COLUMNS_MAX] = {0}, total = 0;
    assert(grid->n % grid->columns == 0);
    for (size_t i = 0; i < grid->n; i++) {
        size_t len = width_of(grid->cell[i]), column = i % grid->columns;
        if (len > width[column])
            width[column] = len;
    }
    for (size_t column = 0; column < grid->columns; column++)
        total += width[column];
    size_t gap = total + 2 * (grid->columns - 1) <= GRID_WIDTH ? 2 : 1;
    print_groups(grid, width, gap, to);
    for (size_t row = 0; row < grid->n / grid->columns; row++)
        print_row(grid, row, width, gap, to);
}

void grid_paragraph(FILE *to, size_t indent, const char *text)
{
    size_t at = indent;
    for (const char *word = text + strspn(text, " "); *word != '\0'; word += strspn(word, " ")) {
        size_t len = strcspn(word, " "), width = 0;
        for (size_t i = 0; i < len; i++)
            width += ((unsigned char)word[i] & 0xC0) != 0x80;
        if (at > indent && at + 1 + width > GRID_WIDTH) {
            fputc('\n', to);
            blanks(to, indent);
            at = indent;
        } else if (at > indent) {
            fputc(' ', to);
            at++;
        }
        fwrite(word, 1, len, to);
        at += width;
        word += len;
    }
    fputc('\n', to);
}

/* ── numbers ── */

const char *number_count(char text[NUMBER_TEXT], double value)
{
    if (!isfinite(value))
        snprintf(text, NUMBER_TEXT, "%s", isnan(value) ? "-" : "inf");
    else if (fabs(value) >= 1e8)
        snprintf(text, NUMBER_TEXT, "%.3g", value);
    else
        snprintf(text, NUMBER_TEXT, "%.*f", value == floor(value) || fabs(value) >= 1e4 ? 0 : 1, value);
    return text;
}

const char *number_plain(char text[NUMBER_TEXT], double value)
{
    double size = fabs(value), from = 99.95;
    int digits = 0;
    for (; size > 0 && size < from && digits < 5; from /= 10)
        digits++;
    if (!isfinite(value))
        snprintf(text, NUMBER_TEXT, "%s", isnan(value) ? "-" : "inf");
    else if (size >= 1e8 || (size > 0 && size < 9.995e-4))
        snprintf(text, NUMBER_TEXT, "%.2g", value);
    else
        snprintf(text, NUMBER_TEXT, "%.*f", size >= 999.5 || size == 0 ? 0 : digits, value);
    return text;
}

const char *number_scientific(char text[NUMBER_TEXT], double value)
{
    if (isnan(value))
        snprintf(text, NUMBER_TEXT, "-");
    else
        snprintf(text, NUMBER_TEXT, "%.2e", value);
    return text;
}
