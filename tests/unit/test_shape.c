/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shaper against a tc of our own making, first in PATH, that does as it is told, lies, refuses or goes away.
 * link-shape is the real one. */
#include "config.h"

#include "bed/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"

/* Nothing here leaves the namespace it was started in. */
int topology_enter(const struct topology *topology, int32_t node, struct error *err)
{
    (void)topology;
    return error_set(err, "a test wanted to enter node %d", node);
}

/* Answers "qdisc show" with $FAKE_QUEUE and writes down what it was told to change. */
static const char honest_or_not[] = "#!/bin/sh\n"
                                    "while read -r object verb rest; do\n"
                                    "    case \"$object $verb\" in\n"
                                    "    'qdisc show') printf '%s\\n' \"$FAKE_QUEUE\" ;;\n"
                                    "    'filter show') echo '[]' ;;\n"
                                    "    *) printf '%s\\n' \"$verb $rest\" >>\"$FAKE_LOG\" ;;\n"
                                    "    esac\n"
                                    "done\n";
static const char refuses[] = "#!/bin/sh\n"
                              "while read -r object verb rest; do\n"
                              "    case \"$object $verb\" in\n"
                              "    'qdisc show') printf '%s\\n' \"$FAKE_QUEUE\" ;;\n"
                              "    'filter show') echo '[]' ;;\n"
                              "    *) echo 'Error: no room for this queue.' >&2 ;;\n"
                              "    esac\n"
                              "done\n";
static const char does_nothing[] = "#!/bin/sh\nexit 0\n";

#define NETEM(rate)                                                                                                    \
    "[{\"kind\":\"netem\",\"root\":true,\"options\":{\"limit\":100,\"delay\":{\"delay\":0.005,\"jitter\":0},"          \
    "\"rate\":{\"rate\":" rate "},\"ecn\":false,\"gap\":0},\"bytes\":0,\"packets\":2,\"drops\":1}]"

static char folder[] = "/tmp/laggard-test-shape-XXXXXX";
static char *tc_path, *log_path, *old_path;
static const struct link link_5ms = {.delay_ns = 5 * NS_PER_MS, .rate_bps = 10000000};

