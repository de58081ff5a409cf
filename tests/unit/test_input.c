/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "input/input.h"
#include "tests/unit/shared_data.h"

#define FASHION "/usr/share/datasets/fashion-mnist/train-"

/* A folder for files that a test writes. */
struct folder {
    char path[64];
};

static int folder_make(void **state)
{
    static struct folder folder;
    strcpy(folder.path, "/tmp/laggard-test-XXXXXX");
    *state = &folder;
    return mkdtemp(folder.path) ? 0 : -1;
}

static int folder_remove(void **state)
{
    struct folder *folder = *state;
    return rmdir(folder->path);
}

/* Write text to a file in the folder. New string: its path. */
static char *write_file(const struct folder *folder, const char *name, const char *text)
{
    char *path = mem_printf("%s/%s", folder->path, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

static struct scenario scenario_of(enum data_source source, char *path, uint32_t workers)
{
    struct scenario scenario = {.seed = 1, .cluster = {.workers = workers, .redundancy = 1}};
    scenario.problem = (struct problem){.model = MODEL_LINEAR, .source = source, .path = path, .heterogeneity = 1};
    return scenario;
}

/* Fails with a sentence that has these words. */
static void assert_refused(const struct scenario *scenario, const char *words)
{
    struct input input;
    struct error err = {""};
    assert_int_equal(input_load(scenario, &input, &err), -1);
    if (strstr(err.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, words);
    assert_null(input.data.x);
    assert_null(input.parts.part);
}

static void read_file__whole_and_bounded(void **state)
{
    char *path = write_file(*state, "five", "12345");
    struct error err = {""};
    size_t len = 0;
    char *bytes = input_read_file(path, 5, &len, &err);
    assert_non_null(bytes);
    assert_int_equal(len, 5);
    assert_string_equal(bytes, "12345");
    free(bytes);
    assert_null(input_read_file(path, 4, &len, &err));
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "at most 4"));
    unlink(path);
    assert_null(input_read_file(path, 5, &len, &err));
    assert_non_null(strstr(err.text, "No such file"));
    free(path);
}

static void read_file__folder_or_fifo__refused_at_once(void **state)
{
    const struct folder *folder = *state;
    struct error err = {""};
    size_t len = 0;
    assert_null(input_read_file(folder->path, 5, &len, &err));
    assert_non_null(strstr(err.text, "not a regular file"));
    char *path = mem_printf("%s/fifo", folder->path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(input_read_file(path, 5, &len, &err));
    assert_non_null(strstr(err.text, "not a regular file"));
    unlink(path);
    free(path);
}

static void csv__steps__in_their_order(void **state)
{
    /* Class 7 is dropped; of the rest the first three count; means 4 and 4; norms 5, 3 and √10 after centring. */
    char *path = write_file(*state, "a.csv", "7,8,1\n100,100,7\n4,1,2\n1,3,1\n9,9,2\n");
    struct scenario scenario = scenario_of(DATA_CSV, path, 2);
    scenario.problem.classes = (struct class_pair){true, {1, 2}};
    scenario.problem.samples = 3;
    scenario.problem.center = true;
    scenario.problem.order = ORDER_NORM;
    struct input input;
    struct error err = {""};
    assert_int_equal(input_load(&scenario, &input, &err), 0);
    const double x[] = {0, -3, -3, -1, 3, 4}, y[] = {-1, 1, 1};
    assert_int_equal(input.data.n, 3);
    assert_int_equal(input.data.d, 2);
    assert_memory_equal(input.data.x, x, sizeof x);
    assert_memory_equal(input.data.y, y, sizeof y);
    assert_int_equal(input.parts.count, 2);
    assert_int_equal(input.parts.part[0].n, 2);
    assert_ptr_equal(input.parts.part[1].x, input.data.x + 4);
    input_clear(&input);
    unlink(path);
    free(path);
}

static void libsvm__logistic_without_classes__signs(void **state)
{
    char *path = write_file(*state, "a.libsvm", "0 1:1\n3 2:1\n-1 4:2\n");
    struct scenario scenario = scenario_of(DATA_LIBSVM, path, 3);
    scenario.problem.model = MODEL_LOGISTIC;
    struct input input;
    struct error err = {""};
    assert_int_equal(input_load(&scenario, &input, &err), 0);
    const double y[] = {-1, 1, -1};
    assert_int_equal(input.data.d, 4);
    assert_memory_equal(input.data.y, y, sizeof y);
    input_clear(&input);
    unlink(path);
    free(path);
}

static void load__what_cannot_be__refused_with_the_reason(void **state)
{
    char *path = write_file(*state, "b.csv", "1,2\n3,4\n");
    struct scenario scenario = scenario_of(DATA_CSV, path, 3);
    assert_refused(&scenario, "2 samples cannot be split into 3 partitions");
    scenario.problem.samples = 3;
    assert_refused(&scenario, "samples = 3; at most 2 are possible");
    scenario.problem.source = DATA_LIBSVM;
    assert_refused(&scenario, "b.csv:1: ");
    unlink(path);
    assert_refused(&scenario, "No such file");
    scenario = scenario_of(DATA_IDX, path, 3);
    scenario.problem.labels_path = path;
    assert_refused(&scenario, "No such file");
    free(path);
}

static void synthetic__nothing_given__450_samples_of_50_features(void **state)
{
    (void)state;
    struct scenario scenario = scenario_of(DATA_SYNTHETIC, NULL, 9);
    scenario.problem.heterogeneity = 1.3;
    struct input input;
    struct error err = {""};
    assert_int_equal(input_load(&scenario, &input, &err), 0);
    assert_int_equal(input.data.n, 450);
    assert_int_equal(input.data.d, 50);
    assert_true(fabs(model_loss(&input.model, &input.parts, (double[50]){0}) - 114.566281847118) < 1e-11);
    input_clear(&input);
}

/* Gradient descent with α = 1/L: rounds until the error is below `share` of the first. */
static uint32_t descend(const struct input *input, double share)
{
    size_t d = input->data.d;
    uint32_t all[12], round = 0;
    for (uint32_t k = 0; k < 12; k++)
        all[k] = k;
    double *theta = mem_array(d, sizeof *theta), *part = mem_array(d, sizeof *part), *sum = mem_array(d, sizeof *sum);
    double alpha = 1 / model_smoothness(&input->model, &input->parts, all, 12), optimum;
    struct error err = {""};
    if (model_optimum(&input->model, &input->parts, sum, &optimum, &err) < 0)
        fail_msg("%s", err.text);
    double first = model_loss(&input->model, &input->parts, theta) - optimum;
    for (double loss = INFINITY; round < 1000; round++) {
        loss = 0;
        memset(sum, 0, d * sizeof *sum);
        for (size_t k = 0; k < 12; k++) {
            loss += model_partition(&input->model, &input->parts.part[k], theta, part);
            for (size_t j = 0; j < d; j++)
                sum[j] += part[j];
        }
        if (loss - optimum < share * first)
            break;
        for (size_t j = 0; j < d; j++)
            theta[j] -= alpha * sum[j];
    }
    free(theta);
    free(part);
    free(sum);
    return round;
}

/* A rehearsal in another language took 110 rounds. */
static void fashion_mnist__two_classes_of_twelve_workers__110_rounds(void **state)
{
    (void)state;
    char images[] = FASHION "images-idx3-ubyte.gz", labels[] = FASHION "labels-idx1-ubyte.gz";
    if (access(images, R_OK) < 0 || access(labels, R_OK) < 0) {
        printf("%s is not there (Debian: apt install dataset-fashion-mnist)\n", images);
        skip();
    }
    struct scenario scenario = scenario_of(DATA_IDX, images, 12);
    scenario.problem.labels_path = labels;
    scenario.problem.model = MODEL_LOGISTIC;
    scenario.problem.l2 = 10;
    scenario.problem.classes = (struct class_pair){true, {0, 6}};
    scenario.problem.samples = 1200;
    scenario.problem.center = true;
    scenario.problem.order = ORDER_NORM;
    struct input input;
    struct error err = {""};
    if (input_load(&scenario, &input, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(input.data.n, 1200);
    assert_int_equal(input.data.d, 784);
    assert_int_equal(descend(&input, 1e-4), 110);
    input_clear(&input);
}

int main(void)
{
    model_init_blas();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_file__whole_and_bounded),
        cmocka_unit_test(read_file__folder_or_fifo__refused_at_once),
        cmocka_unit_test(csv__steps__in_their_order),
        cmocka_unit_test(libsvm__logistic_without_classes__signs),
        cmocka_unit_test(load__what_cannot_be__refused_with_the_reason),
        cmocka_unit_test(synthetic__nothing_given__450_samples_of_50_features),
        cmocka_unit_test(fashion_mnist__two_classes_of_twelve_workers__110_rounds),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
