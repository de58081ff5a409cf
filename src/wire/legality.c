/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "wire/legality.h"

#include <stdint.h>

#define BIT(type) (UINT32_C(1) << (type))

/* Answers and acknowledgements of a run that has ended may still be under way: legal between runs and while the next
 * one starts. */
enum { LEFTOVERS = 1 << WIRE_ANSWER | 1 << WIRE_SKIP | 1 << WIRE_CANCELLED };

static const uint32_t legal[WIRE_ROLES][WIRE_STATES] = {
    [WIRE_ROLE_PS] =
        {
            [WIRE_STATE_GREETING] = BIT(WIRE_HELLO),
            [WIRE_STATE_JOINED] = LEFTOVERS,
            [WIRE_STATE_STARTING] = LEFTOVERS | BIT(WIRE_READY),
            [WIRE_STATE_RUNNING] = LEFTOVERS,
        },
    [WIRE_ROLE_WORKER] =
        {
            [WIRE_STATE_GREETING] = BIT(WIRE_WELCOME) | BIT(WIRE_REFUSE),
            [WIRE_STATE_JOINED] = BIT(WIRE_BEGIN) | BIT(WIRE_BYE),
            [WIRE_STATE_STARTING] = 0,
            [WIRE_STATE_RUNNING] = BIT(WIRE_THETA) | BIT(WIRE_TASK) | BIT(WIRE_CANCEL) | BIT(WIRE_END) | BIT(WIRE_BYE),
        },
};

bool wire_is_legal(enum wire_role receiver, enum wire_state state, enum wire_type type)
{
    return (unsigned)type < 32 && (legal[receiver][state] & BIT(type)) != 0;
}
