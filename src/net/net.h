/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Connections: one TLS 1.3 (or, for comparison, plain) TCP connection that carries frames, on a libevent loop. The only
 * layer that knows libevent or OpenSSL; ps/ and worker/ see loops, timers, listeners and connections through this
 * header alone.
 *
 * Callbacks only mark a connection closed; it is freed from the loop afterwards. A peer that breaks the protocol, is too
 * slow to connect (10 s) or in a handshake (10 s), or for whom more than 64 MiB have been waiting behind the frame that is
 * being sent for 60 s, is closed with a reason. Reasons are sentences for people: "the peer's certificate is not accepted:
 * it has expired (…)", "the peer does not accept our certificate: …", "protocol error at byte 4096: …". Memory that OpenSSL
 * does not get closes the connection it was for. */
#ifndef LAGGARD_NET_NET_H
#define LAGGARD_NET_NET_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "wire/message.h"

/* ── loop ── */
struct net_loop;
struct net_timer;
struct net_watch;

struct net_loop *net_loop_new(void);
void net_loop_free(struct net_loop *loop); /* everything on it must have been freed */
void net_loop_run(struct net_loop *loop);  /* until net_loop_stop */
void net_loop_stop(struct net_loop *loop);

/* A timer at an absolute time (CLOCK_MONOTONIC ns); setting it again moves it. */
struct net_timer *net_timer_new(struct net_loop *loop, void (*fired)(void *context), void *context);
void net_timer_at(struct net_timer *timer, int64_t at_ns);
void net_timer_cancel(struct net_timer *timer);
void net_timer_free(struct net_timer *timer);

/* Call `ready` whenever fd is readable (level-triggered). fd stays the caller's. Also for signals: net_watch_signal. */
struct net_watch *net_watch_fd(struct net_loop *loop, int fd, void (*ready)(void *context), void *context);
struct net_watch *net_watch_signal(struct net_loop *loop, int signal, void (*ready)(void *context), void *context);
void net_watch_free(struct net_watch *watch);

/* Run `work` from the loop again and again when no I/O is waiting, until it returns false: computing in chunks. One at
 * a time. */
void net_loop_idle(struct net_loop *loop, bool (*work)(void *context), void *context);

/* ── identity ── */
/* Certificate, key and CA of one node. The identity is in the certificate's subject: CN=ps or CN=worker3 (people's
 * numbering). */
struct net_identity;
/* Three PEM files. */
MUST_CHECK struct net_identity *net_identity_load(const char *cert, const char *key, const char *ca, struct error *err);
void net_identity_free(struct net_identity *identity);
/* A CA of its own and certificates for ps and worker1..M, written to directory as ca.pem, ps.pem, ps.key, worker1.pem,
 * … (keys mode 0600). ECDSA P-256. The CA's key is never written. valid_days as asked. */
MUST_CHECK int net_pki_create(const char *directory, uint32_t workers, int valid_days, struct error *err);

/* "3.0.15", "2.1.12-stable": what runs, not what was compiled against. */
const char *net_openssl_version(void);
const char *net_libevent_version(void);

/* SHA-256 of bytes. */
void net_sha256(const void *bytes, size_t len, uint8_t out[WIRE_HASH_BYTES]);

/* ── connections ── */
struct net_conn;
struct net_frame; /* one immutable encoded frame, counted: each output queue that holds it has a reference */

struct net_handlers {
    /* TCP and TLS are up and the peer's certificate has been verified. */
    void (*open)(struct net_conn *conn, void *context);
    /* A whole message; valid during the call. bytes: its size as framed. */
    void (*message)(struct net_conn *conn, const struct wire_message *message, size_t bytes, void *context);
    /* The connection is closed, once, for this reason (never called for net_conn_free). The conn is freed after the
     * call. */
    void (*closed)(struct net_conn *conn, const char *reason, void *context);
};

/* Listen; identity NULL: plain TCP. accepted: a new connection, to which handlers must be given at once by
 * net_conn_handle. */
struct net_listener;
MUST_CHECK struct net_listener *net_listen(struct net_loop *loop, const char *address, uint16_t port,
                                           struct net_identity *identity,
                                           void (*accepted)(struct net_conn *conn, void *context), void *context,
                                           struct error *err);
uint16_t net_listener_port(const struct net_listener *listener);
void net_listener_free(struct net_listener *listener);

/* Connect (returns at once; open or closed follows). expect: the CN that the peer must have ("ps"). The source address
 * is the kernel's choice. */
MUST_CHECK struct net_conn *net_connect(struct net_loop *loop, const char *address, uint16_t port,
                                        struct net_identity *identity, const char *expect,
                                        const struct net_handlers *handlers, void *context, struct error *err);
void net_conn_handle(struct net_conn *conn, const struct net_handlers *handlers, void *context);
void net_conn_free(struct net_conn *conn); /* abort, from outside its callbacks or in them */
/* Send what is queued, then close: closed() comes when the peer has closed, too, or when for 5 s nothing more has arrived
 * there. No more messages come in. A connection that is not open yet is closed at once. */
void net_conn_close(struct net_conn *conn, const char *reason);

const char *net_conn_peer_name(const struct net_conn *conn); /* CN of the peer's certificate; "" without TLS */
const char *net_conn_address(const struct net_conn *conn);   /* "10.0.0.2:4711" */

struct net_frame *net_frame_new(const struct wire_message *message); /* one reference */
struct net_frame *net_frame_ref(struct net_frame *frame);
void net_frame_unref(struct net_frame *frame);
size_t net_frame_bytes(const struct net_frame *frame);

void net_conn_send_frame(struct net_conn *conn, struct net_frame *frame);        /* takes a reference of its own */
size_t net_conn_send(struct net_conn *conn, const struct wire_message *message); /* returns bytes as framed */

/* Bytes that wait in the queue: for who would rather wait than have more queued. */
size_t net_conn_queued(const struct net_conn *conn);

struct net_counts {
    uint64_t frames_in, frames_out;
    uint64_t payload_in, payload_out; /* bytes as framed, out when queued */
    uint64_t raw_in, raw_out;         /* bytes on the TCP stream: TLS records and handshake included */
};
void net_conn_counts(const struct net_conn *conn, struct net_counts *out);

/* TCP_INFO of the connection. */
struct net_tcp_info {
    uint32_t rtt_us, rttvar_us, min_rtt_us, retransmits, mss;
    uint64_t delivery_rate_bps;
};
int net_conn_tcp_info(const struct net_conn *conn, struct net_tcp_info *out);

#endif
