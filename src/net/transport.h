/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All that differs between plain and TLS: bytes between a socket and a connection.
 *
 *               transport_fill                      transport_read
 *   socket ─────── recv ──────▶ in  (128 KiB ahead) ──▶ [BIO ─ OpenSSL] ──▶ the frame in hand
 *   socket ◀────── send ─────── out (256 KiB gathered) ◀─ [BIO ─ OpenSSL] ◀── the queue's first frame
 *               transport_flush                     transport_write
 *
 * So the kernel is asked seldom. The BIO takes whatever OpenSSL writes, and transport_write stops before that when `out` is
 * full: OpenSSL never waits for output, least of all while it reads, and no write has to be tried again with the same
 * arguments. That it waits for input while it writes is said like any other want, and passed on. */
#ifndef LAGGARD_NET_TRANSPORT_H
#define LAGGARD_NET_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "net/identity_private.h"

enum { TRANSPORT_AHEAD_BYTES = 128 * 1024, TRANSPORT_GATHER_BYTES = 256 * 1024, TRANSPORT_REASON_MAX = 256 };

enum transport_status {
    TRANSPORT_OK,
    TRANSPORT_WANT_INPUT,  /* nothing more before the socket is readable and transport_fill has been called */
    TRANSPORT_WANT_OUTPUT, /* nothing more before transport_flush, or before the socket is writable */
    TRANSPORT_CLOSED,      /* the peer has closed in order */
    TRANSPORT_FAILED       /* reason says why */
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
MUST_CHECK int transport_init(struct transport *transport, int fd, struct net_identity *identity, bool is_server);
void transport_clear(struct transport *transport); /* closes fd */

/* One recv. OK: something came; CLOSED: the end of the stream, what came before it may still be to be read. */
MUST_CHECK enum transport_status transport_fill(struct transport *transport);
/* Send until all is out (OK) or the socket is full (WANT_OUTPUT). */
MUST_CHECK enum transport_status transport_flush(struct transport *transport);
MUST_CHECK enum transport_status transport_handshake(struct transport *transport); /* OK: done */
/* Decrypted bytes into buffer; *got > 0 with OK. */
MUST_CHECK enum transport_status transport_read(struct transport *transport, void *buffer, size_t len, size_t *got);
/* Take up to len bytes; *taken > 0 with OK. */
MUST_CHECK enum transport_status transport_write(struct transport *transport, const void *buffer, size_t len,
                                                 size_t *taken);
void transport_say_goodbye(struct transport *transport);     /* close_notify into the gathering buffer */
bool transport_has_input(const struct transport *transport); /* bytes read ahead or decrypted that wait to be read */
size_t transport_output(const struct transport *transport);  /* bytes that wait for the socket */

#endif
