/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a person sees of a run, on a terminal and elsewhere. */
#include "config.h"

#include "bed/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmocka_all.h"

enum { SEEN_MAX = 8192 };
static const int64_t second = NS_PER_S;

/* stderr goes to a file while a scene is played. */
static const char *play(void (*scene)(struct progress *), bool quiet, unsigned columns)
{
    static char seen[SEEN_MAX];
    struct progress progress;
    FILE *file = tmpfile();
    fflush(stderr);
    int old = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    progress_init(&progress, quiet, columns, 4, 2);
    scene(&progress);
    progress_close(&progress);
    dup2(old, STDERR_FILENO);
    close(old);
    rewind(file);
    seen[fread(seen, 1, SEEN_MAX - 1, file)] = '\0';
    fclose(file);
    return seen;
}

static void a_run(struct progress *progress)
{
    progress_note(progress, "loading the data");
    progress_run(progress, "lag-wk", 1, 10 * second);
    progress_round(progress, 0, 1.0, 1e-4, 10 * second);
    progress_round(progress, 7, 1e-2, 1e-4, 12 * second);
    progress_round(progress, 8, 1e-3, 1e-4, 12 * second + 1); /* too soon to be shown */
    progress_end(progress, 17, true, NULL, 13 * second);
}

static void progress__elsewhere__one_line_a_run(void **state)
{
    (void)state;
    assert_string_equal(play(a_run, false, 0), "[1/4] lag-wk    repeat 2/2     3.0 s     17 rounds, target reached\n");
}

static void progress__terminal__is_rewritten_and_only_the_end_stays(void **state)
{
    (void)state;
    assert_string_equal(play(a_run, false, 120),
                        "loading the data"
                        "\r\033[K[1/4] lag-wk    repeat 2/2     0.0 s  round 0     error 1.0e+00 of 1.0e-04 "
                        "[....................]"
                        "\r\033[K[1/4] lag-wk    repeat 2/2     2.0 s  round 7     error 1.0e-02 of 1.0e-04 "
                        "[##########..........]"
                        "\r\033[K[1/4] lag-wk    repeat 2/2     3.0 s     17 rounds, target reached\n");
}

/* What wraps would stay on the screen. */
static void progress__narrow_terminal__no_open_line_is_as_wide(void **state)
{
    (void)state;
    const char *seen = play(a_run, false, 20);
    const char *open = strstr(seen, "\033[K") + 3;
    assert_int_equal(strcspn(open, "\r\n"), 19);
}

static void warnings(struct progress *progress)
{
    progress_note(progress, "probing the links");
    progress_say(progress, "bed warn: worker1.up: 3 packets were dropped");
    progress_note(progress, "loading the data");
}

static void progress__warning__stays_on_a_line_of_its_own_even_when_quiet(void **state)
{
    (void)state;
    assert_string_equal(play(warnings, true, 120), "bed warn: worker1.up: 3 packets were dropped\n");
    assert_string_equal(play(warnings, false, 120),
                        "probing the links\r\033[Kbed warn: worker1.up: 3 packets were dropped\n"
                        "loading the data\r\033[K");
}

static void failures(struct progress *progress)
{
    progress_run(progress, "gd", 0, 0);
    progress_round(progress, 1, NAN, NAN, second);
    progress_end(progress, 3, false, "worker5 is gone", 2 * second);
    progress_run(progress, "gc", 0, 2 * second);
    progress_end(progress, 9, false, NULL, 4 * second);
}

static void progress__failed_or_not_reached__says_so(void **state)
{
    (void)state;
    const char *seen = play(failures, false, 0);
    assert_non_null(strstr(seen, "[1/4] gd        repeat 1/2     2.0 s      3 rounds, failed: worker5 is gone\n"));
    assert_non_null(strstr(seen, "[2/4] gc        repeat 1/2     2.0 s      9 rounds, target not reached\n"));
    assert_string_equal(play(failures, true, 80), "");
}

static void progress_share__logarithmic_and_bounded(void **state)
{
    (void)state;
    assert_true(fabs(progress_share(1, 1e-2, 1e-4) - 0.5) < 1e-12);
    assert_true(progress_share(1, 1e-9, 1e-4) == 1);
    assert_true(progress_share(1, 5, 1e-4) == 0);
    assert_true(progress_share(1e-5, 1e-6, 1e-4) == 0);
    assert_true(progress_share(1, 0, 1e-4) == 0);
    assert_true(progress_share(NAN, 1, 1e-4) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progress__elsewhere__one_line_a_run),
        cmocka_unit_test(progress__terminal__is_rewritten_and_only_the_end_stays),
        cmocka_unit_test(progress__narrow_terminal__no_open_line_is_as_wide),
        cmocka_unit_test(progress__warning__stays_on_a_line_of_its_own_even_when_quiet),
        cmocka_unit_test(progress__failed_or_not_reached__says_so),
        cmocka_unit_test(progress_share__logarithmic_and_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
