/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is written is read back, whatever was in the fields and wherever the file was cut. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "results/results.h"

static char folder[] = "/tmp/laggard-results-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void write_event(const char *strategy, const char *value, double requested, bool append)
{
    struct error err = {{0}};
    struct results_writer *writer = results_open(folder, RESULTS_EVENTS, append, &err);
    assert_non_null(writer);
    results_begin(writer);
    results_text(writer, strategy);
    results_int(writer, -7);
    results_double(writer, requested);
    results_double(writer, NAN);
    results_text(writer, "link");
    results_text(writer, "worker3.up");
    results_text(writer, value);
    results_text(writer, "");
    results_text(writer, "scenario");
    assert_int_equal(results_end(writer, &err), 0);
    results_close(writer);
}

static void row__commas_quotes_newlines_and_doubles__come_back_as_they_were(void **state)
{
    (void)state;
    struct results_table table;
    struct error err = {{0}};
    write_event("gc", "a \"quoted\", split\nvalue", 0.1, false);
    write_event("gd", "plain", 1.0 / 3, true);
    assert_int_equal(results_read(folder, RESULTS_EVENTS, &table, &err), 0);
    assert_int_equal(table.rows, 2);
    assert_string_equal(results_field(&table, 0, results_column(&table, "value")), "a \"quoted\", split\nvalue");
    assert_true(results_number(&table, 0, results_column(&table, "requested_s")) == 0.1);
    assert_true(results_number(&table, 1, results_column(&table, "requested_s")) == 1.0 / 3);
    assert_true(results_number(&table, 1, results_column(&table, "repeat")) == -7);
    assert_true(isnan(results_number(&table, 0, results_column(&table, "applied_s"))));
    assert_int_equal(results_column(&table, "no such column"), -1);
    results_table_clear(&table);
}

static void file__cut_anywhere_in_its_last_row__has_the_rows_before(void **state)
{
    (void)state;
    write_event("gc", "one", 1, false);
    write_event("gc", "two, \"quoted\"", 2, true);
    char *path = mem_printf("%s/%s", folder, results_file_name(RESULTS_EVENTS));
    FILE *file = fopen(path, "r");
    char bytes[4096];
    size_t len = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    size_t second = (size_t)(strstr(bytes, "one,,scenario\n") - bytes) + strlen("one,,scenario\n");
    for (size_t cut = second; cut < len; cut++) {
        assert_int_equal(truncate(path, (off_t)cut), 0);
        struct results_table table;
        struct error err = {{0}};
        assert_int_equal(results_read(folder, RESULTS_EVENTS, &table, &err), 0);
        assert_int_equal(table.rows, 1);
        results_table_clear(&table);
        file = fopen(path, "w");
        fwrite(bytes, 1, len, file);
        fclose(file);
    }
    free(path);
}

static void file__row_with_a_field_too_few__is_an_error_with_its_line(void **state)
{
    (void)state;
    write_event("gc", "one", 1, false);
    char *path = mem_printf("%s/%s", folder, results_file_name(RESULTS_EVENTS));
    FILE *file = fopen(path, "a");
    fputs("gc,1,2\n", file);
    fclose(file);
    struct results_table table;
    struct error err = {{0}};
    assert_int_equal(results_read(folder, RESULTS_EVENTS, &table, &err), -1);
    assert_non_null(strstr(err.text, "events.csv:3:"));
    free(path);
}

static void summary__columns__are_the_contract(void **state)
{
    (void)state;
    static const char contract[] = "strategy, repeat, rounds, seconds, uplink, downlink, notices, uplink_bytes, "
                                   "downlink_bytes, gradients, wasted, final_error, reached, seconds_to_target, "
                                   "rounds_to_target, uplink_to_target";
    char text[1024] = "";
    const char *const *columns = results_columns(RESULTS_SUMMARY);
    for (size_t i = 0; columns[i] != NULL; i++) {
        strcat(text, i ? ", " : "");
        strcat(text, columns[i]);
    }
    assert_string_equal(text, contract);
}

