/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Certificates for one run: a CA whose key lives only in this function's memory, one certificate for the PS and one for
 * each worker. ECDSA P-256. */
#include "config.h"

#include "net/net.h"

#include <fcntl.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/tls_reason.h"

enum { CLOCK_SKEW_S = 3600, DAY_S = 86400 };

struct authority {
    X509 *cert;
    EVP_PKEY *key;
    int valid_days;
};

static int add_extension(X509 *cert, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, cert, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    int ok = extension != NULL && X509_add_ext(cert, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return ok ? 0 : -1;
}

/* Subject, serial number, validity and key; neither extensions nor signature yet. */
static X509 *bare_certificate(const char *name, EVP_PKEY *key, int valid_days)
{
    X509 *cert = X509_new();
    unsigned char random[8];
    BIGNUM *serial = NULL;
    X509_NAME *subject = cert ? X509_get_subject_name(cert) : NULL;
    long until = (long)valid_days * DAY_S;
    /* An hour back: the clocks of two machines, or of a guest and its host, need not agree. */
    bool ok =
        subject != NULL && RAND_bytes(random, sizeof random) == 1 && (random[0] &= 0x7f, true) &&
        (serial = BN_bin2bn(random, sizeof random, NULL)) != NULL &&
        BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(cert)) != NULL &&
        X509_set_version(cert, X509_VERSION_3) == 1 &&
        X509_gmtime_adj(X509_getm_notBefore(cert), (until < 0 ? until - DAY_S : 0) - CLOCK_SKEW_S) != NULL &&
        X509_gmtime_adj(X509_getm_notAfter(cert), until) != NULL && X509_set_pubkey(cert, key) == 1 &&
        X509_NAME_add_entry_by_txt(subject, "O", MBSTRING_ASC, (const unsigned char *)"laggard", -1, -1, 0) == 1 &&
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0) == 1;
    BN_free(serial);
    if (!ok) {
        X509_free(cert);
        return NULL;
    }
    return cert;
}

static int make_authority(int valid_days, struct authority *out)
{
    out->valid_days = valid_days;
    out->key = EVP_EC_gen("P-256");
    out->cert = out->key ? bare_certificate("laggard CA", out->key, valid_days < 0 ? 1 : valid_days) : NULL;
    if (out->cert == NULL || X509_set_issuer_name(out->cert, X509_get_subject_name(out->cert)) != 1 ||
        add_extension(out->cert, out->cert, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") < 0 ||
        add_extension(out->cert, out->cert, NID_key_usage, "critical,keyCertSign,cRLSign") < 0 ||
        add_extension(out->cert, out->cert, NID_subject_key_identifier, "hash") < 0)
        return -1;
    return X509_sign(out->cert, out->key, EVP_sha256()) > 0 ? 0 : -1;
}

static X509 *issue(const struct authority *authority, const char *name, EVP_PKEY *key)
{
    X509 *cert = bare_certificate(name, key, authority->valid_days);
    if (cert == NULL)
        return NULL;
    char *alternative = mem_printf("DNS:%s", name);
    bool ok = X509_set_issuer_name(cert, X509_get_subject_name(authority->cert)) == 1 &&
              add_extension(cert, authority->cert, NID_basic_constraints, "critical,CA:FALSE") == 0 &&
              add_extension(cert, authority->cert, NID_key_usage, "critical,digitalSignature") == 0 &&
              add_extension(cert, authority->cert, NID_ext_key_usage, "serverAuth,clientAuth") == 0 &&
              add_extension(cert, authority->cert, NID_subject_alt_name, alternative) == 0 &&
              add_extension(cert, authority->cert, NID_authority_key_identifier, "keyid") == 0 &&
              X509_sign(cert, authority->key, EVP_sha256()) > 0;
    free(alternative);
    if (!ok) {
        X509_free(cert);
        return NULL;
    }
    return cert;
}

/* Create directory/name with this mode and open it for writing. An old file goes first: it would keep its mode, and a
 * link would lead the key elsewhere. */
static FILE *create_file(const char *directory, const char *name, mode_t mode, char **path, struct error *err)
{
    *path = mem_printf("%s/%s", directory, name);
    unlink(*path);
    int fd = open(*path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (file == NULL) {
        error_set_errno(err, "%s", *path);
        if (fd >= 0)
            close(fd);
    }
    return file;
}

static int finish_file(FILE *file, bool written, const char *path, struct error *err)
{
    if (fclose(file) != 0 || !written)
        return error_set_errno(err, "%s: cannot be written whole", path);
    return 0;
}

static int write_certificate(const char *directory, const char *name, X509 *cert, struct error *err)
{
    char *path;
    FILE *file = create_file(directory, name, 0644, &path, err);
    int status = file ? finish_file(file, PEM_write_X509(file, cert) == 1, path, err) : -1;
    free(path);
    return status;
}

static int write_key(const char *directory, const char *name, EVP_PKEY *key, struct error *err)
{
    char *path;
    FILE *file = create_file(directory, name, 0600, &path, err);
    int status =
        file ? finish_file(file, PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL) == 1, path, err) : -1;
    free(path);
    return status;
}

static int issue_to_files(const struct authority *authority, const char *directory, const char *name, struct error *err)
{
    char *cert_name = mem_printf("%s.pem", name), *key_name = mem_printf("%s.key", name);
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *cert = key ? issue(authority, name, key) : NULL;
    char reason[256];
    int status = cert == NULL ? error_set(err, "OpenSSL cannot make a certificate for %s: %s", name,
                                          tls_reason(reason, sizeof reason))
                              : 0;
    if (status == 0)
        status = write_certificate(directory, cert_name, cert, err);
    if (status == 0)
        status = write_key(directory, key_name, key, err);
    X509_free(cert);
    EVP_PKEY_free(key);
    free(cert_name);
    free(key_name);
    return status;
}

int net_pki_create(const char *directory, uint32_t workers, int valid_days, struct error *err)
{
    struct authority authority = {0};
    char reason[256];
    ERR_clear_error();
    int status = make_authority(valid_days, &authority) < 0
                     ? error_set(err, "OpenSSL cannot make a CA: %s", tls_reason(reason, sizeof reason))
                     : write_certificate(directory, "ca.pem", authority.cert, err);
    if (status == 0)
        status = issue_to_files(&authority, directory, "ps", err);
    for (uint32_t m = 1; status == 0 && m <= workers; m++) {
        char name[32];
        snprintf(name, sizeof name, "worker%u", m);
        status = issue_to_files(&authority, directory, name, err);
    }
    X509_free(authority.cert);
    EVP_PKEY_free(authority.key);
    return status;
}
