/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LIBSVM text: "label index:value …" a line, indices from 1 and ascending, what is not named is 0; "# …" ends a line.
 *
 * Read twice: the first pass checks every word and finds the sizes, the second fills the matrix. */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "core/dataset_rows.h"
#include "core/lines.h"
#include "core/number.h"

/* One pass. x and y are NULL in the first. */
struct pass {
    struct lines lines;
    const struct class_pair *classes;
    size_t limit, features; /* as asked; 0: all */
    size_t kept, largest;
    struct dataset *fill;
};

/* A whole number from 1 to DATASET_FEATURES_MAX; 0 for anything else. */
static size_t parse_index(struct span digits)
{
    size_t index = 0;
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.at[i] < '0' || digits.at[i] > '9')
            return 0;
        index = index * 10 + (size_t)(digits.at[i] - '0');
        if (index > DATASET_FEATURES_MAX)
            return 0;
    }
    return index;
}

static int check_index(const struct pass *pass, struct span digits, size_t index, size_t before, struct error *err)
{
    if (index == 0)
        return lines_error(&pass->lines, err, "'%s' is not an index; whole numbers from 1 to %d are",
                           span_quote(digits).text, DATASET_FEATURES_MAX);
    if (index <= before)
        return lines_error(&pass->lines, err, "index %zu after %zu; indices must ascend", index, before);
    if (pass->features > 0 && index > pass->features)
        return lines_error(&pass->lines, err, "index %zu; features = %zu, so that is the largest possible", index,
                           pass->features);
    return 0;
}

/* "index:value". *before: the index before it, replaced. row: NULL in the first pass or if the sample is not kept. */
static int parse_pair(const struct pass *pass, struct span word, size_t *before, double *row, struct error *err)
{
    struct span digits, rest = word;
    bool any = span_cut(&rest, ':', &digits);
    if (!any || rest.at == NULL)
        return lines_error(&pass->lines, err, "'%s'; index:value is needed", span_quote(word).text);
    size_t index = parse_index(digits);
    if (check_index(pass, digits, index, *before, err) < 0)
        return -1;
    double value;
    if (!number_parse(rest.at, rest.len, &value))
        return lines_error(&pass->lines, err, "index %zu: '%s' is not a finite decimal number", index,
                           span_quote(rest).text);
    if (row != NULL)
        row[index - 1] = value;
    *before = index;
    return 0;
}

static int parse_line(struct pass *pass, struct span line, struct error *err)
{
    struct span word;
    double label;
    if (!span_word(&line, &word)) /* nothing but a comment */
        return 0;
    if (!number_parse(word.at, word.len, &label))
        return lines_error(&pass->lines, err, "the label '%s' is not a finite decimal number", span_quote(word).text);
    bool keep = dataset_keeps(pass->classes, &label);
    double *row = keep && pass->fill ? pass->fill->x + pass->kept * pass->fill->d : NULL;
    size_t index = 0;
    while (span_word(&line, &word))
        if (parse_pair(pass, word, &index, row, err) < 0)
            return -1;
    if (row != NULL)
        pass->fill->y[pass->kept] = label;
    if (index > pass->largest)
        pass->largest = index;
    pass->kept += keep;
    return 0;
}

static int run(struct pass *pass, struct error *err)
{
    struct span line, text;
    while ((pass->limit == 0 || pass->kept < pass->limit) && lines_next(&pass->lines, &line)) {
        bool any = span_cut(&line, '#', &text);
        if (any && parse_line(pass, text, err) < 0)
            return -1;
    }
    return 0;
}

/* Make room for what the first pass found. */
static int reserve(const struct pass *pass, struct dataset *out, struct error *err)
{
    const char *name = pass->lines.name;
    size_t d = pass->features ? pass->features : pass->largest;
    if (d == 0 && pass->kept > 0)
        return error_set(err, "%s: no sample has a feature; index:value pairs are needed", name);
    if (d > DATASET_FEATURES_MAX)
        return error_set(err, "%s: features = %zu; at most %d are possible", name, d, DATASET_FEATURES_MAX);
    if (pass->kept > DATASET_SAMPLES_MAX || (d > 0 && pass->kept > DATASET_VALUES_MAX / d))
        return error_set(
            err,
            "%s: %zu samples of %zu features; at most %d samples and %d values are possible (samples = … takes fewer)",
            name, pass->kept, d, DATASET_SAMPLES_MAX, DATASET_VALUES_MAX);
    if (pass->kept == 0)
        return 0; /* dataset_rows_finish says what is wrong */
    *out = (struct dataset){.n = pass->kept, .d = d};
    out->x = mem_array(pass->kept * d, sizeof *out->x);
    out->y = mem_array(pass->kept, sizeof *out->y);
    return 0;
}

int dataset_parse_libsvm(const char *name, const char *bytes, size_t len, size_t features,
                         const struct class_pair *classes, size_t limit, struct dataset *out, struct error *err)
{
    *out = (struct dataset){0};
    struct pass first = {lines_of(name, bytes, len), classes, limit, features, 0, 0, NULL};
    struct pass second = first;
    if (run(&first, err) < 0 || reserve(&first, out, err) < 0)
        return -1;
    struct dataset_rows rows = {.out = out, .limit = limit, .capacity = out->n};
    if (dataset_rows_finish(&rows, name, classes, err) < 0)
        return -1;
    second.fill = out;
    int result = run(&second, err);
    assert(result == 0 && second.kept == first.kept); /* the first pass has checked every word */
    return result;
}
