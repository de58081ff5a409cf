/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Boot the guest kernel once, and ask from inside what it can do. */
#ifndef LAGGARD_BED_DOCTOR_GUEST_H
#define LAGGARD_BED_DOCTOR_GUEST_H

#include "base/error.h"

/* features: out, bits as features_try gives them; release: out, of the guest's kernel. 0, or -1 when it could not be
 * booted. */
enum { GUEST_RELEASE_MAX = 64 };
MUST_CHECK int doctor_guest_boot(const char *kernel, const char *self, unsigned *features,
                                 char release[GUEST_RELEASE_MAX], struct error *err);

#endif
