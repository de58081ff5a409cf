/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reference data that stand beside the project, for tests that skip where they are not there. */
#ifndef LAGGARD_TESTS_SHARED_DATA_H
#define LAGGARD_TESTS_SHARED_DATA_H

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

/* A whole file. New buffer, NUL-terminated; NULL if it cannot be opened. */
static inline char *read_whole(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    size_t capacity = 1 << 16;
    char *bytes = mem_alloc(capacity);
    *len = 0;
    for (size_t got; (got = fread(bytes + *len, 1, capacity - *len - 1, file)) > 0;) {
        *len += got;
        if (capacity - *len == 1)
            bytes = mem_resize(bytes, capacity *= 2, 1);
    }
    bytes[*len] = '\0';
    fclose(file);
    return bytes;
}

/* The same for a file below $LAGGARD_SHARED. */
static inline char *read_shared(const char *name, size_t *len)
{
    const char *folder = getenv("LAGGARD_SHARED");
    if (folder == NULL)
        return NULL;
    char *path = mem_printf("%s/%s", folder, name);
    char *bytes = read_whole(path, len);
    if (bytes == NULL)
        printf("%s is not there\n", path);
    free(path);
    return bytes;
}

#endif
