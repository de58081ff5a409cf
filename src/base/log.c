/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line is composed whole and handed to the kernel in one write, so that processes sharing a file do not mix theirs. */
#include "config.h"

#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

static struct {
    const char *name;
    enum log_level level;
    int fd;
    void (*tell)(void *context, const char *line);
    void *context;
} sink = {"laggard", LOG_LEVEL_WARN, STDERR_FILENO, NULL, NULL};

static const char *const level_names[] = {"error", "warn", "info", "debug"};

void log_open(const char *name, enum log_level level)
{
    sink.name = name;
    sink.level = level;
}

void log_to(int fd)
{
    sink.fd = fd;
}

void log_tell(void (*tell)(void *context, const char *line), void *context)
{
    sink.tell = tell;
    sink.context = context;
}

static PRINTF_LIKE(2, 0) void write_line(enum log_level level, const char *format, va_list args)
{
    if (level > sink.level)
        return;
    char line[2048];
    int64_t now = clock_now_ns();
    int head = snprintf(line, sizeof line, "%lld.%06lld %s %s: ", (long long)(now / NS_PER_S),
                        (long long)(now % NS_PER_S / NS_PER_US), sink.name, level_names[level]);
    int body = vsnprintf(line + head, sizeof line - (size_t)head - 1, format, args);
    size_t len = (size_t)head + (body < 0 ? 0 : (size_t)body);
    if (len > sizeof line - 2)
        len = sizeof line - 2;
    line[len] = '\n';
    ssize_t ignored = write(sink.fd, line, len + 1);
    (void)ignored;
    line[len] = '\0';
    if (sink.tell != NULL && level <= LOG_LEVEL_WARN)
        sink.tell(sink.context, line);
}

#define DEFINE_LEVEL(function, level)                                                                                  \
    void function(const char *format, ...)                                                                             \
    {                                                                                                                  \
        va_list args;                                                                                                  \
        va_start(args, format);                                                                                        \
        write_line(level, format, args);                                                                               \
        va_end(args);                                                                                                  \
    }

DEFINE_LEVEL(log_error, LOG_LEVEL_ERROR)
DEFINE_LEVEL(log_warn, LOG_LEVEL_WARN)
DEFINE_LEVEL(log_info, LOG_LEVEL_INFO)
DEFINE_LEVEL(log_debug, LOG_LEVEL_DEBUG)
