/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One row a message says how large its payload is for its count, so a frame whose length says otherwise is refused before
 * anything is read or allocated. There is one way to write each message: what decodes, encodes to the same bytes. */
#include "config.h"

#include "wire/codec.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the wire is little-endian and frames are read in place: a big-endian build needs a swapping decoder"
#endif

enum { STORED_BYTES = 48, HELLO_FIXED = 8, BEGIN_FIXED = 8, TASK_FIXED = 16, ANSWER_FIXED = 40 };

struct layout {
    const char *name;
    uint32_t count_max;
    uint32_t fixed; /* payload bytes before the `count` items */
    uint32_t item;  /* bytes an item */
};

static const struct layout layouts[] = {
    [WIRE_HELLO] = {"HELLO", WIRE_PARTS_MAX, HELLO_FIXED, STORED_BYTES},
    [WIRE_WELCOME] = {"WELCOME", WIRE_DIMENSION_MAX, 0, 0},
    [WIRE_REFUSE] = {"REFUSE", WIRE_REASON_MAX - 1, 0, 1},
    [WIRE_BEGIN] = {"BEGIN", WIRE_NAME_MAX - 1, BEGIN_FIXED, 1},
    [WIRE_READY] = {"READY", 0, 0, 0},
    [WIRE_THETA] = {"THETA", WIRE_DIMENSION_MAX, 0, 8},
    [WIRE_TASK] = {"TASK", WIRE_PARTS_MAX, TASK_FIXED, 12},
    [WIRE_ANSWER] = {"ANSWER", WIRE_DIMENSION_MAX, ANSWER_FIXED, 8},
    [WIRE_SKIP] = {"SKIP", 0, ANSWER_FIXED, 0},
    [WIRE_CANCEL] = {"CANCEL", 0, 0, 0},
    [WIRE_CANCELLED] = {"CANCELLED", UINT32_MAX, 0, 0},
    [WIRE_END] = {"END", 0, 0, 0},
    [WIRE_BYE] = {"BYE", 0, 0, 0},
};

static const struct layout *layout_of(unsigned type)
{
    return type >= WIRE_HELLO && type <= WIRE_BYE ? &layouts[type] : NULL;
}

const char *wire_type_name(enum wire_type type)
{
    const struct layout *layout = layout_of(type);
    return layout ? layout->name : "?";
}

static size_t padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

static size_t frame_size(const struct layout *layout, uint32_t count)
{
    return padded(WIRE_HEADER_BYTES + layout->fixed + (size_t)layout->item * count);
}

/* ── encoding ── */

struct head {
    uint32_t id, count;
};

static struct head head_of(const struct wire_message *message)
{
    switch (message->type) {
    case WIRE_HELLO:
        return (struct head){message->u.hello.worker, message->u.hello.n};
    case WIRE_WELCOME:
        return (struct head){message->u.welcome.workers, message->u.welcome.dimension};
    case WIRE_REFUSE:
        return (struct head){0, (uint32_t)strnlen(message->u.refuse.reason, WIRE_REASON_MAX - 1)};
    case WIRE_BEGIN:
        return (struct head){message->u.begin.run, (uint32_t)strnlen(message->u.begin.strategy, WIRE_NAME_MAX - 1)};
    case WIRE_READY:
        return (struct head){message->u.ready.run, 0};
    case WIRE_THETA:
        return (struct head){message->u.theta.round, message->u.theta.n};
    case WIRE_TASK:
        return (struct head){message->u.task.round, message->u.task.n};
    case WIRE_ANSWER:
        return (struct head){message->u.answer.round, message->u.answer.n};
    case WIRE_SKIP:
        return (struct head){message->u.answer.round, 0};
    case WIRE_CANCEL:
        return (struct head){message->u.cancel.round, 0};
    case WIRE_CANCELLED:
        return (struct head){message->u.cancelled.round, message->u.cancelled.evaluated};
    case WIRE_END:
        return (struct head){message->u.end.run, 0};
    case WIRE_BYE:
        break;
    }
    return (struct head){0, 0};
}

size_t wire_size(const struct wire_message *message)
{
    const struct layout *layout = layout_of(message->type);
    assert(layout != NULL);
    uint32_t count = head_of(message).count;
    assert(count <= layout->count_max);
    return frame_size(layout, count);
}

