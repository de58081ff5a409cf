/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CSV, LIBSVM and IDX: what is read, and what is refused with which words. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <zlib.h>

#include "core/dataset.h"
#include "tests/unit/shared_data.h"

static const struct class_pair all_classes = {false, {0, 0}};

static void assert_says(const struct error *err, const char *words)
{
    if (strstr(err->text, words) == NULL)
        fail_msg("'%s' does not say '%s'", err->text, words);
}

static void assert_data(const struct dataset *data, size_t n, size_t d, const double *x, const double *y)
{
    assert_int_equal(data->n, n);
    assert_int_equal(data->d, d);
    assert_memory_equal(data->x, x, n * d * sizeof *x);
    assert_memory_equal(data->y, y, n * sizeof *y);
}

/* CSV */

static int csv(const char *text, const struct class_pair *classes, size_t limit, struct dataset *out, struct error *err)
{
    /* A copy of exactly that length: reading past it shows under valgrind and the address sanitizer. */
    size_t len = strlen(text);
    char *bytes = mem_alloc(len);
    memcpy(bytes, text, len);
    int result = dataset_parse_csv("a.csv", bytes, len, classes, limit, out, err);
    free(bytes);
    return result;
}

static void csv__plain__rows_and_labels(void **state)
{
    (void)state;
    struct dataset data;
    struct error err = {""};
    assert_int_equal(csv("1,2,3\r\n\n -4 ,\t5e-1, 6\n0,0,-0.5", NULL, 0, &data, &err), 0);
    assert_data(&data, 3, 2, (double[]){1, 2, -4, 0.5, 0, 0}, (double[]){3, 6, -0.5});
    dataset_clear(&data);
}

static void csv__classes_and_limit__first_that_pass(void **state)
{
    (void)state;
    struct dataset data;
    struct error err = {""};
    const struct class_pair classes = {true, {6, 0}};
    assert_int_equal(csv("1,0\n2,5\n3,6\n4,0\nnot read\n", &classes, 3, &data, &err), 0);
    assert_data(&data, 3, 1, (double[]){1, 3, 4}, (double[]){-1, 1, -1});
    dataset_clear(&data);
}

static void csv__wrong__refused_with_line_and_reason(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"1,2\n3,x\n", "a.csv:2: column 2: 'x' is not a finite decimal number"},
        {"sepal,label\n1,2\n",
         "a.csv:1: column 1: 'sepal' is not a finite decimal number; a header line must be removed"},
        {"1,2\n\n1,2,3\n", "a.csv:3: 3 columns; line 1 has 2, and every line needs as many"},
        {"1,2\n1\n", "a.csv:2: 1 columns; line 1 has 2"},
        {"1\n", "a.csv:1: one column; features and a label"},
        {"1,,2\n", "a.csv:1: column 2 is empty"},
        {"1,2,\n", "a.csv:1: column 3 is empty"},
        {"1,nan\n", "a.csv:1: column 2: 'nan'"},
        {"1,1e999\n", "a.csv:1: column 2: '1e999'"},
        {"", "a.csv: no samples"},
        {"\n\r\n", "a.csv: no samples"},
        {"1,\x01\xff\n", "'?"
                         "?'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct dataset data;
        struct error err = {""};
        assert_int_equal(csv(cases[i].text, &all_classes, 0, &data, &err), -1);
        assert_says(&err, cases[i].words);
        assert_null(data.x);
    }
    struct dataset data;
    struct error err = {""};
    assert_int_equal(csv("1,2\n", &(struct class_pair){true, {0, 6}}, 0, &data, &err), -1);
    assert_says(&err, "no sample has the label 0 or 6");
}

static void csv__reference_set__every_double_as_made(void **state)
{
    (void)state;
    size_t len = 0;
    char *bytes = read_shared("data/synthetic/all.csv", &len);
    if (bytes == NULL)
        skip();
    struct dataset read, made;
    struct error err = {""};
    assert_int_equal(dataset_parse_csv("all.csv", bytes, len, NULL, 0, &read, &err), 0);
    assert_int_equal(dataset_synthetic(450, 50, 9, 1.3, false, 1, &made, &err), 0);
    assert_data(&read, 450, 50, made.x, made.y);
    dataset_clear(&read);
    dataset_clear(&made);
    free(bytes);
}

