/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CSV back into fields. A file may still be growing, or have been cut short: only rows that end in a newline count. */
#include "config.h"

#include "results/results.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { FILE_MAX_BYTES = 1 << 30, COLUMNS_MAX = 256 };

static char *read_whole(const char *path, size_t *len, struct error *err)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        error_set_errno(err, "%s: cannot be read (is this a result directory?)", path);
        return NULL;
    }
    char *bytes = NULL;
    size_t capacity = 0;
    *len = 0;
    do {
        capacity = capacity ? 2 * capacity : 65536;
        bytes = mem_resize(bytes, capacity + 1, 1);
        *len += fread(bytes + *len, 1, capacity - *len, file);
    } while (*len == capacity && capacity < FILE_MAX_BYTES);
    bool failed = ferror(file) != 0 || *len == FILE_MAX_BYTES;
    fclose(file);
    if (failed) {
        error_set(err, "%s: cannot be read whole (at most %d bytes)", path, FILE_MAX_BYTES);
        free(bytes);
        return NULL;
    }
    return bytes;
}

/* One row from *at, not beyond end: its fields, unquoted in place. Returns how many, 0 when no whole row is left, -1
 * when there are more than COLUMNS_MAX. */
static int read_row(char **at, char *end, char **field)
{
    char *from = *at, *to = from;
    int n = 0;
    bool quoted = false;
    char *start = to;
    for (; from < end; from++) {
        if (quoted) {
            if (*from != '"')
                *to++ = *from;
            else if (from + 1 < end && from[1] == '"')
                *to++ = *from++;
            else
                quoted = false;
        } else if (*from == '"') {
            quoted = true;
        } else if (*from == ',' || *from == '\n') {
            bool last = *from == '\n';
            if (n == COLUMNS_MAX)
                return -1;
            *to++ = '\0';
            field[n++] = start;
            start = to;
            if (last) {
                *at = from + 1;
                return n;
            }
        } else if (*from != '\r') {
            *to++ = *from;
        }
    }
    return 0;
}

/* out->bytes: the file. */
static int read_table(const char *path, size_t len, struct results_table *out, struct error *err)
{
    char *field[COLUMNS_MAX], *at = out->bytes, *end = out->bytes + len;
    int n = read_row(&at, end, field);
    if (n <= 0)
        return error_set(err, "%s: has no header line", path);
    out->columns = (size_t)n;
    out->name = mem_array(out->columns, sizeof(char *));
    memcpy(out->name, field, out->columns * sizeof(char *));
    size_t capacity = 0;
    while ((n = read_row(&at, end, field)) != 0) {
        if (n != (int)out->columns)
            return error_set(err, "%s:%zu: %d fields, where the header has %zu", path, out->rows + 2, n, out->columns);
        if (out->rows == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            out->field = mem_resize(out->field, capacity * out->columns, sizeof(char *));
        }
        memcpy(out->field + out->rows * out->columns, field, out->columns * sizeof(char *));
        out->rows++;
    }
    return 0;
}

int results_read(const char *directory, enum results_file file, struct results_table *out, struct error *err)
{
    *out = (struct results_table){0};
    char *path = mem_printf("%s/%s", directory, results_file_name(file));
    size_t len;
    out->bytes = read_whole(path, &len, err);
    int status = out->bytes ? read_table(path, len, out, err) : -1;
    if (status < 0)
        results_table_clear(out);
    free(path);
    return status;
}

void results_table_clear(struct results_table *table)
{
    free(table->name);
    free(table->field);
    free(table->bytes);
    *table = (struct results_table){0};
}

int results_column(const struct results_table *table, const char *name)
{
    for (size_t i = 0; i < table->columns; i++)
        if (strcmp(table->name[i], name) == 0)
            return (int)i;
    return -1;
}

const char *results_field(const struct results_table *table, size_t row, int column)
{
    assert(row < table->rows && column >= 0 && (size_t)column < table->columns);
    return table->field[row * table->columns + (size_t)column];
}

double results_number(const struct results_table *table, size_t row, int column)
{
    const char *text = results_field(table, row, column);
    char *end;
    double value = strtod(text, &end);
    return end == text || *end != '\0' ? NAN : value;
}
