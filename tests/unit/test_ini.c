/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line index: lines, duplicates, and all that iniparser alone would misread without a word. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "scenario/complain.h"
#include "scenario/ini.h"
#include "scenario/settings.h"

/* Scan text, with a section before it if it starts with none; the one error must be at this line and hold `why`. */
static void refuse(const char *text, int line, const char *why)
{
    struct ini ini;
    struct scenario_errors errors = {0};
    ini_init(&ini);
    ini_scan(&ini, text, strlen(text), &errors);
    ini_check_duplicates(&ini, &errors);
    if (errors.n != 1 || errors.error[0].line != line || strstr(errors.error[0].text, why) == NULL)
        fail_msg("\"%s\": %zu errors, the first in line %d: %s", text, errors.n, errors.n ? errors.error[0].line : 0,
                 errors.n ? errors.error[0].text : "");
    ini_clear(&ini);
    scenario_errors_clear(&errors);
}

static void scan__unsound_lines__complained_about_with_their_line(void **state)
{
    (void)state;
    refuse("a = 1\n", 1, "before the first [section]");
    refuse("[s]\n\n; c\njust text\n", 4, "neither [section] nor key = value");
    refuse("[s]\n= 1\n", 2, "key is missing");
    refuse("[s]\na b = 1\n", 2, "a key has no spaces");
    refuse("[s]\na:b = 1\n", 2, "a key has no spaces");
    refuse("[s]\n\"a\" = 1\n", 2, "a key has no spaces");
    refuse("[s\na = 1\n", 1, "ends with ]");
    refuse("[s] a = 1\n", 1, "nothing but a comment may follow [section]");
    refuse("[]\n", 1, "a section's name");
    refuse("[a[b]\n", 1, "a section's name");
    refuse("[s]\na = \"open\n", 2, "quote is not closed");
    refuse("[s]\na = 'open\"\n", 2, "quote is not closed");
    refuse("[s]\na = \"one\" two\n", 2, "nothing but a comment may follow a quoted value");
    refuse("[s]\na = one#two\n", 2, "must stand in quotes");
    refuse("[s]\na = one;two\n", 2, "must stand in quotes");
    refuse("[s]\na = one \\\n", 2, "cannot be continued");
    refuse("[s]\na = 1\nb = 1\nA = 2\n", 4, "[s] a: said already in line 2");
    refuse("[s]\na = 1\n[t]\n[S]\na = 2\n", 5, "[s] a: said already in line 2");
    refuse("[s]\na = \x01\n", 2, "not text");
    refuse("[s]\na = \x7f\n", 2, "not text");
    refuse("[s]\na = \xff\n", 2, "not text");
    refuse("[s]\na = \xc3\n", 2, "not text");         /* cut short */
    refuse("[s]\na = \xc0\xaf\n", 2, "not text");     /* overlong */
    refuse("[s]\na = \xed\xa0\x80\n", 2, "not text"); /* a surrogate */
}

static void scan__byte_of_zero__refused(void **state)
{
    (void)state;
    static const char text[] = "[s]\na = 1\0 2\nb = 1\n";
    struct ini ini;
    struct scenario_errors errors = {0};
    ini_init(&ini);
    ini_scan(&ini, text, sizeof text - 1, &errors);
    assert_int_equal(errors.n, 1);
    assert_int_equal(errors.error[0].line, 2);
    assert_int_equal(ini.n, 1);
    ini_clear(&ini);
    scenario_errors_clear(&errors);
}

static void scan__longest_line__taken_and_one_more_refused(void **state)
{
    (void)state;
    char text[INI_LENGTH_MAX + 64];
    for (int extra = 0; extra < 2; extra++) {
        struct ini ini;
        struct scenario_errors errors = {0};
        size_t len = INI_LENGTH_MAX + (size_t)extra;
        memset(text, 'x', sizeof text);
        memcpy(text, "[s]\na = ", 8);
        text[4 + len] = '\n';
        ini_init(&ini);
        ini_scan(&ini, text, 5 + len, &errors);
        assert_int_equal(errors.n, extra);
        assert_int_equal(ini.n, 1 - extra);
        ini_clear(&ini);
        scenario_errors_clear(&errors);
    }
}

