/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "tests/unit/problem.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/vector.h"
#include "tests/unit/shared_data.h"

/* A test cannot go on without its problem. */
static void must(int status, const struct error *err)
{
    if (status == 0)
        return;
    fprintf(stderr, "problem: %s\n", err->text);
    abort();
}

double problem_group_smoothness(void *context, const uint32_t *parts, size_t n)
{
    const struct problem *problem = context;
    return model_smoothness(&problem->model, &problem->parts, parts, n);
}

static void split_unequal(struct problem *problem, size_t workers, const size_t *rows)
{
    problem->parts.count = workers;
    problem->parts.part = mem_array(workers, sizeof *problem->parts.part);
    size_t at = 0, d = problem->data.d;
    for (size_t k = 0; k < workers; at += rows[k++])
        problem->parts.part[k] =
            (struct partition){.n = rows[k], .d = d, .x = problem->data.x + at * d, .y = problem->data.y + at};
    assert(at == problem->data.n);
}

void problem_finish(struct problem *problem, enum model_kind kind, double l2, size_t workers, const size_t *rows)
{
    struct error err = {""};
    problem->model = (struct model){kind, l2};
    if (rows != NULL)
        split_unequal(problem, workers, rows);
    else
        must(partition_split(&problem->data, workers, &problem->parts, &err), &err);
    uint32_t *all = mem_array(workers, sizeof *all);
    problem->smoothness = mem_array(workers, sizeof *problem->smoothness);
    for (uint32_t k = 0; k < workers; k++) {
        all[k] = k;
        problem->smoothness[k] = model_smoothness(&problem->model, &problem->parts, &k, 1);
    }
    problem->whole = model_smoothness(&problem->model, &problem->parts, all, workers);
    problem->alpha = 1 / problem->whole;
    free(all);
    problem->optimum = mem_array(problem->data.d, sizeof *problem->optimum);
    must(model_optimum(&problem->model, &problem->parts, problem->optimum, &problem->lowest, &err), &err);
}

void problem_clear(struct problem *problem)
{
    free(problem->optimum);
    free(problem->smoothness);
    partition_set_clear(&problem->parts);
    dataset_clear(&problem->data);
}

void problem_synthetic(struct problem *problem, size_t samples, size_t features, size_t workers, double heterogeneity,
                       enum model_kind kind, double l2, uint64_t seed)
{
    struct error err = {""};
    must(dataset_synthetic(samples, features, workers, heterogeneity, kind == MODEL_LOGISTIC, seed, &problem->data,
                           &err),
         &err);
    problem_finish(problem, kind, l2, workers, NULL);
}

/* Append `blocks` consecutive blocks of ⌊rows/blocks⌋ samples, the first d features of each. */
static void append_blocks(struct problem *problem, const struct dataset *from, size_t blocks, size_t *at, size_t *sizes)
{
    size_t d = problem->data.d, rows = from->n / blocks;
    for (size_t block = 0; block < blocks; block++)
        *sizes++ = rows;
    for (size_t row = 0; row < rows * blocks; row++, ++*at) {
        memcpy(problem->data.x + *at * d, from->x + row * from->d, d * sizeof(double));
        problem->data.y[*at] = from->y[row];
    }
}

bool problem_lag(struct problem *problem, enum model_kind kind, size_t workers)
{
    static const char *const files[2][3] = {{"housing", "bodyfat", "abalone"}, {"ionosphere", "adult", "derm"}};
    struct error err = {""};
    struct dataset sets[3] = {{0}};
    size_t blocks = workers / 3, at = 0, *sizes = mem_array(workers, sizeof *sizes);
    bool there = true;
    for (int k = 0; k < 3; k++) {
        char *name = mem_printf("data/lag/%s.csv", files[kind == MODEL_LOGISTIC][k]);
        size_t len = 0;
        char *bytes = read_shared(name, &len);
        there = there && bytes != NULL;
        if (bytes != NULL)
            must(dataset_parse_csv(name, bytes, len, NULL, 0, &sets[k], &err), &err);
        free(bytes);
        free(name);
    }
    if (there) {
        size_t n = sets[0].n + sets[1].n + sets[2].n, d = kind == MODEL_LOGISTIC ? 34 : 8;
        problem->data =
            (struct dataset){.d = d, .x = mem_array(n * d, sizeof(double)), .y = mem_array(n, sizeof(double))};
        for (int k = 0; k < 3; k++)
            append_blocks(problem, &sets[k], blocks, &at, sizes + (size_t)k * blocks);
        problem->data.n = at;
        if (kind == MODEL_LOGISTIC)
            dataset_make_signs(&problem->data);
        problem_finish(problem, kind, kind == MODEL_LOGISTIC ? 1e-4 : 0, workers, sizes);
    }
    for (int k = 0; k < 3; k++)
        dataset_clear(&sets[k]);
    free(sizes);
    return there;
}

double problem_error(const struct problem *problem, const double *theta)
{
    return model_loss(&problem->model, &problem->parts, theta) - problem->lowest;
}

double problem_gradient_norm(const struct problem *problem, const double *theta)
{
    size_t d = problem->data.d;
    double *sum = mem_array(d, sizeof *sum), *one = mem_array(d, sizeof *one);
    for (size_t k = 0; k < problem->parts.count; k++) {
        model_partition(&problem->model, &problem->parts.part[k], theta, one);
        vector_add(sum, 1, one, d);
    }
    double norm = sqrt(vector_square(sum, d));
    free(one);
    free(sum);
    return norm;
}