/* A cursor that writes; memcpy because a u32 may follow a byte. */
struct cursor {
    uint8_t *at;
};

static void put(struct cursor *out, const void *bytes, size_t len)
{
    if (len > 0)
        memcpy(out->at, bytes, len);
    out->at += len;
}

static void put_u32(struct cursor *out, uint32_t value)
{
    put(out, &value, sizeof value);
}

static bool is_control(uint8_t byte)
{
    return byte < 0x20 || byte == 0x7f;
}

/* A sentence of ours may quote what somebody else wrote; the peer will log it, as one line. */
static void put_text(struct cursor *out, const char *text, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        *out->at++ = is_control((uint8_t)text[i]) ? '?' : (uint8_t)text[i];
}

static void put_hello(struct cursor *out, const struct wire_message *message)
{
    put_u32(out, message->u.hello.dimension);
    put_u32(out, 0);
    for (uint32_t i = 0; i < message->u.hello.n; i++) {
        const struct wire_stored *stored = &message->u.hello.stored[i];
        put_u32(out, stored->partition);
        put_u32(out, 0);
        put(out, &stored->smoothness, 8);
        put(out, stored->sha256, WIRE_HASH_BYTES);
    }
}

static void put_task(struct cursor *out, const struct wire_message *message)
{
    put_u32(out, message->u.task.op);
    put_u32(out, 0);
    put(out, &message->u.task.threshold, 8);
    put(out, message->u.task.weights, 8 * (size_t)message->u.task.n);
    put(out, message->u.task.parts, 4 * (size_t)message->u.task.n);
}

static void put_answer(struct cursor *out, const struct wire_message *message, uint32_t count)
{
    put_u32(out, message->u.answer.evaluated);
    put_u32(out, 0);
    put(out, &message->u.answer.compute_ns, 8);
    put(out, &message->u.answer.wait_ns, 8);
    put(out, &message->u.answer.overrun_ns, 8);
    put(out, &message->u.answer.late_ns, 8);
    put(out, message->u.answer.vector, 8 * (size_t)count);
}

static void put_payload(struct cursor *out, const struct wire_message *message, uint32_t count)
{
    switch (message->type) {
    case WIRE_HELLO:
        put_hello(out, message);
        break;
    case WIRE_REFUSE:
        put_text(out, message->u.refuse.reason, count);
        break;
    case WIRE_BEGIN:
        put_u32(out, message->u.begin.repeat);
        put_u32(out, message->u.begin.redundancy);
        put_text(out, message->u.begin.strategy, count);
        break;
    case WIRE_THETA:
        put(out, message->u.theta.value, 8 * (size_t)count);
        break;
    case WIRE_TASK:
        put_task(out, message);
        break;
    case WIRE_ANSWER:
    case WIRE_SKIP:
        put_answer(out, message, count);
        break;
    default: /* all in the header */
        break;
    }
}

void wire_encode(const struct wire_message *message, uint8_t *out)
{
    size_t size = wire_size(message);
    struct head head = head_of(message);
    struct cursor cursor = {out};
    put_u32(&cursor, (uint32_t)size);
    *cursor.at++ = message->version ? message->version : WIRE_VERSION;
    *cursor.at++ = (uint8_t)message->type;
    *cursor.at++ = 0;
    *cursor.at++ = 0;
    put_u32(&cursor, head.id);
    put_u32(&cursor, head.count);
    put_payload(&cursor, message, head.count);
    memset(cursor.at, 0, (size_t)(out + size - cursor.at));
}

/* ── decoding ── */

struct header {
    uint32_t length, id, count;
    uint8_t version, type;
    uint16_t zero;
};

static struct header read_header(const uint8_t *bytes)
{
    struct header header;
    memcpy(&header.length, bytes, 4);
    header.version = bytes[4];
    header.type = bytes[5];
    memcpy(&header.zero, bytes + 6, 2);
    memcpy(&header.id, bytes + 8, 4);
    memcpy(&header.count, bytes + 12, 4);
    return header;
}

