/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of a command of laggard, by its table. */
#include "config.h"

#include "options.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cmocka_all.h"

struct values {
    const char *output;
    int colour;
    bool strict;
    struct option_list sets;
};

static const char *const colours[] = {"red", "green", NULL};
static const struct option_row rows[] = {
    {"output", 'o', OPTION_TEXT, "DIR", offsetof(struct values, output), "where to\n(a second line)", NULL},
    {"colour", 0, OPTION_CHOICE, "WHICH", offsetof(struct values, colour), "which", colours},
    {"set", 's', OPTION_LIST, "KEY=VALUE", offsetof(struct values, sets), "as if", NULL},
    {"strict", 0, OPTION_FLAG, NULL, offsetof(struct values, strict), "be", NULL},
    {0},
};
static const struct option_page page = {"try", "[OPTION]... FILE", "Try.", rows, "Exit status: 0."};

/* Both streams go to a file; what was said comes back. */
static int parse(const char *words, struct values *values, char *rest, char *said, size_t size)
{
    static char copy[512];
    char *argv[16] = {(char *)"try"};
    int argc = 1, first, old[] = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
    FILE *file = tmpfile();
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = word;
    fflush(NULL);
    dup2(fileno(file), STDOUT_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    int status = options_parse(&page, argc, argv, values, &first);
    fflush(NULL);
    dup2(old[0], STDOUT_FILENO);
    dup2(old[1], STDERR_FILENO);
    close(old[0]);
    close(old[1]);
    rewind(file);
    said[fread(said, 1, size - 1, file)] = '\0';
    fclose(file);
    rest[0] = '\0';
    for (int i = first; status == OPTIONS_GO && i < argc; i++) {
        strcat(rest, argv[i]);
        strcat(rest, " ");
    }
    return status;
}

static void options__every_kind_in_any_order__fills_the_struct(void **state)
{
    (void)state;
    struct values values = {0};
    char rest[128], said[2048];
    int status = parse("--set a=1 one -o here --colour=green -sb=2 --strict two", &values, rest, said, sizeof said);
    assert_int_equal(status, OPTIONS_GO);
    assert_string_equal(said, "");
    assert_string_equal(rest, "one two ");
    assert_string_equal(values.output, "here");
    assert_int_equal(values.colour, 1);
    assert_true(values.strict);
    assert_int_equal(values.sets.n, 2);
    assert_string_equal(values.sets.text[0], "a=1");
    assert_string_equal(values.sets.text[1], "b=2");
    options_list_clear(&values.sets);
}

static void options__behind_two_dashes__are_no_options(void **state)
{
    (void)state;
    struct values values = {0};
    char rest[128], said[2048];
    assert_int_equal(parse("-- --strict", &values, rest, said, sizeof said), OPTIONS_GO);
    assert_string_equal(rest, "--strict ");
    assert_false(values.strict);
}

static void options__mistakes__are_told_with_the_word_that_is_wrong(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"--nothing", "--nothing is no option"},
                                           {"-z", "-z is no option"},
                                           {"file --output", "--output needs a value"},
                                           {"--strict=yes", "--strict=yes: a flag"},
                                           {"-o", "-o needs a value"},
                                           {"--s", "--s is no option"},
                                           {"--colour blue", "must be one of red, green"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct values values = {0};
        char rest[128], said[2048];
        assert_int_equal(parse(cases[i][0], &values, rest, said, sizeof said), EXIT_WRONG);
        assert_int_equal(strncmp(said, "laggard try: ", 13), 0);
        if (strstr(said, cases[i][1]) == NULL)
            fail_msg("'%s' gave: %s", cases[i][0], said);
    }
}

static void options__help_and_version__are_printed_and_end_it_well(void **state)
{
    (void)state;
    struct values values = {0};
    char rest[128], said[2048];
    assert_int_equal(parse("--help --nothing", &values, rest, said, sizeof said), EXIT_DONE);
    assert_string_equal(said, "Usage: laggard try [OPTION]... FILE\n\nTry.\n\n"
                              "  -o, --output DIR          where to\n"
                              "                            (a second line)\n"
                              "      --colour WHICH        which\n"
                              "  -s, --set KEY=VALUE       as if\n"
                              "      --strict              be\n"
                              "      --help                print this and exit\n"
                              "      --version             print the version and exit\n"
                              "\nExit status: 0.\n");
    assert_int_equal(parse("--version", &values, rest, said, sizeof said), EXIT_DONE);
    assert_string_equal(said, "laggard " PACKAGE_VERSION "\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options__every_kind_in_any_order__fills_the_struct),
        cmocka_unit_test(options__behind_two_dashes__are_no_options),
        cmocka_unit_test(options__mistakes__are_told_with_the_word_that_is_wrong),
        cmocka_unit_test(options__help_and_version__are_printed_and_end_it_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
