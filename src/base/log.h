/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One line a message on stderr: monotonic time, process, level, sentence. core and wire do not log.
 *
 * error: the run fails. warn: a figure may be wrong. info: rounds, connections and events. debug: the rest. */
#ifndef LAGGARD_BASE_LOG_H
#define LAGGARD_BASE_LOG_H

#include "base/compiler.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* name (borrowed for ever) stands in every line, for example "ps" or "worker3"; lines above level are dropped. */
void log_open(const char *name, enum log_level level);
/* Write to this descriptor from now on (default 2). Not closed by us. */
void log_to(int fd);
/* Hand warnings and errors, whole lines without the newline, to this function as well; NULL: to none. */
void log_tell(void (*tell)(void *context, const char *line), void *context);

void log_error(const char *format, ...) PRINTF_LIKE(1, 2);
void log_warn(const char *format, ...) PRINTF_LIKE(1, 2);
void log_info(const char *format, ...) PRINTF_LIKE(1, 2);
void log_debug(const char *format, ...) PRINTF_LIKE(1, 2);

#endif
