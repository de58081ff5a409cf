/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames to bytes and back: every message, one byte at a time, cut short, oversize; and who may say what when. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/codec.h"
#include "wire/legality.h"

enum { FRAME_MAX = 4096, SAMPLES = 13 };

static const double values[] = {0.0, -1.5, 3.141592653589793, 1e300, 5e-324};
static const uint32_t parts[] = {3, 1, 4};
static const struct wire_stored stored[] = {
    {.partition = 7, .sha256 = {1, 2, 3}, .smoothness = 83.8562753383},
    {.partition = 8, .sha256 = {9}, .smoothness = 4},
};

/* One of each type, with its fields set. */
static struct wire_message sample(enum wire_type type)
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

static void encode(const struct wire_message *message, struct frame *frame)
{
    frame->len = wire_size(message);
    assert_true(frame->len <= sizeof frame->bytes);
    wire_encode(message, frame->bytes);
}

static void codec__each_message__encodes_to_the_same_bytes_after_decoding(void **state)
{
    (void)state;
    for (int type = WIRE_HELLO; type <= WIRE_BYE; type++) {
        struct wire_message before = sample((enum wire_type)type), after;
        struct frame frame, again;
        struct wire_decoder decoder = {0};
        struct error err = {{0}};
        size_t used = 0;
        encode(&before, &frame);
        assert_int_equal(frame.len % 8, 0);
        assert_int_equal(wire_decode(&decoder, frame.bytes, frame.len, &after, &used, &err), WIRE_OK);
        assert_int_equal(used, frame.len);
        assert_int_equal(after.type, type);
        assert_int_equal(after.version, WIRE_VERSION);
        encode(&after, &again);
        assert_int_equal(again.len, frame.len);
        assert_memory_equal(again.bytes, frame.bytes, frame.len);
        wire_decoder_clear(&decoder);
    }
}

static void codec__fields__arrive(void **state)
{
    (void)state;
    struct wire_message before = sample(WIRE_TASK), after;
    struct frame frame;
    struct wire_decoder decoder = {0};
    struct error err;
    size_t used;
    encode(&before, &frame);
    assert_int_equal(wire_decode(&decoder, frame.bytes, frame.len, &after, &used, &err), WIRE_OK);
    assert_int_equal(after.u.task.round, 17);
    assert_int_equal(after.u.task.op, 2);
    assert_true(after.u.task.threshold == -1);
    assert_memory_equal(after.u.task.parts, parts, sizeof parts);
    assert_memory_equal(after.u.task.weights, values, 3 * sizeof *values);

    before = sample(WIRE_HELLO);
    encode(&before, &frame);
    assert_int_equal(wire_decode(&decoder, frame.bytes, frame.len, &after, &used, &err), WIRE_OK);
    assert_int_equal(after.u.hello.worker, 5);
    assert_int_equal(after.u.hello.stored[1].partition, 8);
    assert_true(after.u.hello.stored[0].smoothness == 83.8562753383);
    assert_memory_equal(after.u.hello.stored[0].sha256, stored[0].sha256, WIRE_HASH_BYTES);
    wire_decoder_clear(&decoder);
}

static void codec__every_shorter_length__asks_for_more(void **state)
{
    (void)state;
    for (int type = WIRE_HELLO; type <= WIRE_BYE; type++) {
        struct wire_message before = sample((enum wire_type)type), after;
        struct frame frame;
        struct wire_decoder decoder = {0};
        struct error err;
        size_t used;
        encode(&before, &frame);
        for (size_t len = 0; len < frame.len; len++) {
            /* A buffer of exactly this size: a read beyond it is seen by the sanitizer. */
            uint8_t *exact = malloc(len ? len : 1);
            memcpy(exact, frame.bytes, len);
            assert_int_equal(wire_decode(&decoder, exact, len, &after, &used, &err), WIRE_MORE);
            free(exact);
        }
        wire_decoder_clear(&decoder);
    }
}

static void set_u32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, 4);
}

static enum wire_status decode_bytes(const struct frame *frame, struct wire_message *message, struct error *err)
{
    struct wire_decoder decoder = {0};
    size_t used;
    enum wire_status status = wire_decode(&decoder, frame->bytes, frame->len, message, &used, err);
    wire_decoder_clear(&decoder);
    return status;
}

