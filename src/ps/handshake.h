/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is this the worker that it says it is, and does it have our data? No sockets: a HELLO against the facts. */
#ifndef LAGGARD_PS_HANDSHAKE_H
#define LAGGARD_PS_HANDSHAKE_H

#include "ps/facts.h"

/* Check a HELLO: version, worker number, certificate's name (peer_name; not looked at without tls), dimension, and for
 * every partition that the worker must store, by any strategy of the scenario, SHA-256 and L_k. -1: err is the reason
 * to refuse it with, in words for both logs. */
MUST_CHECK int handshake_check(const struct facts *facts, bool tls, const char *peer_name,
                               const struct wire_message *hello, struct error *err);

#endif
