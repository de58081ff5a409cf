/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "ps/control.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <jansson.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

enum { LINE_MAX_BYTES = 4096, ROUND_GAP_NS = NS_PER_S / 10, WRITE_LIMIT_MS = 5000 };

struct control {
    int fd; /* −1: none, or the controller has gone */
    bool every_round;
    struct net_watch *watch;
    struct control_handlers handlers;
    void *context;
    int64_t last_round_ns;
    size_t len;
    char line[LINE_MAX_BYTES];
};

static void stop(struct control *control, const char *why)
{
    net_watch_free(control->watch);
    control->watch = NULL;
    control->fd = -1;
    control->handlers.stop(control->context, why);
}

static void obey(struct control *control, const char *line, size_t len)
{
    json_t *command = json_loadb(line, len, 0, NULL);
    const char *what = command ? json_string_value(json_object_get(command, "do")) : NULL;
    if (what != NULL && strcmp(what, "go") == 0)
        control->handlers.go(control->context);
    else if (what != NULL && strcmp(what, "stop") == 0)
        control->handlers.stop(control->context, "the controller said stop");
    else
        log_warn("the controller said \"%.*s\", which is neither go nor stop: ignored", (int)len, line);
    json_decref(command);
}

static void on_readable(void *context)
{
    struct control *control = context;
    ssize_t got = recv(control->fd, control->line + control->len, sizeof control->line - control->len, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        stop(control, "the controller has gone");
        return;
    }
    control->len += (size_t)got;
    char *end;
    while (control->fd >= 0 && (end = memchr(control->line, '\n', control->len)) != NULL) {
        char line[LINE_MAX_BYTES];
        size_t len = (size_t)(end - control->line);
        memcpy(line, control->line, len);
        control->len -= len + 1;
        memmove(control->line, end + 1, control->len);
        obey(control, line, len);
    }
    if (control->len == sizeof control->line)
        stop(control, "the controller sent a line that never ends");
}

struct control *control_new(struct net_loop *loop, int fd, bool every_round, const struct control_handlers *handlers,
                            void *context)
{
    struct control *control = mem_zalloc(sizeof *control);
    control->fd = fd;
    control->every_round = every_round;
    control->handlers = *handlers;
    control->context = context;
    if (fd >= 0)
        control->watch = net_watch_fd(loop, fd, on_readable, control);
    return control;
}

void control_free(struct control *control)
{
    if (control == NULL)
        return;
    net_watch_free(control->watch);
    free(control);
}

bool control_is_present(const struct control *control)
{
    return control->fd >= 0;
}

/* Progress may be dropped when the controller does not read; what it waits for may not. A controller that reads nothing
 * for seconds is taken for gone: on_readable then finds the end of the conversation. */
static void tell(struct control *control, json_t *event, bool droppable)
{
    char *text = json_dumps(event, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(event);
    if (text == NULL)
        return;
    size_t len = strlen(text), sent = 0;
    text[len++] = '\n'; /* in place of the NUL */
    while (sent < len) {
        ssize_t n = send(control->fd, text + sent, len - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        struct pollfd writable = {.fd = control->fd, .events = POLLOUT};
        if (n >= 0)
            sent += (size_t)n;
        else if (errno != EINTR &&
                 (errno != EAGAIN || (droppable && sent == 0) || poll(&writable, 1, WRITE_LIMIT_MS) <= 0))
            break;
    }
    if (sent < len && (sent > 0 || !droppable))
        shutdown(control->fd, SHUT_RDWR);
    free(text);
}

static json_t *about(const char *event, const struct control_run *run)
{
    return json_pack("{s:s, s:I, s:s, s:I}", "event", event, "run", (json_int_t)run->run, "strategy", run->strategy,
                     "repeat", (json_int_t)run->repeat);
}

/* JSON has no NAN. */
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

void control_listening(struct control *control, uint16_t port)
{
    if (control->fd >= 0)
        tell(control, json_pack("{s:s, s:i}", "event", "listening", "port", (int)port), false);
}

void control_workers(struct control *control, uint32_t connected, uint32_t of)
{
    if (control->fd >= 0)
        tell(control,
             json_pack("{s:s, s:I, s:I}", "event", "workers", "connected", (json_int_t)connected, "of", (json_int_t)of),
             false);
}

void control_run_next(struct control *control, const struct control_run *run)
{
    if (control->fd >= 0)
        tell(control, about("run-next", run), false);
}

void control_run_start(struct control *control, const struct control_run *run, int64_t t_ns)
{
    if (control->fd < 0)
        return;
    json_t *event = about("run-start", run);
    json_object_set_new(event, "t_ns", json_integer(t_ns));
    tell(control, event, false);
}

void control_round(struct control *control, const struct control_run *run, uint32_t round, int64_t t_ns, double error,
                   double target)
{
    int64_t now = clock_now_ns();
    if (control->fd < 0 || (!control->every_round && now - control->last_round_ns < ROUND_GAP_NS))
        return;
    control->last_round_ns = now;
    tell(control,
         json_pack("{s:s, s:I, s:I, s:I, s:o, s:o}", "event", "round", "run", (json_int_t)run->run, "round",
                   (json_int_t)round, "t_ns", (json_int_t)t_ns, "error", number(error), "target", number(target)),
         !control->every_round);
}

void control_run_end(struct control *control, const struct control_run *run, int64_t t_ns,
                     const struct session_summary *summary, const char *failed, const char *iterates)
{
    if (control->fd < 0)
        return;
    json_t *event = about("run-end", run);
    json_object_set_new(event, "t_ns", json_integer(t_ns));
    json_object_set_new(event, "rounds", json_integer(summary->rounds));
    json_object_set_new(event, "reached", json_boolean(summary->reached));
    json_object_set_new(event, "failed", failed ? json_string(failed) : json_null());
    json_object_set_new(event, "iterates", json_string(iterates));
    tell(control, event, false);
}

void control_done(struct control *control, uint32_t failed)
{
    if (control->fd >= 0)
        tell(control, json_pack("{s:s, s:I}", "event", "done", "failed", (json_int_t)failed), false);
}
