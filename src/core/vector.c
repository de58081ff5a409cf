/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/vector.h"

#include <string.h>

void vector_zero(double *y, size_t d)
{
    memset(y, 0, d * sizeof *y);
}

void vector_copy(double *y, const double *x, size_t d)
{
    memcpy(y, x, d * sizeof *y);
}

void vector_add(double *y, double a, const double *x, size_t d)
{
    for (size_t j = 0; j < d; j++)
        y[j] += a * x[j];
}

void vector_subtract(double *y, const double *x, size_t d)
{
    for (size_t j = 0; j < d; j++)
        y[j] -= x[j];
}

void vector_add_difference(double *y, double a, const double *x, const double *z, size_t d)
{
    for (size_t j = 0; j < d; j++)
        y[j] += a * (x[j] - z[j]);
}

double vector_square(const double *x, size_t d)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++)
        sum += x[j] * x[j];
    return sum;
}

double vector_distance_square(const double *x, const double *y, size_t d)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++)
        sum += (x[j] - y[j]) * (x[j] - y[j]);
    return sum;
}