static void summary__reached_and_not__rows_and_json_agree(void **state)
{
    (void)state;
    struct error err = {{0}};
    struct results_writer *writer = results_open(folder, RESULTS_SUMMARY, false, &err);
    struct session_summary summary = {.rounds = 109,
                                      .seconds = 1.5,
                                      .final_error = 9.299e-9,
                                      .total = {.uplink = 981, .gradients = 981},
                                      .reached = true,
                                      .seconds_to_target = 1.5,
                                      .rounds_to_target = 109,
                                      .uplink_to_target = 981};
    assert_int_equal(results_summary(writer, "gd", 0, &summary, &err), 0);
    summary.reached = false;
    assert_int_equal(results_summary(writer, "gc", 1, &summary, &err), 0);
    results_close(writer);
    assert_int_equal(results_summary_json(folder, &err), 0);

    char *path = mem_printf("%s/summary.json", folder);
    json_t *root = json_load_file(path, 0, NULL), *runs = json_object_get(root, "runs");
    assert_int_equal(json_array_size(runs), 2);
    json_t *first = json_array_get(runs, 0), *second = json_array_get(runs, 1);
    assert_string_equal(json_string_value(json_object_get(first, "strategy")), "gd");
    assert_int_equal(json_integer_value(json_object_get(first, "uplink")), 981);
    assert_true(json_real_value(json_object_get(first, "final_error")) == 9.299e-9);
    assert_int_equal(json_integer_value(json_object_get(first, "repeat")), 1);
    assert_true(json_is_null(json_object_get(second, "seconds_to_target")));
    json_decref(root);
    free(path);
}

static void directory__that_is_not_there__is_an_error_that_names_it(void **state)
{
    (void)state;
    struct error err = {{0}};
    struct results_table table;
    assert_null(results_open("/nonexistent", RESULTS_ROUNDS, false, &err));
    assert_non_null(strstr(err.text, "/nonexistent/rounds.csv"));
    assert_int_equal(results_read("/nonexistent", RESULTS_ROUNDS, &table, &err), -1);
}

/* ".Ss rounds.csv", then ".It Ic strategy" and so on: the manual has the columns of each file, in order, and no other. */
static void manual__columns__are_those_of_the_table(void **state)
{
    (void)state;
    char line[512], *path = mem_printf("%s/man/laggard-results.5", getenv("top_srcdir"));
    FILE *manual = fopen(path, "r");
    int file = RESULTS_FILES;
    size_t column = 0, files = 0;
    assert_non_null(manual);
    while (fgets(line, sizeof line, manual) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, ".Ss ", 4) == 0 || strncmp(line, ".Sh ", 4) == 0) {
            if (file < RESULTS_FILES)
                assert_null(results_columns((enum results_file)file)[column]);
            for (file = 0, column = 0; file < RESULTS_FILES; file++)
                if (strcmp(line + 4, results_file_name((enum results_file)file)) == 0)
                    break;
            files += file < RESULTS_FILES;
        } else if (file < RESULTS_FILES && strncmp(line, ".It Ic ", 7) == 0) {
            const char *name = results_columns((enum results_file)file)[column++];
            assert_non_null(name);
            assert_string_equal(line + 7, name);
        }
    }
    assert_int_equal(files, RESULTS_FILES);
    fclose(manual);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row__commas_quotes_newlines_and_doubles__come_back_as_they_were),
        cmocka_unit_test(file__cut_anywhere_in_its_last_row__has_the_rows_before),
        cmocka_unit_test(file__row_with_a_field_too_few__is_an_error_with_its_line),
        cmocka_unit_test(summary__columns__are_the_contract),
        cmocka_unit_test(summary__reached_and_not__rows_and_json_agree),
        cmocka_unit_test(directory__that_is_not_there__is_an_error_that_names_it),
        cmocka_unit_test(manual__columns__are_those_of_the_table),
    };
    return cmocka_run_group_tests_name("results", tests, make_folder, remove_folder);
}