/* LIBSVM */

static int libsvm(const char *text, size_t features, const struct class_pair *classes, size_t limit,
                  struct dataset *out, struct error *err)
{
    size_t len = strlen(text);
    char *bytes = mem_alloc(len);
    memcpy(bytes, text, len);
    int result = dataset_parse_libsvm("a.svm", bytes, len, features, classes, limit, out, err);
    free(bytes);
    return result;
}

static void libsvm__plain__sparse_rows(void **state)
{
    (void)state;
    struct dataset data;
    struct error err = {""};
    assert_int_equal(libsvm("# first\n+1 1:0.5 3:-2 # note\n-1\n2 2:1e1\t3:4\r\n", 0, NULL, 0, &data, &err), 0);
    assert_data(&data, 3, 3, (double[]){0.5, 0, -2, 0, 0, 0, 0, 10, 4}, (double[]){1, -1, 2});
    dataset_clear(&data);
}

static void libsvm__features_classes_limit__obeyed(void **state)
{
    (void)state;
    struct dataset data;
    struct error err = {""};
    const struct class_pair classes = {true, {1, 2}};
    assert_int_equal(libsvm("1 1:5\n3 4:1\n2 2:6\n1 9:9\n", 4, &classes, 2, &data, &err), 0);
    assert_data(&data, 2, 4, (double[]){5, 0, 0, 0, 0, 6, 0, 0}, (double[]){1, -1});
    dataset_clear(&data);
}

static void libsvm__wrong__refused_with_line_and_reason(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"1 1:2\nx 1:2\n", "a.svm:2: the label 'x'"},
        {"1 0:2\n", "a.svm:1: '0' is not an index"},
        {"1 2:2 2:3\n", "a.svm:1: index 2 after 2; indices must ascend"},
        {"1 2:2 1:3\n", "index 1 after 2"},
        {"1 6:1\n", "index 6; features = 5"},
        {"1 2\n", "'2'; index:value is needed"},
        {"1 2:\n", "index 2: '' is not a finite decimal number"},
        {"1 2:3:4\n", "index 2: '3:4'"},
        {"1 2:inf\n", "index 2: 'inf'"},
        {"1 -1:2\n", "'-1' is not an index"},
        {"1 99999999999999999999:2\n", "is not an index; whole numbers from 1 to 10000000 are"},
        {"1 qid:2\n", "'qid' is not an index"},
        {"nan 1:2\n", "the label 'nan'"},
        {"", "a.svm: no samples"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct dataset data;
        struct error err = {""};
        assert_int_equal(libsvm(cases[i].text, 5, &all_classes, 0, &data, &err), -1);
        assert_says(&err, cases[i].words);
        assert_null(data.x);
    }
    struct dataset data;
    struct error err = {""};
    assert_int_equal(libsvm("1\n2\n", 0, NULL, 0, &data, &err), -1);
    assert_says(&err, "no sample has a feature");
}

/* A few bytes must not ask for hundreds of gigabytes. */
static void libsvm__matrix_too_large__refused(void **state)
{
    (void)state;
    char *text = mem_strdup("1 10000000:1\n");
    for (int i = 0; i < 5; i++) {
        char *twice = mem_printf("%s%s", text, text);
        free(text);
        text = twice;
    }
    struct dataset data;
    struct error err = {""};
    assert_int_equal(libsvm(text, 0, NULL, 0, &data, &err), -1);
    assert_says(&err, "32 samples of 10000000 features");
    free(text);
}

