/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fresh namespaces around a function: what it sees, what comes back, and that all of it ends with its caller. */
#include "config.h"

#include "bed/container.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmocka_all.h"

/* What the functions inside leave for the test to see. */
static struct seen {
    pid_t pid;
    bool has_proc, has_netns, has_interfaces;
    volatile int is_ready;
} * seen;

static int return_seven(void *context, int life_fd)
{
    (void)life_fd;
    return *(int *)context;
}

static void skip_without_namespaces(void)
{
    struct error err = {{0}};
    int zero = 0;
    if (container_run(return_seven, &zero, &err) == 0)
        return;
    print_message("skipped: %s\n", err.text);
    skip();
}

static void container__returns__status_and_sentence_come_back(void **state)
{
    (void)state;
    skip_without_namespaces();
    struct error err = {{0}};
    int seven = 7;
    assert_int_equal(container_run(return_seven, &seven, &err), 7);
    assert_string_equal(err.text, "");
}

static int fail_inside(void *context, int life_fd)
{
    (void)life_fd;
    struct error err;
    error_set(&err, "worker%d: no", *(int *)context);
    container_fail(&err);
    return EXIT_RUN_FAILED;
}

static void container__fails_inside__its_sentence_comes_back(void **state)
{
    (void)state;
    skip_without_namespaces();
    struct error err = {{0}};
    int three = 3;
    assert_int_equal(container_run(fail_inside, &three, &err), EXIT_RUN_FAILED);
    assert_string_equal(err.text, "worker3: no");
}

static bool exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

static int look_around(void *context, int life_fd)
{
    (void)context;
    char line[256];
    int lines = 0;
    seen->pid = getpid();
    seen->has_proc = exists("/proc/1/exe") && !exists("/proc/2");
    seen->has_netns = exists("/run/netns") && exists("/var/run/netns") && rmdir("/run/netns") == 0;
    FILE *file = fopen("/proc/net/dev", "re");
    while (fgets(line, sizeof line, file) != NULL)
        lines++;
    fclose(file);
    seen->has_interfaces = lines > 3; /* two of headings, one for lo */
    struct pollfd life = {.fd = life_fd, .events = POLLIN};
    return poll(&life, 1, 0) == 0 ? 0 : 1;
}

static void container__inside__is_pid_1_with_its_own_proc_run_and_network(void **state)
{
    (void)state;
    skip_without_namespaces();
    struct error err;
    assert_int_equal(container_run(look_around, NULL, &err), 0);
    assert_int_equal(seen->pid, 1);
    assert_true(seen->has_proc);
    assert_true(seen->has_netns);
    assert_false(seen->has_interfaces);
}

/* ── ends ── */

/* It asks its caller for a signal, and swallows it. */
static int ask_for_signal(void *context, int life_fd)
{
    (void)context;
    (void)life_fd;
    signal(SIGTERM, SIG_IGN);
    seen->is_ready = 1;
    while (seen->is_ready)
        usleep(1000);
    return 0;
}

static void container__signalled__which_signal_is_known_afterwards(void **state)
{
    (void)state;
    skip_without_namespaces();
    struct error err;
    assert_int_equal(container_signal(), 0);
    seen->is_ready = 0;
    pid_t sender = fork();
    if (sender == 0) {
        while (!seen->is_ready)
            usleep(1000);
        kill(getppid(), SIGTERM);
        usleep(10000);
        seen->is_ready = 0;
        _exit(0);
    }
    assert_int_equal(container_run(ask_for_signal, NULL, &err), 0);
    waitpid(sender, NULL, 0);
    assert_int_equal(container_signal(), SIGTERM);
}

static volatile sig_atomic_t got_signal;

static void note_signal(int number)
{
    got_signal = number;
}

/* A grandchild that never ends by itself, which ignores what can be ignored. */
static void spawn_stubborn(void)
{
    if (fork() == 0) {
        signal(SIGTERM, SIG_IGN);
        signal(SIGINT, SIG_IGN);
        for (;;)
            pause();
    }
}

