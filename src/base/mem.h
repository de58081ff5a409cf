/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that is there: these end the process when there is none left. A size that comes from a file or a peer must have
 * met its maximum before it gets here. Release with free(). */
#ifndef LAGGARD_BASE_MEM_H
#define LAGGARD_BASE_MEM_H

#include <stddef.h>

#include "base/compiler.h"

void *mem_alloc(size_t size);                                /* not cleared; size 0 gives a valid pointer */
void *mem_zalloc(size_t size);                               /* cleared */
void *mem_array(size_t count, size_t size);                  /* cleared, overflow of the product ends the process */
void *mem_resize(void *old, size_t count, size_t size);      /* as reallocarray */
char *mem_strdup(const char *text);                          /* NULL gives NULL */
char *mem_printf(const char *format, ...) PRINTF_LIKE(1, 2); /* a new string */

#endif
