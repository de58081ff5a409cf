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

#include "tests/unit/wire_samples.h"
#include "wire/legality.h"

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

/* Fields to be 0, and the padding: whatever is set there, is refused. */
static void codec__reserved_field_or_padding_set__is_bad(void **state)
{
    (void)state;
    static const struct {
        enum wire_type type;
        size_t at;
    } rows[] = {
        {WIRE_HELLO, 7},  {WIRE_HELLO, 20},  {WIRE_HELLO, 24 + 4}, {WIRE_HELLO, 24 + 48 + 7},
        {WIRE_REFUSE, 8}, {WIRE_REFUSE, 38}, {WIRE_REFUSE, 39},    {WIRE_BEGIN, 29},
        {WIRE_TASK, 20},  {WIRE_TASK, 68},   {WIRE_TASK, 71},      {WIRE_ANSWER, 23},
        {WIRE_SKIP, 20},  {WIRE_BYE, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wire_message before = sample(rows[i].type), after;
        struct frame frame;
        struct error err = {{0}};
        encode(&before, &frame);
        assert_true(rows[i].at < frame.len);
        assert_int_equal(frame.bytes[rows[i].at], 0);
        frame.bytes[rows[i].at] = 1;
        assert_int_equal(decode_bytes(&frame, &after, &err), WIRE_BAD);
        assert_non_null(strstr(err.text, wire_type_name(rows[i].type)));
    }
}

/* A peer's sentence goes into our log, where it must stay one line. */
static void codec__control_character_in_a_text__is_bad_and_never_sent(void **state)
{
    (void)state;
    struct wire_message before = sample(WIRE_REFUSE), after;
    struct frame frame;
    struct error err = {{0}};
    strcpy(before.u.refuse.reason, "one\ntwo\x7f \xc3\xa9");
    encode(&before, &frame);
    assert_int_equal(decode_bytes(&frame, &after, &err), WIRE_OK);
    assert_string_equal(after.u.refuse.reason, "one?two? \xc3\xa9");
    frame.bytes[WIRE_HEADER_BYTES + 3] = '\n';
    assert_int_equal(decode_bytes(&frame, &after, &err), WIRE_BAD);
    assert_non_null(strstr(err.text, "0x0a"));
    frame.bytes[WIRE_HEADER_BYTES + 3] = '\0';
    assert_int_equal(decode_bytes(&frame, &after, &err), WIRE_BAD);
}

/* The largest of each that a count allows goes there and back; THETA stands for ANSWER, which has the same limit. */
static void codec__count_at_its_maximum__there_and_back(void **state)
{
    (void)state;
    struct wire_message messages[4] = {
        {.type = WIRE_HELLO}, {.type = WIRE_REFUSE}, {.type = WIRE_TASK}, {.type = WIRE_THETA}};
    messages[0].u.hello.n = WIRE_PARTS_MAX;
    messages[0].u.hello.stored = calloc(WIRE_PARTS_MAX, sizeof(struct wire_stored));
    memset(messages[1].u.refuse.reason, 'x', WIRE_REASON_MAX - 1);
    messages[2].u.task.n = WIRE_PARTS_MAX;
    messages[2].u.task.op = 1;
    messages[3].u.theta.n = WIRE_DIMENSION_MAX;
    double *zeros = calloc(WIRE_DIMENSION_MAX, sizeof(double));
    messages[2].u.task.weights = messages[3].u.theta.value = zeros;
    messages[2].u.task.parts = (const uint32_t *)(const void *)zeros;
    for (size_t i = 0; i < 4; i++) {
        struct wire_decoder decoder = {0};
        struct wire_message after;
        struct error err = {{0}};
        size_t len = wire_size(&messages[i]), used = 0;
        uint8_t *bytes = malloc(len);
        wire_encode(&messages[i], bytes);
        assert_int_equal(wire_decode(&decoder, bytes, len, &after, &used, &err), WIRE_OK);
        assert_int_equal(used, len);
        assert_int_equal(wire_size(&after), len);
        free(bytes);
        wire_decoder_clear(&decoder);
    }
    free((void *)(uintptr_t)messages[0].u.hello.stored);
    free(zeros);
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

    /* What a later version may do with the rest of it: a count that we do not know, and no bytes behind the header. */
    frame.len = WIRE_HEADER_BYTES;
    set_u32(frame.bytes, WIRE_HEADER_BYTES);
    set_u32(frame.bytes + 12, UINT32_MAX);
    frame.bytes[6] = 0xff;
    assert_int_equal(decode_bytes(&frame, &after, &err), WIRE_OK);
    assert_int_equal(after.u.hello.worker, 5);
}

static void codec__refuse_of_another_version__tells_the_reason(void **state)
{
    (void)state;
    struct wire_message before = sample(WIRE_REFUSE), after;
    struct frame frame;
    struct error err;
    before.version = 99;
    encode(&before, &frame);
    assert_int_equal(decode_bytes(&frame, &after, &err), WIRE_OK);
    assert_string_equal(after.u.refuse.reason, "worker5 has other data");
    /* A longer frame, with something behind the reason. */
    frame.bytes[8] = frame.bytes[7] = frame.bytes[frame.len] = 1;
    set_u32(frame.bytes, (uint32_t)(frame.len += 8));
    assert_int_equal(decode_bytes(&frame, &after, &err), WIRE_OK);
    assert_string_equal(after.u.refuse.reason, "worker5 has other data");
    /* But never a reason that does not fit. */
    set_u32(frame.bytes + 12, (uint32_t)frame.len - WIRE_HEADER_BYTES + 1);
    assert_int_equal(decode_bytes(&frame, &after, &err), WIRE_BAD);
    set_u32(frame.bytes + 12, WIRE_REASON_MAX);
    set_u32(frame.bytes, 4096);
    assert_int_equal(decode_bytes(&frame, &after, &err), WIRE_BAD);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codec__each_message__encodes_to_the_same_bytes_after_decoding),
        cmocka_unit_test(codec__fields__arrive),
        cmocka_unit_test(codec__every_shorter_length__asks_for_more),
        cmocka_unit_test(codec__count_and_length_that_disagree__are_bad),
        cmocka_unit_test(codec__count_above_its_maximum__is_bad_before_anything_is_allocated),
        cmocka_unit_test(codec__unknown_type_reserved_bits_other_version__are_bad),
        cmocka_unit_test(codec__reserved_field_or_padding_set__is_bad),
        cmocka_unit_test(codec__control_character_in_a_text__is_bad_and_never_sent),
        cmocka_unit_test(codec__count_at_its_maximum__there_and_back),
        cmocka_unit_test(codec__hello_of_another_version__tells_version_and_worker),
        cmocka_unit_test(codec__refuse_of_another_version__tells_the_reason),
        cmocka_unit_test(codec__frames_back_to_back__come_out_one_by_one),
        cmocka_unit_test(legality__every_message_state_and_role__as_the_manual_says),
    };
    return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
