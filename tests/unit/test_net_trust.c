/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who is let in by TLS, and that both sides are told why not, in words. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/identity_private.h"
#include "tests/unit/net_pair.h"

static void assert_says(const char *reason, const char *part)
{
    if (strstr(reason, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", reason, part);
}

/* The client has a connection before the server has seen its certificate (TLS 1.3), but never learns anything through it. */
static void assert_refused(const struct pair *pair, const char *server_says, const char *client_says)
{
    assert_false(pair->server.opened);
    assert_int_equal(pair->server.messages + pair->client.messages, 0);
    assert_says(pair->server.reason, server_says);
    assert_says(pair->client.reason, client_says);
}

/* As a worker does: speaks at once, while the refusal is under way. */
static void hello_at_open(struct side *side)
{
    struct wire_message hello = {.type = WIRE_HELLO};
    if (side == &side->pair->client)
        net_conn_send(side->conn, &hello);
}

static void trust__no_certificate__both_sides_are_told_so(void **state)
{
    (void)state;
    struct pair pair = {.on_open = hello_at_open};
    struct net_identity *nobody = identity("ours", "worker1", "ours");
    char *ca = pem("ours", "ca.pem");
    SSL_CTX_free(nobody->client);
    nobody->client = SSL_CTX_new(TLS_client_method());
    assert_int_equal(SSL_CTX_load_verify_locations(nobody->client, ca, NULL), 1);
    SSL_CTX_set_verify(nobody->client, SSL_VERIFY_PEER, NULL);
    free(ca);
    pair_meet(&pair, identity("ours", "ps", "ours"), nobody, "ps");
    assert_refused(&pair, "no certificate", "does not accept us without a certificate");
}

static void trust__certificate_of_a_foreign_ca__both_sides_are_told_so(void **state)
{
    (void)state;
    struct pair pair = {.on_open = hello_at_open};
    pair_meet(&pair, identity("ours", "ps", "ours"), identity("foreign", "worker1", "ours"), "ps");
    assert_refused(&pair, "certificate is not accepted: it is not from this CA",
                   "does not accept our certificate: it is not from the peer's CA");
}

static void trust__expired_certificate__both_sides_are_told_so(void **state)
{
    (void)state;
    struct pair pair = {.on_open = hello_at_open};
    pair_meet(&pair, identity("ours", "ps", "expired"), identity("expired", "worker1", "ours"), "ps");
    assert_refused(&pair, "certificate is not accepted: it has expired",
                   "does not accept our certificate: it has expired");
}

static void trust__server_of_a_foreign_ca__is_refused_by_the_client(void **state)
{
    (void)state;
    struct pair pair = {.on_open = NULL};
    pair_meet(&pair, identity("foreign", "ps", "foreign"), identity("ours", "worker1", "ours"), "ps");
    assert_false(pair.client.opened);
    assert_says(pair.client.reason, "certificate is not accepted: it is not from this CA");
    assert_says(pair.server.reason, "does not accept our certificate");
}

static void trust__server_with_another_name__is_refused_naming_both(void **state)
{
    (void)state;
    struct pair pair = {.on_open = NULL};
    pair_meet(&pair, identity("ours", "worker2", "ours"), identity("ours", "worker1", "ours"), "ps");
    assert_false(pair.client.opened);
    assert_says(pair.client.reason, "'worker2'");
    assert_says(pair.client.reason, "'ps'");
}

static void trust__plain_client_at_a_tls_server__is_refused(void **state)
{
    (void)state;
    struct pair pair = {.on_open = hello_at_open};
    pair_meet(&pair, identity("ours", "ps", "ours"), NULL, NULL);
    assert_false(pair.server.opened);
    assert_says(pair.server.reason, "TLS handshake: the peer does not speak TLS");
}

static void trust__tls_client_at_a_plain_server__does_not_open(void **state)
{
    (void)state;
    struct pair pair = {.on_open = hello_at_open};
    pair_meet(&pair, NULL, identity("ours", "worker1", "ours"), "ps");
    assert_false(pair.client.opened);
    assert_says(pair.server.reason, "protocol error at byte 0");
}

static void shut_at_open(struct side *side)
{
    if (side == &side->pair->server)
        net_conn_close(side->conn, "seen");
}

static void trust__good_certificates__each_side_knows_the_other_by_name(void **state)
{
    (void)state;
    struct pair pair = {.on_open = shut_at_open};
    pair_meet(&pair, identity("ours", "ps", "ours"), identity("ours", "worker2", "ours"), "ps");
    assert_string_equal(pair.server.peer, "worker2");
    assert_string_equal(pair.client.peer, "ps");
    assert_string_equal(pair.server.reason, "seen");
    assert_string_equal(pair.client.reason, "the peer closed the connection");
}

static void pki__keys__are_readable_by_their_owner_alone(void **state)
{
    (void)state;
    char *key = pem("ours", "worker1.key"), *none = pem("ours", "ca.key");
    struct stat status;
    assert_int_equal(stat(key, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(stat(none, &status), -1);
    free(key);
    free(none);
}

/* Files of an earlier run kept their mode, and a link in a key's place led it elsewhere. */
static void pki__old_files_and_links__are_replaced_not_written_through(void **state)
{
    (void)state;
    char *folder = pem("again", ""), *key = pem("again", "ps.key"), *other = pem("again", "worker1.key"),
         *target = pem("again", "target");
    struct stat status;
    struct error err = {{0}};
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(net_pki_create(folder, 1, 1, &err), 0);
    assert_int_equal(chmod(key, 0644), 0);
    assert_int_equal(unlink(other), 0);
    assert_int_equal(symlink(target, other), 0);
    assert_int_equal(net_pki_create(folder, 1, 1, &err), 0);
    assert_int_equal(stat(key, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(lstat(other, &status), 0);
    assert_true(S_ISREG(status.st_mode));
    assert_int_equal(stat(target, &status), -1);
    free(folder);
    free(key);
    free(other);
    free(target);
}

static void identity__key_of_another__is_an_error_that_names_the_file(void **state)
{
    (void)state;
    char *cert = pem("ours", "ps.pem"), *key = pem("ours", "worker1.key"), *ca = pem("ours", "ca.pem");
    struct error err = {{0}};
    assert_null(net_identity_load(cert, key, ca, &err));
    assert_says(err.text, "worker1.key");
    assert_null(net_identity_load("/nowhere/ps.pem", key, ca, &err));
    assert_says(err.text, "/nowhere/ps.pem");
    free(cert);
    free(key);
    free(ca);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trust__no_certificate__both_sides_are_told_so),
        cmocka_unit_test(trust__certificate_of_a_foreign_ca__both_sides_are_told_so),
        cmocka_unit_test(trust__expired_certificate__both_sides_are_told_so),
        cmocka_unit_test(trust__server_of_a_foreign_ca__is_refused_by_the_client),
        cmocka_unit_test(trust__server_with_another_name__is_refused_naming_both),
        cmocka_unit_test(trust__plain_client_at_a_tls_server__is_refused),
        cmocka_unit_test(trust__tls_client_at_a_plain_server__does_not_open),
        cmocka_unit_test(trust__good_certificates__each_side_knows_the_other_by_name),
        cmocka_unit_test(pki__keys__are_readable_by_their_owner_alone),
        cmocka_unit_test(pki__old_files_and_links__are_replaced_not_written_through),
        cmocka_unit_test(identity__key_of_another__is_an_error_that_names_the_file),
    };
    return cmocka_run_group_tests_name("net_trust", tests, make_certificates, remove_certificates);
}
