/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two guards see to it that nothing is left: the parent-death signal, and a pipe whose write end only the caller holds,
 * in case the caller was gone before the signal had been asked for. When PID 1 of a PID namespace dies, the kernel
 * kills the rest; with the last process go the mount and network namespaces, and with those every link and queue. */
#include "config.h"

#include "bed/container.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READ_END, WRITE_END };
enum { FIRST_KILLED = 128 }; /* as a shell has it */

/* Where the child puts the sentence of its failure: memory that both have. */
static struct error *shared_error;

static struct error *error_share(void)
{
    void *page = mmap(NULL, sizeof(struct error), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? NULL : page;
}

void container_fail(const struct error *err)
{
    if (shared_error != NULL)
        *shared_error = *err;
}

int container_mount_run(struct error *err)
{
    if (mount("tmpfs", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=64m") < 0)
        return error_set_errno(err, "no tmpfs on /run");
    /* iproute2 looks for namespaces in /var/run/netns. */
    struct stat run, var_run;
    if (stat("/run", &run) == 0 && stat("/var/run", &var_run) == 0 &&
        (run.st_dev != var_run.st_dev || run.st_ino != var_run.st_ino) &&
        mount("/run", "/var/run", NULL, MS_BIND, NULL) < 0)
        return error_set_errno(err, "/var/run cannot be made the same as /run");
    return mkdir("/run/netns", 0755) < 0 ? error_set_errno(err, "/run/netns") : 0;
}

static int set_up_mounts(struct error *err)
{
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return error_set_errno(err, "mounts cannot be made private (where AppArmor restricts user namespaces, as root: "
                                    "sysctl kernel.apparmor_restrict_unprivileged_userns=0)");
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
        return error_set_errno(err, "no /proc for a PID namespace of its own (containers often forbid it)");
    return container_mount_run(err);
}

static bool has_ended(int life_fd)
{
    struct pollfd poll_fd = {.fd = life_fd, .events = POLLIN};
    return poll(&poll_fd, 1, 0) > 0;
}

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP};
enum { PASSED_ON = sizeof passed_on / sizeof *passed_on };

/* Pipes between the caller and what it makes. */
struct birth {
    int life[2];  /* closed by the caller's death */
    int asked[2]; /* the middle process has namespaces of its own and wants its maps */
    int go[2];    /* the caller has written them */
    int born[2];  /* the pid of the first process */
    bool with_user;
};

static void close_end(int pair[2], int which)
{
    if (pair[which] >= 0)
        close(pair[which]);
    pair[which] = -1;
}

/* The other side's ends: a read must end when the other side is gone. */
static void close_others(struct birth *birth, bool is_caller)
{
    close_end(birth->life, is_caller ? READ_END : WRITE_END);
    close_end(birth->asked, is_caller ? WRITE_END : READ_END);
    close_end(birth->go, is_caller ? READ_END : WRITE_END);
    close_end(birth->born, is_caller ? WRITE_END : READ_END);
}

void container_quit(const char *why)
{
    if (shared_error != NULL && shared_error->text[0] == '\0')
        for (size_t i = 0; why[i] != '\0' && i < sizeof shared_error->text - 1; i++)
            shared_error->text[i] = why[i];
    _exit(EXIT_RUN_FAILED);
}

static void mask_signals(int how)
{
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < PASSED_ON; i++)
        sigaddset(&set, passed_on[i]);
    sigprocmask(how, &set, NULL);
}

static void quit_on_signal(int number)
{
    (void)number;
    container_quit("stopped by a signal");
}

/* PID 1 of the new namespaces. Until inside() sees to signals itself there is nothing worth keeping when one comes. */
static void NO_RETURN first_process(const struct birth *birth, int (*inside)(void *, int), void *context)
{
    struct error err = {{0}};
    setpgid(0, 0);            /* Ctrl-C reaches us once: through the caller */
    signal(SIGTTOU, SIG_IGN); /* so that we may write to its terminal all the same */
    for (int i = 0; i < PASSED_ON; i++)
        signal(passed_on[i], quit_on_signal);
    mask_signals(SIG_UNBLOCK);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (has_ended(birth->life[READ_END]))
        _exit(EXIT_RUN_FAILED);
    if (set_up_mounts(&err) < 0) {
        container_fail(&err);
        _exit(EXIT_MACHINE);
    }
    int status = inside(context, birth->life[READ_END]);
    fflush(NULL);
    _exit(status);
}

static int make_namespaces(const struct birth *birth, struct error *err)
{
    int flags = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | (birth->with_user ? CLONE_NEWUSER : 0);
    if (unshare(flags) == 0)
        return 0;
    return error_set_errno(err, "no fresh namespaces (%s)",
                           birth->with_user ? "they may be switched off for ordinary users; as root: "
                                              "sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000"
                                            : "the kernel lacks them, or a container around us forbids them");
}

/* Between the caller and the first process: only a fork after unshare makes a PID 1, and unshare is for a process with
 * one thread, which the caller need not be. Waits, and passes the status on. */
static void NO_RETURN middle_process(struct birth *birth, int (*inside)(void *, int), void *context)
{
    char byte;
    int status;
    struct error err = {{0}};
    setpgid(0, 0);
    close_others(birth, false);
    if (make_namespaces(birth, &err) < 0) {
        container_fail(&err);
        _exit(EXIT_MACHINE);
    }
    if (write(birth->asked[WRITE_END], "a", 1) != 1 || read(birth->go[READ_END], &byte, 1) != 1)
        _exit(EXIT_MACHINE);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* after the change of user, which would clear it */
    mask_signals(SIG_BLOCK);          /* one that comes before it can handle it waits */
    pid_t pid = fork();
    if (pid == 0)
        first_process(birth, inside, context);
    if (pid < 0 || write(birth->born[WRITE_END], &pid, sizeof pid) != sizeof pid)
        _exit(EXIT_MACHINE);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : FIRST_KILLED + WTERMSIG(status));
}