static void scan__broken_section__its_keys_are_passed_over(void **state)
{
    (void)state;
    static const char text[] = "[a]\nx = 1\n[b\nx = 2\n[c]\ny = 3\n";
    struct ini ini;
    struct scenario_errors errors = {0};
    ini_init(&ini);
    ini_scan(&ini, text, sizeof text - 1, &errors);
    assert_int_equal(errors.n, 1);
    assert_int_equal(ini.n, 2);
    assert_string_equal(ini.section[ini.entry[1].section].name, "c");
    ini_clear(&ini);
    scenario_errors_clear(&errors);
}

/* Values as iniparser gives them, through the clean copy. */
static void value__every_spelling__read_as_meant(void **state)
{
    (void)state;
    static const struct {
        const char *text, *value;
    } rows[] = {
        {"[scenario]\nname = plain", "plain"},
        {"[scenario]\nname=plain\n", "plain"},
        {"[scenario]\r\nname = plain\r\n", "plain"},
        {"\xef\xbb\xbf[scenario]\nname = plain\n", "plain"},
        {"[ Scenario ] ; comment = 1\n\tNAME  =  Plain Case \t; comment\n", "Plain Case"},
        {"[scenario]\nname = a # b\n", "a"},
        {"[scenario]\nname = \"a # b; c\" ; d\n", "a # b; c"},
        {"[scenario]\nname = ' spaces '\n", " spaces "},
        {"[scenario]\nname = 'say \"x\"'\n", "say \"x\""},
        {"[scenario]\nname = it's \"x\"\n", "it's \"x\""},
        {"[scenario]\nname = a = b\n", "a = b"},
        {"[scenario]\nname = == b\n", "== b"},
        {"[scenario]\nname = 100%d %s\n", "100%d %s"},
        {"; comment \\\n[scenario]\nname = x\n", "x"},
        {"[scenario]\n# [other]\nname = x\n", "x"},
        {"[scenario]\nname = \xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa2\n", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scenario_errors errors = {0};
        struct settings settings;
        assert_int_equal(settings_parse(&settings, rows[i].text, strlen(rows[i].text), NULL, 0, &errors), 0);
        if (errors.n != 0 || settings.n != 1)
            fail_msg("\"%s\": %zu errors: %s", rows[i].text, errors.n, errors.n ? errors.error[0].text : "");
        assert_string_equal(settings.setting[0].value, rows[i].value);
        settings_clear(&settings);
    }
}

static void value__empty__said_to_be_missing(void **state)
{
    (void)state;
    static const char *const texts[] = {"[scenario]\nseed =\n", "[scenario]\nseed = \"\"\n",
                                        "[scenario]\nseed = ''; x\n", "[scenario]\nseed = ; x\n",
                                        "[scenario]\nseed =# x"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct scenario_errors errors = {0};
        struct settings settings;
        assert_int_equal(settings_parse(&settings, texts[i], strlen(texts[i]), NULL, 0, &errors), 0);
        assert_int_equal(errors.n, 1);
        assert_non_null(strstr(errors.error[0].text, "the value is missing"));
        settings_clear(&settings);
        scenario_errors_clear(&errors);
    }
}

/* The last setting there is must be this one. */
static void expect_set(const char *assignment, const char *section, const char *key)
{
    struct ini ini;
    struct scenario_errors errors = {0};
    ini_init(&ini);
    ini_set(&ini, assignment, &errors);
    if (errors.n != 0)
        fail_msg("%s: %s", assignment, errors.error[0].text);
    assert_int_equal(ini.n, 1);
    assert_string_equal(ini.section[0].name, section);
    assert_string_equal(ini.entry[0].key, key);
    assert_int_equal(ini.entry[0].line, 0);
    ini_clear(&ini);
}

static void set__left_side__split_at_the_right_dot(void **state)
{
    (void)state;
    expect_set("scenario.seed=2", "scenario", "seed");
    expect_set("Scenario.Seed = 2", "scenario", "seed");
    expect_set("link:worker3.up.rate=1mbit", "link:worker3.up", "rate");
    expect_set("compute:worker3.mean=1.5ms", "compute:worker3", "mean");
    expect_set("at:5s.pause.worker4=1s", "at:5s", "pause.worker4");
    expect_set("at:5.pause.worker4=1s", "at:5", "pause.worker4"); /* the missing unit is noticed later */
    expect_set("at:0.5s.link.worker4.up.rate=1.5mbit", "at:0.5s", "link.worker4.up.rate");
}

static void set__malformed__complained_about(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",        "=",     "seed=1",  "scenario.seed",        ".seed=1",           "scenario.=1",
        "at:5s=1", "at:=1", "a]b.c=1", "scenario.name=\"open", "scenario.name=a#b", "scenario.a b=1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct ini ini;
        struct scenario_errors errors = {0};
        ini_init(&ini);
        ini_set(&ini, texts[i], &errors);
        if (errors.n != 1 || errors.error[0].line != 0 || strncmp(errors.error[0].text, "--set ", 6) != 0 || ini.n != 0)
            fail_msg("\"%s\": %zu errors, %zu settings", texts[i], errors.n, ini.n);
        ini_clear(&ini);
        scenario_errors_clear(&errors);
    }
}

