/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of a scenario file: one table row each. Parser, defaults, ranges, dump, `laggard check --keys` and the
 * manual's test read this table and nothing else. */
#ifndef LAGGARD_SCENARIO_KEYS_H
#define LAGGARD_SCENARIO_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "scenario/scenario.h"

/* Kinds of sections, which decide what a row's offset is into. */
enum section_kind {
    SECTION_SCENARIO, /* struct scenario */
    SECTION_PROBLEM,  /* struct scenario */
    SECTION_CLUSTER,  /* struct scenario */
    SECTION_STRATEGY, /* struct strategy_choice; also strategy:NAME */
    SECTION_COMPUTE,  /* struct compute_draft; also compute:workerN */
    SECTION_LINK,     /* struct link; also link:NODE, link:NODE.up, link:NODE.down */
    SECTION_PAUSE,    /* struct pause_draft; also pause:workerN */
    SECTION_AT,       /* struct timeline_event; always at:TIME. Keys here are patterns. */
    SECTION_SECURITY, /* struct scenario */
    SECTION_KINDS
};
extern const char *const section_names[SECTION_KINDS];

/* [compute] before a trace's file has been read. */
struct compute_draft {
    struct dist dist;
    char *file; /* owned; as written, NULL: none */
};

/* [pause] before it is handed to the workers that it names. */
struct pause_draft {
    struct pause_model model;
    uint32_t n;        /* 0: all */
    uint32_t *workers; /* n of them, from 1, ascending; owned */
};

enum key_type {
    KEY_TEXT,     /* char *, owned */
    KEY_COUNT32,  /* uint32_t */
    KEY_COUNT64,  /* uint64_t */
    KEY_SIZE,     /* size_t */
    KEY_NUMBER,   /* double */
    KEY_DURATION, /* int64_t, ns */
    KEY_SECONDS,  /* double, s, written as a duration */
    KEY_RATE,     /* uint64_t, bit/s */
    KEY_PERCENT,  /* uint32_t, ppm */
    KEY_SHARE,    /* double, written with % */
    KEY_WORD,     /* an enum: the index into words */
    KEY_SWITCH,   /* bool */
    KEY_OWN       /* whatever read and write make of it */
};

struct key {
    enum section_kind section;
    const char *name;
    enum key_type type;
    const char *def;       /* text, parsed like input; NULL: none (it is needed where something needs it) */
    const char *min, *max; /* text, parsed like input; NULL: what the type allows */
    const char *zero;      /* a word that stands for 0 (for a number whose 0 is taken: NAN), NULL: none */
    bool zero_is_nan;
    const char *const *words; /* KEY_WORD */
    const char *not_yet;      /* one of the words that this version does not do, or NULL */
    size_t offset;
    /* KEY_OWN: text to field, field to text (a new string). */
    int (*read)(const char *text, void *object, struct error *err);
    char *(*write)(const void *object);
    const char *form; /* how a value looks, for people: "DURATION" */
    const char *only; /* SECTION_STRATEGY: names of strategies with a use for it, space-separated; NULL: all */
    const char *help;
};

/* All rows, ordered by section as in enum section_kind; ends with a name of NULL. */
extern const struct key keys[];

const struct key *key_find(enum section_kind section, const char *name);
/* A worker's or strategy's row reached by its name alone. */
bool key_serves_strategy(const struct key *key, const char *strategy);

/* Text into the row's field of object, range checked. What was there is released. */
MUST_CHECK int key_read(const struct key *key, const char *text, void *object, struct error *err);
/* The row's field of object as text that reads back to the same. New string. */
char *key_write(const struct key *key, const void *object);
/* Every default of a section into object. */
void keys_set_defaults(enum section_kind section, void *object);

/* "1 to 1000", "at least 1", … into out; empty if the type's own range is all there is. */
enum { KEY_RANGE_MAX = 128 };
char *key_range(const struct key *key, char out[KEY_RANGE_MAX]);
const char *key_type_name(const struct key *key);

/* What the grammar has but this version does not do: refused by name. section as enum or, for a section of its own, its
 * name before the colon. */
struct key_unsupported {
    const char *section, *key; /* key NULL: the whole section */
    const char *instead;       /* what serves meanwhile, or NULL */
    const char *harmless;      /* the value that asks for nothing, or NULL */
};
extern const struct key_unsupported keys_unsupported[]; /* ends with a section of NULL */
const struct key_unsupported *key_find_unsupported(const char *section, const char *key);

#endif
