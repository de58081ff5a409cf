/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What TCP says of the links, gathered over connections and written to links.csv. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "ps/linkwatch.h"
#include "results/results.h"

enum { WORKERS = 2 };

static struct link_pair links[WORKERS];
static struct scenario scenario = {.worker_link = links};

static void say(struct linkwatch *watch, uint32_t worker, uint32_t rtt_us, uint32_t min_us, uint32_t retransmits)
{
    struct net_tcp_info info = {.rtt_us = rtt_us, .min_rtt_us = min_us, .retransmits = retransmits};
    linkwatch_add(watch, worker, &info);
}

static void asked__delays_of_both_links_both_ways__their_sum(void **state)
{
    (void)state;
    scenario.ps_link.direction[LINK_UP].delay_ns = 1;
    scenario.ps_link.direction[LINK_DOWN].delay_ns = 20;
    links[1].direction[LINK_UP].delay_ns = 300;
    links[1].direction[LINK_DOWN].delay_ns = 4000;
    assert_int_equal(linkwatch_asked_ns(&scenario, 1), 4321);
    assert_int_equal(linkwatch_asked_ns(&scenario, 0), 21);
}

static double achieved(const struct results_table *table, const char *figure)
{
    for (size_t row = 0; row < table->rows; row++)
        if (strcmp(results_field(table, row, results_column(table, "figure")), figure) == 0)
            return results_number(table, row, results_column(table, "achieved"));
    fail_msg("no %s", figure);
    return 0;
}

static void rows__two_connections_of_a_worker__mean_minimum_and_all_retransmits(void **state)
{
    (void)state;
    char folder[] = "/tmp/laggard-linkwatch-XXXXXX", command[64];
    struct linkwatch watch;
    struct results_table table;
    struct error err = {{0}};
    assert_non_null(mkdtemp(folder));
    linkwatch_init(&watch, WORKERS);
    say(&watch, 0, 0, 0, 0); /* nothing acknowledged yet: no sample */
    say(&watch, 0, 5000, 4200, 3);
    say(&watch, 0, 7000, 4100, 5);
    say(&watch, 0, 6000, 4300, 1); /* a new connection */
    assert_int_equal(linkwatch_write(&watch, &scenario, folder, true, &err), 0);
    assert_int_equal(results_read(folder, RESULTS_LINKS, &table, &err), 0);
    assert_int_equal(table.rows, 3); /* none of worker2, which never was there */
    assert_true(achieved(&table, "rtt_ms") == 6);
    assert_true(achieved(&table, "rtt_min_ms") == 4.1);
    assert_true(achieved(&table, "retransmits") == 6);
    results_table_clear(&table);
    assert_int_equal(linkwatch_write(&watch, &scenario, folder, false, &err), 0);
    assert_int_equal(results_read(folder, RESULTS_LINKS, &table, &err), 0);
    assert_int_equal(table.rows, 6); /* beside what was there */
    results_table_clear(&table);
    linkwatch_clear(&watch);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asked__delays_of_both_links_both_ways__their_sum),
        cmocka_unit_test(rows__two_connections_of_a_worker__mean_minimum_and_all_retransmits),
    };
    return cmocka_run_group_tests_name("linkwatch", tests, NULL, NULL);
}
