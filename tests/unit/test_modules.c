/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which files a kernel module needs, from the text of modules.dep. */
#include "config.h"

#include "bed/modules.h"

#include <string.h>

#include "cmocka_all.h"

/* As depmod writes it: what is needed stands behind, nearest first. */
static const char dep[] = "kernel/net/sched/sch_netem.ko:\n"
                          "kernel/drivers/net/ifb.ko:\n"
                          "kernel/net/sched/act_mirred.ko: kernel/net/core/second.ko kernel/net/core/first.ko\n"
                          "kernel/net/core/second.ko: kernel/net/core/first.ko\n"
                          "kernel/net/core/first.ko:\n"
                          "kernel/drivers/net/veth.ko.xz: kernel/lib/helper.ko.xz\n"
                          "kernel/net/sched/em_my_ifb.ko:\n"
                          "kernel/net/last-line.ko: kernel/net/core/first.ko";

static char paths[MODULES_MAX][MODULE_PATH_MAX];

static void modules_order__alone__is_its_own_file(void **state)
{
    (void)state;
    assert_int_equal(modules_order(dep, "sch_netem", paths), 1);
    assert_string_equal(paths[0], "kernel/net/sched/sch_netem.ko");
}

static void modules_order__needs_others__those_come_first(void **state)
{
    (void)state;
    assert_int_equal(modules_order(dep, "act_mirred", paths), 3);
    assert_string_equal(paths[0], "kernel/net/core/first.ko");
    assert_string_equal(paths[1], "kernel/net/core/second.ko");
    assert_string_equal(paths[2], "kernel/net/sched/act_mirred.ko");
}

static void modules_order__packed_or_last_without_newline__is_found(void **state)
{
    (void)state;
    assert_int_equal(modules_order(dep, "veth", paths), 2);
    assert_string_equal(paths[1], "kernel/drivers/net/veth.ko.xz");
    assert_int_equal(modules_order(dep, "last-line", paths), 2);
    assert_string_equal(paths[0], "kernel/net/core/first.ko");
}

static void modules_order__part_of_a_name_or_only_needed__is_not_it(void **state)
{
    (void)state;
    assert_int_equal(modules_order(dep, "netem", paths), 0);
    assert_int_equal(modules_order(dep, "sch_nete", paths), 0);
    assert_int_equal(modules_order(dep, "helper", paths), 0);
    assert_int_equal(modules_order("", "veth", paths), 0);
    assert_int_equal(modules_order(dep, "ifb", paths), 1);
    assert_string_equal(paths[0], "kernel/drivers/net/ifb.ko");
}

static void modules_load__no_folder__is_an_error_that_names_the_file(void **state)
{
    (void)state;
    static const char *const names[] = {"veth", NULL};
    struct error err = {{0}};
    assert_int_equal(modules_load("/nowhere", names, &err), -1);
    assert_non_null(strstr(err.text, "/nowhere/modules.dep"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_order__alone__is_its_own_file),
        cmocka_unit_test(modules_order__needs_others__those_come_first),
        cmocka_unit_test(modules_order__packed_or_last_without_newline__is_found),
        cmocka_unit_test(modules_order__part_of_a_name_or_only_needed__is_not_it),
        cmocka_unit_test(modules_load__no_folder__is_an_error_that_names_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