static void libsvm__heart_scale__as_its_authors_say(void **state)
{
    (void)state;
    size_t len = 0, positive = 0;
    char *bytes = read_whole("/usr/share/doc/liblinear-tools/examples/heart_scale", &len);
    if (bytes == NULL) {
        printf("heart_scale is not there (Debian: apt install liblinear-tools)\n");
        skip();
    }
    struct dataset data;
    struct error err = {""};
    if (dataset_parse_libsvm("heart_scale", bytes, len, 0, NULL, 0, &data, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(data.n, 270);
    assert_int_equal(data.d, 13);
    for (size_t i = 0; i < data.n; i++)
        positive += data.y[i] == 1;
    assert_int_equal(positive, 120);
    for (size_t i = 0; i < data.n * data.d; i++)
        assert_true(fabs(data.x[i]) <= 1);
    dataset_clear(&data);
    free(bytes);
}

/* IDX */

/* Two files in memory: n images of 2 × 3 bytes, image i filled with 10 i + 0 … 5, and n labels i mod 3. */
enum { IMAGES_HEADER = 16, LABELS_HEADER = 8, PIXELS = 6 };

struct idx_pair {
    unsigned char images[IMAGES_HEADER + 100 * PIXELS], labels[LABELS_HEADER + 100];
    size_t images_len, labels_len;
};

static struct idx_pair idx_of(unsigned char n)
{
    struct idx_pair pair = {.images = {0, 0, 8, 3, 0, 0, 0, n, 0, 0, 0, 2, 0, 0, 0, 3},
                            .labels = {0, 0, 8, 1, 0, 0, 0, n}};
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < PIXELS; j++)
            pair.images[IMAGES_HEADER + i * PIXELS + j] = (unsigned char)(10 * i + j);
        pair.labels[LABELS_HEADER + i] = (unsigned char)(i % 3);
    }
    pair.images_len = IMAGES_HEADER + (size_t)n * PIXELS;
    pair.labels_len = LABELS_HEADER + (size_t)n;
    return pair;
}

static int parse(const struct idx_pair *pair, const struct class_pair *classes, size_t limit, struct dataset *out,
                 struct error *err)
{
    return dataset_parse_idx("img", pair->images, pair->images_len, "lab", pair->labels, pair->labels_len, classes,
                             limit, out, err);
}

static void assert_image(const struct dataset *data, size_t row, int i)
{
    for (int j = 0; j < PIXELS; j++)
        assert_true(data->x[row * PIXELS + (size_t)j] == (10 * i + j) / 255.0);
}

static void idx__plain__pixels_over_255(void **state)
{
    (void)state;
    struct idx_pair pair = idx_of(20);
    struct dataset data;
    struct error err = {""};
    assert_int_equal(parse(&pair, NULL, 0, &data, &err), 0);
    assert_int_equal(data.n, 20);
    assert_int_equal(data.d, PIXELS);
    for (int i = 0; i < 20; i++) {
        assert_image(&data, (size_t)i, i);
        assert_true(data.y[i] == i % 3);
    }
    dataset_clear(&data);
}

static void idx__classes_and_limit__skips_to_the_right_images(void **state)
{
    (void)state;
    struct idx_pair pair = idx_of(20);
    struct dataset data;
    struct error err = {""};
    const struct class_pair classes = {true, {2, 1}};
    assert_int_equal(parse(&pair, &classes, 5, &data, &err), 0);
    const int from[] = {1, 2, 4, 5, 7};
    assert_int_equal(data.n, 5);
    for (size_t row = 0; row < 5; row++) {
        assert_image(&data, row, from[row]);
        assert_true(data.y[row] == (from[row] % 3 == 2 ? 1 : -1));
    }
    dataset_clear(&data);
}

/* Replace bytes[0 … *len) by their gzip form. */
static void pack(unsigned char *bytes, size_t *len)
{
    unsigned char packed[2048];
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = bytes;
    z.avail_in = (uInt)*len;
    z.next_out = packed;
    z.avail_out = sizeof packed;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    *len = sizeof packed - z.avail_out;
    memcpy(bytes, packed, *len);
    deflateEnd(&z);
}

static void idx__gzip__same_as_plain(void **state)
{
    (void)state;
    struct idx_pair plain = idx_of(20), packed = plain;
    pack(packed.images, &packed.images_len);
    pack(packed.labels, &packed.labels_len);
    struct dataset a, b;
    struct error err = {""};
    assert_int_equal(parse(&plain, NULL, 0, &a, &err), 0);
    assert_int_equal(parse(&packed, NULL, 0, &b, &err), 0);
    assert_data(&b, a.n, a.d, a.x, a.y);
    dataset_clear(&a);
    dataset_clear(&b);
    packed.images_len -= 20;
    assert_int_equal(parse(&packed, NULL, 0, &b, &err), -1);
    assert_says(&err, "img: ends after");
    packed.labels[12] ^= 0xff;
    assert_int_equal(parse(&packed, NULL, 0, &b, &err), -1);
    assert_says(&err, "lab: the gzip data are damaged");
}

