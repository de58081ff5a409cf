/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of computing times: CSV files of milliseconds, a row per round, a column per worker. */
#ifndef LAGGARD_SCENARIO_TRACE_H
#define LAGGARD_SCENARIO_TRACE_H

#include "scenario/scenario.h"

enum { TRACE_BYTES_MAX = 64 * 1024 * 1024 };

/* Read a file into out (path is copied). Every row has as many columns as the first; figures are finite and not
 * negative. */
MUST_CHECK int trace_read(const char *path, struct trace *out, struct error *err);
/* The same from bytes; name stands in errors. */
MUST_CHECK int trace_parse(const char *name, const char *bytes, size_t len, struct trace *out, struct error *err);
void trace_clear(struct trace *trace);

#endif
