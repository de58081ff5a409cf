/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/dataset_rows.h"

#include "base/mem.h"

bool dataset_keeps(const struct class_pair *classes, double *label)
{
    if (classes == NULL || !classes->given)
        return true;
    bool first = *label == classes->which[0], second = *label == classes->which[1];
    if (first || second)
        *label = first ? 1 : -1;
    return first || second;
}

/* The most rows that the limits of dataset.h leave. */
static size_t most_rows(size_t d)
{
    size_t by_values = DATASET_VALUES_MAX / d;
    return by_values < DATASET_SAMPLES_MAX ? by_values : DATASET_SAMPLES_MAX;
}

static void reserve(struct dataset_rows *rows, size_t capacity)
{
    struct dataset *out = rows->out;
    out->x = mem_resize(out->x, capacity * out->d, sizeof *out->x);
    out->y = mem_resize(out->y, capacity, sizeof *out->y);
    rows->capacity = capacity;
}

double *dataset_rows_add(struct dataset_rows *rows, double label, struct error *err)
{
    struct dataset *out = rows->out;
    size_t most = most_rows(out->d);
    if (out->n == most) {
        error_set(err, "more than %zu samples of %zu features; take fewer (samples = …) or fewer features", most,
                  out->d);
        return NULL;
    }
    if (out->n == rows->capacity) {
        size_t wanted = rows->capacity ? 2 * rows->capacity : 1;
        reserve(rows, wanted < most ? wanted : most);
    }
    out->y[out->n] = label;
    return out->x + out->n++ * out->d;
}

bool dataset_rows_full(const struct dataset_rows *rows)
{
    return rows->limit > 0 && rows->out->n >= rows->limit;
}

int dataset_rows_finish(struct dataset_rows *rows, const char *name, const struct class_pair *classes,
                        struct error *err)
{
    if (rows->out->n > 0) {
        reserve(rows, rows->out->n);
        return 0;
    }
    if (classes != NULL && classes->given)
        return error_set(err, "%s: no sample has the label %g or %g; classes = names two labels that the file has",
                         name, classes->which[0], classes->which[1]);
    return error_set(err, "%s: no samples; at least one line of numbers is needed", name);
}
