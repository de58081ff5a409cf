/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parameter server as a whole: for each repeat, each strategy of a scenario over the workers that connect. */
#ifndef LAGGARD_PS_PS_H
#define LAGGARD_PS_PS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "scenario/scenario.h"

struct ps_options {
    const char *address;         /* to listen on */
    uint16_t port;               /* 0: any */
    const char *cert, *key, *ca; /* PEM files; not looked at when the scenario has TLS off */
    const char *output;          /* directory for the results; NULL: none are written */
    int control_fd;              /* ps/control.h; −1: none */
    bool every_round;            /* tell the controller of every round */
};

/* Serve until all runs are over, or the end is asked for (controller, SIGINT, SIGTERM). Once it listens, "listening on
 * ADDRESS:PORT" stands on stdout. err has a sentence when the result is not EXIT_DONE. */
enum exit_status ps_serve(const struct scenario *scenario, const struct ps_options *options, struct error *err);

#endif
