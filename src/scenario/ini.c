/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line index. ini_scan looks at a file, ini_set at one --set; both put what is sound into the index and into
 * the clean copy for iniparser, line by line in the plainest form that it has:  [section]  key = value  key = "value".
 */
#include "config.h"

#include "scenario/ini.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "scenario/complain.h"
#include "scenario/units.h"

/* A stretch of bytes, not terminated. */
struct span {
    const char *at;
    size_t len;
};

/* Where the sentences of one line go, and what they begin with. */
struct place {
    int line;
    const char *set; /* the --set, NULL for a file's line */
    struct scenario_errors *errors;
};

static void complain_here(const struct place *place, const char *sentence)
{
    if (place->set)
        complain(place->errors, 0, "--set %.200s: %s", place->set, sentence);
    else
        complain(place->errors, place->line, "%s", sentence);
}

void ini_init(struct ini *ini)
{
    *ini = (struct ini){0};
}

void ini_clear(struct ini *ini)
{
    for (size_t i = 0; i < ini->n_sections; i++)
        free(ini->section[i].name);
    for (size_t i = 0; i < ini->n; i++)
        free(ini->entry[i].key);
    free(ini->section);
    free(ini->entry);
    free(ini->clean);
    ini_init(ini);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static struct span trim(struct span s)
{
    while (s.len > 0 && is_space(s.at[0]))
        s.at++, s.len--;
    while (s.len > 0 && is_space(s.at[s.len - 1]))
        s.len--;
    return s;
}

static char *lower(struct span s)
{
    char *text = mem_alloc(s.len + 1);
    for (size_t i = 0; i < s.len; i++)
        text[i] = (char)tolower((unsigned char)s.at[i]);
    text[s.len] = '\0';
    return text;
}

/* Nothing, or a comment. */
static bool is_remark(struct span s)
{
    s = trim(s);
    return s.len == 0 || s.at[0] == ';' || s.at[0] == '#';
}

static bool has_any(struct span s, const char *set)
{
    for (size_t i = 0; i < s.len; i++)
        if (strchr(set, s.at[i]))
            return true;
    return false;
}

/* ── the clean copy ── */

static void put(struct ini *ini, const char *bytes, size_t len)
{
    if (ini->clean_len + len > ini->clean_size) {
        ini->clean_size = 2 * (ini->clean_len + len) + 256;
        ini->clean = mem_resize(ini->clean, ini->clean_size, 1);
    }
    memcpy(ini->clean + ini->clean_len, bytes, len);
    ini->clean_len += len;
}

static void put_text(struct ini *ini, const char *text)
{
    put(ini, text, strlen(text));
}

static void add_section(struct ini *ini, int line, struct span name)
{
    size_t i = ini->n_sections++;
    ini->section = mem_resize(ini->section, ini->n_sections, sizeof *ini->section);
    ini->section[i] = (struct ini_section){.line = line, .name = lower(name)};
    put_text(ini, "[");
    put_text(ini, ini->section[i].name);
    put_text(ini, "]\n");
}

static void add_entry(struct ini *ini, int line, struct span key, struct span value)
{
    if (ini->n % 64 == 0)
        ini->entry = mem_resize(ini->entry, ini->n + 64, sizeof *ini->entry);
    struct ini_entry *entry = &ini->entry[ini->n++];
    *entry = (struct ini_entry){.line = line, .section = ini->n_sections - 1, .key = lower(key)};
    put_text(ini, entry->key);
    put_text(ini, " = ");
    put(ini, value.at, value.len);
    put_text(ini, "\n");
}

/* ── one line ── */

/* The value's own bytes (with its quotes) without the comment behind it; NULL at: complained. */
static struct span find_value(struct span rest, const struct place *place)
{
    static const struct span bad = {NULL, 0};
    rest = trim(rest);
    if (rest.len > 0 && (rest.at[0] == '"' || rest.at[0] == '\'')) {
        const char *close = memchr(rest.at + 1, rest.at[0], rest.len - 1);
        if (close == NULL)
            return complain_here(place, "the quote is not closed in this line"), bad;
        size_t len = (size_t)(close - rest.at) + 1;
        if (!is_remark((struct span){rest.at + len, rest.len - len}))
            return complain_here(place, "nothing but a comment may follow a quoted value"), bad;
        return (struct span){rest.at, len};
    }
    for (size_t i = 0; i < rest.len; i++) {
        if (rest.at[i] != ';' && rest.at[i] != '#')
            continue;
        if (i > 0 && !is_space(rest.at[i - 1]))
            return complain_here(
                       place, "a value that holds ; or # must stand in quotes, and a comment needs a space before it"),
                   bad;
        rest.len = i;
    }
    rest = trim(rest);
    if (rest.len > 0 && rest.at[rest.len - 1] == '\\')
        return complain_here(place, "a line cannot be continued with a backslash: write the value in one line"), bad;
    return rest;
}

static bool is_key(struct span key)
{
    return key.len > 0 && key.len <= INI_NAME_MAX && !has_any(key, " \t:;#[]\"'\\");
}

/* "key = value", in the section that is open. */
static void take_setting(struct ini *ini, struct span text, const struct place *place)
{
    const char *equals = memchr(text.at, '=', text.len);
    if (equals == NULL) {
        complain_here(place, "neither [section] nor key = value");
        return;
    }
    size_t len = (size_t)(equals - text.at);
    struct span key = trim((struct span){text.at, len});
    if (!is_key(key)) {
        complain_here(place, key.len == 0
                                 ? "the key is missing before the ="
                                 : "a key has no spaces, quotes, brackets or any of : ; # and at most 200 bytes");
        return;
    }
    struct span value = find_value((struct span){equals + 1, text.len - len - 1}, place);
    if (value.at == NULL)
        return;
    if (ini->n_sections == 0)
        complain_here(place, "a key before the first [section]: it belongs to none");
    else if (ini->n >= INI_ENTRIES_MAX)
        complain_here(place, "too many settings: a scenario has at most 50000");
    else
        add_entry(ini, place->line, key, value);
}

/* "[section]"; false: the lines that follow belong to nothing. */
static bool take_section(struct ini *ini, struct span text, const struct place *place)
{
    const char *close = memchr(text.at, ']', text.len);
    if (close == NULL) {
        complain_here(place, "a section's line ends with ]");
        return false;
    }
    size_t len = (size_t)(close - text.at);
    struct span name = trim((struct span){text.at + 1, len - 1});
    if (!is_remark((struct span){close + 1, text.len - len - 1})) {
        complain_here(place, "nothing but a comment may follow [section] in its line");
        return false;
    }
    if (name.len == 0 || name.len > INI_NAME_MAX || has_any(name, "[;#\"'=\\")) {
        complain_here(place, "a section's name has no brackets, quotes or any of ; # = and 1 to 200 bytes");
        return false;
    }
    add_section(ini, place->line, name);
    return true;
}

/* Is it UTF-8 without control characters? Results are UTF-8, and a terminal shows names as they are. */
static bool is_text(struct span s)
{
    for (size_t i = 0; i < s.len;) {
        unsigned char c = (unsigned char)s.at[i++];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return false;
        if (c < 0x80)
            continue;
        int more = c >= 0xc2 && c < 0xe0 ? 1 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : -1;
        unsigned char next = i < s.len ? (unsigned char)s.at[i] : 0;
        if (more < 0 || (c == 0xe0 && next < 0xa0) || (c == 0xed && next >= 0xa0) || (c == 0xf0 && next < 0x90) ||
            (c == 0xf4 && next >= 0x90))
            return false;
        for (; more > 0; more--, i++)
            if (i >= s.len || ((unsigned char)s.at[i] & 0xc0) != 0x80)
                return false;
    }
    return true;
}

static bool is_sound(struct span text, const struct place *place)
{
    if (text.len > INI_LENGTH_MAX)
        complain_here(place, "too long: a line has at most 1000 bytes");
    else if (!is_text(text))
        complain_here(place, "not text: a scenario is UTF-8 without control characters");
    else
        return true;
    return false;
}

/* ── a file ── */

void ini_scan(struct ini *ini, const char *bytes, size_t len, struct scenario_errors *errors)
{
    bool lost = false; /* below a section's line that was wrong */
    const char *end = bytes + len;
    if (len >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        bytes += 3;
    for (struct place place = {.line = 1, .errors = errors}; bytes < end; place.line++) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        struct span text = {bytes, (size_t)((newline ? newline : end) - bytes)};
        bytes = newline ? newline + 1 : end;
        if (text.len > 0 && text.at[text.len - 1] == '\r')
            text.len--;
        if (!is_sound(text, &place) || is_remark(text))
            continue;
        text = trim(text);
        if (text.at[0] == '[')
            lost = !take_section(ini, text, &place);
        else if (!lost)
            take_setting(ini, text, &place);
    }
}

/* ── --set ── */

/* The end of "at:0.5s" in "at:0.5s.pause.worker4": behind the number and its unit. 0: no dot follows. */
static size_t time_length(struct span left)
{
    size_t i = 3;
    while (i < left.len &&
           (is_digit(left.at[i]) || (left.at[i] == '.' && i + 1 < left.len && is_digit(left.at[i + 1]))))
        i++;
    while (i < left.len && isalpha((unsigned char)left.at[i]))
        i++;
    return i < left.len && left.at[i] == '.' ? i : 0;
}

/* How much of the left side is the section: up to its last dot, or up to the end of a time. 0: there is no dot. */
static size_t section_length(struct span left)
{
    size_t last = 0;
    if (left.len > 3 && strncasecmp(left.at, "at:", 3) == 0)
        return time_length(left);
    for (size_t i = 0; i < left.len; i++)
        if (left.at[i] == '.')
            last = i;
    return last;
}

static void replace_older(struct ini *ini)
{
    const struct ini_entry *newest = &ini->entry[ini->n - 1];
    const char *section = ini->section[newest->section].name;
    for (size_t i = 0; i + 1 < ini->n; i++) {
        struct ini_entry *entry = &ini->entry[i];
        if (strcmp(entry->key, newest->key) == 0 && strcmp(ini->section[entry->section].name, section) == 0)
            entry->replaced = true;
    }
}

void ini_set(struct ini *ini, const char *assignment, struct scenario_errors *errors)
{
    struct place place = {.line = 0, .set = assignment, .errors = errors};
    struct span all = {assignment, strlen(assignment)};
    if (!is_sound(all, &place))
        return;
    const char *equals = strchr(assignment, '=');
    struct span left = {assignment, equals ? (size_t)(equals - assignment) : 0};
    size_t section = section_length(left);
    struct span name = trim((struct span){assignment, section});
    if (section == 0 || name.len == 0 || name.len > INI_NAME_MAX || has_any(name, "[];#\"'\\")) {
        complain_here(&place, "not section.key=value, for example link:worker3.up.rate=1mbit");
        return;
    }
    size_t before = ini->n;
    add_section(ini, 0, name);
    take_setting(ini, (struct span){assignment + section + 1, all.len - section - 1}, &place);
    if (ini->n > before)
        replace_older(ini);
}

/* ── duplicates ── */

struct sortable {
    const char *section;
    struct ini_entry *entry;
};

static int compare(const void *left, const void *right)
{
    const struct sortable *a = left, *b = right;
    int order = strcmp(a->section, b->section);
    if (order == 0)
        order = strcmp(a->entry->key, b->entry->key);
    return order ? order : a->entry->line - b->entry->line;
}

void ini_check_duplicates(struct ini *ini, struct scenario_errors *errors)
{
    struct sortable *sorted = mem_array(ini->n, sizeof *sorted);
    size_t n = 0;
    for (size_t i = 0; i < ini->n; i++)
        if (ini->entry[i].line > 0)
            sorted[n++] = (struct sortable){ini->section[ini->entry[i].section].name, &ini->entry[i]};
    qsort(sorted, n, sizeof *sorted, compare);
    for (size_t i = 1; i < n; i++) {
        const struct sortable *a = &sorted[i - 1], *b = &sorted[i];
        if (strcmp(a->section, b->section) != 0 || strcmp(a->entry->key, b->entry->key) != 0)
            continue;
        a->entry->replaced = true; /* iniparser knows the last value only */
        if (!b->entry->replaced)
            complain(errors, b->entry->line, "[%s] %s: said already in line %d: a key stands once", b->section,
                     b->entry->key, a->entry->line);
    }
    free(sorted);
}

/* ── quoting ── */

bool ini_quote(const char *value, char *out)
{
    size_t len = strlen(value);
    struct span all = {value, len};
    if (!is_text(all) || len + INI_NAME_MAX > INI_LENGTH_MAX)
        return false;
    bool plain = len > 0 && !is_space(value[0]) && !is_space(value[len - 1]) && !has_any(all, ";#\\") &&
                 value[0] != '"' && value[0] != '\'';
    char quote = plain ? 0 : strchr(value, '"') == NULL ? '"' : strchr(value, '\'') == NULL ? '\'' : -1;
    if (quote == -1)
        return false;
    size_t at = 0;
    if (quote)
        out[at++] = quote;
    memcpy(out + at, value, len);
    at += len;
    if (quote)
        out[at++] = quote;
    out[at] = '\0';
    return true;
}
