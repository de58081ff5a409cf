/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of one command of laggard: a row an option, read by the parser and by --help, and held against the
 * manual by a test. */
#ifndef LAGGARD_TOOLS_OPTIONS_H
#define LAGGARD_TOOLS_OPTIONS_H

#include <stddef.h>

#include "base/compiler.h"

enum option_kind {
    OPTION_FLAG,   /* bool */
    OPTION_TEXT,   /* const char *, borrowed from argv */
    OPTION_CHOICE, /* int: the place in `choices` of the word given */
    OPTION_LIST    /* struct option_list: may be given several times */
};

struct option_list {
    const char **text; /* owned array of borrowed words; options_list_clear */
    size_t n;
};
void options_list_add(struct option_list *list, const char *text);
void options_list_clear(struct option_list *list);

struct option_row {
    const char *name; /* without the dashes */
    char letter;      /* a short form; 0: none */
    enum option_kind kind;
    const char *argument;       /* "DIR"; NULL for a flag */
    size_t offset;              /* of the value in the command's struct */
    const char *help;           /* a newline in it begins a new line */
    const char *const *choices; /* OPTION_CHOICE: NULL-terminated */
};

/* --help and --version come by themselves. */
struct option_page {
    const char *command;           /* "run" */
    const char *usage;             /* "[OPTION]... SCENARIO" */
    const char *about;             /* a sentence or two */
    const struct option_row *rows; /* the last one's name is NULL */
    const char *footer;            /* exit status, see also; NULL: nothing */
};

/* Parse into values. OPTIONS_GO: argv[*first] and on are what is no option (argv is put in that order). Anything else
 * is the command's exit status: --help and --version have been printed (0), or a mistake has been told (2). */
enum { OPTIONS_GO = -1 };
MUST_CHECK int options_parse(const struct option_page *page, int argc, char **argv, void *values, int *first);

#endif
