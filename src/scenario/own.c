/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values with a form of their own: a link's loss, pauses, the timeline's words. own_problem.c has those of [scenario]
 * and [problem]. */
#include "config.h"

#include "scenario/own.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "scenario/keys.h"
#include "scenario/nearest.h"
#include "scenario/units.h"

enum { WORD_MAX = 64 };

/* The next word of *at, which moves on; false at the end or when it is too long to be any. */
static bool next_word(const char **at, char word[WORD_MAX])
{
    const char *p = *at + strspn(*at, " \t");
    size_t len = strcspn(p, " \t");
    if (len == 0 || len >= WORD_MAX)
        return false;
    memcpy(word, p, len);
    word[len] = '\0';
    *at = p + len;
    return true;
}

static bool is_at_end(const char *at)
{
    return at[strspn(at, " \t")] == '\0';
}

/* ── loss ── */

static int read_gemodel(const char *at, struct link *out, struct error *err)
{
    /* As tc-netem(8): r defaults to 1 − p, 1−h to 100 %, 1−k to 0. */
    uint32_t ppm[4] = {0, 0, 1000000, 0};
    char word[WORD_MAX];
    int n = 0;
    for (; n < 4 && next_word(&at, word); n++)
        if (units_percent(word, &ppm[n], err) != 0)
            return error_prefix(err, "\"%s\"", word);
    if (n == 0 || !is_at_end(at))
        return error_set(err, "gemodel takes one to four percentages: p, r, 1-h, 1-k, for example gemodel 1%% 30%%");
    out->loss = LINK_LOSS_GEMODEL;
    out->ge_p_ppm = ppm[0];
    out->ge_r_ppm = n > 1 ? ppm[1] : 1000000 - ppm[0];
    out->ge_1h_ppm = ppm[2];
    out->ge_1k_ppm = ppm[3];
    return 0;
}

static void clear_loss(struct link *link)
{
    link->loss = LINK_LOSS_NONE;
    link->loss_ppm = link->ge_p_ppm = link->ge_r_ppm = link->ge_1h_ppm = link->ge_1k_ppm = 0;
}

int own_read_loss(const char *text, void *object, struct error *err)
{
    struct link *link = object, new = {0};
    const char *at = text;
    char word[WORD_MAX];
    if (next_word(&at, word) && strcmp(word, "gemodel") == 0) {
        if (read_gemodel(at, &new, err) != 0)
            return -1;
    } else {
        if (units_percent(text, &new.loss_ppm, err) != 0)
            return error_prefix(err, "neither a share (0.1%%) nor gemodel P R");
        new.loss = new.loss_ppm ? LINK_LOSS_INDEPENDENT : LINK_LOSS_NONE;
    }
    clear_loss(link);
    link->loss = new.loss;
    link->loss_ppm = new.loss_ppm;
    link->ge_p_ppm = new.ge_p_ppm;
    link->ge_r_ppm = new.ge_r_ppm;
    link->ge_1h_ppm = new.ge_1h_ppm;
    link->ge_1k_ppm = new.ge_1k_ppm;
    return 0;
}

char *own_write_loss(const void *object)
{
    const struct link *link = object;
    char p[UNITS_TEXT_MAX], r[UNITS_TEXT_MAX], h[UNITS_TEXT_MAX], k[UNITS_TEXT_MAX];
    if (link->loss == LINK_LOSS_GEMODEL)
        return mem_printf("gemodel %s %s %s %s", units_write_percent(p, link->ge_p_ppm),
                          units_write_percent(r, link->ge_r_ppm), units_write_percent(h, link->ge_1h_ppm),
                          units_write_percent(k, link->ge_1k_ppm));
    return mem_strdup(units_write_percent(p, link->loss_ppm));
}

/* ── pauses ── */

/* "2, 4": numbers of workers from 1, into a new ascending list. */
static int read_numbers(const char *text, uint32_t **out, uint32_t *n, struct error *err)
{
    *out = NULL;
    *n = 0;
    for (const char *at = text;; at++) {
        at += strspn(at, " \t");
        size_t digits = strspn(at, "0123456789");
        uint64_t number = digits > 0 && digits < 10 ? strtoul(at, NULL, 10) : 0;
        uint32_t i = *n;
        if (number == 0)
            return error_set(err, "neither all nor a list of workers' numbers from 1, for example 2, 4");
        *out = mem_resize(*out, *n + 1, sizeof **out);
        for (; i > 0 && (*out)[i - 1] > number; i--)
            (*out)[i] = (*out)[i - 1];
        (*out)[i] = (uint32_t)number;
        if (i > 0 && (*out)[i - 1] == number)
            return error_set(err, "worker %" PRIu64 " stands there twice", number);
        ++*n;
        at += digits;
        at += strspn(at, " \t");
        if (*at == '\0')
            return 0;
        if (*at != ',')
            return error_set(err, "workers' numbers are separated by commas, for example 2, 4");
    }
}

int own_read_pause_workers(const char *text, void *object, struct error *err)
{
    struct pause_draft *draft = object;
    uint32_t *list = NULL, n = 0;
    if (strcmp(text, "all") != 0 && read_numbers(text, &list, &n, err) != 0) {
        free(list);
        return -1;
    }
    free(draft->workers);
    draft->workers = list;
    draft->n = n;
    return 0;
}

char *own_write_pause_workers(const void *object)
{
    const struct pause_draft *draft = object;
    char *text = mem_strdup(draft->n == 0 ? "all" : "");
    for (uint32_t i = 0; i < draft->n; i++) {
        char *longer = mem_printf("%s%s%" PRIu32, text, i ? ", " : "", draft->workers[i]);
        free(text);
        text = longer;
    }
    return text;
}

