/* SPDX-License-Identifier: GPL-3.0-or-later */
/* [problem] to matrix: read (with classes and limit), then signs, centre, scale, order, split. The order of these steps
 * is part of what a scenario means. */
#include "config.h"

#include "input/input.h"

#include <stdlib.h>

/* What `samples` and `features` mean for synthetic data when they are not given. */
enum { SYNTHETIC_SAMPLES = 450, SYNTHETIC_FEATURES = 50 };

static const size_t file_max = (size_t)1 << 31;

static int load_synthetic(const struct scenario *scenario, struct dataset *out, struct error *err)
{
    const struct problem *p = &scenario->problem;
    return dataset_synthetic(p->samples ? p->samples : SYNTHETIC_SAMPLES,
                             p->features ? p->features : SYNTHETIC_FEATURES, scenario->cluster.workers,
                             p->heterogeneity, p->model == MODEL_LOGISTIC, scenario->seed, out, err);
}

static int load_text(const struct problem *p, struct dataset *out, struct error *err)
{
    size_t len;
    char *bytes = input_read_file(p->path, file_max, &len, err);
    if (bytes == NULL)
        return -1;
    int result = p->source == DATA_CSV
                     ? dataset_parse_csv(p->path, bytes, len, &p->classes, p->samples, out, err)
                     : dataset_parse_libsvm(p->path, bytes, len, p->features, &p->classes, p->samples, out, err);
    free(bytes);
    return result;
}

static int load_idx(const struct problem *p, struct dataset *out, struct error *err)
{
    size_t images_len, labels_len;
    int result = -1;
    char *images = input_read_file(p->path, file_max, &images_len, err);
    char *labels = images ? input_read_file(p->labels_path, file_max, &labels_len, err) : NULL;
    if (labels != NULL)
        result = dataset_parse_idx(p->path, images, images_len, p->labels_path, labels, labels_len, &p->classes,
                                   p->samples, out, err);
    free(labels);
    free(images);
    return result;
}

/* Fewer samples than the scenario asks for would be another experiment. */
static int check_count(const struct problem *p, const struct dataset *data, struct error *err)
{
    if (p->source == DATA_SYNTHETIC || data->n >= p->samples)
        return 0;
    return error_set(err, "%s: %zu samples%s, but samples = %zu; at most %zu are possible", p->path, data->n,
                     p->classes.given ? " of these classes" : "", p->samples, data->n);
}

static int load(const struct scenario *scenario, struct dataset *out, struct error *err)
{
    const struct problem *p = &scenario->problem;
    int result = -1;
    switch (p->source) {
    case DATA_SYNTHETIC:
        result = load_synthetic(scenario, out, err);
        break;
    case DATA_CSV:
    case DATA_LIBSVM:
        result = load_text(p, out, err);
        break;
    case DATA_IDX:
        result = load_idx(p, out, err);
        break;
    }
    return result < 0 ? -1 : check_count(p, out, err);
}

static void prepare(const struct scenario *scenario, struct dataset *data)
{
    const struct problem *p = &scenario->problem;
    if (p->model == MODEL_LOGISTIC && !p->classes.given)
        dataset_make_signs(data);
    if (p->center)
        dataset_center(data);
    dataset_scale(data, p->scale);
    dataset_order(data, p->order, scenario->seed);
}

int input_load(const struct scenario *scenario, struct input *out, struct error *err)
{
    *out = (struct input){.model = {scenario->problem.model, scenario->problem.l2}};
    if (load(scenario, &out->data, err) < 0)
        goto fail;
    prepare(scenario, &out->data);
    if (partition_split(&out->data, scenario->cluster.workers, &out->parts, err) < 0)
        goto fail;
    return 0;
fail:
    input_clear(out);
    return -1;
}

void input_clear(struct input *input)
{
    partition_set_clear(&input->parts);
    dataset_clear(&input->data);
}
