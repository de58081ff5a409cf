/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The library of uml_xstate.c lies in this program as bytes, so that it is there wherever the program is. */
#include "config.h"

#include "bed/uml_xstate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

/* clang-format off */
__asm__(".section .rodata\n"
        "uml_xstate_start:\n"
        ".incbin \"src/bed/uml-xstate.so\"\n"
        "uml_xstate_end:\n"
        ".byte 0\n"
        ".previous\n"
        ".global uml_xstate_start\n"
        ".global uml_xstate_end\n");
/* clang-format on */
extern const char uml_xstate_start[], uml_xstate_end[];

void uml_xstate_preload(const char *folder)
{
    char *path = mem_printf("%s/uml-xstate.so", folder);
    size_t size = (size_t)(uml_xstate_end - uml_xstate_start);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    if (fd >= 0 && write(fd, uml_xstate_start, size) == (ssize_t)size)
        setenv("LD_PRELOAD", path, 1);
    else
        fprintf(stderr, "%s cannot be written: %s\n", path, fd < 0 ? strerror(errno) : "no room");
    if (fd >= 0)
        close(fd);
    free(path);
}
