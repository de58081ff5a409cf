/* SPDX-License-Identifier: GPL-3.0-or-later */
/* laggard-protocol(7) against the code: its rows, and its exchange in hex. */
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

static FILE *open_manual(void)
{
    char path[4096];
    const char *top = getenv("top_srcdir");
    snprintf(path, sizeof path, "%s/man/laggard-protocol.7", top ? top : ".");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    return file;
}

/* What one message's entry in the manual says. */
struct row {
    char name[WIRE_NAME_MAX];
    unsigned type, max, length, item;
    bool legal[WIRE_ROLES][WIRE_STATES];
};

static const char *const state_names[WIRE_STATES] = {"GREETING", "JOINED", "STARTING", "RUNNING"};

/* "Sent by the PS; legal in JOINED, RUNNING (worker)." */
static void read_legality(const char *line, struct row *row)
{
    bool at_worker = strstr(line, "(worker)") != NULL;
    assert_true(at_worker != (strstr(line, "(PS)") != NULL));
    assert_true(at_worker == (strstr(line, "Sent by the PS;") != NULL));
    for (int i = 0; i < WIRE_STATES; i++)
        row->legal[at_worker ? WIRE_ROLE_WORKER : WIRE_ROLE_PS][i] = strstr(line, state_names[i]) != NULL;
}

static void compare_row(const struct row *row)
{
    enum wire_type type = (enum wire_type)row->type;
    assert_string_equal(wire_type_name(type), row->name);
    for (int role = 0; role < WIRE_ROLES; role++)
        for (int i = 0; i < WIRE_STATES; i++)
            assert_int_equal(wire_is_legal((enum wire_role)role, (enum wire_state)i, type), row->legal[role][i]);
    struct wire_message message = sample(type);
    struct frame frame;
    struct error err;
    uint32_t count;
    encode(&message, &frame);
    memcpy(&count, frame.bytes + 12, 4);
    assert_int_equal(frame.len, (row->length + row->item * count + 7) / 8 * 8);
    if (row->max > 0) {
        size_t bytes;
        set_u32(frame.bytes, (row->length + row->item * row->max + 7) / 8 * 8);
        set_u32(frame.bytes + 12, row->max);
        assert_int_equal(wire_frame_bytes(frame.bytes, WIRE_HEADER_BYTES, &bytes, &err), WIRE_OK);
        set_u32(frame.bytes, (row->length + row->item * (row->max + 1) + 7) / 8 * 8);
        set_u32(frame.bytes + 12, row->max + 1);
        assert_int_equal(wire_frame_bytes(frame.bytes, WIRE_HEADER_BYTES, &bytes, &err), WIRE_BAD);
    }
}

static void protocol_manual__number_sender_states_maximum_and_length__are_those_of_the_code(void **state)
{
    (void)state;
    FILE *file = open_manual();
    char line[1024];
    struct row row = {.type = 0};
    unsigned seen = 0;
    while (fgets(line, sizeof line, file) != NULL && strncmp(line, ".Sh STATES", 10) != 0) {
        struct row next = {.type = 0};
        const char *max = strstr(line, ", at most ");
        if (sscanf(line, ".It Sy %31[A-Z] Pq type %u", next.name, &next.type) == 2)
            row = next;
        else if (strncmp(line, "Sent by ", 8) == 0)
            read_legality(line, &row);
        else if (strncmp(line, "Count: ", 7) == 0 && max != NULL)
            assert_int_equal(sscanf(max, ", at most %u", &row.max), 1);
        else if (sscanf(line, "Length: %u + %u n", &row.length, &row.item) >= 1) {
            assert_int_equal(row.type, ++seen);
            compare_row(&row);
        }
    }
    fclose(file);
    assert_int_equal(seen, SAMPLES);
}

/* Read the exchange of the manual, lines "NAME  hex hex …" between the markers, frame behind frame. Returns how many. */
static size_t read_exchange(struct frame *frames, char names[][WIRE_NAME_MAX], size_t max)
{
    FILE *file = open_manual();
    char line[1024];
    size_t n = 0;
    bool inside = false;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strstr(line, "begin exchange") || strstr(line, "end exchange"))
            inside = strstr(line, "begin exchange") != NULL;
        int skip, step;
        if (!inside || n == max || sscanf(line, "%31[A-Z]%n", names[n], &skip) != 1)
            continue;
        unsigned byte;
        frames[n].len = 0;
        for (const char *at = line + skip; sscanf(at, " %2x%n", &byte, &step) == 1; at += step)
            frames[n].bytes[frames[n].len++] = (uint8_t)byte;
        n++;
    }
    fclose(file);
    return n;
}

