/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes in memory, plain or gzip, read from the front and only as far as asked: what is never read is never inflated.
 */
#ifndef LAGGARD_CORE_GUNZIP_H
#define LAGGARD_CORE_GUNZIP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct gunzip;

/* Borrows name and bytes until gunzip_free. Gzip is recognised by its magic, 1f 8b. */
struct gunzip *gunzip_new(const char *name, const void *bytes, size_t len);
void gunzip_free(struct gunzip *in);

/* The next n bytes into to (NULL: skipped). Too few, or a damaged stream, is an error that names the file. */
MUST_CHECK int gunzip_read(struct gunzip *in, void *to, uint64_t n, struct error *err);

#endif
