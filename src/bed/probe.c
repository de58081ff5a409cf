/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts the probing process, judges what it saw, and writes the rows. The datagrams are probe_child.c's, the
 * tolerances probe_judge.c's. */
#include "config.h"

#include "bed/probe.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "bed/probe_child.h"
#include "bed/probe_judge.h"

enum { PATIENCE_S = 60 };

/* Every direction of every link, those of one node side by side. */
static struct probe_link *all_links(const struct scenario *scenario, size_t *n)
{
    int32_t workers = (int32_t)scenario->cluster.workers;
    struct probe_link *links = mem_array(((size_t)workers + 1) * 2, sizeof *links);
    *n = 0;
    for (int32_t node = NODE_PS; node < workers; node++) {
        const struct link_pair *pair = node == NODE_PS ? &scenario->ps_link : &scenario->worker_link[node];
        for (enum direction d = LINK_UP; d <= LINK_DOWN; d++)
            links[(*n)++] = (struct probe_link){node, d, pair->direction[d]};
    }
    return links;
}

/* ── the process ── */

/* What the child has to say when it fails stands where the figures would have been. */
static void NO_RETURN child(const struct topology *topology, const struct probe_link *links, size_t n, int fd)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct error err = {0};
    if (probe_child(topology, links, n, fd, &err) == 0)
        _exit(0);
    ssize_t ignored = write(fd, err.text, strlen(err.text));
    (void)ignored;
    _exit(1);
}

static size_t read_all(int fd, void *to, size_t size)
{
    int64_t deadline_ns = clock_now_ns() + (int64_t)PATIENCE_S * NS_PER_S;
    size_t got = 0;
    while (got < size) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        int64_t left_ms = (deadline_ns - clock_now_ns()) / NS_PER_MS;
        if (left_ms <= 0 || (poll(&ready, 1, (int)left_ms) < 0 && errno != EINTR))
            break;
        ssize_t now = (ready.revents & (POLLIN | POLLHUP)) ? read(fd, (char *)to + got, size - got) : -2;
        if (now == 0 || (now == -1 && errno != EINTR))
            break;
        got += now > 0 ? (size_t)now : 0;
    }
    return got;
}

/* Run the child to its end. */
static int watch(const struct topology *topology, const struct probe_link *links, size_t n, struct probe_seen *seen,
                 struct error *err)
{
    int ends[2];
    if (pipe(ends) < 0)
        return error_set_errno(err, "probe: pipe");
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        child(topology, links, n, ends[1]);
    }
    close(ends[1]);
    size_t want = n * sizeof *seen, got = pid > 0 ? read_all(ends[0], seen, want) : 0;
    close(ends[0]);
    if (pid < 0)
        return error_set_errno(err, "probe: fork");
    kill(pid, SIGKILL); /* done, or past its time */
    waitpid(pid, NULL, 0);
    if (got == want)
        return 0;
    size_t text = got % sizeof *seen;
    if (text > 0 && got < ERROR_TEXT_MAX)
        return error_set(err, "%.*s", (int)got, (const char *)seen);
    return error_set(err, "probe: the probing process ended early, after %zu of %zu links", got / sizeof *seen, n);
}

/* ── rows ── */

struct report {
    struct results_writer *links;
    uint32_t notes;
};

static void warn_outside(const struct probe_link *link, const char *figure, const struct judgement *j)
{
    char name[NODE_NAME_MAX];
    link_name(link->node, link->direction, name);
    if (j->samples == 0)
        log_warn("link.%s: %s: asked for %.4g, but no probe arrived", name, figure, j->asked);
    else
        log_warn("link.%s: %s: asked for %.4g, probed %.4g (tolerance %.2g, %u samples)", name, figure, j->asked,
                 j->achieved, j->tolerance, j->samples);
}

static int write_row(struct report *report, const struct probe_link *link, const char *figure,
                     const struct judgement *j, const char *how, const char *when, struct error *err)
{
    if (j->verdict == VERDICT_NOT_ASKED)
        return 0;
    if (j->verdict == VERDICT_OUTSIDE) {
        report->notes++;
        warn_outside(link, figure, j);
    }
    if (report->links == NULL)
        return 0;
    char node[NODE_NAME_MAX];
    node_name(link->node, node);
    results_begin(report->links);
    results_text(report->links, node);
    results_text(report->links, link->direction == LINK_UP ? "up" : "down");
    results_text(report->links, figure);
    results_double(report->links, j->asked);
    results_double(report->links, j->achieved);
    results_int(report->links, j->samples);
    results_text(report->links, how);
    results_text(report->links, when);
    return results_end(report->links, err);
}

