/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mathematics of configs/demo.ini without a network: Fashion-MNIST (Debian's dataset-fashion-mnist), classes 0 and
 * 6, the first 1,200 images, centred, ordered by norm, logistic with l2 = 10, 12 workers, r = 3, to 1e-4 of the first
 * error. An independent rehearsal gave the numbers below; they may differ by a round or two. */
#include "config.h"

#include <stdlib.h>

#include "tests/unit/cmocka_all.h"
#include "tests/unit/driver.h"
#include "tests/unit/shared_data.h"

#define FOLDER "/usr/share/datasets/fashion-mnist/"

static struct problem fashion;
static bool there;

static int set_up(void **state)
{
    (void)state;
    struct error err = {""};
    size_t images_len = 0, labels_len = 0;
    char *images = read_whole(FOLDER "train-images-idx3-ubyte.gz", &images_len);
    char *labels = read_whole(FOLDER "train-labels-idx1-ubyte.gz", &labels_len);
    there = images != NULL && labels != NULL;
    const struct class_pair classes = {true, {0, 6}};
    int status = 0;
    if (there)
        status = dataset_parse_idx("images", images, images_len, "labels", labels, labels_len, &classes, 1200,
                                   &fashion.data, &err);
    free(images);
    free(labels);
    if (status < 0) {
        print_error("%s\n", err.text);
        return -1;
    }
    if (there) {
        dataset_center(&fashion.data);
        dataset_order(&fashion.data, ORDER_NORM, 1);
        problem_finish(&fashion, MODEL_LOGISTIC, 10, 12, NULL);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    if (there)
        problem_clear(&fashion);
    return 0;
}

static void check_run(const char *strategy, uint32_t redundancy, uint32_t rounds, uint32_t uplinks)
{
    if (!there) {
        print_message("Fashion-MNIST is not there: apt install dataset-fashion-mnist\n");
        skip();
    }
    struct driver_options options = {
        .strategy = strategy, .redundancy = redundancy, .target_kind = TARGET_RELATIVE_ERROR, .target = 1e-4};
    struct driver_result run = driver_run(&fashion, &options);
    uint32_t sent = (uint32_t)run.summary.total.uplink;
    print_message("%s, r = %u: %u rounds, %u uplinks (%u, %u)\n", strategy, redundancy, run.summary.rounds, sent,
                  rounds, uplinks);
    assert_true(run.summary.reached);
    assert_in_range(run.summary.rounds, rounds - 2, rounds + 2);
    assert_in_range(sent, uplinks - uplinks / 40, uplinks + uplinks / 40);
    driver_clear(&run);
}

static void demo__gd__rehearsed_counts(void **state)
{
    (void)state;
    check_run("gd", 1, 110, 1320);
}

static void demo__lag_ps__rehearsed_counts(void **state)
{
    (void)state;
    check_run("lag-ps", 1, 103, 311);
}

static void demo__lag_wk__rehearsed_counts(void **state)
{
    (void)state;
    check_run("lag-wk", 1, 84, 107);
}

static void demo__g_lag__rehearsed_counts(void **state)
{
    (void)state;
    check_run("g-lag", 3, 108, 235);
}

int main(void)
{
    model_init_blas();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(demo__gd__rehearsed_counts),
        cmocka_unit_test(demo__lag_ps__rehearsed_counts),
        cmocka_unit_test(demo__lag_wk__rehearsed_counts),
        cmocka_unit_test(demo__g_lag__rehearsed_counts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