/* Of another version only HELLO and REFUSE are let through, as far as all versions agree on them. */
static int check_foreign(const struct header *header, const struct layout *layout, struct error *err)
{
    size_t max = frame_size(&layouts[WIRE_HELLO], WIRE_PARTS_MAX);
    if (header->type != WIRE_HELLO && header->type != WIRE_REFUSE)
        return error_set(err, "%s in protocol version %u, where version %d was agreed", layout->name, header->version,
                         WIRE_VERSION);
    if (header->length < WIRE_HEADER_BYTES || header->length > max || header->length % 8 != 0)
        return error_set(err, "%s of version %u has a length of %u bytes (a multiple of 8, %d to %zu)", layout->name,
                         header->version, header->length, WIRE_HEADER_BYTES, max);
    if (header->type == WIRE_REFUSE &&
        (header->count > layout->count_max || header->length < frame_size(layout, header->count)))
        return error_set(err, "REFUSE of version %u has a reason of %u bytes in a frame of %u", header->version,
                         header->count, header->length);
    return 0;
}

static int check_header(const struct header *header, struct error *err)
{
    const struct layout *layout = layout_of(header->type);
    if (layout == NULL)
        return error_set(err, "message type %u is unknown (1 to %d are defined)", header->type, WIRE_BYE);
    if (header->version != WIRE_VERSION)
        return check_foreign(header, layout, err);
    if (header->zero != 0)
        return error_set(err, "%s has reserved bits set (0x%04x)", layout->name, header->zero);
    if (header->count > layout->count_max)
        return error_set(err, "%s has a count of %u, above its maximum of %u", layout->name, header->count,
                         layout->count_max);
    if (header->length != frame_size(layout, header->count))
        return error_set(err, "%s has a length of %u bytes where its count of %u makes %zu", layout->name,
                         header->length, header->count, frame_size(layout, header->count));
    if ((header->type == WIRE_REFUSE || header->type == WIRE_BYE) && header->id != 0)
        return error_set(err, "%s has an id of %u, and should have 0", layout->name, header->id);
    return 0;
}

enum wire_status wire_frame_bytes(const uint8_t *bytes, size_t len, size_t *frame_bytes, struct error *err)
{
    if (len < WIRE_HEADER_BYTES)
        return WIRE_MORE;
    struct header header = read_header(bytes);
    if (check_header(&header, err) < 0)
        return WIRE_BAD;
    *frame_bytes = header.length;
    return WIRE_OK;
}

void wire_decoder_clear(struct wire_decoder *decoder)
{
    free(decoder->stored);
    *decoder = (struct wire_decoder){0};
}

static uint32_t get_u32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, 4);
    return value;
}

static int64_t get_i64(const uint8_t *at)
{
    int64_t value;
    memcpy(&value, at, 8);
    return value;
}

static double get_double(const uint8_t *at)
{
    double value;
    memcpy(&value, at, 8);
    return value;
}

/* The reserved fields and the padding of our own version, so that they can get a meaning one day. */
static int check_zero(const struct header *header, const uint8_t *from, size_t len, struct error *err)
{
    for (size_t i = 0; i < len; i++)
        if (from[i] != 0)
            return error_set(err, "%s has reserved or padding bytes that are not 0", layouts[header->type].name);
    return 0;
}

static int check_padding(const struct header *header, const uint8_t *payload, struct error *err)
{
    const struct layout *layout = &layouts[header->type];
    size_t used = layout->fixed + (size_t)layout->item * header->count;
    return check_zero(header, payload + used, header->length - WIRE_HEADER_BYTES - used, err);
}

static int get_stored(const struct header *header, const uint8_t *item, struct wire_stored *stored, struct error *err)
{
    stored->partition = get_u32(item);
    stored->smoothness = get_double(item + 8);
    memcpy(stored->sha256, item + 16, WIRE_HASH_BYTES);
    return check_zero(header, item + 4, 4, err);
}

static int get_hello(struct wire_decoder *decoder, const struct header *header, const uint8_t *payload,
                     struct wire_message *message, struct error *err)
{
    message->u.hello.worker = header->id;
    if (header->version != WIRE_VERSION)
        return 0;
    if (decoder->capacity < header->count) {
        decoder->stored = mem_resize(decoder->stored, header->count, sizeof *decoder->stored);
        decoder->capacity = header->count;
    }
    message->u.hello.dimension = get_u32(payload);
    message->u.hello.n = header->count;
    message->u.hello.stored = decoder->stored;
    for (uint32_t i = 0; i < header->count; i++)
        if (get_stored(header, payload + HELLO_FIXED + (size_t)i * STORED_BYTES, &decoder->stored[i], err) < 0)
            return -1;
    return check_zero(header, payload + 4, 4, err);
}

