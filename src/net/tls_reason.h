/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why TLS failed, in words that tell a person what to do. */
#ifndef LAGGARD_NET_TLS_REASON_H
#define LAGGARD_NET_TLS_REASON_H

#include <openssl/ssl.h>
#include <stddef.h>

/* The oldest error in OpenSSL's queue; empties the queue. Returns text. */
const char *tls_reason(char *text, size_t size);

/* The same for a connection: what is wrong with the peer's certificate, if that is it; what the peer's alert says of
 * ours; or the oldest error. Returns text. */
const char *tls_reason_of(const SSL *ssl, char *text, size_t size);

#endif
