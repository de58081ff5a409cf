/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From bytes to settings: the line index first, then iniparser on its clean copy (through a memory file, since it opens
 * files by name), then each value against its row. */
#include "config.h"

#include "scenario/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef HAVE_INIPARSER_INIPARSER_H
#include <iniparser/iniparser.h>
#else
#include <iniparser.h>
#endif

#include "base/mem.h"
#include "scenario/nearest.h"
#include "scenario/place.h"
#include "scenario/events.h"

void complain_setting(struct scenario_errors *errors, const struct setting *setting, const char *format, ...)
{
    struct error sentence;
    va_list args;
    va_start(args, format);
    vsnprintf(sentence.text, sizeof sentence.text, format, args);
    va_end(args);
    if (setting->entry->line == 0)
        complain(errors, 0, "--set %s.%s=%.200s: %s", setting->section->name, setting->entry->key, setting->value,
                 sentence.text);
    else
        complain(errors, setting->entry->line, "[%s] %s = %.200s: %s", setting->section->name, setting->entry->key,
                 setting->value, sentence.text);
}

/* ── bytes ── */

static char *read_all(int fd, size_t *len, const char **why)
{
    char *bytes = mem_alloc(SETTINGS_FILE_MAX + 1);
    *len = 0;
    for (;;) {
        ssize_t got = read(fd, bytes + *len, SETTINGS_FILE_MAX + 1 - *len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got > 0)
            *len += (size_t)got;
        if (got > 0 && *len <= SETTINGS_FILE_MAX)
            continue;
        if (got == 0)
            return bytes;
        *why = got < 0 ? strerror(errno) : "too large: a scenario has at most 4 MiB";
        free(bytes);
        return NULL;
    }
}

static char *read_file(const char *path, size_t *len, struct scenario_errors *errors)
{
    const char *why = NULL;
    char *bytes = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        why = strerror(errno);
    else
        bytes = read_all(fd, len, &why);
    if (fd >= 0)
        close(fd);
    if (bytes == NULL)
        complain(errors, 0, "the scenario cannot be read: %s", why);
    return bytes;
}

/* ── iniparser ── */

/* The line index has looked at everything that iniparser might say. */
static int be_quiet(const char *format, ...)
{
    (void)format;
    return 0;
}

static bool write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t wrote = write(fd, bytes, len);
        if (wrote < 0 && errno != EINTR)
            return false;
        if (wrote > 0)
            bytes += wrote, len -= (size_t)wrote;
    }
    return true;
}

static dictionary *load_clean(const struct ini *ini, struct scenario_errors *errors)
{
    dictionary *values = NULL;
    int fd = memfd_create("scenario", MFD_CLOEXEC);
    if (fd >= 0 && write_all(fd, ini->clean, ini->clean_len)) {
        char name[64];
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        iniparser_set_error_callback(be_quiet);
        values = iniparser_load(name);
        iniparser_set_error_callback(NULL);
    }
    if (values == NULL)
        complain(errors, 0, "iniparser cannot read the scenario: %s (it is read through /proc/self/fd)",
                 strerror(errno));
    if (fd >= 0)
        close(fd);
    return values;
}

/* ── sections ── */

static void read_places(struct settings *settings, struct scenario_errors *errors)
{
    const struct ini *ini = &settings->lines;
    settings->place = mem_array(ini->n_sections, sizeof *settings->place);
    for (size_t i = 0; i < ini->n_sections; i++) {
        struct error err;
        const struct ini_section *section = &ini->section[i];
        if (place_read(section->name, &settings->place[i], &err) == 0)
            continue;
        settings->place[i].bad = true;
        if (section->line > 0)
            complain(errors, section->line, "[%s]: %s", section->name, err.text);
        else
            complain(errors, 0, "--set %s: %s", section->name, err.text);
    }
}

/* ── single settings ── */

static void complain_unknown(struct scenario_errors *errors, const struct setting *setting)
{
    struct nearest nearest = {0};
    char hint[128];
    enum section_kind kind = setting->place->kind;
    const struct key_unsupported *missing = key_find_unsupported(section_names[kind], setting->entry->key);
    if (missing && missing->harmless && strcmp(missing->harmless, setting->value) == 0)
        return;
    if (missing) {
        complain_setting(errors, setting, "not supported in this version%s%s", missing->instead ? ": " : "",
                         missing->instead ? missing->instead : "");
        return;
    }
    for (const struct key *key = keys; key->name; key++)
        if (key->section == kind)
            nearest_offer(&nearest, setting->entry->key, key->name);
    if (nearest.name == NULL)
        for (const struct key *key = keys; key->name; key++)
            if (strcmp(key->name, setting->entry->key) == 0) {
                complain_setting(errors, setting, "no such key in [%s]; it belongs to [%s]", section_names[kind],
                                 section_names[key->section]);
                return;
            }
    complain_setting(errors, setting, "no such key in [%s]%s", section_names[kind],
                     nearest_hint(&nearest, hint, sizeof hint));
}

/* Somewhere to read a value into, only to see whether it can be. */
union scratch {
    struct scenario scenario;
    struct strategy_choice strategy;
    struct compute_draft compute;
    struct link link;
    struct pause_draft pause;
};

static void clear_scratch(enum section_kind kind, union scratch *scratch)
{
    if (kind == SECTION_COMPUTE)
        free(scratch->compute.file);
    if (kind == SECTION_PAUSE)
        free(scratch->pause.workers);
    if (kind == SECTION_SCENARIO || kind == SECTION_PROBLEM) {
        free(scratch->scenario.name);
        free(scratch->scenario.strategy);
        free(scratch->scenario.problem.path);
        free(scratch->scenario.problem.labels_path);
        free(scratch->scenario.path);
    }
}

