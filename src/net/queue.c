/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "net/queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { CAPACITY_FIRST = 16 };

/* Room for one more: what has been sent makes it, if that is more than half. */
static void make_room(struct net_queue *queue)
{
    if (queue->head > queue->capacity / 2) {
        memmove(queue->frame, queue->frame + queue->head, (queue->len - queue->head) * sizeof(struct net_frame *));
        queue->len -= queue->head;
        queue->head = 0;
        return;
    }
    queue->capacity = queue->capacity ? 2 * queue->capacity : CAPACITY_FIRST;
    queue->frame = mem_resize(queue->frame, queue->capacity, sizeof(struct net_frame *));
}

void net_queue_push(struct net_queue *queue, struct net_frame *frame)
{
    if (net_queue_is_empty(queue))
        queue->head = queue->len = 0;
    if (queue->len == queue->capacity)
        make_room(queue);
    queue->frame[queue->len++] = frame;
    queue->bytes += net_frame_bytes(frame);
}

bool net_queue_is_empty(const struct net_queue *queue)
{
    return queue->head == queue->len;
}

struct net_frame *net_queue_first(const struct net_queue *queue)
{
    return queue->frame[queue->head];
}

void net_queue_pop(struct net_queue *queue)
{
    struct net_frame *frame = queue->frame[queue->head++];
    queue->bytes -= net_frame_bytes(frame);
    queue->offset = 0;
    net_frame_unref(frame);
}

void net_queue_clear(struct net_queue *queue)
{
    while (!net_queue_is_empty(queue))
        net_queue_pop(queue);
    free(queue->frame);
    *queue = (struct net_queue){0};
}
