/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "bed/batch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMPLAINT_MAX = 512, EXIT_NOT_STARTED = 127 };

/* A file in memory with this text, read from its start. */
static int memory_file(const char *text)
{
    int fd = memfd_create("batch", MFD_CLOEXEC);
    size_t len = strlen(text);
    if (fd >= 0 && (write(fd, text, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET) < 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

static void NO_RETURN child(const char *program, int in, int complaints)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    dup2(in, STDIN_FILENO);
    dup2(complaints, STDOUT_FILENO);
    dup2(complaints, STDERR_FILENO);
    execlp(program, program, "-batch", "-", (char *)NULL);
    fprintf(stderr, "%s\n", strerror(errno));
    _exit(EXIT_NOT_STARTED);
}

/* "Command failed -:12" → 12 */
static int failed_line(const char *complaint)
{
    const char *at = strstr(complaint, "Command failed -:");
    return at ? atoi(at + strlen("Command failed -:")) : 0;
}

static int line_length(const char **lines, int number)
{
    for (; number > 1 && *lines != NULL; number--) {
        const char *newline = strchr(*lines, '\n');
        if (newline == NULL)
            return 0;
        *lines = newline + 1;
    }
    return (int)strcspn(*lines, "\n");
}

static int report(const char *program, const char *lines, int complaints, int status, struct error *err)
{
    char text[COMPLAINT_MAX + 1];
    ssize_t len = pread(complaints, text, COMPLAINT_MAX, 0);
    text[len > 0 ? len : 0] = '\0';
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOT_STARTED)
        return error_set(err, "%s cannot be started (Debian: apt install iproute2): %.*s", program,
                         (int)strcspn(text, "\n"), text);
    int number = failed_line(text);
    int length = number > 0 ? line_length(&lines, number) : 0;
    return error_set(err, "%s %.*s: %.*s", program, length, lines, (int)strcspn(text, "\n"), text);
}

int batch_run(const char *program, const char *lines, struct error *err)
{
    int in = memory_file(lines), complaints = memory_file("");
    int result = -1, status = 0;
    if (in < 0 || complaints < 0) {
        error_set_errno(err, "%s: no file in memory for its commands", program);
        goto out;
    }
    pid_t pid = fork();
    if (pid == 0)
        child(program, in, complaints);
    if (pid < 0) {
        error_set_errno(err, "%s: no process for it", program);
        goto out;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    result = status == 0 ? 0 : report(program, lines, complaints, status, err);
out:
    if (in >= 0)
        close(in);
    if (complaints >= 0)
        close(complaints);
    return result;
}
