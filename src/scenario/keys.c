/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a row means: text to field, field to text, one small function a type. The rows are in table.c. */
#include "config.h"

#include "scenario/keys.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "scenario/nearest.h"
#include "scenario/units.h"

/* A figure on its way from text to field. */
union figure {
    uint64_t count;
    int64_t ns;
    double number;
    uint32_t ppm;
    uint64_t bps;
};

static int read_figure(enum key_type type, const char *text, union figure *out, struct error *err)
{
    switch (type) {
    case KEY_COUNT32:
    case KEY_COUNT64:
    case KEY_SIZE:
        return units_count(text, &out->count, err);
    case KEY_NUMBER:
        return units_number(text, &out->number, err);
    case KEY_DURATION:
    case KEY_SECONDS:
        return units_duration(text, &out->ns, err);
    case KEY_RATE:
        return units_rate(text, &out->bps, err);
    default:
        return units_percent(text, &out->ppm, err);
    }
}

static int compare_figures(enum key_type type, union figure a, union figure b)
{
    switch (type) {
    case KEY_COUNT32:
    case KEY_COUNT64:
    case KEY_SIZE:
        return (a.count > b.count) - (a.count < b.count);
    case KEY_NUMBER:
        return (a.number > b.number) - (a.number < b.number);
    case KEY_DURATION:
    case KEY_SECONDS:
        return (a.ns > b.ns) - (a.ns < b.ns);
    case KEY_RATE:
        return (a.bps > b.bps) - (a.bps < b.bps);
    default:
        return (a.ppm > b.ppm) - (a.ppm < b.ppm);
    }
}

/* Is the figure beyond this end of its range? */
static bool is_beyond(const struct key *key, union figure figure, const char *end, int sign)
{
    union figure limit = {0};
    if (end == NULL || read_figure(key->type, end, &limit, NULL) != 0)
        return false;
    return compare_figures(key->type, figure, limit) * sign > 0;
}

static void store_figure(const struct key *key, union figure figure, void *field)
{
    switch (key->type) {
    case KEY_COUNT32:
        *(uint32_t *)field = (uint32_t)figure.count;
        break;
    case KEY_COUNT64:
        *(uint64_t *)field = figure.count;
        break;
    case KEY_SIZE:
        *(size_t *)field = (size_t)figure.count;
        break;
    case KEY_NUMBER:
        *(double *)field = figure.number;
        break;
    case KEY_DURATION:
        *(int64_t *)field = figure.ns;
        break;
    case KEY_SECONDS:
        *(double *)field = (double)figure.ns / 1e9;
        break;
    case KEY_RATE:
        *(uint64_t *)field = figure.bps;
        break;
    case KEY_SHARE:
        *(double *)field = figure.ppm / 1e6;
        break;
    default:
        *(uint32_t *)field = figure.ppm;
        break;
    }
}

static int read_ranged(const struct key *key, const char *text, void *field, struct error *err)
{
    union figure figure = {0};
    if (key->zero && strcmp(text, key->zero) == 0) {
        if (key->zero_is_nan)
            figure.number = NAN;
        store_figure(key, figure, field);
        return 0;
    }
    if (read_figure(key->type, text, &figure, err) != 0) {
        if (key->zero && err) {
            size_t len = strlen(err->text);
            snprintf(err->text + len, sizeof err->text - len, "; or \"%s\"", key->zero);
        }
        return -1;
    }
    char range[KEY_RANGE_MAX];
    bool is_taken = key->type == KEY_NUMBER && key->zero && !key->zero_is_nan && figure.number <= 0;
    if (is_taken || is_beyond(key, figure, key->min, -1) || is_beyond(key, figure, key->max, 1) ||
        (key->type == KEY_COUNT32 && figure.count > UINT32_MAX) || (key->type == KEY_SIZE && figure.count > SIZE_MAX))
        return error_set(err, "out of range: %s", key_range(key, range));
    store_figure(key, figure, field);
    return 0;
}

static int read_word(const struct key *key, const char *text, void *field, struct error *err)
{
    struct nearest nearest = {0};
    char list[256] = "", hint[128];
    if (key->not_yet && strcmp(key->not_yet, text) == 0)
        return error_set(err, "not supported in this version");
    for (int i = 0; key->words[i]; i++) {
        if (key->not_yet && strcmp(key->not_yet, key->words[i]) == 0)
            continue;
        if (strcmp(key->words[i], text) == 0) {
            *(int *)field = i;
            return 0;
        }
        nearest_offer(&nearest, text, key->words[i]);
        size_t len = strlen(list);
        snprintf(list + len, sizeof list - len, "%s%s", len ? ", " : "", key->words[i]);
    }
    return error_set(err, "not one of %s%s", list, nearest_hint(&nearest, hint, sizeof hint));
}

static int read_switch(const char *text, bool *field, struct error *err)
{
    static const char *const yes[] = {"true", "on", "yes"}, *const no[] = {"false", "off", "no"};
    for (size_t i = 0; i < 3; i++) {
        bool is_yes = strcmp(text, yes[i]) == 0;
        if (is_yes || strcmp(text, no[i]) == 0) {
            *field = is_yes;
            return 0;
        }
    }
    return error_set(err, "neither true (on, yes) nor false (off, no)");
}

