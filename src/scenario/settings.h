/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a file and its --set say, setting by setting: each with its line, the section it stands in, its row of the key
 * table and its value, checked one by one. What settings mean together is resolve.h's. */
#ifndef LAGGARD_SCENARIO_SETTINGS_H
#define LAGGARD_SCENARIO_SETTINGS_H

#include "scenario/complain.h"
#include "scenario/keys.h"
#include "scenario/ini.h"

enum { SETTINGS_FILE_MAX = 4 * 1024 * 1024, PLACE_ALL = -3, PLACE_PS = -1 };

/* What a section is about: its name, taken apart. */
struct place {
    enum section_kind kind;
    bool bad;     /* unknown, or something that this version does not do: its keys are passed over */
    int32_t node; /* PLACE_ALL ([link]), PLACE_PS, or a worker, 0-based */
    bool both;    /* of a link: both directions */
    enum direction direction;
    const struct strategy_ops *ops; /* strategy:NAME; NULL: all */
    int64_t at_ns;                  /* at:TIME */
};

struct setting {
    const struct ini_entry *entry;
    const struct ini_section *section;
    const struct place *place;
    const struct key *key; /* of SECTION_AT: the pattern */
    const char *value;     /* owned by the settings */
    bool bad;              /* complained about: counts as not said */
};

struct settings {
    struct ini lines;
    struct place *place; /* one per section of lines */
    size_t n;
    struct setting *setting; /* in file order, --set last; those that a --set replaced are left out */
    void *values;            /* iniparser's dictionary, which owns the values */
};

/* Read, index and look at each setting; complaints go to errors. 0, or -1 when the file cannot be read at all
 * (complained). */
MUST_CHECK int settings_load(struct settings *settings, const char *path, const char *const *overrides, size_t n,
                             struct scenario_errors *errors);
/* The same from bytes in memory (a fuzzer's, a test's). */
MUST_CHECK int settings_parse(struct settings *settings, const char *bytes, size_t len, const char *const *overrides,
                              size_t n, struct scenario_errors *errors);
void settings_clear(struct settings *settings);

/* Complain about a setting: "[section] key = value: sentence", or "--set section.key=value: sentence". */
void complain_setting(struct scenario_errors *errors, const struct setting *setting, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* What settings are looked up for: a worker's compute or pause, one direction of a link, a strategy, or a section that
 * there is once. */
struct subject {
    enum section_kind kind;
    int32_t node; /* PLACE_PS or a worker, 0-based; PLACE_ALL where the kind has no nodes */
    enum direction direction;
    const struct strategy_ops *ops;
};
/* How closely a section speaks of its subject; the closer one wins, whatever stands first in the file. [link] says
 * nothing of the PS's link. */
enum level {
    LEVEL_NOT,
    LEVEL_ALL /* [link] */,
    LEVEL_NODE /* [link:worker3] */,
    LEVEL_DIRECTION /* [link:worker3.up] */
};

/* Apply the sound settings of these levels to object, the closest last. */
void settings_apply(const struct settings *settings, const struct subject *subject, enum level first, enum level last,
                    void *object);
/* The sound setting that has the last word on a key; NULL: nobody says it. */
const struct setting *settings_winner(const struct settings *settings, const struct subject *subject, const char *key);
/* Is what has the last word on a key wrong? Then what hangs on it cannot be judged. */
bool settings_is_bad(const struct settings *settings, const struct subject *subject, const char *key);
/* The same for a section that there is once, as [cluster]. */
const struct setting *settings_find(const struct settings *settings, enum section_kind kind, const char *key);
bool settings_are_bad(const struct settings *settings, enum section_kind kind, const char *key);

#endif
