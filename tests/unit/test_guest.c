/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes over the guest's serial line: lines of JSON, however they are cut, and the job. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bed/guest_job.h"
#include "bed/jsonline.h"
#include "cmocka_all.h"

static const struct bed_options options = {.directory = "/data/a b/r\xc3\xa9sultats \"1\"",
                                           .scenario_path = "/data/a b/scenario.ini",
                                           .program = "/usr/bin/laggard",
                                           .daemon_directory = "/usr/bin",
                                           .netem_directory = "/usr/share/laggard/netem",
                                           .columns = 133,
                                           .quiet = false,
                                           .strict = true};

static void guest_job__packed_sent_and_unpacked__is_the_same(void **state)
{
    (void)state;
    struct error err;
    struct bed_options back;
    const char *cwd;
    char *text = NULL;
    json_t *job = guest_job_pack(&options, "/data/a b");
    assert_non_null(job);
    assert_non_null(text = json_dumps(job, JSON_COMPACT));
    json_decref(job);
    assert_null(strchr(text, '\n'));
    job = json_loads(text, 0, NULL);
    assert_int_equal(guest_job_unpack(job, &back, &cwd, &err), 0);
    assert_string_equal(cwd, "/data/a b");
    assert_string_equal(back.directory, options.directory);
    assert_string_equal(back.scenario_path, options.scenario_path);
    assert_string_equal(back.program, options.program);
    assert_string_equal(back.daemon_directory, options.daemon_directory);
    assert_string_equal(back.netem_directory, options.netem_directory);
    assert_int_equal(back.columns, 133);
    assert_false(back.quiet);
    assert_true(back.strict);
    json_decref(job);
    free(text);
}

static void guest_job__without_a_member__is_refused_and_named(void **state)
{
    (void)state;
    struct error err = {{0}};
    struct bed_options back;
    const char *cwd;
    json_t *job = guest_job_pack(&options, "/");
    json_object_del(job, "netem");
    assert_int_equal(guest_job_unpack(job, &back, &cwd, &err), -1);
    assert_non_null(strstr(err.text, "netem"));
    json_object_set_new(job, "netem", json_integer(3));
    assert_int_equal(guest_job_unpack(job, &back, &cwd, &err), -1);
    json_decref(job);
}

/* ── lines ── */

static int pair[2];
static struct jsonline line;

static int open_pair(void **state)
{
    (void)state;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
        return -1;
    jsonline_init(&line, pair[0]);
    return 0;
}

static int close_pair(void **state)
{
    (void)state;
    jsonline_clear(&line);
    close(pair[0]);
    if (pair[1] >= 0)
        close(pair[1]);
    return 0;
}

static void say(const char *bytes)
{
    assert_int_equal(write(pair[1], bytes, strlen(bytes)), strlen(bytes));
    assert_int_equal(jsonline_fill(&line), JSONLINE_OK);
}

static int number(json_t *object)
{
    assert_non_null(object);
    int value = (int)json_integer_value(json_object_get(object, "n"));
    json_decref(object);
    return value;
}

static void jsonline__a_byte_at_a_time__comes_out_once_whole(void **state)
{
    (void)state;
    static const char text[] = "{\"n\":41}\n{\"n\":42}\n";
    int seen = 0;
    for (const char *at = text; *at != '\0'; at++) {
        char byte[] = {*at, '\0'};
        say(byte);
        for (json_t *object; (object = jsonline_next(&line)) != NULL; seen++)
            assert_int_equal(number(object), 41 + seen);
    }
    assert_int_equal(seen, 2);
}

static void jsonline__several_at_once_with_noise_between__only_objects_come_out(void **state)
{
    (void)state;
    say("{\"n\":1}\nlinux: booting\n\n[1,2]\n{\"n\":2}\n{\"n\":");
    assert_int_equal(number(jsonline_next(&line)), 1);
    assert_int_equal(number(jsonline_next(&line)), 2);
    assert_null(jsonline_next(&line));
    say("3}\n");
    assert_int_equal(number(jsonline_next(&line)), 3);
}

static void jsonline__sent__is_one_line_and_the_end_is_seen(void **state)
{
    (void)state;
    assert_int_equal(jsonline_send(pair[1], json_pack("{s:i}", "n", 7)), 0);
    close(pair[1]);
    pair[1] = -1;
    assert_int_equal(jsonline_fill(&line), JSONLINE_OK);
    assert_int_equal(number(jsonline_next(&line)), 7);
    assert_int_equal(jsonline_fill(&line), JSONLINE_END);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guest_job__packed_sent_and_unpacked__is_the_same),
        cmocka_unit_test(guest_job__without_a_member__is_refused_and_named),
        cmocka_unit_test_setup_teardown(jsonline__a_byte_at_a_time__comes_out_once_whole, open_pair, close_pair),
        cmocka_unit_test_setup_teardown(jsonline__several_at_once_with_noise_between__only_objects_come_out, open_pair,
                                        close_pair),
        cmocka_unit_test_setup_teardown(jsonline__sent__is_one_line_and_the_end_is_seen, open_pair, close_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
