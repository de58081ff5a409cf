/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One message of each type, and frames to put them in. */
#ifndef LAGGARD_TESTS_WIRE_SAMPLES_H
#define LAGGARD_TESTS_WIRE_SAMPLES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "wire/codec.h"

enum { FRAME_MAX = 4096, SAMPLES = 13 };

static const double values[] = {0.0, -1.5, 3.141592653589793, 1e300, 5e-324};
static const uint32_t parts[] = {3, 1, 4};
static const struct wire_stored stored[] = {
    {.partition = 7, .sha256 = {1, 2, 3}, .smoothness = 83.8562753383},
    {.partition = 8, .sha256 = {9}, .smoothness = 4},
};

/* One of each type, with its fields set. */
static inline struct wire_message sample(enum wire_type type)
{
    struct wire_message message = {.type = type};
    switch (type) {
    case WIRE_HELLO:
        message.u.hello.worker = 5;
        message.u.hello.dimension = 50;
        message.u.hello.n = 2;
        message.u.hello.stored = stored;
        break;
    case WIRE_WELCOME:
        message.u.welcome.workers = 9;
        message.u.welcome.dimension = 50;
        break;
    case WIRE_REFUSE:
        strcpy(message.u.refuse.reason, "worker5 has other data");
        break;
    case WIRE_BEGIN:
        message.u.begin.run = 2;
        message.u.begin.repeat = 1;
        message.u.begin.redundancy = 3;
        strcpy(message.u.begin.strategy, "g-lag");
        break;
    case WIRE_READY:
        message.u.ready.run = 2;
        break;
    case WIRE_THETA:
        message.u.theta.round = 17;
        message.u.theta.n = 5;
        message.u.theta.value = values;
        break;
    case WIRE_TASK:
        message.u.task.round = 17;
        message.u.task.op = 2;
        message.u.task.threshold = -1;
        message.u.task.n = 3;
        message.u.task.parts = parts;
        message.u.task.weights = values;
        break;
    case WIRE_ANSWER:
        message.u.answer.n = 5;
        message.u.answer.vector = values;
        /* fall through */
    case WIRE_SKIP:
        message.u.answer.round = 17;
        message.u.answer.evaluated = 3;
        message.u.answer.compute_ns = 1;
        message.u.answer.wait_ns = -2;
        message.u.answer.overrun_ns = 3;
        message.u.answer.late_ns = INT64_MAX;
        break;
    case WIRE_CANCEL:
        message.u.cancel.round = 17;
        break;
    case WIRE_CANCELLED:
        message.u.cancelled.round = 17;
        message.u.cancelled.evaluated = 2;
        break;
    case WIRE_END:
        message.u.end.run = 2;
        break;
    case WIRE_BYE:
        break;
    }
    return message;
}

struct frame {
    _Alignas(8) uint8_t bytes[FRAME_MAX];
    size_t len;
};

static inline void encode(const struct wire_message *message, struct frame *frame)
{
    frame->len = wire_size(message);
    assert_true(frame->len <= sizeof frame->bytes);
    wire_encode(message, frame->bytes);
}

static inline void set_u32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, 4);
}

static inline enum wire_status decode_bytes(const struct frame *frame, struct wire_message *message, struct error *err)
{
    struct wire_decoder decoder = {0};
    size_t used;
    enum wire_status status = wire_decode(&decoder, frame->bytes, frame->len, message, &used, err);
    wire_decoder_clear(&decoder);
    return status;
}

#endif