static int wait_for_signal(void *context, int life_fd)
{
    (void)context;
    (void)life_fd;
    spawn_stubborn();
    signal(SIGTERM, note_signal);
    seen->is_ready = 1;
    while (!got_signal)
        usleep(1000);
    return 42;
}

static int never_end(void *context, int life_fd)
{
    (void)context;
    (void)life_fd;
    spawn_stubborn();
    signal(SIGTERM, SIG_IGN);
    seen->is_ready = 1;
    while (!got_signal)
        pause();
    return 0;
}

static void wait_until_ready(void)
{
    while (!seen->is_ready)
        usleep(1000);
}

/* A process that runs the container as its caller, and tells its result as its status. The write end of alive is held by
 * it and by all that come from it: the read end ends when the last of them is gone. */
static pid_t start_caller(int (*inside)(void *, int), int *alive)
{
    int pipe_fds[2];
    assert_int_equal(pipe(pipe_fds), 0);
    seen->is_ready = 0;
    pid_t pid = fork();
    if (pid == 0) {
        struct error err;
        close(pipe_fds[0]);
        _exit(container_run(inside, NULL, &err));
    }
    close(pipe_fds[1]);
    *alive = pipe_fds[0];
    return pid;
}

static void expect_all_gone(int alive)
{
    struct pollfd fd = {.fd = alive, .events = POLLIN};
    assert_int_equal(poll(&fd, 1, 30000), 1); /* a process that stays keeps it open */
    assert_true(fd.revents & POLLHUP);
    close(alive);
}

static int end_of(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    return status;
}

static void container__caller_is_terminated__the_first_process_hears_it_and_all_end(void **state)
{
    (void)state;
    skip_without_namespaces();
    int alive;
    pid_t pid = start_caller(wait_for_signal, &alive);
    wait_until_ready();
    kill(pid, SIGTERM);
    int status = end_of(pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
    expect_all_gone(alive);
}

static void container__caller_is_terminated_twice__nothing_is_waited_for(void **state)
{
    (void)state;
    skip_without_namespaces();
    int alive;
    pid_t pid = start_caller(never_end, &alive);
    wait_until_ready();
    kill(pid, SIGTERM);
    usleep(20000); /* two signals of a kind that come together are one */
    kill(pid, SIGTERM);
    int status = end_of(pid);
    assert_int_equal(WEXITSTATUS(status), EXIT_RUN_FAILED);
    expect_all_gone(alive);
}

static void container__caller_is_killed__all_end(void **state)
{
    (void)state;
    skip_without_namespaces();
    int alive;
    pid_t pid = start_caller(never_end, &alive);
    wait_until_ready();
    kill(pid, SIGKILL);
    assert_true(WIFSIGNALED(end_of(pid)));
    expect_all_gone(alive);
}

/* Killed at any moment of its making, too. */
static void container__caller_is_killed_while_it_makes_it__all_end(void **state)
{
    (void)state;
    skip_without_namespaces();
    for (useconds_t after = 0; after < 8000; after += 400) {
        int alive;
        pid_t pid = start_caller(never_end, &alive);
        usleep(after);
        kill(pid, SIGKILL);
        end_of(pid);
        expect_all_gone(alive);
    }
}

static int make_seen(void **state)
{
    (void)state;
    seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return seen == MAP_FAILED ? -1 : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(container__returns__status_and_sentence_come_back),
        cmocka_unit_test(container__fails_inside__its_sentence_comes_back),
        cmocka_unit_test(container__inside__is_pid_1_with_its_own_proc_run_and_network),
        cmocka_unit_test(container__signalled__which_signal_is_known_afterwards),
        cmocka_unit_test(container__caller_is_terminated__the_first_process_hears_it_and_all_end),
        cmocka_unit_test(container__caller_is_terminated_twice__nothing_is_waited_for),
        cmocka_unit_test(container__caller_is_killed__all_end),
        cmocka_unit_test(container__caller_is_killed_while_it_makes_it__all_end),
    };
    return cmocka_run_group_tests(tests, make_seen, NULL);
}
