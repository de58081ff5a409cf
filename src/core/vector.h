/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The few loops over d values that strategies and workers need. Plain loops, in index order: unlike a BLAS's, their
 * rounding does not depend on the processor. */
#ifndef LAGGARD_CORE_VECTOR_H
#define LAGGARD_CORE_VECTOR_H

#include <stddef.h>

void vector_zero(double *y, size_t d);
void vector_copy(double *y, const double *x, size_t d);
void vector_add(double *y, double a, const double *x, size_t d); /* y += a x */
void vector_subtract(double *y, const double *x, size_t d);      /* y −= x */
/* y += a (x − z) */
void vector_add_difference(double *y, double a, const double *x, const double *z, size_t d);
double vector_square(const double *x, size_t d);                           /* ‖x‖² */
double vector_distance_square(const double *x, const double *y, size_t d); /* ‖x − y‖² */

#endif