/* Kinds that need no shape, and those that do; the others make no sense for a pause. */
static bool takes_shape(enum dist_kind kind)
{
    return kind == DIST_SHIFTED_EXPONENTIAL || kind == DIST_PARETO || kind == DIST_WEIBULL || kind == DIST_LOGNORMAL;
}

static bool is_pause_kind(enum dist_kind kind)
{
    return kind == DIST_CONSTANT || kind == DIST_EXPONENTIAL || takes_shape(kind);
}

static int read_kind(const char *word, bool (*fits)(enum dist_kind), enum dist_kind *kind, struct error *err)
{
    struct nearest nearest = {0};
    char list[256] = "", hint[128];
    for (int i = 0; dist_names[i]; i++) {
        if (!fits((enum dist_kind)i))
            continue;
        if (strcmp(dist_names[i], word) == 0) {
            *kind = (enum dist_kind)i;
            return 0;
        }
        nearest_offer(&nearest, word, dist_names[i]);
        size_t len = strlen(list);
        snprintf(list + len, sizeof list - len, "%s%s", len ? ", " : "", dist_names[i]);
    }
    return error_set(err, "\"%s\" is not one of %s%s", word, list, nearest_hint(&nearest, hint, sizeof hint));
}

/* "pareto 300ms 1.5" */
static int read_dist(const char *text, struct dist *out, struct error *err)
{
    struct dist dist = {.scale = 1, .factor = 1};
    const char *at = text;
    char kind[WORD_MAX], mean[WORD_MAX], shape[WORD_MAX];
    int64_t mean_ns;
    if (!next_word(&at, kind) || !next_word(&at, mean))
        return error_set(err, "not of the form KIND MEAN [SHAPE], for example exponential 2s or pareto 300ms 1.5");
    if (read_kind(kind, is_pause_kind, &dist.kind, err) != 0)
        return -1;
    if (units_duration(mean, &mean_ns, err) != 0)
        return error_prefix(err, "mean \"%s\"", mean);
    if (mean_ns < 1000000)
        return error_set(err, "mean \"%s\": pauses are at least 1ms long and 1ms apart, on average", mean);
    if (takes_shape(dist.kind)) {
        if (!next_word(&at, shape))
            return error_set(err, "%s needs a shape after its mean, for example %s %s 1.5", kind, kind, mean);
        if (units_number(shape, &dist.shape, err) != 0)
            return error_prefix(err, "shape \"%s\"", shape);
    }
    if (!is_at_end(at))
        return error_set(err, "nothing may follow \"%s\" and its %s", kind, takes_shape(dist.kind) ? "shape" : "mean");
    dist.mean = (double)mean_ns / 1e9;
    if (dist_check(&dist, err) != 0)
        return -1;
    *out = dist;
    return 0;
}

static char *write_dist(const struct dist *dist)
{
    struct key mean = {.type = KEY_SECONDS};
    if (dist->kind == DIST_NONE)
        return mem_strdup("none");
    char *text, *length = key_write(&mean, &dist->mean);
    char shape[UNITS_TEXT_MAX];
    if (takes_shape(dist->kind))
        text = mem_printf("%s %s %s", dist_names[dist->kind], length, units_write_number(shape, dist->shape));
    else
        text = mem_printf("%s %s", dist_names[dist->kind], length);
    free(length);
    return text;
}

int own_read_pause_every(const char *text, void *object, struct error *err)
{
    struct pause_draft *draft = object;
    if (strcmp(text, "none") != 0)
        return read_dist(text, &draft->model.every, err);
    draft->model.every = (struct dist){.kind = DIST_NONE, .scale = 1, .factor = 1};
    return 0;
}

char *own_write_pause_every(const void *object)
{
    return write_dist(&((const struct pause_draft *)object)->model.every);
}

int own_read_pause_for(const char *text, void *object, struct error *err)
{
    return read_dist(text, &((struct pause_draft *)object)->model.length, err);
}

char *own_write_pause_for(const void *object)
{
    return write_dist(&((const struct pause_draft *)object)->model.length);
}

/* ── computing times ── */

static bool is_any_kind(enum dist_kind kind)
{
    (void)kind;
    return true;
}

int own_read_model(const char *text, void *object, struct error *err)
{
    return read_kind(text, is_any_kind, &((struct compute_draft *)object)->dist.kind, err);
}

char *own_write_model(const void *object)
{
    return mem_strdup(dist_names[((const struct compute_draft *)object)->dist.kind]);
}

/* ── the timeline ── */

int own_read_signal(const char *text, void *object, struct error *err)
{
    struct timeline_event *event = object;
    if (strcmp(text, "KILL") != 0 && strcmp(text, "TERM") != 0)
        return error_set(err, "neither KILL nor TERM");
    event->signal = text[0] == 'K' ? SIGKILL : SIGTERM;
    return 0;
}

char *own_write_signal(const void *object)
{
    return mem_strdup(((const struct timeline_event *)object)->signal == SIGKILL ? "KILL" : "TERM");
}

int own_read_restart(const char *text, void *object, struct error *err)
{
    (void)object;
    return strcmp(text, "true") == 0
               ? 0
               : error_set(err, "only true makes sense: a worker that is to stay as it is needs no line");
}

char *own_write_restart(const void *object)
{
    (void)object;
    return mem_strdup("true");
}
