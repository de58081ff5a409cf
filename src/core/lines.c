/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct span trim(struct span span)
{
    while (span.len > 0 && is_blank(span.at[0]))
        span = (struct span){span.at + 1, span.len - 1};
    while (span.len > 0 && is_blank(span.at[span.len - 1]))
        span.len--;
    return span;
}

struct lines lines_of(const char *name, const char *bytes, size_t len)
{
    return (struct lines){.name = name, .at = bytes, .end = bytes + len};
}

bool lines_next(struct lines *lines, struct span *line)
{
    while (lines->at < lines->end) {
        size_t left = (size_t)(lines->end - lines->at);
        const char *newline = memchr(lines->at, '\n', left);
        struct span whole = {lines->at, newline ? (size_t)(newline - lines->at) : left};
        lines->at = newline ? newline + 1 : lines->end;
        lines->number++;
        *line = trim(whole);
        if (line->len > 0)
            return true;
    }
    return false;
}

bool span_cut(struct span *rest, char separator, struct span *piece)
{
    if (rest->at == NULL)
        return false;
    const char *found = rest->len > 0 ? memchr(rest->at, separator, rest->len) : NULL;
    size_t len = found ? (size_t)(found - rest->at) : rest->len;
    *piece = trim((struct span){rest->at, len});
    *rest = found ? (struct span){found + 1, rest->len - len - 1} : (struct span){NULL, 0};
    return true;
}

bool span_word(struct span *rest, struct span *word)
{
    struct span left = trim(*rest);
    size_t len = 0;
    while (len < left.len && !is_blank(left.at[len]))
        len++;
    *word = (struct span){left.at, len};
    *rest = (struct span){left.at + len, left.len - len};
    return len > 0;
}

int lines_error(const struct lines *lines, struct error *err, const char *format, ...)
{
    char sentence[ERROR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return error_set(err, "%s:%zu: %s", lines->name, lines->number, sentence);
}

struct quote span_quote(struct span span)
{
    struct quote quote;
    const size_t most = 40;
    size_t len = span.len < most ? span.len : most;
    for (size_t i = 0; i < len; i++)
        quote.text[i] = span.at[i] >= ' ' && span.at[i] <= '~' ? span.at[i] : '?';
    strcpy(quote.text + len, span.len > most ? "…" : "");
    return quote;
}
