/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a fuzz target is: the function that clang's libFuzzer calls, and small well-formed inputs to begin with. Built
 * two ways:
 *
 *   with standalone.c, in `make check`: seeded mutations of the seeds, the same ones in every run
 *   by hand, searching for new paths:
 *     clang -fsanitize=fuzzer,address,undefined -I src -I BUILD tests/fuzz/fuzz_X.c src/core/… */
#ifndef LAGGARD_TESTS_FUZZ_H
#define LAGGARD_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

struct fuzz_seed {
    const void *bytes; /* NULL ends the list */
    size_t len;
};
extern const struct fuzz_seed fuzz_seeds[];

/* What must hold for every input; stays on in every build. */
#define FUZZ_REQUIRE(condition)                                                                                        \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                             \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
