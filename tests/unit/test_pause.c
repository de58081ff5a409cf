/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pauses on real processes under a supervisor that only knows their pids. */
#include "config.h"

#include "bed/pause.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"

enum { WORKERS = 2 };
struct supervisor {
    pid_t pid[WORKERS];
};
static struct supervisor fake;

pid_t supervise_pid(const struct supervisor *supervisor, int32_t node)
{
    return supervisor->pid[node];
}

bool supervise_signal(struct supervisor *supervisor, int32_t node, int signal)
{
    return supervisor->pid[node] != 0 && kill(supervisor->pid[node], signal) == 0;
}

static pid_t sleeper(void)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;)
        pause();
}

static int set_up(void **state)
{
    for (int w = 0; w < WORKERS; w++)
        fake.pid[w] = sleeper();
    *state = pauses_new(WORKERS, &fake);
    return 0;
}

static void end(int w)
{
    if (fake.pid[w] != 0) {
        kill(fake.pid[w], SIGKILL);
        waitpid(fake.pid[w], NULL, 0);
    }
    fake.pid[w] = 0;
}

static int tear_down(void **state)
{
    pauses_free(*state);
    for (int w = 0; w < WORKERS; w++)
        end(w);
    return 0;
}

static char state_of(pid_t pid)
{
    char path[64], state = '?';
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *from = fopen(path, "r");
    if (from != NULL && fscanf(from, "%*d %*s %c", &state) != 1)
        state = '?';
    if (from != NULL)
        fclose(from);
    return state;
}

static void begin__running_worker__is_seen_stopped_until_its_end(void **state)
{
    struct pauses *pauses = *state;
    struct pause_record record;
    int64_t now = clock_now_ns();
    assert_int_equal(pauses_begin(pauses, 0, now, NS_PER_S), PAUSE_STOPPED);
    assert_int_equal(state_of(fake.pid[0]), 'T');
    assert_true(pauses_is_paused(pauses, 0));
    assert_false(pauses_is_paused(pauses, 1));
    int64_t until = pauses_next_at(pauses);
    assert_int_equal(until, pauses_stopped_ns(pauses, 0) + NS_PER_S);
    assert_false(pauses_end_one(pauses, until - 1, &record));
    assert_int_equal(state_of(fake.pid[0]), 'T');
    assert_true(pauses_end_one(pauses, until, &record));
    assert_int_not_equal(state_of(fake.pid[0]), 'T');
    assert_int_equal(record.node, 0);
    assert_int_equal(record.requested_ns, now);
    assert_int_equal(record.length_ns, NS_PER_S);
    assert_true(record.stopped_ns >= now && record.resumed_ns > record.stopped_ns);
    assert_int_equal(pauses_next_at(pauses), INT64_MAX);
}

static void begin__overlapping__last_until_the_later_end_as_one(void **state)
{
    struct pauses *pauses = *state;
    struct pause_record record;
    int64_t now = clock_now_ns();
    assert_int_equal(pauses_begin(pauses, 1, now, NS_PER_S), PAUSE_STOPPED);
    int64_t first = pauses_next_at(pauses), seen = pauses_stopped_ns(pauses, 1);
    assert_int_equal(pauses_begin(pauses, 1, seen + NS_PER_S / 2, NS_PER_S), PAUSE_MERGED);
    assert_int_equal(pauses_next_at(pauses), seen + 3ll * NS_PER_S / 2);
    /* one that ends earlier changes nothing */
    assert_int_equal(pauses_begin(pauses, 1, seen + NS_PER_S / 2, 1), PAUSE_MERGED);
    assert_int_equal(pauses_next_at(pauses), seen + 3ll * NS_PER_S / 2);
    assert_false(pauses_end_one(pauses, first, &record));
    assert_int_equal(state_of(fake.pid[1]), 'T');
    assert_true(pauses_end_one(pauses, seen + 3ll * NS_PER_S / 2, &record));
    assert_int_equal(record.requested_ns, now);
    assert_int_equal(record.length_ns, 3ll * NS_PER_S / 2);
    assert_false(pauses_end_one(pauses, INT64_MAX, &record));
}

static void begin__dead_worker__is_gone(void **state)
{
    struct pauses *pauses = *state;
    struct pause_record record;
    end(0);
    assert_int_equal(pauses_begin(pauses, 0, clock_now_ns(), NS_PER_S), PAUSE_GONE);
    assert_false(pauses_end_one(pauses, INT64_MAX, &record));
}

static void end__worker_died_while_paused__is_recorded_at_once(void **state)
{
    struct pauses *pauses = *state;
    struct pause_record record;
    int64_t now = clock_now_ns();
    assert_int_equal(pauses_begin(pauses, 0, now, 60ll * NS_PER_S), PAUSE_STOPPED);
    end(0);
    fake.pid[0] = sleeper(); /* started again: another process */
    assert_true(pauses_end_one(pauses, now, &record));
    assert_int_equal(record.resumed_ns, 0);
    assert_int_equal(pauses_begin(pauses, 0, clock_now_ns(), NS_PER_S), PAUSE_STOPPED);
    assert_true(pauses_end_one(pauses, INT64_MAX, &record));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(begin__running_worker__is_seen_stopped_until_its_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(begin__overlapping__last_until_the_later_end_as_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(begin__dead_worker__is_gone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(end__worker_died_while_paused__is_recorded_at_once, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
