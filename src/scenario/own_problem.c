/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of [scenario] and [problem] with a form of their own: strategies, targets, data. */
#include "config.h"

#include "scenario/own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "scenario/keys.h"
#include "scenario/nearest.h"
#include "scenario/units.h"

enum { NAME_BYTES_MAX = 100 };

int own_read_name(const char *text, void *object, struct error *err)
{
    struct scenario *scenario = object;
    if (strlen(text) > NAME_BYTES_MAX)
        return error_set(err, "too long: a name has at most %d bytes", NAME_BYTES_MAX);
    free(scenario->name);
    scenario->name = mem_strdup(text);
    return 0;
}

char *own_write_name(const void *object)
{
    return mem_strdup(((const struct scenario *)object)->name);
}

/* ── strategies ── */

static int unknown_strategy(const char *name, struct error *err)
{
    struct nearest nearest = {0};
    char list[256] = "", hint[128];
    for (size_t i = 0; strategies[i]; i++) {
        nearest_offer(&nearest, name, strategies[i]->name);
        size_t len = strlen(list);
        snprintf(list + len, sizeof list - len, "%s%s", i ? ", " : "", strategies[i]->name);
    }
    return error_set(err, "\"%s\" is no strategy: there are %s%s", name, list,
                     nearest_hint(&nearest, hint, sizeof hint));
}

static int add_strategy(struct scenario *scenario, const char *name, struct error *err)
{
    const struct strategy_ops *ops = strategy_find(name);
    if (ops == NULL)
        return unknown_strategy(name, err);
    for (size_t i = 0; i < scenario->n_strategies; i++)
        if (scenario->strategy[i].ops == ops)
            return error_set(err, "\"%s\" stands there twice", name);
    size_t n = ++scenario->n_strategies;
    scenario->strategy = mem_resize(scenario->strategy, n, sizeof *scenario->strategy);
    scenario->strategy[n - 1] = (struct strategy_choice){.ops = ops};
    return 0;
}

/* A copy of the text between *at and the next comma, without spaces around it; *at moves behind the comma, NULL at the
 * end. */
static char *next_item(const char **at)
{
    const char *p = *at + strspn(*at, " \t");
    size_t len = strcspn(p, ",");
    *at = p[len] ? p + len + 1 : NULL;
    while (len > 0 && (p[len - 1] == ' ' || p[len - 1] == '\t'))
        len--;
    char *item = mem_alloc(len + 1);
    memcpy(item, p, len);
    item[len] = '\0';
    return item;
}

int own_read_strategies(const char *text, void *object, struct error *err)
{
    struct scenario *scenario = object;
    scenario->n_strategies = 0;
    for (const char *at = text; at;) {
        char *name = next_item(&at);
        int failed = name[0] ? add_strategy(scenario, name, err) : error_set(err, "a name is missing at a comma");
        free(name);
        if (failed)
            return -1;
    }
    return 0;
}

char *own_write_strategies(const void *object)
{
    const struct scenario *scenario = object;
    char *text = mem_strdup("");
    for (size_t i = 0; i < scenario->n_strategies; i++) {
        char *longer = mem_printf("%s%s%s", text, i ? ", " : "", scenario->strategy[i].ops->name);
        free(text);
        text = longer;
    }
    return text;
}

/* ── targets ── */

static int read_target(const char *text, struct scenario *scenario, enum target_kind kind, struct error *err)
{
    double target;
    if (units_number(text, &target, err) != 0)
        return -1;
    if (target <= 0)
        return error_set(err, "a target is more than 0: it must be possible to get below it");
    if (kind == TARGET_RELATIVE_ERROR && target >= 1)
        return error_set(err, "a share of the first error is less than 1");
    scenario->target_kind = kind;
    scenario->target = target;
    return 0;
}

static char *write_target(const struct scenario *scenario, enum target_kind kind)
{
    char text[UNITS_TEXT_MAX];
    return scenario->target_kind == kind ? mem_strdup(units_write_number(text, scenario->target)) : NULL;
}

int own_read_target_error(const char *text, void *object, struct error *err)
{
    return read_target(text, object, TARGET_ERROR, err);
}

char *own_write_target_error(const void *object)
{
    return write_target(object, TARGET_ERROR);
}

