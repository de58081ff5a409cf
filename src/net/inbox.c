/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "net/inbox.h"

#include <stdlib.h>

#include "base/mem.h"

enum { CAPACITY_FIRST_BYTES = 16 * 1024 };

void net_inbox_clear(struct net_inbox *inbox)
{
    free(inbox->bytes);
    wire_decoder_clear(&inbox->decoder);
    *inbox = (struct net_inbox){0};
}

int net_inbox_want(struct net_inbox *inbox, uint8_t **at, size_t *room, struct error *err)
{
    size_t frame = WIRE_HEADER_BYTES;
    if (inbox->len >= WIRE_HEADER_BYTES && wire_frame_bytes(inbox->bytes, inbox->len, &frame, err) != WIRE_OK)
        return -1;
    size_t missing = frame - inbox->len;
    if (missing > 0 && inbox->len == inbox->capacity) {
        inbox->capacity = inbox->capacity ? 2 * inbox->capacity : CAPACITY_FIRST_BYTES;
        inbox->bytes = mem_resize(inbox->bytes, inbox->capacity, 1);
    }
    size_t space = inbox->capacity - inbox->len;
    *at = inbox->bytes + inbox->len;
    *room = missing < space ? missing : space;
    return 0;
}

void net_inbox_got(struct net_inbox *inbox, size_t bytes)
{
    inbox->len += bytes;
}

int net_inbox_take(struct net_inbox *inbox, struct wire_message *message, size_t *frame_bytes, struct error *err)
{
    enum wire_status status = wire_decode(&inbox->decoder, inbox->bytes, inbox->len, message, frame_bytes, err);
    inbox->len = 0;
    return status == WIRE_OK ? 0 : -1;
}
