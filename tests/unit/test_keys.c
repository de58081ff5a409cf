/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The key table holds together: every row can be found, read, written and is explained. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "scenario/keys.h"

/* An object of any section; its strings and lists are freed by drop. */
union object {
    struct scenario scenario;
    struct strategy_choice strategy;
    struct compute_draft compute;
    struct link link;
    struct pause_draft pause;
    struct timeline_event event;
};

static union object *new_object(enum section_kind kind)
{
    union object *object = mem_zalloc(sizeof *object);
    if (kind == SECTION_SCENARIO || kind == SECTION_PROBLEM)
        object->scenario.path = mem_strdup("/folder/file.ini");
    return object;
}

static void drop(enum section_kind kind, union object *object)
{
    if (kind == SECTION_SCENARIO || kind == SECTION_PROBLEM) {
        free(object->scenario.path);
        free(object->scenario.name);
        free(object->scenario.strategy);
        free(object->scenario.problem.path);
        free(object->scenario.problem.labels_path);
    }
    if (kind == SECTION_COMPUTE)
        free(object->compute.file);
    if (kind == SECTION_PAUSE)
        free(object->pause.workers);
    free(object);
}

static void table__every_row__found_by_its_name_alone(void **state)
{
    (void)state;
    enum section_kind last = SECTION_SCENARIO;
    for (const struct key *key = keys; key->name; key++) {
        assert_ptr_equal(key_find(key->section, key->name), key);
        assert_true(key->section >= last);
        last = key->section;
    }
    assert_null(key_find(SECTION_LINK, "seed"));
    assert_null(key_find(SECTION_LINK, ""));
}

static void table__every_row__is_explained(void **state)
{
    (void)state;
    for (const struct key *key = keys; key->name; key++) {
        assert_non_null(key->help);
        assert_true(strlen(key->help) > 5);
        if (key->type == KEY_OWN)
            assert_non_null(key->form);
        if (key->type == KEY_OWN && key->section != SECTION_AT) {
            assert_non_null(key->read);
            assert_non_null(key->write);
        }
        if (key->type == KEY_WORD)
            assert_non_null(key->words);
    }
}

/* Every default reads, and what it writes reads back to the same text. */
static void table__every_default__resolves_to_itself(void **state)
{
    (void)state;
    for (const struct key *key = keys; key->name; key++) {
        if (key->def == NULL)
            continue;
        struct error err = {""};
        union object *one = new_object(key->section), *two = new_object(key->section);
        if (key_read(key, key->def, one, &err) != 0)
            fail_msg("%s: %s", key->name, err.text);
        char *text = key_write(key, one);
        assert_non_null(text);
        if (key_read(key, text, two, &err) != 0)
            fail_msg("%s = %s: %s", key->name, text, err.text);
        char *again = key_write(key, two);
        assert_string_equal(text, again);
        free(text);
        free(again);
        drop(key->section, one);
        drop(key->section, two);
    }
}

/* The ends of each range are inside it, and an end's own text is one that the type can read. */
static void table__every_range__has_readable_ends(void **state)
{
    (void)state;
    for (const struct key *key = keys; key->name; key++) {
        const char *ends[] = {key->min, key->max};
        for (int i = 0; i < 2; i++) {
            struct error err = {""};
            if (ends[i] == NULL)
                continue;
            union object *object = new_object(key->section);
            if (key_read(key, ends[i], object, &err) != 0)
                fail_msg("%s: its own end %s is refused: %s", key->name, ends[i], err.text);
            drop(key->section, object);
        }
    }
}

static void refuse(enum section_kind section, const char *name, const char *value, const char *why)
{
    struct error err = {""};
    union object *object = new_object(section);
    const struct key *key = key_find(section, name);
    assert_non_null(key);
    if (key_read(key, value, object, &err) != -1 || strstr(err.text, why) == NULL)
        fail_msg("%s = %s: \"%s\" has no \"%s\"", name, value, err.text, why);
    drop(section, object);
}

