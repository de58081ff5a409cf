/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A child and two pipes. Requests go out in handfuls small enough that neither pipe can fill while the other is not
 * read. */
#include "config.h"

#include "bed/tcserve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

enum {
    HANDFUL = 8,            /* requests under way: tc's longest complaint is its 1.5 KB usage, a pipe holds 64 KiB */
    PATIENCE_MS = 10000,    /* tc answers in a millisecond or two */
    POKE_MS = 300,          /* of silence, then an empty line: it finds out whether tc is there */
    LINE_MAX_BYTES = 65536, /* a device with several queues is far below */
    EXIT_CHILD_FAILED = 127
};

struct tcserve {
    pid_t pid;
    int fd; /* our end of a socket pair: the child's stdin and stdout */
    char *buffer;
    size_t used;
};

static void NO_RETURN child(const struct topology *topology, const char *script, int fd)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct error err;
    if (topology != NULL && topology_enter(topology, NODE_SWITCH, &err) < 0) {
        dprintf(fd, "%s\n[]\n", err.text);
        _exit(EXIT_CHILD_FAILED);
    }
    if (dup2(fd, STDIN_FILENO) < 0 || dup2(fd, STDOUT_FILENO) < 0)
        _exit(EXIT_CHILD_FAILED);
    signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execl(script, script, "--serve", (char *)NULL);
    dprintf(fd, "%s: %s\n[]\n", script, strerror(errno));
    _exit(EXIT_CHILD_FAILED);
}

struct tcserve *tcserve_new(const struct topology *topology, const char *netem_directory, struct error *err)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
        error_set_errno(err, "netem helper: socketpair");
        return NULL;
    }
    char *script = mem_printf("%s/link-shape", netem_directory);
    pid_t pid = fork();
    if (pid == 0)
        child(topology, script, pair[1]);
    free(script);
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        error_set_errno(err, "netem helper: fork");
        return NULL;
    }
    struct tcserve *serve = mem_zalloc(sizeof *serve);
    *serve = (struct tcserve){.pid = pid, .fd = pair[0], .buffer = mem_alloc(LINE_MAX_BYTES)};
    return serve;
}

/* Its end of input ends it; one that does not listen is killed. */
void tcserve_free(struct tcserve *serve)
{
    if (serve == NULL)
        return;
    close(serve->fd);
    int64_t give_up = clock_now_ns() + NS_PER_S;
    while (waitpid(serve->pid, NULL, WNOHANG) == 0) {
        if (clock_now_ns() > give_up)
            kill(serve->pid, SIGKILL);
        usleep(1000);
    }
    free(serve->buffer);
    free(serve);
}

void tcserve_answer_clear(struct tcserve_answer *answer)
{
    free(answer->queue);
    free(answer->complaint);
    *answer = (struct tcserve_answer){0};
}

static int send_line(struct tcserve *serve, const char *line, struct error *err)
{
    char *text = mem_printf("%s\n", line);
    size_t len = strlen(text), sent = 0;
    int status = 0;
    while (sent < len && status == 0) {
        ssize_t n = send(serve->fd, text + sent, len - sent, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            status = error_set_errno(err, "netem helper: it does not take requests");
        sent += n > 0 ? (size_t)n : 0;
    }
    free(text);
    return status;
}

/* More bytes into the buffer. */
static int fill(struct tcserve *serve, int64_t deadline_ns, struct error *err)
{
    if (serve->used == LINE_MAX_BYTES)
        return error_set(err, "netem helper: a line longer than %d bytes", LINE_MAX_BYTES);
    struct pollfd ready = {.fd = serve->fd, .events = POLLIN};
    int n = poll(&ready, 1, POKE_MS);
    if (n < 0)
        return errno == EINTR ? 0 : error_set_errno(err, "netem helper: poll");
    if (n == 0 && clock_now_ns() > deadline_ns)
        return error_set(err, "netem helper: tc did not answer within %d s", PATIENCE_MS / 1000);
    if (n == 0)
        return send(serve->fd, "\n", 1, MSG_NOSIGNAL) == 1 ? 0
                                                           : error_set_errno(err, "netem helper: it does not listen");
    ssize_t got = read(serve->fd, serve->buffer + serve->used, LINE_MAX_BYTES - serve->used);
    if (got < 0 && errno == EINTR)
        return 0;
    if (got <= 0)
        return error_set(err, "netem helper: tc ended (is it iproute2's? try `tc -V`; Debian: apt install iproute2)");
    serve->used += (size_t)got;
    return 0;
}

/* The next line, a new string without its newline; NULL: err says why. */
static char *read_line(struct tcserve *serve, int64_t deadline_ns, struct error *err)
{
    char *end;
    while ((end = memchr(serve->buffer, '\n', serve->used)) == NULL)
        if (fill(serve, deadline_ns, err) < 0)
            return NULL;
    size_t len = (size_t)(end - serve->buffer);
    char *line = mem_printf("%.*s", (int)len, serve->buffer);
    serve->used -= len + 1;
    memmove(serve->buffer, end + 1, serve->used);
    return line;
}

static int read_answer(struct tcserve *serve, struct tcserve_answer *answer, struct error *err)
{
    int64_t deadline_ns = clock_now_ns() + (int64_t)PATIENCE_MS * NS_PER_MS;
    *answer = (struct tcserve_answer){0};
    for (;;) {
        char *line = read_line(serve, deadline_ns, err);
        if (line == NULL) {
            if (answer->complaint != NULL)
                error_prefix(err, "%s", answer->complaint);
            return -1;
        }
        if (strncmp(line, "[]", 2) == 0) {
            free(line);
            return 0;
        }
        char **place = strncmp(line, "[{", 2) == 0 ? &answer->queue : &answer->complaint;
        if (*place == NULL)
            *place = line;
        else
            free(line);
    }
}

int tcserve_ask(struct tcserve *serve, char *const *requests, size_t n, struct tcserve_answer *answers,
                struct error *err)
{
    memset(answers, 0, n * sizeof *answers);
    for (size_t sent = 0, done = 0; done < n; done++) {
        for (; sent < n && sent < done + HANDFUL; sent++)
            if (send_line(serve, requests[sent], err) < 0)
                return -1;
        if (read_answer(serve, &answers[done], err) < 0)
            return -1;
    }
    return 0;
}
