/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows are composed in memory and handed to the kernel whole: a run that is cut short leaves whole rows. */
#include "config.h"

#include "results/results.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

struct results_writer {
    int fd;
    char *path;
    size_t columns, filled; /* of the row in hand */
    char *row;
    size_t len, capacity;
};

static void append(struct results_writer *writer, const char *text, size_t len)
{
    if (writer->len + len > writer->capacity) {
        writer->capacity = 2 * (writer->len + len);
        writer->row = mem_resize(writer->row, writer->capacity, 1);
    }
    memcpy(writer->row + writer->len, text, len);
    writer->len += len;
}

static void begin_field(struct results_writer *writer)
{
    assert(writer->filled < writer->columns);
    if (writer->filled++ > 0)
        append(writer, ",", 1);
}

void results_begin(struct results_writer *writer)
{
    writer->len = 0;
    writer->filled = 0;
}

void results_text(struct results_writer *writer, const char *text)
{
    begin_field(writer);
    if (strpbrk(text, ",\"\r\n") == NULL) {
        append(writer, text, strlen(text));
        return;
    }
    append(writer, "\"", 1);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            append(writer, "\"", 1);
        append(writer, text, 1);
    }
    append(writer, "\"", 1);
}

void results_int(struct results_writer *writer, int64_t value)
{
    char text[24];
    begin_field(writer);
    append(writer, text, (size_t)snprintf(text, sizeof text, "%" PRId64, value));
}

void results_double(struct results_writer *writer, double value)
{
    char text[40];
    begin_field(writer);
    if (isnan(value))
        return;
    append(writer, text, (size_t)snprintf(text, sizeof text, "%.17g", value));
}

int results_end(struct results_writer *writer, struct error *err)
{
    assert(writer->filled == writer->columns);
    append(writer, "\n", 1);
    for (size_t done = 0; done < writer->len;) {
        ssize_t wrote = write(writer->fd, writer->row + done, writer->len - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return error_set_errno(err, "%s: a row cannot be written", writer->path);
        done += (size_t)wrote;
    }
    return 0;
}

static int write_header(struct results_writer *writer, const char *const *columns, struct error *err)
{
    results_begin(writer);
    for (size_t i = 0; columns[i] != NULL; i++)
        results_text(writer, columns[i]);
    return results_end(writer, err);
}

struct results_writer *results_open(const char *directory, enum results_file file, bool append_rows, struct error *err)
{
    const char *const *columns = results_columns(file);
    struct results_writer *writer = mem_zalloc(sizeof *writer);
    while (columns[writer->columns] != NULL)
        writer->columns++;
    writer->path = mem_printf("%s/%s", directory, results_file_name(file));
    writer->fd = open(writer->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (append_rows ? 0 : O_TRUNC), 0666);
    struct stat status;
    if (writer->fd < 0 || fstat(writer->fd, &status) < 0) {
        error_set_errno(err, "%s: cannot be opened for writing", writer->path);
        results_close(writer);
        return NULL;
    }
    if (status.st_size == 0 && write_header(writer, columns, err) < 0) {
        results_close(writer);
        return NULL;
    }
    return writer;
}

void results_close(struct results_writer *writer)
{
    if (writer == NULL)
        return;
    if (writer->fd >= 0)
        close(writer->fd);
    free(writer->path);
    free(writer->row);
    free(writer);
}
