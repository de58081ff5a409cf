/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which message may arrive at whom in which state: one table, walked whole by a test (laggard-protocol(7), "States").
 */
#ifndef LAGGARD_WIRE_LEGALITY_H
#define LAGGARD_WIRE_LEGALITY_H

#include <stdbool.h>

#include "wire/message.h"

enum wire_role { WIRE_ROLE_PS, WIRE_ROLE_WORKER };

/* Of one connection, as its receiver sees it. */
enum wire_state {
    WIRE_STATE_GREETING, /* PS: no HELLO yet. Worker: HELLO sent, no WELCOME yet */
    WIRE_STATE_JOINED,   /* between runs */
    WIRE_STATE_STARTING, /* PS: BEGIN sent, no READY yet (a worker passes from JOINED to RUNNING at once) */
    WIRE_STATE_RUNNING   /* a run is on */
};
enum { WIRE_ROLES = WIRE_ROLE_WORKER + 1, WIRE_STATES = WIRE_STATE_RUNNING + 1 };

bool wire_is_legal(enum wire_role receiver, enum wire_state state, enum wire_type type);

#endif
