/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "net/transport.h"

#include <assert.h>
#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/tls_reason.h"

/* ── raw buffers ── */

static size_t pending(const struct transport_buffer *buffer)
{
    return buffer->len - buffer->at;
}

/* Room for at least `room` more bytes behind len. */
static void make_room(struct transport_buffer *buffer, size_t room)
{
    if (buffer->at == buffer->len)
        buffer->at = buffer->len = 0;
    if (buffer->capacity - buffer->len >= room)
        return;
    if (buffer->at > 0) {
        memmove(buffer->bytes, buffer->bytes + buffer->at, pending(buffer));
        buffer->len -= buffer->at;
        buffer->at = 0;
    }
    if (buffer->capacity - buffer->len < room) {
        size_t capacity = buffer->capacity ? buffer->capacity : 4096;
        while (capacity - buffer->len < room)
            capacity *= 2;
        buffer->bytes = mem_resize(buffer->bytes, capacity, 1);
        buffer->capacity = capacity;
    }
}

static void append(struct transport_buffer *buffer, const void *bytes, size_t len)
{
    make_room(buffer, len);
    memcpy(buffer->bytes + buffer->len, bytes, len);
    buffer->len += len;
}

static size_t take(struct transport_buffer *buffer, void *bytes, size_t len)
{
    if (len > pending(buffer))
        len = pending(buffer);
    if (len > 0)
        memcpy(bytes, buffer->bytes + buffer->at, len);
    buffer->at += len;
    return len;
}

/* ── the BIO between OpenSSL and the buffers ── */

static int bio_read(BIO *bio, char *bytes, size_t len, size_t *got)
{
    struct transport *transport = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    *got = take(&transport->in, bytes, len);
    if (*got > 0)
        return 1;
    if (!transport->end_of_stream)
        BIO_set_retry_read(bio);
    return 0;
}

static int bio_write(BIO *bio, const char *bytes, size_t len, size_t *put)
{
    struct transport *transport = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    append(&transport->out, bytes, len);
    *put = len;
    return 1;
}

static long bio_ctrl(BIO *bio, int command, long number, void *pointer)
{
    (void)number;
    (void)pointer;
    const struct transport *transport = BIO_get_data(bio);
    switch (command) {
    case BIO_CTRL_FLUSH:
        return 1;
    case BIO_CTRL_EOF:
        return transport->end_of_stream && pending(&transport->in) == 0;
    default:
        return 0;
    }
}

static BIO_METHOD *bio_method(void)
{
    static BIO_METHOD *method; /* made once, as constant as a table afterwards */
    if (method == NULL && (method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "laggard")) != NULL) {
        BIO_meth_set_read_ex(method, bio_read);
        BIO_meth_set_write_ex(method, bio_write);
        BIO_meth_set_ctrl(method, bio_ctrl);
    }
    return method;
}

static int init_tls(struct transport *transport, struct net_identity *identity, bool is_server)
{
    BIO_METHOD *method = bio_method();
    BIO *bio = method ? BIO_new(method) : NULL;
    transport->ssl = bio ? SSL_new(is_server ? identity->server : identity->client) : NULL;
    if (transport->ssl == NULL) {
        BIO_free(bio);
        return -1;
    }
    BIO_set_data(bio, transport);
    BIO_set_init(bio, 1);
    SSL_set_bio(transport->ssl, bio, bio);
    if (is_server)
        SSL_set_accept_state(transport->ssl);
    else
        SSL_set_connect_state(transport->ssl);
    return 0;
}

int transport_init(struct transport *transport, int fd, struct net_identity *identity, bool is_server)
{
    *transport = (struct transport){.fd = fd};
    return identity ? init_tls(transport, identity, is_server) : 0;
}

void transport_clear(struct transport *transport)
{
    SSL_free(transport->ssl);
    if (transport->fd >= 0)
        close(transport->fd);
    free(transport->in.bytes);
    free(transport->out.bytes);
    *transport = (struct transport){.fd = -1};
}

/* ── socket side ── */

static enum transport_status socket_failed(struct transport *transport)
{
    snprintf(transport->reason, sizeof transport->reason, "%s", strerror(errno));
    return TRANSPORT_FAILED;
}

