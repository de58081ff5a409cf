/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A signal is a request; what /proc shows is what happened, so every stop and every end is looked at. A worker that is
 * started again while its predecessor was stopped is another process: the stop belongs to the pid. */
#include "config.h"

#include "bed/pause.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

enum { SEEN_WITHIN_MS = 20, LOOK_EVERY_US = 50 };

struct stop {
    pid_t pid;                 /* 0: not stopped */
    int64_t from_ns, until_ns; /* from: when it was seen stopped, or else asked to */
    struct pause_record record;
};

struct pauses {
    uint32_t workers;
    struct supervisor *supervisor;
    struct stop *stop;
};

struct pauses *pauses_new(uint32_t workers, struct supervisor *supervisor)
{
    struct pauses *pauses = mem_zalloc(sizeof *pauses);
    *pauses = (struct pauses){workers, supervisor, mem_array(workers, sizeof *pauses->stop)};
    return pauses;
}

void pauses_free(struct pauses *pauses)
{
    if (pauses == NULL)
        return;
    free(pauses->stop);
    free(pauses);
}

/* The state letter of one thread: "PID (NAME) T …", and the name may hold anything, ')' too. '?': it is gone. */
static char thread_state(int tasks, const char *thread)
{
    char path[280], text[512];
    snprintf(path, sizeof path, "%s/stat", thread);
    int fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return '?';
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *end = strrchr(text, ')');
    char state = end != NULL && end[1] == ' ' ? end[2] : '?';
    return state == 'Z' || state == 'X' ? '?' : state;
}

/* How many threads of a process are stopped, and how many there are; false: the process is gone. */
static bool count_stopped(pid_t pid, unsigned *stopped, unsigned *all)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    DIR *tasks = opendir(path);
    *stopped = *all = 0;
    if (tasks == NULL)
        return false;
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
        char state = entry->d_name[0] == '.' ? '?' : thread_state(dirfd(tasks), entry->d_name);
        if (state == '?')
            continue;
        *all += 1;
        *stopped += state == 'T';
    }
    closedir(tasks);
    return *all > 0;
}

/* Wait until the process is seen all stopped (or not stopped at all); when that was, or 0. */
static int64_t see(pid_t pid, bool stopped_wanted)
{
    int64_t give_up = clock_now_ns() + (int64_t)SEEN_WITHIN_MS * NS_PER_MS;
    for (;;) {
        unsigned stopped, all;
        if (!count_stopped(pid, &stopped, &all))
            return 0;
        int64_t now = clock_now_ns();
        if (stopped == (stopped_wanted ? all : 0))
            return now;
        if (now > give_up)
            return 0;
        nanosleep(&(struct timespec){.tv_nsec = (long)LOOK_EVERY_US * NS_PER_US}, NULL);
    }
}

static enum pause_outcome merge(struct stop *stop, int64_t until_ns)
{
    if (until_ns > stop->until_ns)
        stop->until_ns = until_ns;
    stop->record.length_ns = stop->until_ns - stop->from_ns;
    return PAUSE_MERGED;
}

enum pause_outcome pauses_begin(struct pauses *pauses, int32_t node, int64_t now_ns, int64_t length_ns)
{
    struct stop *stop = &pauses->stop[node];
    pid_t pid = supervise_pid(pauses->supervisor, node);
    if (pid == 0)
        return PAUSE_GONE;
    if (stop->pid == pid)
        return merge(stop, now_ns + length_ns);
    if (!supervise_signal(pauses->supervisor, node, SIGSTOP))
        return PAUSE_GONE;
    int64_t seen = see(pid, true);
    int64_t from = seen > 0 ? seen : now_ns;
    *stop = (struct stop){pid, from, from + length_ns, {node, now_ns, length_ns, seen, 0}};
    return seen > 0 ? PAUSE_STOPPED : PAUSE_UNSEEN;
}

int64_t pauses_stopped_ns(const struct pauses *pauses, int32_t node)
{
    return pauses_is_paused(pauses, node) ? pauses->stop[node].record.stopped_ns : 0;
}

bool pauses_is_paused(const struct pauses *pauses, int32_t node)
{
    return node >= 0 && (uint32_t)node < pauses->workers && pauses->stop[node].pid != 0;
}

int64_t pauses_next_at(const struct pauses *pauses)
{
    int64_t next = INT64_MAX;
    for (uint32_t w = 0; w < pauses->workers; w++)
        if (pauses->stop[w].pid != 0 && pauses->stop[w].until_ns < next)
            next = pauses->stop[w].until_ns;
    return next;
}

bool pauses_end_one(struct pauses *pauses, int64_t now_ns, struct pause_record *out)
{
    for (uint32_t w = 0; w < pauses->workers; w++) {
        struct stop *stop = &pauses->stop[w];
        bool same = stop->pid != 0 && supervise_pid(pauses->supervisor, (int32_t)w) == stop->pid;
        if (stop->pid == 0 || (same && stop->until_ns > now_ns))
            continue;
        if (same && supervise_signal(pauses->supervisor, (int32_t)w, SIGCONT))
            stop->record.resumed_ns = see(stop->pid, false);
        *out = stop->record;
        *stop = (struct stop){0};
        return true;
    }
    return false;
}
