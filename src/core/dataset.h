/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples in memory, and the formats that they come in. Bytes in, matrix out: reading files is input/'s. */
#ifndef LAGGARD_CORE_DATASET_H
#define LAGGARD_CORE_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* n samples of d features: x is n × d row-major, y has n labels. Owned by the struct. */
struct dataset {
    size_t n, d;
    double *x, *y;
};

/* Limits that a size read from a file must meet (the error says so). */
enum {
    DATASET_SAMPLES_MAX = 50 * 1000 * 1000,
    DATASET_FEATURES_MAX = 10 * 1000 * 1000,
    DATASET_VALUES_MAX = 1 << 28 /* n × d: 2 GiB */
};

void dataset_clear(struct dataset *data);

/* Two labels to keep (others are dropped): which[0] becomes +1, which[1] −1. With given = false all samples are kept
 * and, for the logistic model, labels ≤ 0 become −1 and others +1 (dataset_make_signs). */
struct class_pair {
    bool given;
    double which[2];
};

/* Parsers. name stands in errors ("file:line: …"); limit = 0 keeps every sample, otherwise the first `limit` that pass
 * the class filter. On error *out is cleared. Gzip bytes are recognised by their magic and inflated (IDX), only as far
 * as the samples asked for need. */
MUST_CHECK int dataset_parse_csv(const char *name, const char *bytes, size_t len, const struct class_pair *classes,
                                 size_t limit, struct dataset *out, struct error *err);
/* features = 0: as many as the largest index. */
MUST_CHECK int dataset_parse_libsvm(const char *name, const char *bytes, size_t len, size_t features,
                                    const struct class_pair *classes, size_t limit, struct dataset *out,
                                    struct error *err);
/* Pixels are divided by 255. */
MUST_CHECK int dataset_parse_idx(const char *images_name, const void *images, size_t images_len,
                                 const char *labels_name, const void *labels, size_t labels_len,
                                 const struct class_pair *classes, size_t limit, struct dataset *out,
                                 struct error *err);

/* The synthetic sets of laggard-scenario(5): partition m's smoothness is (h^(m−1) + 1)². samples = partitions ×
 * features and partitions ≤ features: the exact recipe of the LAG comparison (X_m = I + h^(m−1) q_m q_mᵀ, Lehmer
 * generator started at 2018
 * + (seed − 1), so that seed 1 is the published set); else Gaussian rows from (seed, partition), scaled to that
 * smoothness, labels Xθ° + 0.1 × noise. Logistic: labels are the signs of these. */
MUST_CHECK int dataset_synthetic(size_t samples, size_t features, size_t partitions, double heterogeneity,
                                 bool logistic, uint64_t seed, struct dataset *out, struct error *err);

void dataset_make_signs(struct dataset *data);

enum data_scale { SCALE_NONE, SCALE_UNIT, SCALE_STANDARD }; /* none; each sample's norm 1; each feature's σ 1 */
enum data_order { ORDER_FILE, ORDER_NORM, ORDER_LABEL, ORDER_SHUFFLE }; /* norm: ascending ‖x‖, ties by position */

void dataset_center(struct dataset *data); /* subtract each feature's mean */
void dataset_scale(struct dataset *data, enum data_scale scale);
void dataset_order(struct dataset *data, enum data_order order, uint64_t seed);

#endif
