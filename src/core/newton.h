/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The direction of a Newton step for the summed loss of all partitions, H⁻¹g with H = XᵀWX + μI, μ = Kλ. Private to
 * core. */
#ifndef LAGGARD_CORE_NEWTON_H
#define LAGGARD_CORE_NEWTON_H

#include <stddef.h>

#include "core/model.h"

struct newton;

/* Borrows model and parts. */
struct newton *newton_new(const struct model *model, const struct partition_set *parts);
void newton_free(struct newton *newton);

/* NEWTON_SINGULAR: there was curvature in some direction and it has vanished on the way; the minimum lies at infinity.
 */
enum newton_status { NEWTON_OK, NEWTON_SINGULAR, NEWTON_FAILED };

/* direction (out, d values) at theta, where the gradient of the sum is `gradient`. Where H is singular from the start,
 * the shortest one that minimises the quadratic model. */
MUST_CHECK enum newton_status newton_direction(struct newton *newton, const double *theta, const double *gradient,
                                               double *direction);

/* xᵀθ of every sample, in order, of the last newton_direction: n values, borrowed. */
const double *newton_margins(const struct newton *newton);
/* The largest |xᵀv| of all samples. */
double newton_reach(struct newton *newton, const double *v);

#endif
