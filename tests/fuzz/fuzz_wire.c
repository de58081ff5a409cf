/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decoder of frames, on bytes as they come off a stream: the same answer however few have come, nothing read past
 * them, arrays inside them, and one way to write each message. */
#include "config.h"

#include <string.h>

#include "base/mem.h"
#include "tests/fuzz/fuzz.h"
#include "wire/codec.h"
#include "wire/legality.h"

#define SEED(text)                                                                                                     \
    {                                                                                                                  \
        (text), sizeof(text) - 1                                                                                       \
    }
#define HEAD(length, type, id, count) length "\0\0\0\1" type "\0\0" id "\0\0\0" count "\0\0\0"
#define ZERO4                         "\0\0\0\0"
#define ONE                           ZERO4 "\0\0\xf0\x3f" /* 1.0 */
#define SHA                           "0123456789abcdef0123456789abcdef"

const struct fuzz_seed fuzz_seeds[] = {
    SEED(HEAD("\x78", "\1", "\4", "\2") "\2\0\0\0" ZERO4 "\4\0\0\0" ZERO4 ONE SHA "\5\0\0\0" ZERO4 ONE SHA),
    SEED("\x20\0\0\0\x07\1\0\0\4\0\0\0\xff\xff\xff\xff" ONE ONE), /* HELLO of version 7 */
    SEED("\x18\0\0\0\x07\3\1\2\4\0\0\0\4\0\0\0no.\xc3" ZERO4),    /* REFUSE of version 7 */
    SEED(HEAD("\x10", "\2", "\x09", "\2") HEAD("\x20", "\3", "\0", "\x0a") "other data\0\0" ZERO4),
    SEED(HEAD("\x20", "\4", "\1", "\6") ZERO4 "\3\0\0\0"
                                              "lag-wk\0\0" HEAD("\x10", "\5", "\1", "\0")),
    SEED(HEAD("\x20", "\6", "\0", "\2") ONE ONE HEAD("\x30", "\7", "\0", "\1") "\3\0\0\0" ZERO4 ONE ONE
                                                                               "\4\0\0\0" ZERO4),
    SEED(HEAD("\x48", "\x08", "\0", "\2") "\1\0\0\0" ZERO4 ONE ONE ONE ONE ONE ONE),
    SEED(HEAD("\x38", "\x09", "\1", "\0") "\1\0\0\0" ZERO4 ONE ONE ONE ONE HEAD("\x10", "\x0a", "\2", "\0")
             HEAD("\x10", "\x0b", "\2", "\1") HEAD("\x10", "\x0c", "\1", "\0") HEAD("\x10", "\x0d", "\0", "\0")),
    {NULL, 0},
};

static void check_inside(const void *array, size_t bytes, const uint8_t *frame, size_t used)
{
    uintptr_t at = (uintptr_t)array, first = (uintptr_t)frame;
    FUZZ_REQUIRE(at >= first && at - first <= used && bytes <= used - (at - first));
}

static void check_arrays(const struct wire_message *message, const uint8_t *frame, size_t used)
{
    if (message->type == WIRE_THETA) {
        check_inside(message->u.theta.value, 8 * (size_t)message->u.theta.n, frame, used);
        FUZZ_REQUIRE((uintptr_t)message->u.theta.value % 8 == 0);
    } else if (message->type == WIRE_ANSWER) {
        check_inside(message->u.answer.vector, 8 * (size_t)message->u.answer.n, frame, used);
        FUZZ_REQUIRE((uintptr_t)message->u.answer.vector % 8 == 0);
    } else if (message->type == WIRE_TASK) {
        check_inside(message->u.task.weights, 8 * (size_t)message->u.task.n, frame, used);
        check_inside(message->u.task.parts, 4 * (size_t)message->u.task.n, frame, used);
        FUZZ_REQUIRE((uintptr_t)message->u.task.weights % 8 == 0);
    }
}

static void check_message(const struct wire_message *message, const uint8_t *frame, size_t used)
{
    bool legal = false;
    check_arrays(message, frame, used);
    for (int role = 0; role < WIRE_ROLES; role++)
        for (int state = 0; state < WIRE_STATES; state++)
            legal |= wire_is_legal((enum wire_role)role, (enum wire_state)state, message->type);
    FUZZ_REQUIRE(legal); /* a message that nobody may ever send would not be one */
    if (message->version != WIRE_VERSION)
        return;
    FUZZ_REQUIRE(wire_size(message) == used);
    uint8_t *again = mem_alloc(used);
    wire_encode(message, again);
    FUZZ_REQUIRE(memcmp(again, frame, used) == 0);
    free(again);
}

static void check_bad(const struct error *err)
{
    FUZZ_REQUIRE(err->text[0] != '\0' && strchr(err->text, '\n') == NULL);
}

/* The first len bytes of a stream in a buffer of exactly that size. */
static enum wire_status decode_exactly(struct wire_decoder *decoder, const uint8_t *bytes, size_t len, size_t *used)
{
    uint8_t *exact = mem_alloc(len);
    struct wire_message message;
    struct error err = {{0}};
    memcpy(exact, bytes, len);
    enum wire_status status = wire_decode(decoder, exact, len, &message, used, &err);
    if (status == WIRE_OK)
        check_message(&message, exact, *used);
    else if (status == WIRE_BAD)
        check_bad(&err);
    free(exact);
    return status;
}

/* With fewer bytes the decoder asks for more or says already what it will say; once said, it stays said. */
static void check_prefixes(struct wire_decoder *decoder, const uint8_t *bytes, size_t len, enum wire_status final,
                           size_t frame)
{
    enum wire_status before = WIRE_MORE;
    for (size_t prefix = 0; prefix < len; prefix++) {
        size_t used;
        enum wire_status status = decode_exactly(decoder, bytes, prefix, &used);
        FUZZ_REQUIRE(status == (before == WIRE_MORE ? status : before));
        FUZZ_REQUIRE(status == WIRE_MORE || status == final);
        if (final == WIRE_OK)
            FUZZ_REQUIRE((status == WIRE_OK) == (prefix >= frame));
        before = status;
        if (prefix > frame && prefix > 2 * WIRE_HEADER_BYTES)
            break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct wire_decoder decoder = {0};
    for (size_t at = 0; at <= len;) {
        size_t used = 0;
        enum wire_status status = decode_exactly(&decoder, bytes + at, len - at, &used);
        check_prefixes(&decoder, bytes + at, len - at, status, used);
        if (status != WIRE_OK)
            break;
        FUZZ_REQUIRE(used >= WIRE_HEADER_BYTES && used % 8 == 0 && used <= len - at);
        at += used;
    }
    wire_decoder_clear(&decoder);
    return 0;
}