static int set_up(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    tc_path = mem_printf("%s/tc", folder);
    log_path = mem_printf("%s/log", folder);
    old_path = mem_strdup(getenv("PATH"));
    char *path = mem_printf("%s:%s", folder, old_path);
    setenv("PATH", path, 1);
    setenv("FAKE_LOG", log_path, 1);
    free(path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    setenv("PATH", old_path, 1);
    unlink(tc_path);
    unlink(log_path);
    free(tc_path);
    free(log_path);
    free(old_path);
    return rmdir(folder);
}

static struct shaper *shaper_with(const char *tc, const char *queue)
{
    unlink(log_path);
    unlink(tc_path);
    FILE *to = fopen(tc_path, "w");
    assert_non_null(to);
    fputs(tc, to);
    fclose(to);
    chmod(tc_path, 0700);
    setenv("FAKE_QUEUE", queue, 1);
    const char *top = getenv("top_srcdir");
    char *netem = mem_printf("%s/netem", top ? top : ".");
    struct error err;
    struct shaper *shaper = shaper_new(NULL, netem, &err);
    free(netem);
    assert_non_null(shaper);
    return shaper;
}

static void read_log(char *text, size_t size)
{
    FILE *from = fopen(log_path, "r");
    size_t n = from ? fread(text, 1, size - 1, from) : 0;
    text[n] = '\0';
    if (from != NULL)
        fclose(from);
}

static void set__tc_does_as_told__whole_set_is_sent_and_kept(void **state)
{
    (void)state;
    struct error err = {{0}};
    struct shaper *shaper = shaper_with(honest_or_not, NETEM("1250000"));
    int64_t before = clock_now_ns(), applied = 0;
    if (shaper_set(shaper, 2, LINK_UP, &link_5ms, &applied, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(applied >= before);
    assert_int_equal(shaper_link(shaper, 2, LINK_UP)->rate_bps, 10000000);
    assert_int_equal(shaper_link(shaper, 2, LINK_DOWN)->rate_bps, 0);
    struct shape_counts counts;
    assert_int_equal(shaper_counts(shaper, 2, LINK_UP, &counts, &err), 0);
    assert_int_equal(counts.drops, 1);
    shaper_free(shaper);
    char log[1024];
    read_log(log, sizeof log);
    assert_string_equal(log, "replace dev ifb-w3 root handle 1: netem limit 100 delay 5000us 0us loss random 0.0000% "
                             "duplicate 0.0000% reorder 0.0000% corrupt 0.0000% rate 10000000bit\n");
}

static void set__tc_halves_the_rate__error_names_link_and_figure(void **state)
{
    (void)state;
    struct error err = {{0}};
    struct shaper *shaper = shaper_with(honest_or_not, NETEM("625000"));
    assert_int_equal(shaper_set(shaper, 2, LINK_UP, &link_5ms, NULL, &err), -1);
    assert_non_null(strstr(err.text, "link.worker3.up"));
    assert_non_null(strstr(err.text, "rate"));
    assert_int_equal(shaper_link(shaper, 2, LINK_UP)->rate_bps, 0); /* not taken for set */
    shaper_free(shaper);
}

static void set__tc_refuses__error_has_its_words(void **state)
{
    (void)state;
    struct error err = {{0}};
    struct shaper *shaper = shaper_with(refuses, NETEM("1250000"));
    assert_int_equal(shaper_set(shaper, NODE_PS, LINK_DOWN, &link_5ms, NULL, &err), -1);
    assert_non_null(strstr(err.text, "link.ps.down"));
    assert_non_null(strstr(err.text, "no room for this queue"));
    shaper_free(shaper);
}

static void set__tc_exits_without_acting__is_an_error(void **state)
{
    (void)state;
    struct error err = {{0}};
    struct shaper *shaper = shaper_with(does_nothing, "");
    assert_int_equal(shaper_set(shaper, 0, LINK_UP, &link_5ms, NULL, &err), -1);
    assert_non_null(strstr(err.text, "link.worker1.up"));
    shaper_free(shaper);
}

static void set__plain_link__sets_nothing_and_wants_no_netem(void **state)
{
    (void)state;
    struct error err = {{0}};
    struct shaper *shaper = shaper_with(honest_or_not, "[{\"kind\":\"noqueue\",\"root\":true,\"options\":{}}]");
    assert_int_equal(shaper_set(shaper, 0, LINK_UP, &(struct link){0}, NULL, &err), 0);
    shaper_free(shaper);
    char log[64];
    read_log(log, sizeof log);
    assert_string_equal(log, "");
    shaper = shaper_with(honest_or_not, NETEM("1250000"));
    assert_int_equal(shaper_set(shaper, 0, LINK_UP, &(struct link){0}, NULL, &err), -1);
    shaper_free(shaper);
}

static void set__uniform_after_a_table__starts_a_fresh_queue(void **state)
{
    (void)state;
    struct error err = {{0}};
    const char *queue = "[{\"kind\":\"netem\",\"root\":true,\"options\":{\"limit\":1500,\"delay\":{\"delay\":0.005,"
                        "\"jitter\":0.001},\"rate\":{\"rate\":12500000000},\"ecn\":false,\"gap\":0}}]";
    struct shaper *shaper = shaper_with(honest_or_not, queue);
    struct link link = {.delay_ns = 5 * NS_PER_MS, .jitter_ns = NS_PER_MS};
    if (shaper_set(shaper, 0, LINK_DOWN, &link, NULL, &err) < 0)
        fail_msg("%s", err.text);
    link.shape = DELAY_UNIFORM;
    assert_int_equal(shaper_set(shaper, 0, LINK_DOWN, &link, NULL, &err), 0);
    assert_int_equal(shaper_set(shaper, 0, LINK_DOWN, &link, NULL, &err), 0);
    shaper_free(shaper);
    char log[2048];
    read_log(log, sizeof log);
    char *first = strstr(log, "del dev w1 root");
    assert_non_null(first);
    assert_null(strstr(first + 1, "del dev")); /* once: the fresh queue has no table */
}

static void set_all__every_direction__is_asked_for(void **state)
{
    (void)state;
    enum { WORKERS = 40 }; /* many handfuls */
    struct error err = {{0}};
    struct link_pair pairs[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pairs[i] = (struct link_pair){{link_5ms, link_5ms}};
    struct scenario scenario = {.cluster.workers = WORKERS, .worker_link = pairs, .ps_link = {{link_5ms, link_5ms}}};
    struct shaper *shaper = shaper_with(honest_or_not, NETEM("1250000"));
    if (shaper_set_all(shaper, &scenario, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(shaper_link(shaper, WORKERS - 1, LINK_DOWN)->delay_ns, 5 * NS_PER_MS);
    shaper_free(shaper);
    static char log[65536];
    read_log(log, sizeof log);
    int lines = 0;
    for (const char *c = log; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 2 * (WORKERS + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set__tc_does_as_told__whole_set_is_sent_and_kept),
        cmocka_unit_test(set__tc_halves_the_rate__error_names_link_and_figure),
        cmocka_unit_test(set__tc_refuses__error_has_its_words),
        cmocka_unit_test(set__tc_exits_without_acting__is_an_error),
        cmocka_unit_test(set__plain_link__sets_nothing_and_wants_no_netem),
        cmocka_unit_test(set__uniform_after_a_table__starts_a_fresh_queue),
        cmocka_unit_test(set_all__every_direction__is_asked_for),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
