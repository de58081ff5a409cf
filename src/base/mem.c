/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory)
{
    if (memory == NULL) {
        fputs("laggard: out of memory\n", stderr);
        abort();
    }
    return memory;
}

void *mem_alloc(size_t size)
{
    return checked(malloc(size ? size : 1));
}

void *mem_zalloc(size_t size)
{
    return checked(calloc(1, size ? size : 1));
}

void *mem_array(size_t count, size_t size)
{
    return checked(calloc(count ? count : 1, size ? size : 1));
}

void *mem_resize(void *old, size_t count, size_t size)
{
    return checked(reallocarray(old, count ? count : 1, size ? size : 1));
}

char *mem_strdup(const char *text)
{
    return text ? checked(strdup(text)) : NULL;
}

char *mem_printf(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    return checked(text);
}
