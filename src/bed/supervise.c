/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "bed/supervise_private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

enum { EXIT_NOT_STARTED = 127, LAST_WORDS_BYTES = 2048, LAST_WORDS_LINES = 3 };

struct supervisor {
    const struct topology *topology;
    uint32_t workers;
    const char *log_directory;
    pid_t ps;
    pid_t *worker;          /* workers of them; 0: none runs */
    bool ps_is_doomed;      /* signalled by us to end */
    bool *worker_is_doomed; /* workers of them */
    struct net_watch *child_watch;
    void (*died)(void *context, int32_t node, int status, bool was_signalled);
    void *context;
};

static pid_t *slot(const struct supervisor *supervisor, int32_t node)
{
    return node == NODE_PS ? (pid_t *)&supervisor->ps : &supervisor->worker[node];
}

static bool *doom(const struct supervisor *supervisor, int32_t node)
{
    return node == NODE_PS ? (bool *)&supervisor->ps_is_doomed : &supervisor->worker_is_doomed[node];
}

/* Only our own children: others (tc, probes) are waited for by whoever started them. */
static void on_child(void *context)
{
    struct supervisor *supervisor = context;
    for (int32_t node = NODE_PS; node < (int32_t)supervisor->workers; node++) {
        pid_t *pid = slot(supervisor, node);
        int status;
        if (*pid > 0 && waitpid(*pid, &status, WNOHANG) == *pid) {
            *pid = 0;
            supervisor->died(supervisor->context, node, status, *doom(supervisor, node));
        }
    }
}

struct supervisor *supervise_new(struct net_loop *loop, const struct topology *topology, uint32_t workers,
                                 const char *log_directory,
                                 void (*died)(void *context, int32_t node, int status, bool was_signalled),
                                 void *context)
{
    struct supervisor *supervisor = mem_zalloc(sizeof *supervisor);
    supervisor->topology = topology;
    supervisor->workers = workers;
    supervisor->log_directory = log_directory;
    supervisor->worker = mem_array(workers, sizeof *supervisor->worker);
    supervisor->worker_is_doomed = mem_array(workers, sizeof *supervisor->worker_is_doomed);
    supervisor->died = died;
    supervisor->context = context;
    supervisor->child_watch = net_watch_signal(loop, SIGCHLD, on_child, supervisor);
    return supervisor;
}

void supervise_free(struct supervisor *supervisor)
{
    if (supervisor == NULL)
        return;
    net_watch_free(supervisor->child_watch);
    for (int32_t node = NODE_PS; node < (int32_t)supervisor->workers; node++) {
        pid_t pid = *slot(supervisor, node);
        if (pid <= 0)
            continue;
        kill(pid, SIGKILL);
        kill(pid, SIGCONT);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    free(supervisor->worker);
    free(supervisor->worker_is_doomed);
    free(supervisor);
}

pid_t supervise_pid(const struct supervisor *supervisor, int32_t node)
{
    return *slot(supervisor, node);
}

uint32_t supervise_running(const struct supervisor *supervisor)
{
    uint32_t n = 0;
    for (int32_t node = NODE_PS; node < (int32_t)supervisor->workers; node++)
        n += *slot(supervisor, node) > 0;
    return n;
}

bool supervise_signal(struct supervisor *supervisor, int32_t node, int number)
{
    pid_t pid = *slot(supervisor, node);
    if (pid <= 0 || kill(pid, number) < 0)
        return false;
    if (number == SIGKILL || number == SIGTERM)
        *doom(supervisor, node) = true;
    return true;
}

static char *log_path(const struct supervisor *supervisor, int32_t node)
{
    char name[NODE_NAME_MAX];
    node_name(node, name);
    return mem_printf("%s/%s.log", supervisor->log_directory, name);
}

static void NO_RETURN child(const struct topology *topology, int32_t node, char *const argv[], int keep_fd, int log_fd)
{
    struct error err;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(log_fd, STDOUT_FILENO);
    dup2(log_fd, STDERR_FILENO);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int number = 1; number < SIGRTMIN; number++)
        signal(number, SIG_DFL);
    if (topology_enter(topology, node, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        _exit(EXIT_NOT_STARTED);
    }
    if (keep_fd >= 0)
        fcntl(keep_fd, F_SETFD, 0);
    execv(argv[0], argv);
    fprintf(stderr, "%s: cannot be started: %s\n", argv[0], strerror(errno));
    _exit(EXIT_NOT_STARTED);
}

pid_t supervise_spawn(struct supervisor *supervisor, int32_t node, char *const argv[], int keep_fd, struct error *err)
{
    char *path = log_path(supervisor, node);
    int log_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (log_fd < 0) {
        error_set_errno(err, "%s: cannot be opened for a log", path);
        free(path);
        return -1;
    }
    free(path);
    pid_t pid = fork();
    if (pid == 0)
        child(supervisor->topology, node, argv, keep_fd, log_fd);
    close(log_fd);
    if (pid < 0)
        return error_set_errno(err, "no process for %s", argv[0]);
    *slot(supervisor, node) = pid;
    *doom(supervisor, node) = false;
    return pid;
}

/* The last `keep` lines of text that have something in them, joined by " | ". */
static void join_last_lines(char *text, int keep, char *out, size_t size)
{
    char *line[LAST_WORDS_LINES];
    size_t n = 0, len = 0;
    char *rest = NULL;
    for (char *at = strtok_r(text, "\r\n", &rest); at != NULL; at = strtok_r(NULL, "\r\n", &rest))
        line[n++ % (size_t)keep] = at;
    size_t first = n > (size_t)keep ? n - (size_t)keep : 0;
    for (size_t i = first; i < n && len < size; i++)
        len += (size_t)snprintf(out + len, size - len, "%s%s", i > first ? " | " : "", line[i % (size_t)keep]);
}

void supervise_last_words(const struct supervisor *supervisor, int32_t node, char *text, size_t size)
{
    char bytes[LAST_WORDS_BYTES + 1];
    char *path = log_path(supervisor, node);
    FILE *file = fopen(path, "re");
    free(path);
    snprintf(text, size, "it says nothing");
    if (file == NULL)
        return;
    if (fseek(file, -LAST_WORDS_BYTES, SEEK_END) != 0)
        rewind(file);
    bytes[fread(bytes, 1, LAST_WORDS_BYTES, file)] = '\0';
    fclose(file);
    join_last_lines(bytes, LAST_WORDS_LINES, text, size);
}
