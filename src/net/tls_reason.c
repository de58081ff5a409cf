/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OpenSSL's codes to sentences: our verdict on the peer's certificate, and the alert with which the peer tells its
 * verdict on ours. In TLS 1.3 a client has finished its handshake before the server has seen its certificate, so that
 * the alert comes with what the client reads later. */
#include "config.h"

#include "net/tls_reason.h"

#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <openssl/x509_vfy.h>
#include <stdio.h>

struct phrase {
    long code;
    const char *text;
};

/* "the peer's certificate is not accepted: …" */
static const struct phrase verdicts[] = {
    {X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, "it is not from this CA"},
    {X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, "it is not from this CA"},
    {X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, "it is not from this CA"},
    {X509_V_ERR_CERT_SIGNATURE_FAILURE, "it is not from this CA, but from one of the same name"},
    {X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, "it is not from this CA, but signed by itself"},
    {X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, "it is not from this CA"},
    {X509_V_ERR_CERT_HAS_EXPIRED, "it has expired"},
    {X509_V_ERR_CERT_NOT_YET_VALID, "it is not valid yet; compare the clocks of both machines"},
    {X509_V_ERR_INVALID_PURPOSE, "it is not for this end of a connection"},
};

/* "the peer does not accept …" */
static const struct phrase alerts[] = {
    {SSL_R_TLSV1_ALERT_UNKNOWN_CA, "our certificate: it is not from the peer's CA"},
    {SSL_R_TLSV1_ALERT_DECRYPT_ERROR, "our certificate: it is not from the peer's CA, or its key is not ours"},
    {SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED, "our certificate: it has expired"},
    {SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, "our certificate: something is wrong with it"},
    {SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN, "our certificate: something is wrong with it"},
    {SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE, "our certificate: it is not for this end of a connection"},
    {SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED, "us without a certificate"},
    {SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, "our version of TLS: both sides must have TLS 1.3"},
    {SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE, "any of our TLS parameters"},
};

/* These stand alone. */
static const struct phrase failures[] = {
    {SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE, "no certificate: the peer did not return a certificate"},
    {SSL_R_WRONG_VERSION_NUMBER, "the peer does not speak TLS"},
    {SSL_R_HTTP_REQUEST, "the peer does not speak TLS, but HTTP"},
    {SSL_R_UNSUPPORTED_PROTOCOL, "the peer does not speak TLS 1.3"},
};

#define FIND(table, code) find(table, sizeof(table) / sizeof *(table), code)

static const char *find(const struct phrase *table, size_t n, long code)
{
    for (size_t i = 0; i < n; i++)
        if (table[i].code == code)
            return table[i].text;
    return NULL;
}

static const char *describe(unsigned long code, char *text, size_t size)
{
    const char *reason = code ? ERR_reason_error_string(code) : NULL;
    const char *ours = code && ERR_GET_LIB(code) == ERR_LIB_SSL ? FIND(failures, ERR_GET_REASON(code)) : NULL;
    const char *theirs = code && ERR_GET_LIB(code) == ERR_LIB_SSL ? FIND(alerts, ERR_GET_REASON(code)) : NULL;
    if (theirs != NULL)
        snprintf(text, size, "the peer does not accept %s (%s)", theirs, reason ? reason : "alert");
    else if (ours != NULL)
        snprintf(text, size, "%s", ours);
    else if (reason == NULL && code != 0 && ERR_SYSTEM_ERROR(code))
        snprintf(text, size, "system error %d", ERR_GET_REASON(code));
    else
        snprintf(text, size, "%s", reason ? reason : "no reason given");
    return text;
}

const char *tls_reason(char *text, size_t size)
{
    unsigned long code = ERR_get_error();
    ERR_clear_error();
    return describe(code, text, size);
}

const char *tls_reason_of(const SSL *ssl, char *text, size_t size)
{
    long verdict = SSL_get_verify_result(ssl);
    if (verdict == X509_V_OK)
        return tls_reason(text, size);
    ERR_clear_error();
    const char *known = FIND(verdicts, verdict), *code = X509_verify_cert_error_string(verdict);
    if (known != NULL)
        snprintf(text, size, "the peer's certificate is not accepted: %s (%s)", known, code);
    else
        snprintf(text, size, "the peer's certificate is not accepted: %s", code);
    return text;
}
