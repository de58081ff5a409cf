/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Listening and connecting. */
#include "config.h"

#include "net/net.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "net/conn.h"

enum { BACKLOG = 1024, ACCEPTS_PER_WAKE_UP = 64 };

struct net_listener {
    struct net_loop *loop;
    struct net_identity *identity;
    struct event *event;
    struct net_timer *again;
    int fd;
    uint16_t port;
    void (*accepted)(struct net_conn *conn, void *context);
    void *context;
};

static void no_delay(int fd)
{
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/* Accepting fails for want of descriptors or memory, and the connection stays where it is: asked again at once, the
 * kernel would say the same, for ever. */
static void pause_accepting(struct net_listener *listener)
{
    log_warn("no connection can be accepted at port %u: %s", listener->port, strerror(errno));
    event_del(listener->event);
    net_timer_at(listener->again, clock_now_ns() + listener->loop->limits.accept_pause_ns);
}

static void on_again(void *argument)
{
    struct net_listener *listener = argument;
    event_add(listener->event, NULL);
}

static void welcome(struct net_listener *listener, int fd, const struct sockaddr *peer)
{
    no_delay(fd);
    struct net_conn *conn = net_conn_new(listener->loop, fd, listener->identity, true, false, NULL, peer);
    if (conn != NULL)
        listener->accepted(conn, listener->context);
    else
        log_warn("a connection at port %u is closed again: OpenSSL has no memory for it", listener->port);
}

static void on_accept(evutil_socket_t fd, short what, void *argument)
{
    (void)what;
    struct net_listener *listener = argument;
    for (int i = 0; i < ACCEPTS_PER_WAKE_UP; i++) {
        struct sockaddr_storage peer;
        socklen_t len = sizeof peer;
        int accepted = accept4(fd, (struct sockaddr *)&peer, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (accepted >= 0)
            welcome(listener, accepted, (struct sockaddr *)&peer);
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            return;
        else if (errno != EINTR && errno != ECONNABORTED) {
            pause_accepting(listener);
            return;
        }
    }
}

static int bound_socket(const char *address, uint16_t port, struct error *err)
{
    struct sockaddr_storage where;
    socklen_t len;
    if (net_address_parse(address, port, &where, &len) < 0)
        return error_set(err, "%s: not an IPv4 or IPv6 address to listen on", address);
    int fd = socket(where.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return error_set_errno(err, "no socket to listen on %s", address);
    int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&where, len) < 0 || listen(fd, BACKLOG) < 0) {
        error_set_errno(err, "cannot listen on %s port %u", address, port);
        close(fd);
        return -1;
    }
    return fd;
}

static uint16_t port_of(int fd)
{
    struct sockaddr_storage where;
    socklen_t len = sizeof where;
    if (getsockname(fd, (struct sockaddr *)&where, &len) < 0)
        return 0;
    return ntohs(where.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&where)->sin6_port
                                             : ((struct sockaddr_in *)&where)->sin_port);
}

struct net_listener *net_listen(struct net_loop *loop, const char *address, uint16_t port,
                                struct net_identity *identity, void (*accepted)(struct net_conn *conn, void *context),
                                void *context, struct error *err)
{
    int fd = bound_socket(address, port, err);
    if (fd < 0)
        return NULL;
    struct net_listener *listener = mem_zalloc(sizeof *listener);
    listener->loop = loop;
    listener->identity = identity;
    listener->fd = fd;
    listener->port = port_of(fd);
    listener->accepted = accepted;
    listener->context = context;
    listener->again = net_timer_new(loop, on_again, listener);
    listener->event = net_must(event_new(loop->base, fd, EV_READ | EV_PERSIST, on_accept, listener));
    event_priority_set(listener->event, PRIORITY_IO);
    event_add(listener->event, NULL);
    return listener;
}

uint16_t net_listener_port(const struct net_listener *listener)
{
    return listener->port;
}

void net_listener_free(struct net_listener *listener)
{
    if (listener == NULL)
        return;
    event_free(listener->event);
    net_timer_free(listener->again);
    close(listener->fd);
    free(listener);
}

struct net_conn *net_connect(struct net_loop *loop, const char *address, uint16_t port, struct net_identity *identity,
                             const char *expect, const struct net_handlers *handlers, void *context, struct error *err)
{
    struct sockaddr_storage where;
    socklen_t len;
    if (net_address_parse(address, port, &where, &len) < 0) {
        error_set(err, "%s: not an IPv4 or IPv6 address to connect to", address);
        return NULL;
    }
    int fd = socket(where.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        error_set_errno(err, "no socket to connect to %s", address);
        return NULL;
    }
    no_delay(fd);
    if (connect(fd, (struct sockaddr *)&where, len) < 0 && errno != EINPROGRESS) {
        error_set_errno(err, "connect to %s port %u", address, port);
        close(fd);
        return NULL;
    }
    struct net_conn *conn = net_conn_new(loop, fd, identity, false, true, expect, (struct sockaddr *)&where);
    if (conn == NULL) {
        error_set(err, "connect to %s port %u: OpenSSL cannot make a connection", address, port);
        return NULL;
    }
    net_conn_handle(conn, handlers, context);
    return conn;
}
