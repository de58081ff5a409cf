/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the listener and the connector need to make a connection. */
#ifndef LAGGARD_NET_CONN_H
#define LAGGARD_NET_CONN_H

#include <sys/socket.h>

#include "net/loop_private.h"

/* A connection on a non-blocking socket: takes fd. expect may be NULL (server). is_connecting: connect() is under way.
 * NULL: no memory for TLS (fd is closed). */
struct net_conn *net_conn_new(struct net_loop *loop, int fd, struct net_identity *identity, bool is_server,
                              bool is_connecting, const char *expect, const struct sockaddr *peer);

/* "10.0.0.2:4711", "[::1]:4711" */
void net_address_text(const struct sockaddr *address, char *text, size_t size);
/* A literal address and a port; -1: not one. */
int net_address_parse(const char *address, uint16_t port, struct sockaddr_storage *out, socklen_t *len);

#endif
