/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Certificates for TLS 1.3 with mutual authentication. */
#include "config.h"

#include "net/net.h"

#include <event2/event.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <stdlib.h>

#include "base/mem.h"
#include "net/identity_private.h"
#include "net/tls_reason.h"

static int load_pair(SSL_CTX *context, const char *cert, const char *key, const char *ca, struct error *err)
{
    char reason[256];
    if (SSL_CTX_use_certificate_chain_file(context, cert) != 1)
        return error_set(err, "%s: not a certificate in PEM: %s", cert, tls_reason(reason, sizeof reason));
    if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1)
        return error_set(err, "%s: not the private key (PEM) of %s: %s", key, cert, tls_reason(reason, sizeof reason));
    if (SSL_CTX_load_verify_locations(context, ca, NULL) != 1)
        return error_set(err, "%s: not a CA's certificate in PEM: %s", ca, tls_reason(reason, sizeof reason));
    return 0;
}

/* A key with a pass phrase is an error: nobody is there to type it. */
static int no_pass_phrase(char *text, int size, int is_writing, void *context)
{
    (void)text;
    (void)size;
    (void)is_writing;
    (void)context;
    return -1;
}

static SSL_CTX *context_new(const SSL_METHOD *method, const char *cert, const char *key, const char *ca,
                            struct error *err)
{
    SSL_CTX *context = SSL_CTX_new(method);
    if (context == NULL) {
        error_set(err, "OpenSSL cannot make a TLS context");
        return NULL;
    }
    /* No resumption: every connection proves who it is, and no ticket adds bytes that a count would have to explain. */
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_default_passwd_cb(context, no_pass_phrase);
    /* A queue's rest may move in memory between two tries of the same write. A record that holds none of our bytes (a
     * key update) is passed over within one read, as it is by default: who reads on only when the socket has more would
     * leave behind what has been read ahead. */
    SSL_CTX_set_mode(context,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_AUTO_RETRY);
    if (SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1 || SSL_CTX_set_num_tickets(context, 0) != 1 ||
        SSL_CTX_set1_groups_list(context, "X25519:P-256") != 1)
        error_set(err, "OpenSSL has no TLS 1.3 with X25519");
    else if (load_pair(context, cert, key, ca, err) == 0)
        return context;
    SSL_CTX_free(context);
    return NULL;
}

struct net_identity *net_identity_load(const char *cert, const char *key, const char *ca, struct error *err)
{
    struct net_identity *identity = mem_zalloc(sizeof *identity);
    ERR_clear_error();
    identity->server = context_new(TLS_server_method(), cert, key, ca, err);
    identity->client = identity->server ? context_new(TLS_client_method(), cert, key, ca, err) : NULL;
    if (identity->client == NULL) {
        net_identity_free(identity);
        return NULL;
    }
    return identity;
}

void net_identity_free(struct net_identity *identity)
{
    if (identity == NULL)
        return;
    SSL_CTX_free(identity->server);
    SSL_CTX_free(identity->client);
    free(identity);
}

const char *net_openssl_version(void)
{
    return OpenSSL_version(OPENSSL_VERSION_STRING);
}

const char *net_libevent_version(void)
{
    return event_get_version();
}

void net_sha256(const void *bytes, size_t len, uint8_t out[WIRE_HASH_BYTES])
{
    unsigned int written = 0;
    if (EVP_Digest(bytes, len, out, &written, EVP_sha256(), NULL) != 1 || written != WIRE_HASH_BYTES)
        abort(); /* OpenSSL without SHA-256 */
}