static void read__out_of_range__refused_with_the_range(void **state)
{
    (void)state;
    refuse(SECTION_CLUSTER, "workers", "0", "1 to 1000");
    refuse(SECTION_CLUSTER, "workers", "1001", "1 to 1000");
    refuse(SECTION_CLUSTER, "workers", "4294967297", "1 to 1000");
    refuse(SECTION_STRATEGY, "refresh", "4294967296", "at most 10000000");
    refuse(SECTION_PROBLEM, "l2", "-1", "at least 0");
    refuse(SECTION_PROBLEM, "step", "0", "more than 0, or 1/L");
    refuse(SECTION_PROBLEM, "step", "-1", "more than 0");
    refuse(SECTION_PROBLEM, "heterogeneity", "11", "0 to 10");
    refuse(SECTION_SCENARIO, "max_time", "0s", "at least 1ms, or none");
    refuse(SECTION_LINK, "delay", "61s", "at most 60s");
    refuse(SECTION_LINK, "rate", "7kbit", "8kbit to 100gbit");
    refuse(SECTION_LINK, "rate", "101gbit", "8kbit to 100gbit");
    refuse(SECTION_LINK, "queue", "0", "1 to 1000000");
    refuse(SECTION_COMPUTE, "factor", "0.5", "1 to 1e6");
    refuse(SECTION_AT, "pause.workerN", "0ms", "at least 1ms");
}

static void read__wrong_words__refused_with_the_right_ones(void **state)
{
    (void)state;
    refuse(SECTION_PROBLEM, "model", "logistc", "linear, logistic; did you mean \"logistic\"?");
    refuse(SECTION_PROBLEM, "center", "ja", "neither true");
    refuse(SECTION_PROBLEM, "center", "", "value is missing");
    refuse(SECTION_PROBLEM, "data", "csv:", "not of the form");
    refuse(SECTION_PROBLEM, "data", "cvs:a", "not of the form");
    refuse(SECTION_PROBLEM, "data", "idx:a", "idx needs two files");
    refuse(SECTION_PROBLEM, "data", "idx:a,", "idx needs two files");
    refuse(SECTION_PROBLEM, "data", "idx:a,b,c", "idx needs two files");
    refuse(SECTION_PROBLEM, "classes", "0", "two labels");
    refuse(SECTION_PROBLEM, "classes", "0, 0", "the same");
    refuse(SECTION_PROBLEM, "classes", "0, 1, 2", "more than two");
    refuse(SECTION_PROBLEM, "classes", "0, x", "two labels");
    refuse(SECTION_SCENARIO, "target_error", "0", "more than 0");
    refuse(SECTION_SCENARIO, "target_relative_error", "1", "less than 1");
    refuse(SECTION_SCENARIO, "max_time", "60", "or \"none\"");
    refuse(SECTION_LINK, "loss", "0.1", "unit is missing");
    refuse(SECTION_LINK, "loss", "gemodel", "one to four percentages");
    refuse(SECTION_LINK, "loss", "gemodel 1% 2% 3% 4% 5%", "one to four percentages");
    refuse(SECTION_LINK, "loss", "gemodel 1% 30", "\"30\": the unit is missing");
    refuse(SECTION_LINK, "loss", "gmodel 1% 30%", "gemodel P R");
    refuse(SECTION_PAUSE, "workers", "2,", "from 1");
    refuse(SECTION_PAUSE, "workers", "2 4", "separated by commas");
    refuse(SECTION_PAUSE, "workers", "2, 2", "twice");
    refuse(SECTION_PAUSE, "workers", "0", "from 1");
    refuse(SECTION_PAUSE, "workers", "99999999999999999999", "from 1");
    refuse(SECTION_PAUSE, "every", "2s", "KIND MEAN [SHAPE]");
    refuse(SECTION_PAUSE, "every", "exponential 2", "unit is missing");
    refuse(SECTION_PAUSE, "every", "exponential 2s 3", "nothing may follow");
    refuse(SECTION_PAUSE, "every", "exponental 2s", "did you mean \"exponential\"?");
    refuse(SECTION_PAUSE, "every", "trace 2s", "not one of constant");
    refuse(SECTION_PAUSE, "for", "pareto 300ms", "needs a shape");
    refuse(SECTION_PAUSE, "for", "pareto 300ms 0.9", "shape");
    refuse(SECTION_PAUSE, "for", "constant 0s", "at least 1ms");
    refuse(SECTION_AT, "kill.workerN", "HUP", "KILL nor TERM");
    refuse(SECTION_AT, "restart.workerN", "false", "only true");
}