int own_read_target_relative(const char *text, void *object, struct error *err)
{
    return read_target(text, object, TARGET_RELATIVE_ERROR, err);
}

char *own_write_target_relative(const void *object)
{
    return write_target(object, TARGET_RELATIVE_ERROR);
}

int own_read_target_gradient(const char *text, void *object, struct error *err)
{
    return read_target(text, object, TARGET_GRADIENT, err);
}

char *own_write_target_gradient(const void *object)
{
    return write_target(object, TARGET_GRADIENT);
}

/* ── data ── */

char *own_absolute(const char *path, const char *beside)
{
    if (path[0] == '/')
        return mem_strdup(path);
    char *folder = mem_strdup(beside);
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    char *absolute = slash ? mem_printf("%s/%s", folder, path) : mem_strdup(path);
    free(folder);
    return absolute;
}

static void set_data(struct scenario *scenario, enum data_source source, const char *path, const char *labels)
{
    struct problem *problem = &scenario->problem;
    free(problem->path);
    free(problem->labels_path);
    problem->source = source;
    problem->path = path ? own_absolute(path, scenario->path) : NULL;
    problem->labels_path = labels ? own_absolute(labels, scenario->path) : NULL;
}

static int read_idx(const char *text, struct scenario *scenario, struct error *err)
{
    const char *at = text;
    char *images = next_item(&at), *labels = at ? next_item(&at) : mem_strdup("");
    bool is_right = images[0] && labels[0] && at == NULL;
    if (is_right)
        set_data(scenario, DATA_IDX, images, labels);
    free(images);
    free(labels);
    return is_right ? 0 : error_set(err, "idx needs two files, the images' and the labels': idx:IMAGES,LABELS");
}

int own_read_data(const char *text, void *object, struct error *err)
{
    struct scenario *scenario = object;
    if (strcmp(text, "synthetic") == 0)
        set_data(scenario, DATA_SYNTHETIC, NULL, NULL);
    else if (strncmp(text, "csv:", 4) == 0 && text[4])
        set_data(scenario, DATA_CSV, text + 4, NULL);
    else if (strncmp(text, "libsvm:", 7) == 0 && text[7])
        set_data(scenario, DATA_LIBSVM, text + 7, NULL);
    else if (strncmp(text, "idx:", 4) == 0)
        return read_idx(text + 4, scenario, err);
    else
        return error_set(err, "not of the form synthetic, csv:FILE, libsvm:FILE or idx:IMAGES,LABELS");
    return 0;
}

char *own_write_data(const void *object)
{
    const struct problem *problem = &((const struct scenario *)object)->problem;
    switch (problem->source) {
    case DATA_CSV:
        return mem_printf("csv:%s", problem->path);
    case DATA_LIBSVM:
        return mem_printf("libsvm:%s", problem->path);
    case DATA_IDX:
        return mem_printf("idx:%s,%s", problem->path, problem->labels_path);
    case DATA_SYNTHETIC:
        break;
    }
    return mem_strdup("synthetic");
}

int own_read_classes(const char *text, void *object, struct error *err)
{
    struct class_pair pair = {.given = true}, *out = &((struct scenario *)object)->problem.classes;
    if (strcmp(text, "none") == 0) {
        *out = (struct class_pair){0};
        return 0;
    }
    const char *at = text;
    for (int i = 0; i < 2; i++) {
        char *item = at ? next_item(&at) : mem_strdup("");
        int failed = units_number(item, &pair.which[i], NULL);
        free(item);
        if (failed)
            return error_set(err, "not two labels, for example 0, 6; or \"none\"");
    }
    if (at)
        return error_set(err, "there are more than two labels");
    if (pair.which[0] == pair.which[1])
        return error_set(err, "the two labels are the same");
    *out = pair;
    return 0;
}

char *own_write_classes(const void *object)
{
    const struct class_pair *pair = &((const struct scenario *)object)->problem.classes;
    char first[UNITS_TEXT_MAX], second[UNITS_TEXT_MAX];
    if (!pair->given)
        return mem_strdup("none");
    return mem_printf("%s, %s", units_write_number(first, pair->which[0]), units_write_number(second, pair->which[1]));
}