/* What stands behind the last sample wanted is not looked at: every worker loads its data this way. */
static void idx__limit__nothing_read_beyond(void **state)
{
    (void)state;
    struct idx_pair pair = idx_of(20);
    struct dataset data;
    struct error err = {""};
    pair.images_len = IMAGES_HEADER + 6 * PIXELS;
    pair.labels_len = LABELS_HEADER + 6;
    assert_int_equal(parse(&pair, NULL, 6, &data, &err), 0);
    assert_int_equal(data.n, 6);
    dataset_clear(&data);
    assert_int_equal(parse(&pair, NULL, 7, &data, &err), -1);
    assert_says(&err, "lab: ends after 14 bytes; at least 15 are needed");
    pair.labels_len++;
    assert_int_equal(parse(&pair, NULL, 7, &data, &err), -1);
    assert_says(&err, "img: ends after 52 bytes; at least 58 are needed");
}

/* One byte of a header changed: file (0 images, 1 labels), place, value, words. */
static void idx__wrong_header__refused_with_the_reason(void **state)
{
    (void)state;
    static const struct {
        int file, at;
        unsigned char value;
        const char *words;
    } cases[] = {
        {0, 0, 1, "img: starts with 01 00 08 03; an IDX file starts with 00 00 08"},
        {0, 2, 0x0d, "img: elements of type 0x0d"},
        {0, 3, 5, "img: 5 dimensions"},
        {0, 3, 0, "img: 0 dimensions"},
        {0, 3, 1, "img: one dimension, as labels have"},
        {0, 7, 19, "img has 19 images, lab 20 labels"},
        {0, 11, 0, "img: a sample has 0 elements"},
        {0, 8, 255, "img: a sample has 4278190082 elements or more"},
        {0, 4, 255, "img: 4278190100 samples"},
        {1, 2, 9, "lab: elements of type 0x09"},
        {1, 3, 2, "lab: 2 dimensions; labels have 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct idx_pair pair = idx_of(20);
        (cases[i].file ? pair.labels : pair.images)[cases[i].at] = cases[i].value;
        struct dataset data;
        struct error err = {""};
        assert_int_equal(parse(&pair, NULL, 0, &data, &err), -1);
        assert_says(&err, cases[i].words);
        assert_null(data.x);
    }
}

static void idx__empty_or_no_such_class__refused(void **state)
{
    (void)state;
    struct idx_pair pair = idx_of(20);
    struct dataset data;
    struct error err = {""};
    assert_int_equal(parse(&pair, &(struct class_pair){true, {7, 8}}, 0, &data, &err), -1);
    assert_says(&err, "lab: no sample has the label 7 or 8");
    pair.images_len = 0;
    assert_int_equal(parse(&pair, NULL, 0, &data, &err), -1);
    assert_says(&err, "img: ends after 0 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv__plain__rows_and_labels),
        cmocka_unit_test(csv__classes_and_limit__first_that_pass),
        cmocka_unit_test(csv__wrong__refused_with_line_and_reason),
        cmocka_unit_test(csv__reference_set__every_double_as_made),
        cmocka_unit_test(libsvm__plain__sparse_rows),
        cmocka_unit_test(libsvm__features_classes_limit__obeyed),
        cmocka_unit_test(libsvm__wrong__refused_with_line_and_reason),
        cmocka_unit_test(libsvm__matrix_too_large__refused),
        cmocka_unit_test(libsvm__heart_scale__as_its_authors_say),
        cmocka_unit_test(idx__plain__pixels_over_255),
        cmocka_unit_test(idx__classes_and_limit__skips_to_the_right_images),
        cmocka_unit_test(idx__gzip__same_as_plain),
        cmocka_unit_test(idx__limit__nothing_read_beyond),
        cmocka_unit_test(idx__wrong_header__refused_with_the_reason),
        cmocka_unit_test(idx__empty_or_no_such_class__refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
