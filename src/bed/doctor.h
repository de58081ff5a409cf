/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What this machine can do for a bed: each thing is tried, in processes and namespaces that are gone afterwards. */
#ifndef LAGGARD_BED_DOCTOR_H
#define LAGGARD_BED_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

enum finding_state {
    FINDING_WORKS,
    FINDING_DIFFERENT, /* works differently: the text says what laggard does about it */
    FINDING_MISSING    /* the text has the command that mends it */
};

/* One line. */
struct finding {
    const char *what; /* static */
    enum finding_state state;
    char *text; /* owned */
};

struct doctor {
    size_t n;
    struct finding *finding;
    bool host_runs, guest_runs; /* can a shaped bed run on the host's kernel, in the guest kernel? */
};

/* self: the absolute path of a program that calls doctor_guest when it is run as `self doctor --guest`; the guest
 * kernel is booted with it as its first process. NULL: the guest is not booted. Takes about three seconds. */
void doctor_examine(struct doctor *doctor, const char *self);
void doctor_clear(struct doctor *doctor);

/* The other end, inside the guest: load modules, try, say what works on stdout, power off. */
void doctor_guest(void) NO_RETURN;

#endif
