/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frame being received on one connection: how much of it is wanted next, and its message once it is whole. */
#ifndef LAGGARD_NET_INBOX_H
#define LAGGARD_NET_INBOX_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "wire/codec.h"

/* Embedded, zero to begin with. */
struct net_inbox {
    uint8_t *bytes;
    size_t len, capacity;
    struct wire_decoder decoder;
};

void net_inbox_clear(struct net_inbox *inbox);

/* Where the next bytes go and how many are wanted: the header first, then what that says; *room = 0: the frame is whole. Memory is
 * doubled as bytes come in, so that a length alone allocates little. -1: no frame begins like this. */
MUST_CHECK int net_inbox_want(struct net_inbox *inbox, uint8_t **at, size_t *room, struct error *err);
void net_inbox_got(struct net_inbox *inbox, size_t bytes);

/* Take the message of a whole frame: refers into the inbox until the next want. -1: it is no message. */
MUST_CHECK int net_inbox_take(struct net_inbox *inbox, struct wire_message *message, size_t *frame_bytes,
                              struct error *err);

#endif
