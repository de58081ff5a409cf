/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line index: which line says which section and key. iniparser reads the values but knows no line numbers, merges
 * duplicates, joins lines that end in a backslash, cuts a value at any ; or #, and stops at the first line that is too
 * long. So every line is looked at here first, what iniparser would misread is an error with its line, and iniparser
 * gets a clean copy that both understand alike. */
#ifndef LAGGARD_SCENARIO_INI_H
#define LAGGARD_SCENARIO_INI_H

#include <stdbool.h>
#include <stddef.h>

#include "scenario/scenario.h"

enum {
    INI_LENGTH_MAX = 1000,  /* bytes of a line: iniparser's buffer is 1024 */
    INI_NAME_MAX = 200,     /* bytes of a section's or key's name */
    INI_ENTRIES_MAX = 50000 /* settings in a file */
};

struct ini_section {
    int line;
    char *name; /* lower case; owned */
};

/* One setting. */
struct ini_entry {
    int line;       /* 0: from --set */
    size_t section; /* index into section[] */
    char *key;      /* lower case; owned */
    bool replaced;  /* said again, later in the file or by a --set: this one no longer counts */
};

/* Embedded. */
struct ini {
    size_t n_sections, n;
    struct ini_section *section; /* in file order; one that is opened again stands here again */
    struct ini_entry *entry;     /* in file order, --set last */
    char *clean;                 /* what iniparser reads */
    size_t clean_len, clean_size;
};

void ini_init(struct ini *ini);
void ini_clear(struct ini *ini);

/* Index a file's bytes. Wrong lines are complained about and left out. */
void ini_scan(struct ini *ini, const char *bytes, size_t len, struct scenario_errors *errors);
/* Add one --set: replaces what the file says. assignment: "section.key=value"; the section is all before the last dot
 * on the left, and for at:TIME all before the first dot after the unit of TIME. */
void ini_set(struct ini *ini, const char *assignment, struct scenario_errors *errors);
/* Complain about every key that a section has twice. After all lines and sets are in. */
void ini_check_duplicates(struct ini *ini, struct scenario_errors *errors);

/* Can value stand in a file (perhaps in quotes), so that it reads back the same? Writes it to out as it must stand
 * there; false if it cannot. out needs strlen(value) + 3 bytes. */
bool ini_quote(const char *value, char *out);

#endif
