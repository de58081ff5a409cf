/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of sections: [KIND] or [KIND:WHAT], where what WHAT may be depends on the kind. */
#include "config.h"

#include "scenario/place.h"

#include <stdlib.h>
#include <string.h>

#include "scenario/nearest.h"
#include "scenario/units.h"

int place_read_node(const char *name, size_t len, int32_t *node, struct error *err)
{
    if (len == 2 && memcmp(name, "ps", 2) == 0) {
        *node = PLACE_PS;
        return 0;
    }
    size_t digits = len > 6 && memcmp(name, "worker", 6) == 0 ? len - 6 : 0;
    if (digits == 0 || digits > 6 || strspn(name + 6, "0123456789") < digits || name[6] == '0')
        return error_set(err, "\"%.*s\" is no node: there are ps and worker1, worker2, ...", (int)len, name);
    *node = (int32_t)strtol(name + 6, NULL, 10) - 1;
    return 0;
}

int place_read_link(const char *name, size_t len, struct place *out, struct error *err)
{
    const char *dot = memchr(name, '.', len);
    size_t node = dot ? (size_t)(dot - name) : len;
    out->both = dot == NULL;
    out->direction = LINK_UP;
    if (dot) {
        size_t rest = len - node - 1;
        bool is_down = rest == 4 && memcmp(dot + 1, "down", 4) == 0;
        if (!is_down && !(rest == 2 && memcmp(dot + 1, "up", 2) == 0))
            return error_set(err, "\"%.*s\" is no direction of a link: there are up (towards the PS) and down",
                             (int)rest, dot + 1);
        out->direction = is_down ? LINK_DOWN : LINK_UP;
    }
    return place_read_node(name, node, &out->node, err);
}

static int read_worker(const char *what, struct place *out, struct error *err)
{
    if (place_read_node(what, strlen(what), &out->node, err) != 0)
        return -1;
    return out->node == PLACE_PS ? error_set(err, "only workers have this section, as in worker3") : 0;
}

static int read_strategy(const char *what, struct place *out, struct error *err)
{
    struct nearest nearest = {0};
    char hint[128];
    out->ops = strategy_find(what);
    for (size_t i = 0; strategies[i]; i++)
        nearest_offer(&nearest, what, strategies[i]->name);
    return out->ops ? 0 : error_set(err, "\"%.60s\" is no strategy%s", what, nearest_hint(&nearest, hint, sizeof hint));
}

/* What stands behind the colon. */
static int read_what(const char *what, struct place *out, struct error *err)
{
    switch (out->kind) {
    case SECTION_STRATEGY:
        return read_strategy(what, out, err);
    case SECTION_COMPUTE:
    case SECTION_PAUSE:
        return read_worker(what, out, err);
    case SECTION_LINK:
        return place_read_link(what, strlen(what), out, err);
    case SECTION_AT:
        return units_duration(what, &out->at_ns, err);
    default:
        return error_set(err, "[%s] is one section, nothing follows its name", section_names[out->kind]);
    }
}

static int find_kind(const char *section, size_t len, struct place *out, struct error *err)
{
    struct nearest nearest = {0};
    char name[NEAREST_MAX + 1], hint[128];
    size_t kept = len < NEAREST_MAX ? len : NEAREST_MAX;
    memcpy(name, section, kept);
    name[kept] = '\0';
    for (int kind = 0; kind < SECTION_KINDS; kind++) {
        if (strcmp(section_names[kind], name) == 0) {
            out->kind = (enum section_kind)kind;
            return 0;
        }
        nearest_offer(&nearest, name, section_names[kind]);
    }
    const struct key_unsupported *missing = key_find_unsupported(name, NULL);
    if (missing)
        return error_set(err, "not supported in this version%s%s", missing->instead ? ": " : "",
                         missing->instead ? missing->instead : "");
    return error_set(err, "no such section%s", nearest_hint(&nearest, hint, sizeof hint));
}

int place_read(const char *section, struct place *out, struct error *err)
{
    *out = (struct place){.node = PLACE_ALL, .both = true};
    const char *colon = strchr(section, ':');
    if (find_kind(section, colon ? (size_t)(colon - section) : strlen(section), out, err) != 0)
        return -1;
    if (colon)
        return read_what(colon + 1, out, err);
    return out->kind == SECTION_AT ? error_set(err, "the time is missing, as in [at:5s]") : 0;
}
