/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "input/input.h"

/* Is it a file, of a size that we take? *size (out). */
static int check_file(int fd, const char *path, size_t max, size_t *size, struct error *err)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return error_set_errno(err, "%s", path);
    if (!S_ISREG(status.st_mode))
        return error_set(err, "%s: not a regular file", path);
    if ((uintmax_t)status.st_size > max)
        return error_set(err, "%s: %jd bytes; at most %zu are read", path, (intmax_t)status.st_size, max);
    *size = (size_t)status.st_size;
    return 0;
}

/* Up to size bytes: fewer if the file was cut meanwhile. */
static int read_bytes(int fd, const char *path, char *bytes, size_t size, size_t *len, struct error *err)
{
    *len = 0;
    while (*len < size) {
        ssize_t got = read(fd, bytes + *len, size - *len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set_errno(err, "%s", path);
        if (got == 0)
            break;
        *len += (size_t)got;
    }
    bytes[*len] = '\0';
    return 0;
}

char *input_read_file(const char *path, size_t max, size_t *len, struct error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    /* Not blocking: opening a FIFO must not wait for somebody to write to it. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        error_set_errno(err, "%s", path);
        return NULL;
    }
    if (check_file(fd, path, max, &size, err) == 0) {
        bytes = mem_alloc(size + 1);
        if (read_bytes(fd, path, bytes, size, len, err) < 0) {
            free(bytes);
            bytes = NULL;
        }
    }
    close(fd);
    return bytes;
}
