/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "net/queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "net/frame_private.h"

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
    queue->bytes += frame->len;
}

bool net_queue_is_empty(const struct net_queue *queue)
{
    return queue->head == queue->len;
}

const uint8_t *net_queue_rest(const struct net_queue *queue, size_t *len)
{
    const struct net_frame *frame = queue->frame[queue->head];
    *len = frame->len - queue->offset;
    return frame->bytes + queue->offset;
}

static void pop(struct net_queue *queue)
{
    struct net_frame *frame = queue->frame[queue->head++];
    queue->bytes -= frame->len;
    queue->offset = 0;
    net_frame_unref(frame);
}

void net_queue_sent(struct net_queue *queue, size_t bytes)
{
    const struct net_frame *frame = queue->frame[queue->head];
    queue->offset += bytes;
    assert(queue->offset <= frame->len);
    if (queue->offset == frame->len)
        pop(queue);
}

size_t net_queue_behind(const struct net_queue *queue)
{
    return net_queue_is_empty(queue) ? 0 : queue->bytes - queue->frame[queue->head]->len;
}

void net_queue_clear(struct net_queue *queue)
{
    while (!net_queue_is_empty(queue))
        pop(queue);
    free(queue->frame);
    *queue = (struct net_queue){0};
}
