/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One worker as a process: connect, prove the data, compute until the PS says BYE. */
#ifndef LAGGARD_WORKER_WORKER_H
#define LAGGARD_WORKER_WORKER_H

#include <stdint.h>

#include "base/error.h"
#include "scenario/scenario.h"

struct worker_options {
    uint32_t worker;     /* 0-based */
    const char *address; /* of the PS */
    uint16_t port;
    const char *cert, *key, *ca; /* PEM files; not looked at when the scenario has TLS off */
    int64_t retry_ns;            /* try to reach the PS for so long, at the start and after a lost connection */
};

/* EXIT_DONE after BYE. Otherwise err has the reason: EXIT_RUN_FAILED when refused, not connected or cut off for longer
 * than retry_ns, or when the PS broke the protocol; EXIT_WRONG for data or certificates that cannot be read. */
enum exit_status worker_serve(const struct scenario *scenario, const struct worker_options *options, struct error *err);

#endif
