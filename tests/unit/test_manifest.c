/* SPDX-License-Identifier: GPL-3.0-or-later */
/* manifest.json: all that it is given, and whole at any time. */
#include "config.h"

#include "results/manifest.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmocka_all.h"

static char folder[] = "/tmp/laggard-unit.XXXXXX";

static json_t *read_back(void)
{
    char *path = mem_printf("%s/manifest.json", folder);
    json_t *root = json_load_file(path, 0, NULL);
    free(path);
    assert_non_null(root);
    return root;
}

static const char *text(json_t *root, const char *key)
{
    return json_string_value(json_object_get(root, key));
}

static struct manifest example(void)
{
    static char run[] = "run", file[] = "d\xe4mo.ini", laggard[] = "laggard"; /* Latin 1: no UTF-8 */
    static char *command[] = {laggard, run, file, NULL};
    static const struct manifest_library libraries[] = {{"gsl", "2.7.1"}, {NULL, NULL}};
    static const char *const notes[] = {"first", "second", NULL};
    return (struct manifest){.status = "running",
                             .command = command,
                             .begin = {.tv_sec = 86400, .tv_nsec = 7000000},
                             .kernel_kind = "user-mode-linux",
                             .kernel_release = "6.1.176",
                             .libraries = libraries,
                             .seed = 18446744073709551615u,
                             .repeats = 5,
                             .scenario_name = "demo",
                             .scenario_file = file,
                             .scenario_text = "[scenario]\nname = demo\n",
                             .notes = notes};
}

static void manifest__of_a_run_that_goes_on__has_all_it_was_given(void **state)
{
    (void)state;
    struct error err;
    struct manifest manifest = example();
    assert_int_equal(manifest_write(folder, &manifest, &err), 0);
    json_t *root = read_back(), *command = json_object_get(root, "command");
    assert_string_equal(text(root, "laggard"), PACKAGE_VERSION);
    assert_string_equal(text(root, "status"), "running");
    assert_true(json_is_null(json_object_get(root, "failure")));
    assert_true(json_is_null(json_object_get(root, "end")));
    assert_string_equal(text(root, "begin"), "1970-01-02T00:00:00.007Z");
    assert_int_equal(json_array_size(command), 3);
    assert_string_equal(json_string_value(json_array_get(command, 2)), "d?mo.ini");
    assert_string_equal(text(json_object_get(root, "kernel"), "kind"), "user-mode-linux");
    assert_string_equal(text(json_object_get(root, "kernel"), "release"), "6.1.176");
    assert_string_equal(text(json_object_get(root, "libraries"), "gsl"), "2.7.1");
    assert_string_equal(text(root, "seed"), "18446744073709551615");
    assert_string_equal(text(json_object_get(root, "scenario"), "resolved"), "[scenario]\nname = demo\n");
    assert_int_equal(json_array_size(json_object_get(root, "notes")), 2);
    assert_true(json_integer_value(json_object_get(json_object_get(root, "machine"), "processors")) > 0);
    json_decref(root);
}

static void manifest__written_again__replaces_the_old_one_and_leaves_nothing_else(void **state)
{
    (void)state;
    struct error err;
    struct manifest manifest = example();
    assert_int_equal(manifest_write(folder, &manifest, &err), 0);
    manifest.status = "failed";
    manifest.failure = "gd: worker2 is gone";
    manifest.seed = 1;
    manifest.end.tv_sec = 86401;
    assert_int_equal(manifest_write(folder, &manifest, &err), 0);
    json_t *root = read_back();
    assert_string_equal(text(root, "status"), "failed");
    assert_string_equal(text(root, "failure"), "gd: worker2 is gone");
    assert_string_equal(text(root, "end"), "1970-01-02T00:00:01.000Z");
    assert_int_equal(json_integer_value(json_object_get(root, "seed")), 1);
    json_decref(root);
    char *path = mem_printf("%s/manifest.json.new", folder);
    assert_int_equal(access(path, F_OK), -1);
    free(path);
}

static void manifest__no_such_directory__is_an_error_that_names_it(void **state)
{
    (void)state;
    struct error err = {{0}};
    struct manifest manifest = example();
    assert_int_equal(manifest_write("/nowhere", &manifest, &err), -1);
    assert_non_null(strstr(err.text, "/nowhere/manifest.json"));
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char *command = mem_printf("rm -rf '%s'", folder);
    int status = system(command);
    free(command);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(manifest__of_a_run_that_goes_on__has_all_it_was_given),
        cmocka_unit_test(manifest__written_again__replaces_the_old_one_and_leaves_nothing_else),
        cmocka_unit_test(manifest__no_such_directory__is_an_error_that_names_it),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