int key_read(const struct key *key, const char *text, void *object, struct error *err)
{
    void *field = (char *)object + key->offset;
    if (text[0] == '\0')
        return error_set(err, "the value is missing");
    switch (key->type) {
    case KEY_OWN:
        return key->read(text, object, err);
    case KEY_TEXT:
        free(*(char **)field);
        *(char **)field = mem_strdup(text);
        return 0;
    case KEY_WORD:
        return read_word(key, text, field, err);
    case KEY_SWITCH:
        return read_switch(text, field, err);
    default:
        return read_ranged(key, text, field, err);
    }
}

/* ── field to text ── */

static bool is_zero(const struct key *key, const void *field)
{
    switch (key->type) {
    case KEY_COUNT32:
        return *(const uint32_t *)field == 0;
    case KEY_SIZE:
        return *(const size_t *)field == 0;
    case KEY_NUMBER:
        return key->zero_is_nan ? isnan(*(const double *)field) : *(const double *)field == 0;
    case KEY_DURATION:
        return *(const int64_t *)field == 0;
    case KEY_RATE:
        return *(const uint64_t *)field == 0;
    default:
        return false;
    }
}

static char *write_figure(const struct key *key, const void *field, char text[UNITS_TEXT_MAX])
{
    switch (key->type) {
    case KEY_COUNT32:
        snprintf(text, UNITS_TEXT_MAX, "%" PRIu32, *(const uint32_t *)field);
        return text;
    case KEY_COUNT64:
        snprintf(text, UNITS_TEXT_MAX, "%" PRIu64, *(const uint64_t *)field);
        return text;
    case KEY_SIZE:
        snprintf(text, UNITS_TEXT_MAX, "%zu", *(const size_t *)field);
        return text;
    case KEY_NUMBER:
        return units_write_number(text, *(const double *)field);
    case KEY_DURATION:
        return units_write_duration(text, *(const int64_t *)field);
    case KEY_SECONDS:
        return units_write_duration(text, llround(*(const double *)field * 1e6) * 1000);
    case KEY_RATE:
        return units_write_rate(text, *(const uint64_t *)field);
    case KEY_SHARE:
        return units_write_percent(text, (uint32_t)lround(*(const double *)field * 1e6));
    default:
        return units_write_percent(text, *(const uint32_t *)field);
    }
}

char *key_write(const struct key *key, const void *object)
{
    const void *field = (const char *)object + key->offset;
    char text[UNITS_TEXT_MAX];
    switch (key->type) {
    case KEY_OWN:
        return key->write(object);
    case KEY_TEXT:
        return mem_strdup(*(char *const *)field);
    case KEY_WORD:
        return mem_strdup(key->words[*(const int *)field]);
    case KEY_SWITCH:
        return mem_strdup(*(const bool *)field ? "true" : "false");
    default:
        return mem_strdup(key->zero && is_zero(key, field) ? key->zero : write_figure(key, field, text));
    }
}

void keys_set_defaults(enum section_kind section, void *object)
{
    for (const struct key *key = keys; key->name; key++) {
        struct error err;
        if (key->section == section && key->def && key_read(key, key->def, object, &err) != 0) {
            fprintf(stderr, "laggard: default of %s: %s\n", key->name, err.text);
            abort(); /* the table is wrong, which a test sees first */
        }
    }
}

/* ── looking things up ── */

const struct key *key_find(enum section_kind section, const char *name)
{
    for (const struct key *key = keys; key->name; key++)
        if (key->section == section && strcmp(key->name, name) == 0)
            return key;
    return NULL;
}

bool key_serves_strategy(const struct key *key, const char *strategy)
{
    size_t len = strlen(strategy);
    for (const char *at = key->only; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, strategy, len) == 0 && (at[len] == ' ' || at[len] == '\0'))
            return true;
    }
    return key->only == NULL;
}

const struct key_unsupported *key_find_unsupported(const char *section, const char *key)
{
    for (const struct key_unsupported *row = keys_unsupported; row->section; row++) {
        bool same_key = key ? row->key && strcmp(row->key, key) == 0 : row->key == NULL;
        if (same_key && strcmp(row->section, section) == 0)
            return row;
    }
    return NULL;
}

char *key_range(const struct key *key, char out[KEY_RANGE_MAX])
{
    const char *beside = key->zero ? ", or " : "", *word = key->zero ? key->zero : "";
    if (key->min && key->max)
        snprintf(out, KEY_RANGE_MAX, "%s to %s%s%s", key->min, key->max, beside, word);
    else if (key->min)
        snprintf(out, KEY_RANGE_MAX, "at least %s%s%s", key->min, beside, word);
    else if (key->max)
        snprintf(out, KEY_RANGE_MAX, "at most %s%s%s", key->max, beside, word);
    else if (key->type == KEY_NUMBER && key->zero)
        snprintf(out, KEY_RANGE_MAX, "more than 0%s%s", beside, word);
    else
        out[0] = '\0';
    return out;
}

const char *key_type_name(const struct key *key)
{
    static const char *const names[] = {[KEY_TEXT] = "text",
                                        [KEY_COUNT32] = "whole number",
                                        [KEY_COUNT64] = "whole number",
                                        [KEY_SIZE] = "whole number",
                                        [KEY_NUMBER] = "number",
                                        [KEY_DURATION] = "duration",
                                        [KEY_SECONDS] = "duration",
                                        [KEY_RATE] = "rate",
                                        [KEY_PERCENT] = "percent",
                                        [KEY_SHARE] = "percent",
                                        [KEY_WORD] = "word",
                                        [KEY_SWITCH] = "true or false",
                                        [KEY_OWN] = "form"};
    return names[key->type];
}
