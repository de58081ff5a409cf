/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text in memory, line by line and word by word, with the place for errors ("file:line: …"). Private to the parsers of
 * core. */
#ifndef LAGGARD_CORE_LINES_H
#define LAGGARD_CORE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Some of the text; borrowed, not NUL-terminated. */
struct span {
    const char *at;
    size_t len;
};

struct lines {
    const char *name; /* of the file */
    const char *at, *end;
    size_t number; /* of the line that lines_next gave last, 1-based */
};

struct lines lines_of(const char *name, const char *bytes, size_t len);

/* The next line that is not blank, without its end ("\n" or "\r\n") and without blanks on either side. False at the
 * end. */
MUST_CHECK bool lines_next(struct lines *lines, struct span *line);

/* Cut from *rest what stands before `separator` (all of it if there is none) and trim it. False once nothing is left: a
 * separator at the very end is followed by one more, empty, piece. */
MUST_CHECK bool span_cut(struct span *rest, char separator, struct span *piece);
/* Cut the next word (between blanks) from *rest. False if there is none. */
MUST_CHECK bool span_word(struct span *rest, struct span *word);

/* Set "name:line: sentence"; returns -1. */
int lines_error(const struct lines *lines, struct error *err, const char *format, ...) PRINTF_LIKE(3, 4);

/* The span for an error sentence: at most 40 characters, the unprintable ones as '?'. */
struct quote {
    char text[48];
};
struct quote span_quote(struct span span);

#endif
