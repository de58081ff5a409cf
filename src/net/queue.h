/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames waiting to be sent on one connection, in order; each holds one reference. */
#ifndef LAGGARD_NET_QUEUE_H
#define LAGGARD_NET_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/net.h"

/* Embedded, zero to begin with. The first frame has been sent up to `offset`. */
struct net_queue {
    struct net_frame **frame;
    size_t head, len, capacity; /* frames [head, len) wait */
    size_t offset, bytes;       /* bytes: of all that wait, as framed */
};

void net_queue_push(struct net_queue *queue, struct net_frame *frame); /* takes the reference */
bool net_queue_is_empty(const struct net_queue *queue);
/* What is still to be sent of the first frame, borrowed; the queue must not be empty. */
const uint8_t *net_queue_rest(const struct net_queue *queue, size_t *len);
void net_queue_sent(struct net_queue *queue, size_t bytes); /* of that rest; a frame that is sent whole is let go */
size_t net_queue_behind(const struct net_queue *queue);     /* bytes that wait behind the first frame */
void net_queue_clear(struct net_queue *queue);              /* all frames and the memory */

#endif
