/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The three parsers of data sets. The first byte chooses: bits 0–1 the format, 2 the class filter, 3–5 the limit; for
 * IDX the second is the length of the labels, which follow; the rest is the file (the images). */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/dataset.h"
#include "tests/fuzz/fuzz.h"

#define SEED(text)                                                                                                     \
    {                                                                                                                  \
        (text), sizeof(text) - 1                                                                                       \
    }

const struct fuzz_seed fuzz_seeds[] = {
    SEED("\x00"
         "1,2.5,-3e-1\n4, 5 ,6\r\n0.1234567890123456789,1e300,1\n"),
    SEED("\x0c"
         "1,0\n2,1\n3,0\n"),
    SEED("\x01"
         "+1 1:0.5 3:-2 # note\n-1\n0 2:1e1\t7:4\n"),
    SEED("\x0d"
         "1 1:1\n0 2:2\n1 1000:3\n"),
    SEED("\x02\x0b"
         "\0\0\x08\x01\0\0\0\x03\x00\x01\x02"
         "\0\0\x08\x03\0\0\0\x03\0\0\0\x02\0\0\0\x02"
         "0123456789ab"),
    /* one 1 × 2 image; its label plain, the image in gzip (stored) */
    SEED("\x06\x09"
         "\0\0\x08\x01\0\0\0\x01\x01"
         "\x1f\x8b\x08\0\0\0\0\0\0\x03\x01\x12\x00\xed\xff"
         "\0\0\x08\x03\0\0\0\x01\0\0\0\x01\0\0\0\x02"
         "ab\0\0\0\0\0\0\0\0"),
    {NULL, 0},
};

static void check(int result, const struct dataset *data, size_t limit, const struct error *err)
{
    if (result < 0) {
        FUZZ_REQUIRE(err->text[0] != '\0');
        FUZZ_REQUIRE(data->x == NULL && data->y == NULL && data->n == 0);
        return;
    }
    FUZZ_REQUIRE(data->n > 0 && data->d > 0 && data->d <= DATASET_FEATURES_MAX);
    FUZZ_REQUIRE(limit == 0 || data->n <= limit);
    for (size_t i = 0; i < data->n; i++)
        FUZZ_REQUIRE(isfinite(data->y[i]));
    for (size_t i = 0; i < data->n * data->d && i < 100000; i++)
        FUZZ_REQUIRE(isfinite(data->x[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (len < 2)
        return 0;
    const struct class_pair classes = {(bytes[0] & 4) != 0, {0, 1}};
    const size_t limit = bytes[0] >> 3 & 7;
    const char *text = (const char *)bytes;
    struct dataset data;
    struct error err = {""};
    int result;
    if ((bytes[0] & 3) == 0) {
        result = dataset_parse_csv("fuzz", text + 1, len - 1, &classes, limit, &data, &err);
    } else if ((bytes[0] & 3) == 1) {
        result =
            dataset_parse_libsvm("fuzz", text + 1, len - 1, bytes[0] & 0x80 ? 1000 : 0, &classes, limit, &data, &err);
    } else {
        size_t labels = bytes[1] < len - 2 ? bytes[1] : len - 2;
        result = dataset_parse_idx("fuzz", bytes + 2 + labels, len - 2 - labels, "fuzz", bytes + 2, labels, &classes,
                                   limit, &data, &err);
    }
    check(result, &data, limit, &err);
    if (result == 0)
        dataset_clear(&data);
    return 0;
}