static int report_link(struct report *report, const struct probe_link *link, const struct probe_seen *seen,
                       struct error *err)
{
    struct judgement delay = judge_delay(&link->asked, seen), jitter = judge_jitter(&link->asked, seen);
    struct judgement rate = judge_rate(&link->asked, seen), loss = judge_loss(&link->asked, seen);
    if (rate.verdict == VERDICT_UNKNOWN && seen->offered_bps < (double)link->asked.rate_bps)
        log_info("the processor sent %.4g Mbit/s, too slow to probe a rate of %.4g Mbit/s", seen->offered_bps / 1e6,
                 rate.asked);
    if (write_row(report, link, "delay_ms", &delay, "ping", "before", err) < 0 ||
        write_row(report, link, "jitter_ms", &jitter, "ping", "before", err) < 0 ||
        write_row(report, link, "rate_mbit", &rate, "bulk", "before", err) < 0 ||
        write_row(report, link, "loss_percent", &loss, "ping", "before", err) < 0)
        return -1;
    return 0;
}

/* What a queue counted: drops where none was asked for, a share where some was. */
static int report_counts(struct report *report, const struct probe_link *link, const struct shape_counts *counts,
                         const char *when, struct error *err)
{
    double offered = (double)(counts->packets + counts->drops);
    uint32_t samples = offered < UINT32_MAX ? (uint32_t)offered : UINT32_MAX;
    struct judgement j = {.verdict = VERDICT_UNKNOWN, .samples = samples};
    if (link->asked.loss != LINK_LOSS_NONE) {
        j.asked = 100 * judge_loss_share(&link->asked);
        j.achieved = offered > 0 ? 100 * (double)counts->drops / offered : NAN;
        return write_row(report, link, "loss_percent", &j, "kernel", when, err);
    }
    j.achieved = (double)counts->drops;
    j.verdict = counts->drops > 0 ? VERDICT_OUTSIDE : VERDICT_GOOD;
    return write_row(report, link, "drops", &j, "kernel", when, err);
}

/* ── doors ── */

/* Without a shaper nothing is shaped, whatever the scenario says. */
static void forget_asked(struct probe_link *links, size_t n)
{
    for (size_t i = 0; i < n; i++)
        links[i].asked = (struct link){0};
}

int probe_links(const struct topology *topology, const struct scenario *scenario, struct shaper *shaper,
                struct results_writer *writer, uint32_t *notes, struct error *err)
{
    size_t n;
    struct probe_link *links = all_links(scenario, &n);
    if (shaper == NULL)
        forget_asked(links, n);
    struct probe_seen *seen = mem_array(n, sizeof *seen);
    struct report report = {.links = writer};
    int status = watch(topology, links, n, seen, err);
    for (size_t i = 0; i < n && status == 0; i++)
        status = report_link(&report, &links[i], &seen[i], err);
    if (notes != NULL)
        *notes = report.notes;
    free(links);
    free(seen);
    return status;
}

/* Did the timeline ask for loss, or cut the link, at any time? Then its drops are no surprise. */
static bool loses_later(const struct scenario *scenario, const struct probe_link *link)
{
    for (size_t i = 0; i < scenario->n_events; i++) {
        const struct timeline_event *event = &scenario->event[i];
        bool drops = event->kind == EVENT_CUT || (event->kind == EVENT_LINK && strcmp(event->key, "loss") == 0);
        if (drops && event->node == link->node && (event->both || event->direction == link->direction))
            return true;
    }
    return false;
}

int probe_counts(const struct scenario *scenario, struct shaper *shaper, struct results_writer *writer, uint32_t *notes,
                 struct error *err)
{
    size_t n;
    struct probe_link *links = all_links(scenario, &n);
    struct report report = {.links = writer};
    int status = 0;
    for (size_t i = 0; i < n && status == 0 && shaper != NULL; i++) {
        struct shape_counts counts;
        if (link_is_plain(shaper_link(shaper, links[i].node, links[i].direction)) || loses_later(scenario, &links[i]))
            continue;
        status = shaper_counts(shaper, links[i].node, links[i].direction, &counts, err);
        if (status == 0)
            status = report_counts(&report, &links[i], &counts, "during", err);
    }
    if (notes != NULL)
        *notes = report.notes;
    free(links);
    return status;
}
