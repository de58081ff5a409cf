/* SPDX-License-Identifier: GPL-3.0-or-later */
/* θ* by Newton's method. For least squares the first step lands on it and the ones after are iterative refinement; the
 * logistic loss takes a few damped steps, then quadratic convergence. Either ends when the gradient is rounding noise.
 */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>

#include "base/mem.h"
#include "core/model.h"
#include "core/newton.h"

enum { STEPS_MAX = 200, HALVINGS_MAX = 60 };

/* Where the search stands. */
struct point {
    double loss, norm; /* L(θ), ‖∇L(θ)‖ */
    double *theta, *gradient;
};

struct search {
    const struct model *model;
    const struct partition_set *parts;
    struct newton *newton;
    size_t d;
    double scale; /* what ‖∇L‖ would be if no sample's share cancelled another's: rounding is far below it */
    struct point here, next;
    double *direction, *scratch;
};

/* Σ_n ‖x_n‖ |slope at θ = 0|; the slope is −y for least squares, ∓½ for the logistic loss. */
static double gradient_scale(const struct model *model, const struct partition_set *parts)
{
    double sum = 0;
    for (size_t k = 0; k < parts->count; k++)
        for (size_t i = 0; i < parts->part[k].n; i++) {
            const struct partition *p = &parts->part[k];
            double slope = model->kind == MODEL_LINEAR ? fabs(p->y[i]) : 0.5;
            sum += slope * cblas_dnrm2((int)p->d, p->x + i * p->d, 1);
        }
    return sum;
}

static struct point point_new(size_t d)
{
    return (struct point){.theta = mem_array(d, sizeof(double)), .gradient = mem_array(d, sizeof(double))};
}

static void search_init(struct search *search, const struct model *model, const struct partition_set *parts)
{
    size_t d = parts->part[0].d;
    *search = (struct search){.model = model, .parts = parts, .d = d, .newton = newton_new(model, parts)};
    search->scale = gradient_scale(model, parts);
    search->here = point_new(d);
    search->next = point_new(d);
    search->direction = mem_array(d, sizeof(double));
    search->scratch = mem_array(d, sizeof(double));
}

static void search_clear(struct search *search)
{
    newton_free(search->newton);
    free(search->here.theta);
    free(search->here.gradient);
    free(search->next.theta);
    free(search->next.gradient);
    free(search->direction);
    free(search->scratch);
}

static void evaluate(struct search *search, struct point *point)
{
    const int d = (int)search->d;
    point->loss = 0;
    memset(point->gradient, 0, search->d * sizeof(double));
    for (size_t k = 0; k < search->parts->count; k++) {
        point->loss += model_partition(search->model, &search->parts->part[k], point->theta, search->scratch);
        cblas_daxpy(d, 1, search->scratch, 1, point->gradient, 1);
    }
    point->norm = cblas_dnrm2(d, point->gradient, 1);
}

/* next = here − t × direction */
static void go(struct search *search, double t)
{
    memcpy(search->next.theta, search->here.theta, search->d * sizeof(double));
    cblas_daxpy((int)search->d, -t, search->direction, 1, search->next.theta, 1);
    evaluate(search, &search->next);
}

static void accept(struct search *search)
{
    struct point old = search->here;
    search->here = search->next;
    search->next = old;
}

/* Halve the step until the loss falls by what the slope promises (Armijo). */
static bool go_damped(struct search *search, double decrement)
{
    double t = 1;
    for (int i = 0; i < HALVINGS_MAX; i++, t /= 2) {
        go(search, t);
        if (search->next.loss <= search->here.loss - 1e-4 * t * decrement)
            return true;
    }
    return false;
}

/* Logistic, λ = 0: once a plane has every sample on its right side, longer is always better. */
static bool is_separated(const struct search *search)
{
    const double *z = newton_margins(search->newton);
    for (size_t k = 0; k < search->parts->count; k++) {
        const struct partition *p = &search->parts->part[k];
        for (size_t i = 0; i < p->n; i++)
            if (p->y[i] * *z++ <= 0)
                return false;
    }
    return true;
}

static int at_infinity(struct error *err)
{
    return error_set(
        err, "the logistic loss has no finite optimum: a plane separates (some of) the samples of the two classes, "
             "and l2 = 0; l2 > 0 gives one");
}

enum progress { PROGRESS_ON, PROGRESS_DONE, PROGRESS_INFINITE, PROGRESS_FAILED };

/* Half the decrement estimates what is left to gain. */
static enum progress step(struct search *search)
{
    const bool bounded = search->model->kind == MODEL_LINEAR || search->model->l2 > 0;
    enum newton_status status =
        newton_direction(search->newton, search->here.theta, search->here.gradient, search->direction);
    if (status == NEWTON_FAILED)
        return PROGRESS_FAILED;
    if (!bounded && (status == NEWTON_SINGULAR || is_separated(search)))
        return PROGRESS_INFINITE;
    double decrement = cblas_ddot((int)search->d, search->here.gradient, 1, search->direction, 1);
    bool settled = !(decrement > 1e-26 * search->here.loss);
    bool close = search->model->kind == MODEL_LINEAR || decrement < 1e-6 * search->here.loss;
    if (close) {
        go(search, 1);
        settled = settled || !(search->next.norm < 0.5 * search->here.norm);
        if (search->next.norm < search->here.norm)
            accept(search);
    } else if (go_damped(search, decrement)) {
        accept(search);
    } else {
        return PROGRESS_FAILED;
    }
    if (!settled)
        return PROGRESS_ON;
    /* On the way to infinity the margins still move by about 1 a step, however little there is left to gain. */
    return !bounded && newton_reach(search->newton, search->direction) > 0.1 ? PROGRESS_INFINITE : PROGRESS_DONE;
}

static int run(struct search *search, struct error *err)
{
    evaluate(search, &search->here);
    if (!isfinite(search->here.loss) || !isfinite(search->here.norm))
        return error_set(err,
                         "the loss at 0 is not a finite number: the features are too large; scale = standard helps");
    enum progress progress = PROGRESS_ON;
    for (int i = 0; i < STEPS_MAX && progress == PROGRESS_ON; i++)
        progress = step(search);
    if (progress == PROGRESS_DONE && search->here.norm <= 1e-9 * search->scale)
        return 0;
    if (progress == PROGRESS_INFINITE)
        return at_infinity(err);
    return error_set(
        err,
        "the optimum was not found: Newton's method stands at loss %g with a gradient of norm %g; the data may be "
        "badly scaled (scale = standard) or l2 too small",
        search->here.loss, search->here.norm);
}

int model_optimum(const struct model *model, const struct partition_set *parts, double *theta, double *loss,
                  struct error *err)
{
    struct search search;
    search_init(&search, model, parts);
    int result = run(&search, err);
    if (result == 0) {
        memcpy(theta, search.here.theta, search.d * sizeof *theta);
        *loss = model_loss(model, parts, theta);
    }
    search_clear(&search);
    return result;
}
