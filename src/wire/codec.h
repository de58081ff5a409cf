/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames to bytes and back; no sockets. Layouts: laggard-protocol(7), "Frames" and "Messages".
 *
 *   0       4     5     6      8            12          16
 *   ├───────┼─────┼─────┼──────┼────────────┼───────────┼── payload, padded with zeros to a multiple of 8
 *   │length │vers.│type │  0   │ id         │ count     │
 *
 * Everything is little-endian; length counts the whole frame. A frame that starts at a multiple of 8 has its doubles
 * aligned, and so has the one behind it. */
#ifndef LAGGARD_WIRE_CODEC_H
#define LAGGARD_WIRE_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "wire/message.h"

enum { WIRE_HEADER_BYTES = 16 };

/* Bytes that the message takes as a frame. */
size_t wire_size(const struct wire_message *message);
/* Write them: out has wire_size() bytes. A control character in a text goes out as '?'. */
void wire_encode(const struct wire_message *message, uint8_t *out);

enum wire_status { WIRE_OK, WIRE_MORE, WIRE_BAD };

/* How long is the frame that begins here? Needs WIRE_HEADER_BYTES; a length or count beyond its maximum is WIRE_BAD, so
 * that nothing is allocated for it. */
MUST_CHECK enum wire_status wire_frame_bytes(const uint8_t *bytes, size_t len, size_t *frame_bytes, struct error *err);

/* What decoding keeps between calls: arrays that cannot be borrowed from the bytes. Embedded; zero to begin with. */
struct wire_decoder {
    struct wire_stored *stored;
    size_t capacity;
};
void wire_decoder_clear(struct wire_decoder *decoder);

/* Decode the frame at the start of bytes (8-byte aligned). WIRE_OK: *message refers into bytes and decoder, *used bytes
 * are done, and encoding a message of our version gives them again. WIRE_MORE: nothing was touched. WIRE_BAD: err says what is wrong,
 * however many bytes follow. A HELLO or REFUSE of another version decodes as far as all versions agree: worker, or
 * reason; message->version tells. */
MUST_CHECK enum wire_status wire_decode(struct wire_decoder *decoder, const uint8_t *bytes, size_t len,
                                        struct wire_message *message, size_t *used, struct error *err);

const char *wire_type_name(enum wire_type type); /* "HELLO"; "?" for an unknown one */

#endif
