/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of JSON over a stream socket, both ways: the controller's end of ps/control.h, and the guest's serial line. */
#ifndef LAGGARD_BED_JSONLINE_H
#define LAGGARD_BED_JSONLINE_H

#include <jansson.h>
#include <stddef.h>

#include "base/compiler.h"

enum { JSONLINE_MAX_BYTES = 1 << 20 };

/* Embedded; zero to begin with (fd aside). */
struct jsonline {
    int fd;
    char *bytes;
    size_t len, capacity;
};

void jsonline_init(struct jsonline *line, int fd);
void jsonline_clear(struct jsonline *line); /* does not close fd */

enum jsonline_status { JSONLINE_OK, JSONLINE_AGAIN, JSONLINE_END };
/* Read what is there once (blocking if fd is); OK: something came in. */
enum jsonline_status jsonline_fill(struct jsonline *line);
/* The next whole object, or NULL. Lines that are no JSON objects are passed over. New reference. */
json_t *jsonline_next(struct jsonline *line);

/* Write an object as one line; takes the reference. -1: the other end is gone. */
int jsonline_send(int fd, json_t *object);

#endif
