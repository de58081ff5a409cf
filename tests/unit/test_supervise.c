/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes in the nodes of a network that ends with the test: where they run, what they say, how their ends are told. */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bed/container.h"
#include "bed/features.h"
#include "bed/supervise_private.h"
#include "cmocka_all.h"

enum { WORKERS = 2, PATIENCE_S = 30, WORDS_MAX = 400 };

static char folder[] = "/tmp/laggard-unit.XXXXXX";

struct bench {
    struct net_loop *loop;
    struct net_timer *deadline;
    struct topology *topology;
    struct supervisor *supervisor;
    int deaths, status;
    int32_t node;
    bool was_signalled;
};

static void on_death(void *context, int32_t node, int status, bool was_signalled)
{
    struct bench *bench = context;
    bench->deaths++;
    bench->node = node;
    bench->status = status;
    bench->was_signalled = was_signalled;
    net_loop_stop(bench->loop);
}

static void on_deadline(void *context)
{
    net_loop_stop(((struct bench *)context)->loop);
}

static const char *set_up(struct bench *bench, struct error *err)
{
    features_set_path();
    bench->topology = topology_new(WORKERS, false, err);
    if (bench->topology == NULL)
        return err->text;
    bench->loop = net_loop_new();
    bench->deadline = net_timer_new(bench->loop, on_deadline, bench);
    net_timer_at(bench->deadline, clock_now_ns() + (int64_t)PATIENCE_S * NS_PER_S);
    bench->supervisor = supervise_new(bench->loop, bench->topology, WORKERS, folder, on_death, bench);
    return NULL;
}

static void tear_down(struct bench *bench)
{
    supervise_free(bench->supervisor);
    net_timer_free(bench->deadline);
    net_loop_free(bench->loop);
    topology_free(bench->topology);
}

static int shell(struct bench *bench, int32_t node, const char *script, struct error *err)
{
    char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)script, NULL};
    return supervise_spawn(bench->supervisor, node, argv, -1, err) < 0 ? -1 : 0;
}

/* The scripts of the tests, in the order in which they run; NULL: as it should be. */
static const char *ends_by_itself(struct bench *bench, struct error *err)
{
    char words[WORDS_MAX];
    if (shell(bench, 1, "echo one; echo; echo two >&2; echo three; ip -br address show dev eth0; exit 3", err) < 0)
        return err->text;
    if (supervise_pid(bench->supervisor, 1) <= 0 || supervise_running(bench->supervisor) != 1)
        return "it is not known to run";
    net_loop_run(bench->loop);
    if (bench->deaths != 1 || bench->node != 1 || !WIFEXITED(bench->status) || WEXITSTATUS(bench->status) != 3)
        return "its end was not told, or another's";
    if (bench->was_signalled || supervise_pid(bench->supervisor, 1) != 0)
        return "its end looks like one that we made, or it is still known";
    supervise_last_words(bench->supervisor, 1, words, sizeof words);
    if (strncmp(words, "two | three | eth0", 18) != 0 || strstr(words, "10.1.0.3/31") == NULL)
        return "its last words are wrong, or it ran in another node";
    return NULL;
}

static const char *is_killed(struct bench *bench, struct error *err)
{
    if (shell(bench, 0, "kill -STOP $$", err) < 0)
        return err->text;
    if (!supervise_signal(bench->supervisor, 0, SIGSTOP) || !supervise_signal(bench->supervisor, 0, SIGKILL))
        return "it cannot be signalled";
    net_loop_run(bench->loop);
    if (bench->node != 0 || !WIFSIGNALED(bench->status) || WTERMSIG(bench->status) != SIGKILL || !bench->was_signalled)
        return "that we killed it was not told";
    if (supervise_signal(bench->supervisor, 0, SIGKILL))
        return "what does not run can be signalled";
    return NULL;
}

static const char *dies_after_a_kill(struct bench *bench, struct error *err)
{
    if (shell(bench, 0, "kill -SEGV $$", err) < 0)
        return err->text;
    net_loop_run(bench->loop);
    if (!WIFSIGNALED(bench->status) || bench->was_signalled)
        return "a crash of its successor was taken for our kill";
    return NULL;
}

static const char *cannot_start(struct bench *bench, struct error *err)
{
    char words[WORDS_MAX], *argv[] = {(char *)"/nowhere/laggard-ps", NULL};
    if (supervise_spawn(bench->supervisor, NODE_PS, argv, -1, err) < 0)
        return err->text;
    net_loop_run(bench->loop);
    supervise_last_words(bench->supervisor, NODE_PS, words, sizeof words);
    if (bench->node != NODE_PS || strstr(words, "/nowhere/laggard-ps: cannot be started: No such file") == NULL)
        return "the log does not say why it could not be started";
    return NULL;
}

static const char *stubborn_ones(struct bench *bench, struct error *err)
{
    if (shell(bench, 0, "trap '' TERM; kill -STOP $$", err) < 0 ||
        shell(bench, 1, "trap '' TERM; exec sleep 1000", err) < 0)
        return err->text;
    return supervise_running(bench->supervisor) == 2 ? NULL : "not both are known to run";
}

static const char *try_all(struct bench *bench, struct error *err)
{
    static const char *(*const tries[])(struct bench *, struct error *) = {ends_by_itself, is_killed, dies_after_a_kill,
                                                                           cannot_start, stubborn_ones};
    const char *wrong = set_up(bench, err);
    for (size_t i = 0; wrong == NULL && i < sizeof tries / sizeof *tries; i++)
        wrong = tries[i](bench, err);
    if (wrong == NULL) {
        tear_down(bench); /* kills the stubborn ones */
        if (waitpid(-1, NULL, WNOHANG) >= 0)
            wrong = "a process was left behind";
    }
    return wrong;
}

static int inside(void *context, int life_fd)
{
    (void)context;
    (void)life_fd;
    struct bench bench = {0};
    struct error err = {{0}};
    const char *wrong = try_all(&bench, &err);
    if (wrong == NULL)
        return EXIT_DONE;
    struct error why;
    error_set(&why, "%s", wrong);
    container_fail(&why);
    return EXIT_RUN_FAILED;
}

static void supervise__processes_end_in_every_way__each_end_is_told_for_what_it_was(void **state)
{
    (void)state;
    struct error err = {{0}};
    int status = container_run(inside, NULL, &err);
    if (status == EXIT_MACHINE) {
        print_message("skipped: %s\n", err.text);
        skip();
    }
    if (status != EXIT_DONE)
        fail_msg("%s", err.text);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char *command = mem_printf("rm -rf '%s'", folder);
    int status = system(command);
    free(command);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supervise__processes_end_in_every_way__each_end_is_told_for_what_it_was),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
