/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames waiting to be sent on one connection, in order; each holds one reference. */
#ifndef LAGGARD_NET_QUEUE_H
#define LAGGARD_NET_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "net/net.h"

/* Embedded, zero to begin with. The first frame has been sent up to `offset`. */
struct net_queue {
    struct net_frame **frame;
    size_t head, len, capacity; /* frames [head, len) wait */
    size_t offset, bytes;       /* bytes: of all that wait, as framed */
};

void net_queue_push(struct net_queue *queue, struct net_frame *frame); /* takes the reference */
bool net_queue_is_empty(const struct net_queue *queue);
struct net_frame *net_queue_first(const struct net_queue *queue); /* borrowed; the queue must not be empty */
void net_queue_pop(struct net_queue *queue);
void net_queue_clear(struct net_queue *queue); /* all frames and the memory */

#endif
