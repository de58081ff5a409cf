/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the strategies share: the books of a round, slots for answers and the trigger at the PS (strategy_common.c),
 * groups (strategy_group.c), and the coded round of gc and lagc (strategy_coded.c). Nobody else includes this. */
#ifndef LAGGARD_CORE_STRATEGY_PRIVATE_H
#define LAGGARD_CORE_STRATEGY_PRIVATE_H

#include "core/strategy.h"
#include "core/theta.h"

extern const struct strategy_ops strategy_gd, strategy_gc, strategy_grouping, strategy_lag_wk, strategy_lag_ps,
    strategy_lagc, strategy_g_lag;

/* Every strategy begins with one of these. */
struct strategy {
    const struct strategy_ops *ops;
    struct strategy_config config; /* smoothness is our copy, or NULL; xi is never NAN */
    double *smoothness;

    /* The round in hand. */
    uint32_t round, selected, answers; /* answers taken */
    bool open;                         /* between plan and finish */
    bool done;                         /* it can end */
    bool *contacted, *answered, *lost; /* M flags each */

    struct plan plan;
    struct task *tasks;   /* M */
    uint32_t *task_parts; /* M × width: each task's partitions, and weights */
    double *task_weights;
    uint32_t width;

    double **slot; /* M, each NULL or d values: answers or last gradients, as each strategy says */
};

/* For create: config is copied; width: partitions in a task at most; xi: the strategy's own ξ times D. */
void strategy_init(struct strategy *strategy, const struct strategy_ops *ops, const struct strategy_config *config,
                   uint32_t width, double xi);
void strategy_clear(struct strategy *strategy);

/* What every strategy asks of its config; then what those with a trigger, and with groups, ask. */
MUST_CHECK int strategy_check_common(const struct strategy_config *config, struct error *err);
MUST_CHECK int strategy_check_lazy(const struct strategy_config *config, struct error *err);
MUST_CHECK int strategy_check_groups(const struct strategy_config *config, struct error *err);
/* For create: the step, too, and L_k where the trigger needs them. */
MUST_CHECK int strategy_check_step(const struct strategy_config *config, bool smoothness, struct error *err);

/* For plan: begin a round, contact workers in ascending order, give each its partitions. */
void strategy_begin(struct strategy *strategy, uint32_t round, const bool *lost);
struct task *strategy_contact(struct strategy *strategy, uint32_t worker, enum task_op op, double threshold);
void strategy_assign(struct strategy *strategy, struct task *task, uint32_t part, double weight);

/* For offer: judge an answer. OFFER_MORE: a first answer of this round, now in the books; anything else is to be
 * returned. */
enum offer strategy_take(struct strategy *strategy, const struct answer *answer);
/* d values for number k; zero when first asked for. */
double *strategy_slot(struct strategy *strategy, uint32_t k);

/* Answers that may still come: contacted, not answered, not lost. */
bool strategy_awaits(const struct strategy *strategy, uint32_t worker);

/* One worker a partition, all contacted must answer (gd, lag-wk, lag-ps). */
uint32_t strategy_stored_own(const struct strategy_config *config, uint32_t worker, uint32_t *parts);
enum offer strategy_all_in(struct strategy *strategy); /* OFFER_DONE if so, else OFFER_MORE */
bool strategy_lacks_any(const struct strategy *strategy);
/* lose, for every strategy. */
enum offer strategy_lose(struct strategy *strategy, uint32_t worker);
uint32_t strategy_selected(const struct strategy *strategy);
/* Σ_k slot k, k < n ascending, those never written left out. */
void strategy_sum_slots(const struct strategy *strategy, uint32_t n, double *sum);
/* finish where slot m is what the PS has of worker m's gradient: the sum of all; every answer was used, a skip as well
 * (it says that the gradient in hand will do). */
void strategy_finish_all(struct strategy *strategy, double *gradient, bool *used);

/* Groups: the r workers of group g are g r … g r + r − 1, and slot g is the group's last gradient. */
bool strategy_lacks_group(const struct strategy *strategy); /* a group has lost all its workers */
struct race {
    uint32_t groups, awaited; /* groups that must still answer in this round */
    uint32_t *winner;         /* per group: who answered for it, valid if heard */
    bool *heard;
};
void race_init(struct race *race, const struct strategy_config *config);
void race_clear(struct race *race);
/* After strategy_begin: `awaited` groups must answer; those contacted are the strategy's business. */
void race_begin(struct race *race, struct strategy *strategy, uint32_t awaited);
enum offer race_offer(struct race *race, struct strategy *strategy, const struct answer *answer);
bool race_needs(const struct race *race, const struct strategy *strategy, uint32_t worker);
void race_finish(const struct race *race, struct strategy *strategy, double *gradient, bool *used);

/* The trigger at the PS: n things (workers, partitions, groups), each with a smoothness and the iterate of its last
 * gradient. */
struct lazy {
    uint32_t n;
    size_t d;
    double *smoothness;
    struct theta **hat;
    bool *selected; /* n flags */
};
void lazy_init(struct lazy *lazy, uint32_t n, size_t d); /* smoothness is zero: fill it in */
void lazy_clear(struct lazy *lazy);
/* Select by L² ‖θ̂ − θ^i‖² > threshold, or all; θ̂ of the selected becomes θ^i. Returns how many. */
uint32_t lazy_select(struct lazy *lazy, uint32_t round, const double *theta, double threshold, bool all);

/* A coded round: workers answer with combinations of their selected partitions; it ends when those in hand decode. */
struct coded {
    struct code *code;
    struct code_span *span;
    bool *column;        /* M: selected partitions */
    const bool *columns; /* column, or NULL if all are selected */
    uint32_t *row, n;    /* who answered, in the order of arrival */
    double *weight;      /* of row[], once decoded */
};
MUST_CHECK int coded_check(const struct strategy_config *config, struct error *err);
uint32_t coded_stored(const struct strategy_config *config, uint32_t worker, uint32_t *parts);
MUST_CHECK int coded_init(struct coded *coded, const struct strategy_config *config, struct error *err);
void coded_clear(struct coded *coded);
/* Plan the round: contact every worker left that stores a selected partition (M flags). */
void coded_plan(struct coded *coded, struct strategy *strategy, const bool *selected, enum task_op op);
enum offer coded_offer(struct coded *coded, struct strategy *strategy, const struct answer *answer);
bool coded_is_stuck(const struct coded *coded, const struct strategy *strategy);
/* Add the decoded sum to `sum`, rows in index order; which answers it used. */
void coded_add(const struct coded *coded, const struct strategy *strategy, double *sum, bool *used);

#endif
