/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problems for the tests of strategies: data, model, smoothness, step and optimum, ready to run. */
#ifndef LAGGARD_TESTS_PROBLEM_H
#define LAGGARD_TESTS_PROBLEM_H

#include <stdbool.h>

#include "core/dataset.h"
#include "core/model.h"
#include "core/partition.h"

struct problem {
    struct dataset data;
    struct partition_set parts;
    struct model model;
    double *smoothness;      /* L_k */
    double whole, alpha;     /* L, 1/L */
    double *optimum, lowest; /* θ*, L(θ*) */
};

/* Complete a problem whose data are there: split into `workers` partitions of these many rows (NULL: nearly equal),
 * find the rest. */
void problem_finish(struct problem *problem, enum model_kind kind, double l2, size_t workers, const size_t *rows);
void problem_clear(struct problem *problem);

/* dataset_synthetic; seed 1 with 450 × 50 over 9 workers at 1.3 is the set of the reference numbers. */
void problem_synthetic(struct problem *problem, size_t samples, size_t features, size_t workers, double heterogeneity,
                       enum model_kind kind, double l2, uint64_t seed);

/* The real sets of the LAG comparison, from $LAGGARD_SHARED/data/lag, cut as its README says. False if they are not
 * there. */
bool problem_lag(struct problem *problem, enum model_kind kind, size_t workers);

double problem_error(const struct problem *problem, const double *theta); /* L(θ) − L* */
double problem_gradient_norm(const struct problem *problem, const double *theta);
/* For strategy_config: context is a struct problem. */
double problem_group_smoothness(void *context, const uint32_t *parts, size_t n);

#endif
