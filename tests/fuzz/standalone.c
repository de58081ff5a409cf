/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fuzz target without a fuzzer: mutations of its seeds, looked up by number, so that every run is the same one.
 *
 *   fuzz_X                   inputs 0 … 19999
 *   fuzz_X FIRST COUNT       those from FIRST on; a crash names its number
 *   fuzz_X FILE...           inputs that libFuzzer has written */
#include "config.h"

#include <ctype.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "core/random.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/shared_data.h"

enum { INPUTS = 20000, LEN_MAX = 4096, MUTATIONS_MAX = 6 };

static volatile sig_atomic_t current; /* number of the input that is being tried */

/* A stream of choices for one input. */
struct choices {
    struct random_key key;
    uint64_t next;
};

static size_t choose(struct choices *choices, size_t below)
{
    return below ? (size_t)(random_bits(choices->key, choices->next++) % below) : 0;
}

/* The input as it grows and shrinks. */
struct input_bytes {
    uint8_t bytes[LEN_MAX];
    size_t len;
};

/* Open a gap of n bytes at `at`, as far as there is room. Returns its size. */
static size_t open_gap(struct input_bytes *in, size_t at, size_t n)
{
    n = n < LEN_MAX - in->len ? n : LEN_MAX - in->len;
    memmove(in->bytes + at + n, in->bytes + at, in->len - at);
    in->len += n;
    return n;
}

static void close_gap(struct input_bytes *in, size_t at, size_t n)
{
    memmove(in->bytes + at, in->bytes + at + n, in->len - at - n);
    in->len -= n;
}

/* Repeat some of the input behind itself. */
static void repeat(struct choices *choices, struct input_bytes *in)
{
    size_t at = choose(choices, in->len), n = choose(choices, in->len - at) % 64;
    uint8_t copy[64];
    memcpy(copy, in->bytes + at, n);
    memcpy(in->bytes + at, copy, open_gap(in, at, n));
}

/* Insert some of another seed. */
static void splice(struct choices *choices, struct input_bytes *in, size_t seeds)
{
    const struct fuzz_seed *seed = &fuzz_seeds[choose(choices, seeds)];
    size_t from = choose(choices, seed->len), n = choose(choices, seed->len - from), at = choose(choices, in->len + 1);
    memcpy(in->bytes + at, (const uint8_t *)seed->bytes + from, open_gap(in, at, n));
}

static void mutate(struct choices *choices, struct input_bytes *in, size_t seeds)
{
    static const uint8_t telling[] = {0, 1, 8, 0x1f, 0x7f, 0x80, 0xff, ',', ':', '\n', '#', '-', '.', '9', 'e', ' '};
    size_t at = choose(choices, in->len);
    if (in->len == 0) {
        splice(choices, in, seeds);
        return;
    }
    switch (choose(choices, 7)) {
    case 0:
        in->bytes[at] ^= (uint8_t)(1 << choose(choices, 8));
        break;
    case 1:
        in->bytes[at] = telling[choose(choices, sizeof telling)];
        break;
    case 2:
        in->bytes[at] = (uint8_t)choose(choices, 256);
        break;
    case 3:
        if (open_gap(in, at, 1) == 1)
            in->bytes[at] = telling[choose(choices, sizeof telling)];
        break;
    case 4:
        close_gap(in, at, 1 + choose(choices, in->len - at));
        break;
    case 5:
        repeat(choices, in);
        break;
    default:
        splice(choices, in, seeds);
        break;
    }
}

/* The target sees a copy of exactly that length: reading past it shows. */
static void try_input(const uint8_t *bytes, size_t len)
{
    uint8_t *copy = mem_alloc(len);
    memcpy(copy, bytes, len);
    LLVMFuzzerTestOneInput(copy, len);
    free(copy);
}

static void try_number(uint64_t number, size_t seeds)
{
    static struct input_bytes in;
    struct choices choices = {.key = {.seed = 1, .purpose = RANDOM_TEST, .b = number}};
    const struct fuzz_seed *seed = &fuzz_seeds[number % seeds];
    current = (sig_atomic_t)number;
    in.len = seed->len < LEN_MAX ? seed->len : LEN_MAX;
    memcpy(in.bytes, seed->bytes, in.len);
    /* The first ones are the seeds as they are. */
    for (size_t left = number < seeds ? 0 : 1 + choose(&choices, MUTATIONS_MAX); left > 0; left--)
        mutate(&choices, &in, seeds);
    try_input(in.bytes, in.len);
}

static void on_crash(int signal_number)
{
    char text[64];
    int len = snprintf(text, sizeof text, "input number %d\n", (int)current);
    if (write(STDERR_FILENO, text, (size_t)len) < 0)
        current = 0;
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static int try_files(char **paths)
{
    for (; *paths != NULL; paths++) {
        size_t len = 0;
        char *bytes = read_whole(*paths, &len);
        if (bytes == NULL) {
            perror(*paths);
            return EXIT_FAILURE;
        }
        try_input((const uint8_t *)bytes, len);
        free(bytes);
    }
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !isdigit((unsigned char)argv[1][0]))
        return try_files(argv + 1);
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 0,
             count = argc > 2 ? strtoull(argv[2], NULL, 10) : INPUTS;
    size_t seeds = 0;
    while (fuzz_seeds[seeds].bytes != NULL)
        seeds++;
    signal(SIGABRT, on_crash);
    signal(SIGSEGV, on_crash);
    for (uint64_t i = 0; i < count; i++)
        try_number(first + i, seeds);
    return EXIT_SUCCESS;
}
