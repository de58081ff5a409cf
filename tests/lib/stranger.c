/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clients that a PS must refuse, and that laggard-worker cannot be made to be:
 *
 *   stranger version PORT CERT KEY CA WORKER VERSION   a good worker in all but the version of its HELLO
 *   stranger no-certificate PORT CA                    TLS 1.3 without a certificate of its own
 *
 * Prints the reason that it was refused with and exits with 0; with 1 if it was not refused. */
#include "config.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "net/net.h"

struct stranger {
    struct net_loop *loop;
    uint32_t worker;
    uint8_t version;
    bool refused;
};

static void on_open(struct net_conn *conn, void *context)
{
    const struct stranger *stranger = context;
    struct wire_message hello = {.type = WIRE_HELLO, .version = stranger->version, .u.hello.worker = stranger->worker};
    net_conn_send(conn, &hello);
}

static void on_message(struct net_conn *conn, const struct wire_message *message, size_t bytes, void *context)
{
    struct stranger *stranger = context;
    (void)conn;
    (void)bytes;
    if (message->type == WIRE_REFUSE) {
        stranger->refused = true;
        printf("%s\n", message->u.refuse.reason);
    }
}

static void on_closed(struct net_conn *conn, const char *reason, void *context)
{
    struct stranger *stranger = context;
    (void)conn;
    if (!stranger->refused)
        printf("closed: %s\n", reason);
    net_loop_stop(stranger->loop);
}

static int speak_version(char **argv)
{
    static const struct net_handlers handlers = {on_open, on_message, on_closed};
    struct stranger stranger = {.worker = (uint32_t)atoi(argv[6]) - 1, .version = (uint8_t)atoi(argv[7])};
    struct error err;
    struct net_identity *identity = net_identity_load(argv[3], argv[4], argv[5], &err);
    if (identity == NULL) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_WRONG;
    }
    stranger.loop = net_loop_new();
    struct net_conn *conn =
        net_connect(stranger.loop, "127.0.0.1", (uint16_t)atoi(argv[2]), identity, "ps", &handlers, &stranger, &err);
    if (conn != NULL)
        net_loop_run(stranger.loop);
    net_loop_free(stranger.loop);
    net_identity_free(identity);
    return stranger.refused ? EXIT_DONE : EXIT_RUN_FAILED;
}

static int connect_to(uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) < 0) {
        perror("connect");
        exit(EXIT_WRONG);
    }
    return fd;
}

/* In TLS 1.3 the client's handshake is over before the server has missed the certificate: the alert comes with the
 * first read. */
static int show_nothing(char **argv)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (context == NULL || SSL_CTX_load_verify_locations(context, argv[3], NULL) != 1)
        return EXIT_WRONG;
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    SSL *ssl = SSL_new(context);
    int fd = connect_to((uint16_t)atoi(argv[2]));
    char byte;
    SSL_set_fd(ssl, fd);
    bool refused = SSL_connect(ssl) != 1 || SSL_read(ssl, &byte, 1) <= 0;
    printf("%s\n", ERR_reason_error_string(ERR_peek_error()));
    SSL_free(ssl);
    SSL_CTX_free(context);
    close(fd);
    return refused ? EXIT_DONE : EXIT_RUN_FAILED;
}

int main(int argc, char **argv)
{
    if (argc == 8 && strcmp(argv[1], "version") == 0)
        return speak_version(argv);
    if (argc == 4 && strcmp(argv[1], "no-certificate") == 0)
        return show_nothing(argv);
    fprintf(stderr, "usage: see the head of stranger.c\n");
    return EXIT_WRONG;
}
