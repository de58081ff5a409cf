/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "net/net.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "net/frame_private.h"
#include "wire/codec.h"

struct net_frame *net_frame_new(const struct wire_message *message)
{
    size_t len = wire_size(message);
    struct net_frame *frame = mem_alloc(sizeof *frame + len);
    frame->references = 1;
    frame->len = len;
    wire_encode(message, frame->bytes);
    return frame;
}

struct net_frame *net_frame_ref(struct net_frame *frame)
{
    frame->references++;
    return frame;
}

void net_frame_unref(struct net_frame *frame)
{
    if (frame == NULL)
        return;
    assert(frame->references > 0);
    if (--frame->references == 0)
        free(frame);
}

size_t net_frame_bytes(const struct net_frame *frame)
{
    return frame->len;
}