static int write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t wrote = write(fd, text, strlen(text));
    close(fd);
    return wrote < 0 ? -1 : 0;
}

/* Inside we are root; outside, files that we write are the caller's. */
static int map_user(pid_t pid, struct error *err)
{
    char path[64], map[64];
    snprintf(path, sizeof path, "/proc/%d/setgroups", (int)pid);
    (void)write_file(path, "deny"); /* older kernels have no such file and need none */
    snprintf(path, sizeof path, "/proc/%d/uid_map", (int)pid);
    snprintf(map, sizeof map, "0 %u 1\n", (unsigned)geteuid());
    if (write_file(path, map) < 0)
        return error_set_errno(err, "%s", path);
    snprintf(path, sizeof path, "/proc/%d/gid_map", (int)pid);
    snprintf(map, sizeof map, "0 %u 1\n", (unsigned)getegid());
    return write_file(path, map) < 0 ? error_set_errno(err, "%s", path) : 0;
}

/* ── signals: passed on to the first process ── */

static volatile sig_atomic_t middle_pid, first_pid, signals_seen, first_signal;

/* The first is an order to stop. Who sends a second one does not want to wait: the middle process goes, and with it all.
 */
static void pass_on(int number)
{
    if (signals_seen++ == 0)
        first_signal = number;
    if (signals_seen > 1 && middle_pid > 0)
        kill(middle_pid, SIGKILL);
    else if (first_pid > 0)
        kill(first_pid, number);
}

static void catch_signals(struct sigaction old[PASSED_ON])
{
    struct sigaction action = {.sa_handler = pass_on};
    for (int i = 0; i < PASSED_ON; i++)
        sigaction(passed_on[i], &action, &old[i]);
}

static void restore_signals(const struct sigaction old[PASSED_ON])
{
    for (int i = 0; i < PASSED_ON; i++)
        sigaction(passed_on[i], &old[i], NULL);
}

static int wait_for(pid_t middle, struct error *err)
{
    int status;
    while (waitpid(middle, &status, 0) < 0)
        if (errno != EINTR)
            return error_set_errno(err, "the bed's first process cannot be waited for");
    if (shared_error->text[0] != '\0')
        *err = *shared_error;
    int number = WIFSIGNALED(status)                  ? WTERMSIG(status)
                 : WEXITSTATUS(status) > FIRST_KILLED ? WEXITSTATUS(status) - FIRST_KILLED
                                                      : 0;
    if (number == 0)
        return WEXITSTATUS(status);
    if (signals_seen > 1)
        error_set(err, "stopped at once by a second signal");
    else
        error_set(err, "the bed's first process was killed by signal %d (%s)", number, strsignal(number));
    return EXIT_RUN_FAILED;
}

int container_signal(void)
{
    return first_signal;
}

/* Give the middle process its maps, and learn the first one's pid. Failures show in the middle process's status. */
static void assist(struct birth *birth, pid_t middle)
{
    char byte;
    pid_t pid;
    struct error err;
    if (read(birth->asked[READ_END], &byte, 1) != 1)
        return;
    if (birth->with_user && map_user(middle, &err) < 0)
        container_fail(&err); /* go closes unwritten: it ends */
    else if (write(birth->go[WRITE_END], "g", 1) == 1 && read(birth->born[READ_END], &pid, sizeof pid) == sizeof pid)
        first_pid = pid;
    close_end(birth->go, WRITE_END);
    if (signals_seen > 0 && first_pid > 0)
        kill(first_pid, first_signal); /* it came before we knew whom to pass it on to; twice does no harm */
}

/* The caller's side, from fork to the end. */
static int bring_up(struct birth *birth, int (*inside)(void *, int), void *context, struct error *err)
{
    struct sigaction old[PASSED_ON];
    int status = -1;
    signals_seen = first_signal = 0;
    catch_signals(old);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        middle_process(birth, inside, context);
    if (pid < 0) {
        error_set_errno(err, "no process for the bed");
    } else {
        middle_pid = pid;
        close_others(birth, true);
        assist(birth, pid);
        status = wait_for(pid, err);
    }
    middle_pid = first_pid = 0;
    restore_signals(old);
    return status;
}

int container_run(int (*inside)(void *context, int life_fd), void *context, struct error *err)
{
    struct birth birth = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, geteuid() != 0};
    int *const pairs[] = {birth.life, birth.asked, birth.go, birth.born};
    enum { PAIRS = sizeof pairs / sizeof *pairs };
    int status = -1, made = 0;
    shared_error = error_share();
    while (shared_error != NULL && made < PAIRS && pipe2(pairs[made], O_CLOEXEC) == 0)
        made++;
    if (made == PAIRS)
        status = bring_up(&birth, inside, context, err);
    else
        error_set_errno(err, "no pipes for the bed");
    for (int i = 0; i < PAIRS; i++) {
        close_end(pairs[i], READ_END);
        close_end(pairs[i], WRITE_END);
    }
    if (shared_error != NULL)
        munmap(shared_error, sizeof *shared_error);
    shared_error = NULL;
    return status;
}