enum transport_status transport_fill(struct transport *transport)
{
    make_room(&transport->in, TRANSPORT_AHEAD_BYTES);
    ssize_t got;
    do
        got = recv(transport->fd, transport->in.bytes + transport->in.len, TRANSPORT_AHEAD_BYTES, 0);
    while (got < 0 && errno == EINTR);
    if (got > 0) {
        transport->in.len += (size_t)got;
        transport->raw_in += (uint64_t)got;
        return TRANSPORT_OK;
    }
    if (got == 0) {
        transport->end_of_stream = true;
        return TRANSPORT_CLOSED;
    }
    return errno == EAGAIN || errno == EWOULDBLOCK ? TRANSPORT_WANT_INPUT : socket_failed(transport);
}

enum transport_status transport_flush(struct transport *transport)
{
    struct transport_buffer *out = &transport->out;
    while (pending(out) > 0) {
        ssize_t sent = send(transport->fd, out->bytes + out->at, pending(out), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK ? TRANSPORT_WANT_OUTPUT : socket_failed(transport);
        out->at += (size_t)sent;
        transport->raw_out += (uint64_t)sent;
    }
    out->at = out->len = 0;
    return TRANSPORT_OK;
}

/* ── stream side ── */

/* The stream has ended without TLS's own goodbye: the peer is gone, or was killed. */
static bool is_cut_off(const struct transport *transport)
{
    return transport->end_of_stream && pending(&transport->in) == 0 &&
           ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
}

/* What OpenSSL's answer to a call means here. No memory is a failure like any other. */
static enum transport_status tls_status(struct transport *transport, int result, const char *during)
{
    switch (SSL_get_error(transport->ssl, result)) {
    case SSL_ERROR_WANT_READ:
        return transport->end_of_stream ? TRANSPORT_CLOSED : TRANSPORT_WANT_INPUT;
    case SSL_ERROR_ZERO_RETURN:
        return TRANSPORT_CLOSED;
    default:
        break;
    }
    if (is_cut_off(transport)) {
        ERR_clear_error();
        return TRANSPORT_CLOSED;
    }
    char reason[192];
    snprintf(transport->reason, sizeof transport->reason, "%s: %s", during,
             tls_reason_of(transport->ssl, reason, sizeof reason));
    return TRANSPORT_FAILED;
}

enum transport_status transport_handshake(struct transport *transport)
{
    if (transport->ssl == NULL)
        return TRANSPORT_OK;
    ERR_clear_error();
    int result = SSL_do_handshake(transport->ssl);
    return result == 1 ? TRANSPORT_OK : tls_status(transport, result, "TLS handshake");
}

enum transport_status transport_read(struct transport *transport, void *buffer, size_t len, size_t *got)
{
    *got = 0;
    if (transport->ssl == NULL) {
        *got = take(&transport->in, buffer, len);
        if (*got > 0)
            return TRANSPORT_OK;
        return transport->end_of_stream ? TRANSPORT_CLOSED : TRANSPORT_WANT_INPUT;
    }
    ERR_clear_error();
    int result = SSL_read_ex(transport->ssl, buffer, len, got);
    return result == 1 ? TRANSPORT_OK : tls_status(transport, result, "TLS");
}

enum transport_status transport_write(struct transport *transport, const void *buffer, size_t len, size_t *taken)
{
    size_t waiting = pending(&transport->out);
    *taken = 0;
    if (waiting >= TRANSPORT_GATHER_BYTES)
        return TRANSPORT_WANT_OUTPUT;
    size_t room = TRANSPORT_GATHER_BYTES - waiting;
    if (room < SSL3_RT_MAX_PLAIN_LENGTH) /* no record smaller than need be */
        room = SSL3_RT_MAX_PLAIN_LENGTH;
    if (len > room)
        len = room;
    if (transport->ssl == NULL) {
        append(&transport->out, buffer, len);
        *taken = len;
        return TRANSPORT_OK;
    }
    ERR_clear_error();
    int result = SSL_write_ex(transport->ssl, buffer, len, taken);
    return result == 1 ? TRANSPORT_OK : tls_status(transport, result, "TLS");
}

void transport_say_goodbye(struct transport *transport)
{
    if (transport->ssl == NULL)
        return;
    ERR_clear_error();
    SSL_shutdown(transport->ssl); /* fails, harmlessly, before the handshake is over */
    ERR_clear_error();
}

bool transport_has_input(const struct transport *transport)
{
    return pending(&transport->in) > 0 || (transport->ssl != NULL && SSL_pending(transport->ssl) > 0);
}

size_t transport_output(const struct transport *transport)
{
    return pending(&transport->out);
}