static void codec__count_and_length_that_disagree__are_bad(void **state)
{
    (void)state;
    for (int type = WIRE_HELLO; type <= WIRE_BYE; type++) {
        if (type == WIRE_WELCOME || type == WIRE_CANCELLED)
            continue; /* their count says nothing of the length */
        struct wire_message before = sample((enum wire_type)type), after;
        struct frame frame;
        struct error err = {{0}};
        encode(&before, &frame);
        uint32_t count;
        memcpy(&count, frame.bytes + 12, 4);
        set_u32(frame.bytes + 12, count + 8);
        assert_int_equal(decode_bytes(&frame, &after, &err), WIRE_BAD);
        assert_string_not_equal(err.text, "");
    }
}

static void codec__count_above_its_maximum__is_bad_before_anything_is_allocated(void **state)
{
    (void)state;
    static const struct {
        enum wire_type type;
        uint32_t max;
    } rows[] = {{WIRE_HELLO, WIRE_PARTS_MAX},       {WIRE_WELCOME, WIRE_DIMENSION_MAX},
                {WIRE_REFUSE, WIRE_REASON_MAX - 1}, {WIRE_BEGIN, WIRE_NAME_MAX - 1},
                {WIRE_THETA, WIRE_DIMENSION_MAX},   {WIRE_TASK, WIRE_PARTS_MAX},
                {WIRE_ANSWER, WIRE_DIMENSION_MAX}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wire_message before = sample(rows[i].type);
        struct frame frame;
        struct error err = {{0}};
        size_t bytes;
        encode(&before, &frame);
        set_u32(frame.bytes + 12, rows[i].max + 1);
        assert_int_equal(wire_frame_bytes(frame.bytes, WIRE_HEADER_BYTES, &bytes, &err), WIRE_BAD);
        assert_non_null(strstr(err.text, "maximum"));
    }
}

static void codec__unknown_type_reserved_bits_other_version__are_bad(void **state)
{
    (void)state;
    struct wire_message before = sample(WIRE_CANCEL), after;
    struct frame frame;
    struct error err = {{0}};
    encode(&before, &frame);
    frame.bytes[5] = 0;
    assert_int_equal(decode_bytes(&frame, &after, &err), WIRE_BAD);
    frame.bytes[5] = WIRE_BYE + 1;
    assert_int_equal(decode_bytes(&frame, &after, &err), WIRE_BAD);
    encode(&before, &frame);
    frame.bytes[6] = 1;
    assert_int_equal(decode_bytes(&frame, &after, &err), WIRE_BAD);
    encode(&before, &frame);
    frame.bytes[4] = WIRE_VERSION + 1;
    assert_int_equal(decode_bytes(&frame, &after, &err), WIRE_BAD);
    assert_non_null(strstr(err.text, "version"));
}

static void codec__hello_of_another_version__tells_version_and_worker(void **state)
{
    (void)state;
    struct wire_message before = sample(WIRE_HELLO), after;
    struct frame frame;
    struct error err;
    before.version = 99;
    encode(&before, &frame);
    assert_int_equal(decode_bytes(&frame, &after, &err), WIRE_OK);
    assert_int_equal(after.version, 99);
    assert_int_equal(after.u.hello.worker, 5);
    assert_int_equal(after.u.hello.n, 0);

    before = sample(WIRE_REFUSE);
    before.version = 99;
    encode(&before, &frame);
    assert_int_equal(decode_bytes(&frame, &after, &err), WIRE_OK);
    assert_string_equal(after.u.refuse.reason, "worker5 has other data");
}

static void codec__frames_back_to_back__come_out_one_by_one(void **state)
{
    (void)state;
    _Alignas(8) uint8_t bytes[SAMPLES * 256];
    size_t len = 0, at = 0, used;
    for (int type = WIRE_HELLO; type <= WIRE_BYE; type++) {
        struct wire_message message = sample((enum wire_type)type);
        wire_encode(&message, bytes + len);
        len += wire_size(&message);
    }
    struct wire_decoder decoder = {0};
    struct error err;
    struct wire_message message;
    for (int type = WIRE_HELLO; type <= WIRE_BYE; type++) {
        assert_int_equal(wire_decode(&decoder, bytes + at, len - at, &message, &used, &err), WIRE_OK);
        assert_int_equal(message.type, type);
        at += used;
    }
    assert_int_equal(at, len);
    wire_decoder_clear(&decoder);
}

