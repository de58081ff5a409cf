/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *err, const char *format, ...)
{
    if (err == NULL)
        return -1;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return -1;
}

int error_prefix(struct error *err, const char *format, ...)
{
    if (err == NULL)
        return -1;
    char old[ERROR_TEXT_MAX];
    memcpy(old, err->text, sizeof old);
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    size_t len = strlen(err->text);
    snprintf(err->text + len, sizeof err->text - len, ": %s", old);
    return -1;
}

int error_set_errno(struct error *err, const char *format, ...)
{
    int number = errno;
    if (err == NULL)
        return -1;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    size_t len = strlen(err->text);
    snprintf(err->text + len, sizeof err->text - len, ": %s", strerror(number));
    return -1;
}
