/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "bed/jsonline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum { READ_BYTES = 4096 };

void jsonline_init(struct jsonline *line, int fd)
{
    *line = (struct jsonline){.fd = fd};
}

void jsonline_clear(struct jsonline *line)
{
    free(line->bytes);
    *line = (struct jsonline){.fd = -1};
}

enum jsonline_status jsonline_fill(struct jsonline *line)
{
    if (line->len > JSONLINE_MAX_BYTES)
        line->len = 0; /* no line of ours is so long */
    if (line->capacity < line->len + READ_BYTES) {
        line->capacity = 2 * (line->len + READ_BYTES);
        line->bytes = mem_resize(line->bytes, line->capacity, 1);
    }
    ssize_t got;
    do
        got = read(line->fd, line->bytes + line->len, READ_BYTES);
    while (got < 0 && errno == EINTR);
    if (got > 0) {
        line->len += (size_t)got;
        return JSONLINE_OK;
    }
    return got < 0 && errno == EAGAIN ? JSONLINE_AGAIN : JSONLINE_END;
}

json_t *jsonline_next(struct jsonline *line)
{
    for (;;) {
        char *newline = line->len > 0 ? memchr(line->bytes, '\n', line->len) : NULL;
        if (newline == NULL)
            return NULL;
        size_t len = (size_t)(newline - line->bytes);
        json_t *object = json_loadb(line->bytes, len, 0, NULL);
        line->len -= len + 1;
        memmove(line->bytes, newline + 1, line->len);
        if (json_is_object(object))
            return object;
        json_decref(object);
    }
}

int jsonline_send(int fd, json_t *object)
{
    char *text = json_dumps(object, JSON_COMPACT);
    char *line = mem_printf("%s\n", text ? text : "{}");
    size_t len = strlen(line), done = 0;
    while (done < len) {
        ssize_t wrote = write(fd, line + done, len - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            break;
        done += (size_t)wrote;
    }
    free(line);
    free(text);
    json_decref(object);
    return done == len ? 0 : -1;
}
