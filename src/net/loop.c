/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loop, timers, watches and idle work on libevent. Two priorities: a chunk of computing runs only when no descriptor
 * and no timer is due, and after each chunk the kernel is asked again. */
#include "config.h"

#include "net/net.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/loop_private.h"

struct net_timer {
    struct event *event;
    void (*fired)(void *context);
    void *context;
};

struct net_watch {
    struct event *event;
    void (*ready)(void *context);
    void *context;
};

static const struct net_limits limits_by_default = {
    .connect_ns = (int64_t)10 * NS_PER_S,
    .handshake_ns = (int64_t)10 * NS_PER_S,
    .closing_ns = (int64_t)5 * NS_PER_S,
    .stalled_ns = (int64_t)60 * NS_PER_S,
    .accept_pause_ns = NS_PER_S,
    .queue_high_bytes = 64 * 1024 * 1024,
};

void *net_must(void *made)
{
    if (made == NULL) {
        fputs("laggard: libevent has no memory, or no descriptor, for an event\n", stderr);
        abort();
    }
    return made;
}

static void on_reaper(evutil_socket_t fd, short what, void *argument)
{
    (void)fd;
    (void)what;
    struct net_loop *loop = argument;
    struct net_conn *conn;
    while ((conn = net_conn_next_doomed(loop)) != NULL)
        net_conn_reap(conn);
}

static void on_idle(evutil_socket_t fd, short what, void *argument)
{
    (void)fd;
    (void)what;
    struct net_loop *loop = argument;
    bool (*work)(void *) = loop->work;
    if (work == NULL)
        return;
    loop->work = NULL;
    bool more = work(loop->work_context);
    if (more && loop->work == NULL) /* unless work() has put other work in its place */
        loop->work = work;
    if (loop->work != NULL)
        event_active(loop->idle, EV_TIMEOUT, 1);
}

struct net_loop *net_loop_new(void)
{
    struct net_loop *loop = mem_zalloc(sizeof *loop);
    struct event_config *config = net_must(event_config_new());
    /* Timers of microseconds, counted from the call that sets them. */
    event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER);
    event_config_set_flag(config, EVENT_BASE_FLAG_NO_CACHE_TIME);
    /* Left alone, libevent stays in the queue of one priority while its callbacks activate each other: idle work would keep
     * the loop from the kernel until it is done. */
    event_config_set_max_dispatch_interval(config, NULL, 1, PRIORITY_IDLE);
    loop->base = net_must(event_base_new_with_config(config));
    event_config_free(config);
    event_base_priority_init(loop->base, PRIORITIES);
    loop->limits = limits_by_default;
    TAILQ_INIT(&loop->conns);
    TAILQ_INIT(&loop->doomed);
    loop->idle = net_must(event_new(loop->base, -1, 0, on_idle, loop));
    event_priority_set(loop->idle, PRIORITY_IDLE);
    loop->reaper = net_must(event_new(loop->base, -1, 0, on_reaper, loop));
    event_priority_set(loop->reaper, PRIORITY_IO);
    return loop;
}

void net_loop_free(struct net_loop *loop)
{
    if (loop == NULL)
        return;
    on_reaper(-1, 0, loop);
    net_conns_destroy(loop);
    event_free(loop->idle);
    event_free(loop->reaper);
    event_base_free(loop->base);
    free(loop);
}

void net_loop_doom(struct net_loop *loop)
{
    event_active(loop->reaper, EV_TIMEOUT, 1);
}

void net_loop_run(struct net_loop *loop)
{
    event_base_loop(loop->base, EVLOOP_NO_EXIT_ON_EMPTY);
}

void net_loop_stop(struct net_loop *loop)
{
    event_base_loopbreak(loop->base);
}

void net_loop_idle(struct net_loop *loop, bool (*work)(void *context), void *context)
{
    loop->work = work;
    loop->work_context = context;
    event_active(loop->idle, EV_TIMEOUT, 1);
}

/* ── timers ── */

static void on_timer(evutil_socket_t fd, short what, void *argument)
{
    (void)fd;
    (void)what;
    struct net_timer *timer = argument;
    timer->fired(timer->context);
}

struct net_timer *net_timer_new(struct net_loop *loop, void (*fired)(void *context), void *context)
{
    struct net_timer *timer = mem_zalloc(sizeof *timer);
    timer->fired = fired;
    timer->context = context;
    timer->event = net_must(event_new(loop->base, -1, 0, on_timer, timer));
    event_priority_set(timer->event, PRIORITY_IO);
    return timer;
}

void net_timer_at(struct net_timer *timer, int64_t at_ns)
{
    int64_t wait_ns = at_ns - clock_now_ns();
    if (wait_ns < 0)
        wait_ns = 0;
    wait_ns += NS_PER_US - 1; /* never early */
    struct timeval wait = {.tv_sec = wait_ns / NS_PER_S, .tv_usec = wait_ns % NS_PER_S / NS_PER_US};
    event_add(timer->event, &wait);
}

void net_timer_cancel(struct net_timer *timer)
{
    event_del(timer->event);
}

void net_timer_free(struct net_timer *timer)
{
    if (timer == NULL)
        return;
    event_free(timer->event);
    free(timer);
}

/* ── watches ── */

static void on_watch(evutil_socket_t fd, short what, void *argument)
{
    (void)fd;
    (void)what;
    struct net_watch *watch = argument;
    watch->ready(watch->context);
}

static struct net_watch *watch_new(struct net_loop *loop, int which, short what, void (*ready)(void *context),
                                   void *context)
{
    struct net_watch *watch = mem_zalloc(sizeof *watch);
    watch->ready = ready;
    watch->context = context;
    watch->event = net_must(event_new(loop->base, which, (short)(what | EV_PERSIST), on_watch, watch));
    event_priority_set(watch->event, PRIORITY_IO);
    event_add(watch->event, NULL);
    return watch;
}

struct net_watch *net_watch_fd(struct net_loop *loop, int fd, void (*ready)(void *context), void *context)
{
    return watch_new(loop, fd, EV_READ, ready, context);
}

struct net_watch *net_watch_signal(struct net_loop *loop, int signal, void (*ready)(void *context), void *context)
{
    return watch_new(loop, signal, EV_SIGNAL, ready, context);
}

void net_watch_free(struct net_watch *watch)
{
    if (watch == NULL)
        return;
    event_free(watch->event);
    free(watch);
}