/* Written out in full, from laggard-protocol(7): the table in the code must say the same. */
static void legality__every_message_state_and_role__as_the_manual_says(void **state)
{
    (void)state;
    static const struct {
        enum wire_role role;
        enum wire_state state;
        const char *types; /* names, space-separated, one space at each end */
    } rows[] = {
        {WIRE_ROLE_PS, WIRE_STATE_GREETING, " HELLO "},
        {WIRE_ROLE_PS, WIRE_STATE_JOINED, " ANSWER SKIP CANCELLED "},
        {WIRE_ROLE_PS, WIRE_STATE_STARTING, " READY ANSWER SKIP CANCELLED "},
        {WIRE_ROLE_PS, WIRE_STATE_RUNNING, " ANSWER SKIP CANCELLED "},
        {WIRE_ROLE_WORKER, WIRE_STATE_GREETING, " WELCOME REFUSE "},
        {WIRE_ROLE_WORKER, WIRE_STATE_JOINED, " BEGIN BYE "},
        {WIRE_ROLE_WORKER, WIRE_STATE_STARTING, " "},
        {WIRE_ROLE_WORKER, WIRE_STATE_RUNNING, " THETA TASK CANCEL END BYE "},
    };
    assert_int_equal(sizeof rows / sizeof *rows, WIRE_ROLES * WIRE_STATES);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int type = 0; type < 256; type++) {
            char name[WIRE_NAME_MAX + 2];
            snprintf(name, sizeof name, " %s ", wire_type_name((enum wire_type)type));
            bool expected = strstr(rows[i].types, name) != NULL;
            assert_int_equal(wire_is_legal(rows[i].role, rows[i].state, (enum wire_type)type), expected);
        }
    }
}

/* The exchange in laggard-protocol(7): lines "NAME  hex hex …" between the markers. */
static void protocol_manual__exchange_in_hex__decodes_to_what_it_names(void **state)
{
    (void)state;
    char path[4096], line[1024];
    const char *top = getenv("top_srcdir");
    snprintf(path, sizeof path, "%s/man/laggard-protocol.7", top ? top : ".");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    int seen = 0;
    bool inside = false;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strstr(line, "begin exchange") || strstr(line, "end exchange"))
            inside = strstr(line, "begin exchange") != NULL;
        char name[32];
        int skip;
        if (!inside || sscanf(line, "%31[A-Z]%n", name, &skip) != 1)
            continue;
        struct frame frame = {.len = 0};
        unsigned byte;
        int step;
        for (const char *at = line + skip; sscanf(at, " %2x%n", &byte, &step) == 1; at += step)
            frame.bytes[frame.len++] = (uint8_t)byte;
        struct wire_message message;
        struct error err = {{0}};
        assert_int_equal(decode_bytes(&frame, &message, &err), WIRE_OK);
        assert_string_equal(wire_type_name(message.type), name);
        seen++;
    }
    fclose(file);
    assert_true(seen >= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codec__each_message__encodes_to_the_same_bytes_after_decoding),
        cmocka_unit_test(codec__fields__arrive),
        cmocka_unit_test(codec__every_shorter_length__asks_for_more),
        cmocka_unit_test(codec__count_and_length_that_disagree__are_bad),
        cmocka_unit_test(codec__count_above_its_maximum__is_bad_before_anything_is_allocated),
        cmocka_unit_test(codec__unknown_type_reserved_bits_other_version__are_bad),
        cmocka_unit_test(codec__hello_of_another_version__tells_version_and_worker),
        cmocka_unit_test(codec__frames_back_to_back__come_out_one_by_one),
        cmocka_unit_test(legality__every_message_state_and_role__as_the_manual_says),
        cmocka_unit_test(protocol_manual__exchange_in_hex__decodes_to_what_it_names),
    };
    return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