static void read__words_for_zero__understood(void **state)
{
    (void)state;
    struct strategy_choice choice = {.redundancy = 7, .xi = 7, .step = 7};
    struct link link = {.rate_bps = 7, .queue_packets = 7};
    assert_int_equal(key_read(key_find(SECTION_STRATEGY, "redundancy"), "inherit", &choice, NULL), 0);
    assert_int_equal(key_read(key_find(SECTION_STRATEGY, "step"), "inherit", &choice, NULL), 0);
    assert_int_equal(key_read(key_find(SECTION_STRATEGY, "xi"), "auto", &choice, NULL), 0);
    assert_int_equal(key_read(key_find(SECTION_LINK, "rate"), "unlimited", &link, NULL), 0);
    assert_int_equal(key_read(key_find(SECTION_LINK, "queue"), "auto", &link, NULL), 0);
    assert_int_equal(choice.redundancy, 0);
    assert_true(choice.step == 0);
    assert_true(isnan(choice.xi));
    assert_true(link.rate_bps == 0 && link.queue_packets == 0);
    assert_int_equal(key_read(key_find(SECTION_STRATEGY, "xi"), "0", &choice, NULL), 0);
    assert_true(choice.xi == 0);
}

/* tc-netem(8): gemodel p [r [1-h [1-k]]], by default r = 1 - p, 1-h = 100 %, 1-k = 0. */
static void read__loss__as_tc_has_it(void **state)
{
    (void)state;
    const struct key *loss = key_find(SECTION_LINK, "loss");
    struct link link = {.delay_ns = 5};
    assert_int_equal(key_read(loss, "gemodel 1%", &link, NULL), 0);
    assert_int_equal(link.loss, LINK_LOSS_GEMODEL);
    assert_int_equal(link.ge_p_ppm, 10000);
    assert_int_equal(link.ge_r_ppm, 990000);
    assert_int_equal(link.ge_1h_ppm, 1000000);
    assert_int_equal(link.ge_1k_ppm, 0);
    assert_int_equal(key_read(loss, "gemodel 1% 30% 80% 0.1%", &link, NULL), 0);
    assert_int_equal(link.ge_r_ppm, 300000);
    assert_int_equal(link.ge_1h_ppm, 800000);
    assert_int_equal(link.ge_1k_ppm, 1000);
    assert_int_equal(key_read(loss, "2%", &link, NULL), 0);
    assert_int_equal(link.loss, LINK_LOSS_INDEPENDENT);
    assert_int_equal(link.loss_ppm, 20000);
    assert_int_equal(link.ge_p_ppm, 0);
    assert_int_equal(key_read(loss, "0%", &link, NULL), 0);
    assert_int_equal(link.loss, LINK_LOSS_NONE);
    assert_int_equal(link.delay_ns, 5);
}

static void only__names__are_strategies(void **state)
{
    (void)state;
    for (const struct key *key = keys; key->name; key++) {
        bool serves_one = false;
        for (size_t i = 0; strategies[i]; i++) {
            serves_one |= key_serves_strategy(key, strategies[i]->name);
            if (key->section == SECTION_STRATEGY && strcmp(key->name, "redundancy") == 0)
                assert_int_equal(key_serves_strategy(key, strategies[i]->name), strategies[i]->uses_redundancy);
        }
        assert_true(serves_one);
    }
    assert_false(key_serves_strategy(key_find(SECTION_STRATEGY, "code"), "g"));
    assert_true(key_serves_strategy(key_find(SECTION_STRATEGY, "code"), "lagc"));
    assert_false(key_serves_strategy(key_find(SECTION_STRATEGY, "code"), "lag"));
}

static void unsupported__rows__are_not_keys(void **state)
{
    (void)state;
    for (const struct key_unsupported *row = keys_unsupported; row->section; row++)
        for (int kind = 0; kind < SECTION_KINDS && row->key; kind++)
            if (strcmp(section_names[kind], row->section) == 0)
                assert_null(key_find((enum section_kind)kind, row->key));
    assert_non_null(key_find_unsupported("every", NULL));
    assert_non_null(key_find_unsupported("link", "trace"));
    assert_null(key_find_unsupported("link", "delay"));
    assert_null(key_find_unsupported("link", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table__every_row__found_by_its_name_alone),
        cmocka_unit_test(table__every_row__is_explained),
        cmocka_unit_test(table__every_default__resolves_to_itself),
        cmocka_unit_test(table__every_range__has_readable_ends),
        cmocka_unit_test(read__out_of_range__refused_with_the_range),
        cmocka_unit_test(read__wrong_words__refused_with_the_right_ones),
        cmocka_unit_test(read__words_for_zero__understood),
        cmocka_unit_test(read__loss__as_tc_has_it),
        cmocka_unit_test(only__names__are_strategies),
        cmocka_unit_test(unsupported__rows__are_not_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