static int get_text(const struct header *header, char *out, const uint8_t *from, struct error *err)
{
    for (uint32_t i = 0; i < header->count; i++)
        if (is_control(from[i]))
            return error_set(err, "%s has a control character (0x%02x) in its text", layouts[header->type].name,
                             from[i]);
    memcpy(out, from, header->count);
    out[header->count] = '\0';
    return 0;
}

static int get_answer(const struct header *header, const uint8_t *payload, struct wire_message *message,
                      struct error *err)
{
    message->u.answer.round = header->id;
    message->u.answer.n = header->count;
    message->u.answer.evaluated = get_u32(payload);
    message->u.answer.compute_ns = get_i64(payload + 8);
    message->u.answer.wait_ns = get_i64(payload + 16);
    message->u.answer.overrun_ns = get_i64(payload + 24);
    message->u.answer.late_ns = get_i64(payload + 32);
    message->u.answer.vector =
        header->type == WIRE_ANSWER ? (const double *)(const void *)(payload + ANSWER_FIXED) : NULL;
    return check_zero(header, payload + 4, 4, err);
}

static int get_task(const struct header *header, const uint8_t *payload, struct wire_message *message,
                    struct error *err)
{
    uint32_t op = get_u32(payload);
    if (op == 0 || op > UINT8_MAX)
        return error_set(err, "TASK has operation %u", op);
    message->u.task.round = header->id;
    message->u.task.n = header->count;
    message->u.task.op = (uint8_t)op;
    message->u.task.threshold = get_double(payload + 8);
    message->u.task.weights = (const double *)(const void *)(payload + TASK_FIXED);
    message->u.task.parts = (const uint32_t *)(const void *)(payload + TASK_FIXED + 8 * (size_t)header->count);
    return check_zero(header, payload + 4, 4, err);
}

static int get_payload(struct wire_decoder *decoder, const struct header *header, const uint8_t *payload,
                       struct wire_message *message, struct error *err)
{
    switch (message->type) {
    case WIRE_HELLO:
        return get_hello(decoder, header, payload, message, err);
    case WIRE_WELCOME:
        message->u.welcome.workers = header->id;
        message->u.welcome.dimension = header->count;
        break;
    case WIRE_REFUSE:
        return get_text(header, message->u.refuse.reason, payload, err);
    case WIRE_BEGIN:
        message->u.begin.run = header->id;
        message->u.begin.repeat = get_u32(payload);
        message->u.begin.redundancy = get_u32(payload + 4);
        return get_text(header, message->u.begin.strategy, payload + BEGIN_FIXED, err);
    case WIRE_READY:
        message->u.ready.run = header->id;
        break;
    case WIRE_THETA:
        message->u.theta.round = header->id;
        message->u.theta.n = header->count;
        message->u.theta.value = (const double *)(const void *)payload;
        break;
    case WIRE_TASK:
        return get_task(header, payload, message, err);
    case WIRE_ANSWER:
    case WIRE_SKIP:
        return get_answer(header, payload, message, err);
    case WIRE_CANCEL:
        message->u.cancel.round = header->id;
        break;
    case WIRE_CANCELLED:
        message->u.cancelled.round = header->id;
        message->u.cancelled.evaluated = header->count;
        break;
    case WIRE_END:
        message->u.end.run = header->id;
        break;
    case WIRE_BYE:
        break;
    }
    return 0;
}

enum wire_status wire_decode(struct wire_decoder *decoder, const uint8_t *bytes, size_t len,
                             struct wire_message *message, size_t *used, struct error *err)
{
    assert(((uintptr_t)bytes & 7) == 0);
    size_t frame;
    enum wire_status status = wire_frame_bytes(bytes, len, &frame, err);
    if (status != WIRE_OK)
        return status;
    if (len < frame)
        return WIRE_MORE;
    struct header header = read_header(bytes);
    memset(message, 0, sizeof *message);
    message->type = (enum wire_type)header.type;
    message->version = header.version;
    const uint8_t *payload = bytes + WIRE_HEADER_BYTES;
    if (get_payload(decoder, &header, payload, message, err) < 0 ||
        (header.version == WIRE_VERSION && check_padding(&header, payload, err) < 0))
        return WIRE_BAD;
    *used = frame;
    return WIRE_OK;
}