/* The states of both sides as the manual's exchange moves them. */
struct both {
    enum wire_state ps, worker;
};

static void move_states(struct both *both, enum wire_type type)
{
    if (type == WIRE_WELCOME || type == WIRE_END)
        both->ps = both->worker = WIRE_STATE_JOINED;
    else if (type == WIRE_BEGIN)
        *both = (struct both){.ps = WIRE_STATE_STARTING, .worker = WIRE_STATE_RUNNING};
    else if (type == WIRE_READY)
        both->ps = WIRE_STATE_RUNNING;
}

static void protocol_manual__exchange_in_hex__decodes_in_legal_order_to_what_it_names(void **state)
{
    (void)state;
    static struct frame frames[SAMPLES + 1];
    char names[SAMPLES + 1][WIRE_NAME_MAX];
    struct both both = {WIRE_STATE_GREETING, WIRE_STATE_GREETING};
    assert_int_equal(read_exchange(frames, names, SAMPLES + 1), SAMPLES);
    for (size_t i = 0; i < SAMPLES; i++) {
        struct wire_message message;
        struct error err = {{0}};
        assert_int_equal(decode_bytes(&frames[i], &message, &err), WIRE_OK);
        assert_string_equal(wire_type_name(message.type), names[i]);
        if (message.type == WIRE_REFUSE) /* instead of the WELCOME */
            both.worker = WIRE_STATE_GREETING;
        assert_true(wire_is_legal(WIRE_ROLE_PS, both.ps, message.type) ||
                    wire_is_legal(WIRE_ROLE_WORKER, both.worker, message.type));
        move_states(&both, message.type);
    }
}

/* The sentence above the exchange, in numbers. */
static void protocol_manual__exchange_in_hex__has_the_values_that_its_text_says(void **state)
{
    (void)state;
    static struct frame frames[SAMPLES];
    char names[SAMPLES][WIRE_NAME_MAX];
    struct wire_message message[SAMPLES];
    struct wire_decoder decoder = {0};
    struct error err;
    size_t used;
    assert_int_equal(read_exchange(frames, names, SAMPLES), SAMPLES);
    for (size_t i = 0; i < SAMPLES; i++)
        assert_int_equal(wire_decode(&decoder, frames[i].bytes, frames[i].len, &message[i], &used, &err), WIRE_OK);
    assert_int_equal(message[0].u.hello.worker, 4);
    assert_int_equal(message[0].u.hello.dimension, 2);
    assert_int_equal(message[0].u.hello.n, 1);
    assert_int_equal(message[0].u.hello.stored[0].partition, 4);
    assert_true(message[0].u.hello.stored[0].smoothness == 2);
    assert_int_equal(message[0].u.hello.stored[0].sha256[15], 0xaf);
    assert_int_equal(message[1].u.welcome.workers, 9);
    assert_string_equal(message[2].u.begin.strategy, "lag-wk");
    assert_int_equal(message[2].u.begin.redundancy, 1);
    assert_int_equal(message[3].u.ready.run, message[2].u.begin.run);
    assert_true(message[4].u.theta.value[0] == 0.5 && message[4].u.theta.value[1] == -1);
    assert_int_equal(message[5].u.task.op, 3);
    assert_int_equal(message[5].u.task.parts[0], 4);
    assert_true(message[5].u.task.weights[0] == 1 && message[5].u.task.threshold == -1);
    assert_int_equal(message[6].u.answer.compute_ns, 1000);
    assert_int_equal(message[6].u.answer.wait_ns, 500);
    assert_true(message[6].u.answer.vector[0] == 0.5 && message[6].u.answer.vector[1] == -1);
    assert_int_equal(message[7].u.answer.round, 1);
    assert_int_equal(message[9].u.cancelled.round, 2);
    assert_int_equal(message[9].u.cancelled.evaluated, 1);
    assert_string_equal(message[12].u.refuse.reason, "other data");
    wire_decoder_clear(&decoder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(protocol_manual__number_sender_states_maximum_and_length__are_those_of_the_code),
        cmocka_unit_test(protocol_manual__exchange_in_hex__decodes_in_legal_order_to_what_it_names),
        cmocka_unit_test(protocol_manual__exchange_in_hex__has_the_values_that_its_text_says),
    };
    return cmocka_run_group_tests_name("protocol", tests, NULL, NULL);
}
