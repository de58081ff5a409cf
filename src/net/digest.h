/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a worker proves that it has the data that the PS has (laggard-protocol(7), HELLO). */
#ifndef LAGGARD_NET_DIGEST_H
#define LAGGARD_NET_DIGEST_H

#include "core/partition.h"
#include "wire/message.h"

/* SHA-256 over n and d (8 bytes each), the n × d values row by row, the n labels; integers and IEEE doubles
 * little-endian. */
void digest_partition(const struct partition *part, uint8_t out[WIRE_HASH_BYTES]);

/* "3f5a…": 64 hexadecimal digits and a NUL. */
enum { DIGEST_TEXT_BYTES = 2 * WIRE_HASH_BYTES + 1 };
void digest_text(const uint8_t digest[WIRE_HASH_BYTES], char text[DIGEST_TEXT_BYTES]);

#endif
