/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LAGGARD_NET_IDENTITY_PRIVATE_H
#define LAGGARD_NET_IDENTITY_PRIVATE_H

#include <openssl/ssl.h>

/* One context a role: purposes of certificates are checked per role. Counted: connections outlive the caller's
 * reference. */
struct net_identity {
    SSL_CTX *server, *client;
};

#endif
