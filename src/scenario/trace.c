/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a trace. Milliseconds in the file, seconds in the table. Lines that are empty or start with # are passed over.
 */
#include "config.h"

#include "scenario/trace.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "scenario/units.h"

enum { FIELD_MAX = 64 };

/* One field, [at, end), into the table. */
static int add_field(struct trace *trace, size_t *n, size_t *room, const char *at, const char *end, struct error *err)
{
    char text[FIELD_MAX];
    double ms;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    size_t len = (size_t)(end - at);
    if (len == 0 || len >= FIELD_MAX)
        return error_set(err, "a field is %s: each is a number of milliseconds", len ? "too long" : "empty");
    memcpy(text, at, len);
    text[len] = '\0';
    if (units_number(text, &ms, err) != 0)
        return error_prefix(err, "\"%s\"", text);
    if (ms < 0)
        return error_set(err, "\"%s\": a time cannot be negative", text);
    if (*n == *room) {
        *room = *room ? 2 * *room : 256;
        trace->table = mem_resize(trace->table, *room, sizeof *trace->table);
    }
    trace->table[(*n)++] = ms / 1000;
    return 0;
}

/* One line, [at, end); adds a row. */
static int add_row(struct trace *trace, size_t *n, size_t *room, const char *at, const char *end, struct error *err)
{
    size_t before = *n;
    for (bool more = true; more;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        more = comma != NULL;
        if (add_field(trace, n, room, at, comma ? comma : end, err) != 0)
            return error_prefix(err, "column %zu", *n - before + 1);
        at = comma ? comma + 1 : end;
    }
    if (trace->rows == 0)
        trace->columns = *n - before;
    if (*n - before != trace->columns)
        return error_set(err, "%zu columns, but the first row has %zu", *n - before, trace->columns);
    trace->rows++;
    return 0;
}

static bool is_blank(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at == end || *at == '#';
}

int trace_parse(const char *name, const char *bytes, size_t len, struct trace *out, struct error *err)
{
    *out = (struct trace){0};
    size_t n = 0, room = 0, line = 1;
    const char *end = bytes + len;
    for (const char *at = bytes; at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        if (!is_blank(at, stop) && add_row(out, &n, &room, at, stop, err) != 0) {
            trace_clear(out);
            return error_prefix(err, "%s:%zu", name, line);
        }
        at = newline ? newline + 1 : end;
    }
    if (out->rows == 0)
        return error_set(err, "%s: no times in it: a row per round, a column per worker, in milliseconds", name);
    out->path = mem_strdup(name);
    return 0;
}

int trace_read(const char *path, struct trace *out, struct error *err)
{
    int result = -1;
    char *bytes = NULL;
    struct stat about;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return error_set_errno(err, "%s", path);
    if (fstat(fileno(file), &about) != 0 || !S_ISREG(about.st_mode) || about.st_size > TRACE_BYTES_MAX) {
        error_set(err, "%s: not a file of at most 64 MiB", path);
        goto out;
    }
    bytes = mem_alloc((size_t)about.st_size);
    size_t len = fread(bytes, 1, (size_t)about.st_size, file);
    if (ferror(file)) {
        error_set_errno(err, "%s", path);
        goto out;
    }
    result = trace_parse(path, bytes, len, out, err);
out:
    free(bytes);
    fclose(file);
    return result;
}

void trace_clear(struct trace *trace)
{
    free(trace->path);
    free(trace->table);
    *trace = (struct trace){0};
}
