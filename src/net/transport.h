/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All that differs between plain and TLS: bytes between a socket and a connection. Reads ahead 128 KiB and gathers what
 * is written, so that the kernel is asked seldom; with TLS the records pass through a BIO of our own between these two
 * buffers, and a want of OpenSSL in either direction is simply a buffer that is empty or full. */
#ifndef LAGGARD_NET_TRANSPORT_H
#define LAGGARD_NET_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/identity_private.h"

enum { TRANSPORT_AHEAD_BYTES = 128 * 1024, TRANSPORT_GATHER_BYTES = 256 * 1024, TRANSPORT_REASON_MAX = 256 };

enum transport_status {
    TRANSPORT_OK,
    TRANSPORT_AGAIN,  /* nothing more now: wait for the socket */
    TRANSPORT_CLOSED, /* the peer has closed in order */
    TRANSPORT_FAILED  /* reason says why */
};

struct transport_buffer {
    uint8_t *bytes;
    size_t at, len, capacity; /* [at, len) is to be used */
};

struct transport {
    int fd;
    SSL *ssl;                        /* NULL: plain */
    struct transport_buffer in, out; /* raw: as on the TCP stream */
    bool end_of_stream;
    uint64_t raw_in, raw_out;
    char reason[TRANSPORT_REASON_MAX];
};

/* Takes fd. identity NULL: plain. Returns -1 when OpenSSL has no memory (fd stays the caller's). */
int transport_init(struct transport *transport, int fd, struct net_identity *identity, bool is_server);
void transport_clear(struct transport *transport); /* closes fd */

enum transport_status transport_fill(struct transport *transport);      /* one recv; OK: something came */
enum transport_status transport_flush(struct transport *transport);     /* send until all is out (OK) or AGAIN */
enum transport_status transport_handshake(struct transport *transport); /* OK: done */
/* Decrypted bytes into buffer; *got > 0 with OK. AGAIN: fill first. */
enum transport_status transport_read(struct transport *transport, void *buffer, size_t len, size_t *got);
/* Take up to len bytes; *taken > 0 with OK. AGAIN: flush first. */
enum transport_status transport_write(struct transport *transport, const void *buffer, size_t len, size_t *taken);
void transport_say_goodbye(struct transport *transport);      /* close_notify into the gathering buffer */
bool transport_has_input(const struct transport *transport);  /* bytes read ahead or decrypted that wait to be read */
bool transport_has_output(const struct transport *transport); /* bytes that wait for the socket */

#endif