static void quote__any_value__reads_back_or_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        bool fits;
    } rows[] = {{"plain", true}, {"a b", true},   {" a", true},    {"a ", true},        {"", true},
                {"a;b", true},   {"a#b", true},   {"\"a", true},   {"'a", true},        {"it's", true},
                {"a\\", true},   {"a = b", true}, {"a;\"b", true}, {"a;'b", true},      {"a;'\"b", false},
                {"a\nb", false}, {"\xff", false}, {"[a]", true},   {"\"a\" 'b'", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char quoted[64];
        bool fits = ini_quote(rows[i].value, quoted);
        if (fits != rows[i].fits)
            fail_msg("\"%s\": %d", rows[i].value, fits);
        if (!fits || rows[i].value[0] == '\0')
            continue;
        struct scenario_errors errors = {0};
        struct settings settings;
        char *text = mem_printf("[scenario]\nname = %s\n", quoted);
        assert_int_equal(settings_parse(&settings, text, strlen(text), NULL, 0, &errors), 0);
        assert_int_equal(errors.n, 0);
        assert_string_equal(settings.setting[0].value, rows[i].value);
        settings_clear(&settings);
        free(text);
    }
}

static void complain__many__sorted_and_bounded(void **state)
{
    (void)state;
    struct scenario_errors errors = {0};
    complain(&errors, 0, "last");
    complain(&errors, 7, "a");
    complain(&errors, 3, "b");
    complain(&errors, 7, "c");
    complain(&errors, 7, "a"); /* the very same: once is enough */
    complain_sort(&errors);
    assert_int_equal(errors.n, 4);
    assert_string_equal(errors.error[0].text, "b");
    assert_string_equal(errors.error[1].text, "a");
    assert_string_equal(errors.error[2].text, "c");
    assert_string_equal(errors.error[3].text, "last");
    for (int i = 0; i < 2 * COMPLAIN_MAX; i++)
        complain(&errors, i + 10, "x");
    assert_int_equal(errors.n, COMPLAIN_MAX);
    scenario_errors_clear(&errors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scan__unsound_lines__complained_about_with_their_line),
        cmocka_unit_test(scan__byte_of_zero__refused),
        cmocka_unit_test(scan__longest_line__taken_and_one_more_refused),
        cmocka_unit_test(scan__broken_section__its_keys_are_passed_over),
        cmocka_unit_test(value__every_spelling__read_as_meant),
        cmocka_unit_test(value__empty__said_to_be_missing),
        cmocka_unit_test(set__left_side__split_at_the_right_dot),
        cmocka_unit_test(set__malformed__complained_about),
        cmocka_unit_test(quote__any_value__reads_back_or_is_refused),
        cmocka_unit_test(complain__many__sorted_and_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
