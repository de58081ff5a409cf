/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CSV: one sample a line, numbers separated by commas, features first, the label last, no header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/dataset_rows.h"
#include "core/lines.h"
#include "core/number.h"

/* Reading state: values holds one line. */
struct csv {
    struct lines lines;
    size_t columns, first_line;
    double *values;
};

static size_t count_columns(struct span line)
{
    size_t count = 1;
    for (size_t i = 0; i < line.len; i++)
        count += line.at[i] == ',';
    return count;
}

/* The first line says how many columns there are. */
static int begin(struct csv *csv, struct span line, struct dataset *out, struct error *err)
{
    csv->columns = count_columns(line);
    csv->first_line = csv->lines.number;
    if (csv->columns < 2)
        return lines_error(&csv->lines, err, "one column; features and a label, separated by commas, are needed");
    if (csv->columns - 1 > DATASET_FEATURES_MAX)
        return lines_error(&csv->lines, err, "%zu features; at most %d are possible", csv->columns - 1,
                           DATASET_FEATURES_MAX);
    csv->values = mem_array(csv->columns, sizeof *csv->values);
    out->d = csv->columns - 1;
    return 0;
}

static int parse_line(struct csv *csv, struct span line, struct error *err)
{
    size_t columns = count_columns(line);
    if (columns != csv->columns)
        return lines_error(&csv->lines, err, "%zu columns; line %zu has %zu, and every line needs as many", columns,
                           csv->first_line, csv->columns);
    struct span field;
    for (size_t j = 0; span_cut(&line, ',', &field); j++) {
        if (field.len == 0)
            return lines_error(&csv->lines, err, "column %zu is empty; a number is needed", j + 1);
        if (!number_parse(field.at, field.len, &csv->values[j]))
            return lines_error(&csv->lines, err, "column %zu: '%s' is not a finite decimal number%s", j + 1,
                               span_quote(field).text,
                               csv->lines.number == csv->first_line ? "; a header line must be removed" : "");
    }
    return 0;
}

static int keep_line(struct csv *csv, const struct class_pair *classes, struct dataset_rows *rows, struct error *err)
{
    double label = csv->values[csv->columns - 1];
    if (!dataset_keeps(classes, &label))
        return 0;
    double *row = dataset_rows_add(rows, label, err);
    if (row == NULL)
        return error_prefix(err, "%s:%zu", csv->lines.name, csv->lines.number);
    memcpy(row, csv->values, rows->out->d * sizeof *row);
    return 0;
}

int dataset_parse_csv(const char *name, const char *bytes, size_t len, const struct class_pair *classes, size_t limit,
                      struct dataset *out, struct error *err)
{
    *out = (struct dataset){0};
    struct csv csv = {.lines = lines_of(name, bytes, len)};
    struct dataset_rows rows = {.out = out, .limit = limit};
    struct span line;
    int result = -1;
    while (!dataset_rows_full(&rows) && lines_next(&csv.lines, &line)) {
        if (csv.values == NULL && begin(&csv, line, out, err) < 0)
            goto out;
        if (parse_line(&csv, line, err) < 0 || keep_line(&csv, classes, &rows, err) < 0)
            goto out;
    }
    result = dataset_rows_finish(&rows, name, classes, err);
out:
    free(csv.values);
    if (result < 0)
        dataset_clear(out);
    return result;
}