static void look_at(struct setting *setting, struct scenario_errors *errors)
{
    struct error err;
    union scratch scratch;
    enum section_kind kind = setting->place->kind;
    if (kind == SECTION_AT) {
        struct timeline_event event;
        setting->bad = events_read(setting, &event, &err) != 0;
        if (setting->bad)
            complain_setting(errors, setting, "%s", err.text);
        else
            free(event.key);
        return;
    }
    setting->key = key_find(kind, setting->entry->key);
    setting->bad = setting->key == NULL;
    if (setting->key == NULL) {
        complain_unknown(errors, setting);
        return;
    }
    memset(&scratch, 0, sizeof scratch);
    if (kind == SECTION_PROBLEM)
        scratch.scenario.path = mem_strdup("");
    setting->bad = key_read(setting->key, setting->value, &scratch, &err) != 0;
    if (setting->bad)
        complain_setting(errors, setting, "%s", err.text);
    clear_scratch(kind, &scratch);
}

static void read_settings(struct settings *settings, struct scenario_errors *errors)
{
    const struct ini *ini = &settings->lines;
    settings->setting = mem_array(ini->n, sizeof *settings->setting);
    for (size_t i = 0; i < ini->n; i++) {
        const struct ini_entry *entry = &ini->entry[i];
        const struct place *place = &settings->place[entry->section];
        if (entry->replaced || place->bad)
            continue;
        const struct ini_section *section = &ini->section[entry->section];
        char *name = mem_printf("%s:%s", section->name, entry->key);
        const char *value = iniparser_getstring(settings->values, name, "");
        free(name);
        struct setting *setting = &settings->setting[settings->n++];
        *setting = (struct setting){.entry = entry, .section = section, .place = place, .value = value};
        look_at(setting, errors);
    }
}

/* ── doors ── */

int settings_parse(struct settings *settings, const char *bytes, size_t len, const char *const *overrides, size_t n,
                   struct scenario_errors *errors)
{
    *settings = (struct settings){0};
    ini_init(&settings->lines);
    ini_scan(&settings->lines, bytes, len, errors);
    for (size_t i = 0; i < n; i++)
        ini_set(&settings->lines, overrides[i], errors);
    ini_check_duplicates(&settings->lines, errors);
    settings->values = load_clean(&settings->lines, errors);
    if (settings->values == NULL)
        return -1;
    read_places(settings, errors);
    read_settings(settings, errors);
    return 0;
}

int settings_load(struct settings *settings, const char *path, const char *const *overrides, size_t n,
                  struct scenario_errors *errors)
{
    size_t len;
    *settings = (struct settings){0};
    char *bytes = read_file(path, &len, errors);
    if (bytes == NULL)
        return -1;
    int result = settings_parse(settings, bytes, len, overrides, n, errors);
    free(bytes);
    return result;
}

void settings_clear(struct settings *settings)
{
    ini_clear(&settings->lines);
    free(settings->place);
    free(settings->setting);
    if (settings->values)
        iniparser_freedict(settings->values);
    *settings = (struct settings){0};
}

static bool is_plain(const struct place *place)
{
    return place->node == PLACE_ALL && place->ops == NULL;
}

static enum level level_of(const struct place *place, const struct subject *subject)
{
    if (place->kind != subject->kind)
        return LEVEL_NOT;
    if (is_plain(place))
        return subject->kind == SECTION_LINK && subject->node == PLACE_PS ? LEVEL_NOT : LEVEL_ALL;
    if (place->node != subject->node || place->ops != subject->ops)
        return LEVEL_NOT;
    if (place->both)
        return LEVEL_NODE;
    return place->direction == subject->direction ? LEVEL_DIRECTION : LEVEL_NOT;
}

void settings_apply(const struct settings *settings, const struct subject *subject, enum level first, enum level last,
                    void *object)
{
    for (int level = (int)first; level <= (int)last; level++) {
        for (size_t i = 0; i < settings->n; i++) {
            const struct setting *setting = &settings->setting[i];
            if (setting->bad || (int)level_of(setting->place, subject) != level)
                continue;
            int failed = key_read(setting->key, setting->value, object, NULL);
            (void)failed; /* it was read once without an error */
        }
    }
}

const struct setting *settings_winner(const struct settings *settings, const struct subject *subject, const char *key)
{
    const struct setting *winner = NULL;
    enum level best = LEVEL_ALL;
    for (size_t i = 0; i < settings->n; i++) {
        const struct setting *setting = &settings->setting[i];
        enum level level = level_of(setting->place, subject);
        if (setting->bad || level < best || level == LEVEL_NOT || strcmp(setting->entry->key, key) != 0)
            continue;
        winner = setting;
        best = level;
    }
    return winner;
}

bool settings_is_bad(const struct settings *settings, const struct subject *subject, const char *key)
{
    enum level good = LEVEL_NOT, bad = LEVEL_NOT;
    for (size_t i = 0; i < settings->n; i++) {
        const struct setting *setting = &settings->setting[i];
        enum level level = level_of(setting->place, subject), *best = setting->bad ? &bad : &good;
        if (level > *best && strcmp(setting->entry->key, key) == 0)
            *best = level;
    }
    return bad != LEVEL_NOT && bad >= good;
}

static struct subject plain(enum section_kind kind)
{
    return (struct subject){.kind = kind, .node = PLACE_ALL};
}

const struct setting *settings_find(const struct settings *settings, enum section_kind kind, const char *key)
{
    struct subject subject = plain(kind);
    return settings_winner(settings, &subject, key);
}

bool settings_are_bad(const struct settings *settings, enum section_kind kind, const char *key)
{
    struct subject subject = plain(kind);
    return settings_is_bad(settings, &subject, key);
}
