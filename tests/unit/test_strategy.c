/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strategies as state machines: what each makes of duplicate, late, stray and redundant answers, of skips and losses;
 * configs that cannot be; the table. Vectors are one number here: worker m always answers m + 1. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/strategy.h"
#include "tests/unit/cmocka_all.h"

enum { M = 6 };

static double smoothness[M] = {1, 9, 2, 8, 3, 7};
static const bool nobody_lost[M];

static double sum_of_smoothness(void *context, const uint32_t *parts, size_t n)
{
    (void)context;
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += smoothness[parts[j]];
    return sum;
}

static struct strategy_config config(uint32_t r)
{
    return (struct strategy_config){.workers = M,
                                    .partitions = M,
                                    .redundancy = r,
                                    .d = 1,
                                    .alpha = 0.1,
                                    .history = 10,
                                    .xi = NAN,
                                    .seed = 1,
                                    .smoothness = smoothness,
                                    .group_smoothness = sum_of_smoothness};
}

/* A strategy and its history, ready for round after round. */
struct bench {
    const struct strategy_ops *ops;
    struct strategy *strategy;
    struct history history;
    const struct plan *plan;
    double theta, gradient;
    bool used[M];
};

static struct bench open_bench(const char *name, uint32_t r)
{
    struct error err = {""};
    struct bench bench = {.ops = strategy_find(name)};
    struct strategy_config c = config(r);
    bench.strategy = bench.ops->create(&c, &err);
    if (bench.strategy == NULL)
        fail_msg("%s: %s", name, err.text);
    history_init(&bench.history, 10);
    return bench;
}

static void close_bench(struct bench *bench)
{
    bench->ops->destroy(bench->strategy);
    history_clear(&bench->history);
}

static void plan(struct bench *bench, uint32_t round, const bool *lost)
{
    bench->plan = bench->ops->plan(bench->strategy, round, &bench->theta, &bench->history, lost);
}

static enum offer answer(struct bench *bench, uint32_t worker, uint32_t round)
{
    double value = worker + 1;
    struct answer a = {.worker = worker, .round = round, .vector = &value, .evaluated = 1};
    return bench->ops->offer(bench->strategy, &a);
}

static enum offer skip_round(struct bench *bench, uint32_t worker, uint32_t round)
{
    struct answer a = {.worker = worker, .round = round, .evaluated = 1};
    return bench->ops->offer(bench->strategy, &a);
}

static void finish(struct bench *bench)
{
    bench->ops->finish(bench->strategy, &bench->gradient, bench->used);
}

static uint32_t used_count(const struct bench *bench)
{
    uint32_t count = 0;
    for (uint32_t m = 0; m < M; m++)
        count += bench->used[m];
    return count;
}

static void table__names__found_and_described(void **state)
{
    (void)state;
    const char *const names[] = {"gd", "gc", "grouping", "lag-wk", "lag-ps", "lagc", "g-lag"};
    for (int k = 0; k < 7; k++) {
        assert_ptr_equal(strategy_find(names[k]), strategies[k]);
        assert_string_equal(strategies[k]->name, names[k]);
        assert_true(strlen(strategies[k]->summary) > 10);
    }
    assert_null(strategies[7]);
    assert_null(strategy_find("gdd"));
}

/* For every strategy alike: what is not a first answer of this round's contacted workers is told apart, and changes
 * nothing. */
static void every_strategy__wrong_answers__told_apart(void **state)
{
    (void)state;
    for (const struct strategy_ops *const *ops = strategies; *ops != NULL; ops++) {
        struct bench bench = open_bench((*ops)->name, 2);
        assert_int_equal(answer(&bench, 0, 0), OFFER_LATE); /* before any round */
        for (uint32_t round = 0; round < 2; round++) {
            plan(&bench, round, nobody_lost);
            if (bench.plan->n == 0)
                continue;
            assert_int_equal(answer(&bench, M, round), OFFER_STRAY);
            assert_int_equal(answer(&bench, UINT32_MAX, round), OFFER_STRAY);
            assert_int_equal(answer(&bench, 0, round + 1), OFFER_STRAY);
            if (round > 0)
                assert_int_equal(answer(&bench, 0, round - 1), OFFER_LATE);
            if (round == 0)
                assert_int_equal(skip_round(&bench, 0, round), OFFER_STRAY);
            enum offer verdict = answer(&bench, 0, round);
            assert_int_equal(verdict, OFFER_MORE);
            assert_int_equal(answer(&bench, 0, round), OFFER_DUPLICATE);
            for (uint32_t m = 1; m < M && verdict == OFFER_MORE; m++)
                verdict = answer(&bench, m, round);
            assert_int_equal(verdict, OFFER_DONE);
            finish(&bench);
            assert_int_equal(answer(&bench, 0, round), OFFER_LATE);
            assert_int_equal(answer(&bench, M - 1, round), OFFER_LATE);
            history_add(&bench.history, 1e-6);
            bench.theta += 1;
        }
        close_bench(&bench);
    }
}

static void gd__all_answered__sum_in_index_order(void **state)
{
    (void)state;
    struct bench bench = open_bench("gd", 1);
    plan(&bench, 0, nobody_lost);
    for (uint32_t m = M; m-- > 1;)
        assert_int_equal(answer(&bench, m, 0), OFFER_MORE);
    assert_int_equal(answer(&bench, 0, 0), OFFER_DONE);
    finish(&bench);
    assert_true(bench.gradient == 21);
    assert_int_equal(used_count(&bench), M);
    close_bench(&bench);
}

static void grouping__second_of_a_group__taken_but_not_used(void **state)
{
    (void)state;
    struct bench bench = open_bench("grouping", 3);
    plan(&bench, 0, nobody_lost);
    assert_int_equal(bench.plan->n, M);
    assert_int_equal(bench.plan->tasks[4].n, 3);
    assert_int_equal(bench.plan->tasks[4].parts[0], 3);
    assert_int_equal(answer(&bench, 2, 0), OFFER_MORE);
    assert_int_equal(answer(&bench, 0, 0), OFFER_MORE);
    assert_int_equal(answer(&bench, 4, 0), OFFER_DONE);
    assert_int_equal(answer(&bench, 5, 0), OFFER_DONE); /* between done and finish */
    finish(&bench);
    assert_true(bench.gradient == 3 + 5);
    assert_int_equal(used_count(&bench), 2);
    assert_true(bench.used[2] && bench.used[4]);
    close_bench(&bench);
}

static void gc__any_5_of_6__done_at_the_fifth(void **state)
{
    (void)state;
    struct bench bench = open_bench("gc", 2);
    plan(&bench, 0, nobody_lost);
    for (uint32_t m = 0; m < 4; m++)
        assert_int_equal(answer(&bench, m, 0), OFFER_MORE);
    assert_int_equal(answer(&bench, 5, 0), OFFER_DONE);
    assert_int_equal(answer(&bench, 4, 0), OFFER_DONE);
    finish(&bench);
    assert_int_equal(used_count(&bench), 5);
    assert_false(bench.used[4]);
    close_bench(&bench);
}

static void lag_wk__skips__allowed_after_round_0_and_used(void **state)
{
    (void)state;
    struct bench bench = open_bench("lag-wk", 1);
    plan(&bench, 0, nobody_lost);
    assert_true(bench.plan->tasks[0].threshold < 0);
    assert_int_equal(skip_round(&bench, 3, 0), OFFER_STRAY);
    for (uint32_t m = 0; m < M; m++)
        answer(&bench, m, 0);
    finish(&bench);
    history_add(&bench.history, 4);
    plan(&bench, 1, nobody_lost);
    assert_true(fabs(bench.plan->tasks[0].threshold - 0.1 * 4 / (0.01 * M * M)) < 1e-12);
    for (uint32_t m = 0; m < M - 1; m++)
        assert_int_equal(m == 2 ? answer(&bench, m, 1) : skip_round(&bench, m, 1), OFFER_MORE);
    assert_int_equal(skip_round(&bench, M - 1, 1), OFFER_DONE);
    finish(&bench);
    assert_true(bench.gradient == 21 + 3); /* what worker 2 sends is a change */
    assert_int_equal(used_count(&bench), M);
    close_bench(&bench);
}

/* θ moved by 1 and h = 40: selected are those with L² > 40/(0.1² 6²) = 111. None is; then h = 2 selects L² > 5.6. */
static void lag_ps__trigger__selects_and_remembers(void **state)
{
    (void)state;
    struct bench bench = open_bench("lag-ps", 1);
    plan(&bench, 0, nobody_lost);
    for (uint32_t m = 0; m < M; m++)
        answer(&bench, m, 0);
    finish(&bench);
    bench.theta = 1;
    history_add(&bench.history, 40);
    plan(&bench, 1, nobody_lost);
    assert_int_equal(bench.plan->n, 0);
    assert_int_equal(bench.ops->selected(bench.strategy), 0);
    finish(&bench);
    assert_true(bench.gradient == 21);
    assert_int_equal(used_count(&bench), 0);
    bench.history.squares[0] = 2;
    plan(&bench, 2, nobody_lost);
    assert_int_equal(bench.plan->n, 4);
    assert_int_equal(bench.plan->tasks[0].worker, 1);
    assert_int_equal(answer(&bench, 0, 2), OFFER_STRAY); /* not contacted */
    assert_int_equal(answer(&bench, 5, 2), OFFER_MORE);
    assert_int_equal(answer(&bench, 1, 2), OFFER_MORE);
    assert_int_equal(answer(&bench, 3, 2), OFFER_MORE);
    assert_int_equal(answer(&bench, 4, 2), OFFER_DONE);
    finish(&bench);
    assert_int_equal(used_count(&bench), 4);
    close_bench(&bench);
}

static void lagc__one_partition_selected__fastest_of_r_ends_round(void **state)
{
    (void)state;
    struct bench bench = open_bench("lagc", 3);
    plan(&bench, 0, nobody_lost);
    for (uint32_t m = 0; m < 4; m++)
        answer(&bench, m, 0);
    finish(&bench);
    bench.theta = 1;
    history_add(&bench.history, 25); /* L² > 69.4: partition 1 (L = 9) only */
    plan(&bench, 1, nobody_lost);
    assert_int_equal(bench.ops->selected(bench.strategy), 1);
    assert_int_equal(bench.plan->n, 3); /* workers 0, 1, 5 store it */
    assert_int_equal(bench.plan->tasks[2].worker, 5);
    assert_int_equal(bench.plan->tasks[2].n, 1);
    assert_int_equal(bench.plan->tasks[2].parts[0], 1);
    assert_int_equal(answer(&bench, 2, 1), OFFER_STRAY);
    assert_int_equal(answer(&bench, 5, 1), OFFER_DONE);
    finish(&bench);
    assert_int_equal(used_count(&bench), 1);
    close_bench(&bench);
}

static void g_lag__one_group_selected__its_workers_only(void **state)
{
    (void)state;
    struct bench bench = open_bench("g-lag", 3);
    plan(&bench, 0, nobody_lost);
    assert_int_equal(answer(&bench, 1, 0), OFFER_MORE);
    assert_int_equal(answer(&bench, 3, 0), OFFER_DONE);
    finish(&bench);
    assert_true(bench.gradient == 2 + 4);
    bench.theta = 1;
    history_add(&bench.history, 80); /* L_g² > 222: 18² of the second group, not 12² of the first */
    plan(&bench, 1, nobody_lost);
    assert_int_equal(bench.ops->selected(bench.strategy), 3);
    assert_int_equal(bench.plan->n, 3);
    assert_int_equal(bench.plan->tasks[0].worker, 3);
    assert_int_equal(answer(&bench, 5, 1), OFFER_DONE);
    finish(&bench);
    assert_true(bench.gradient == 2 + 6);
    close_bench(&bench);
}

static void g_lag__by_smoothness__like_with_like(void **state)
{
    (void)state;
    struct strategy_config c = config(2);
    uint32_t parts[M];
    c.by_smoothness = true; /* 1, 9, 2, 8, 3, 7 in order: 0 2 | 4 5 | 3 1 */
    const uint32_t expected[3][2] = {{0, 2}, {4, 5}, {1, 3}};
    for (uint32_t worker = 0; worker < M; worker++) {
        assert_int_equal(strategy_find("g-lag")->stored(&c, worker, parts), 2);
        assert_memory_equal(parts, expected[worker / 2], sizeof expected[0]);
    }
}

static void stored__every_strategy__what_tasks_ask_for(void **state)
{
    (void)state;
    for (const struct strategy_ops *const *ops = strategies; *ops != NULL; ops++) {
        struct bench bench = open_bench((*ops)->name, 3);
        struct strategy_config c = config(3);
        plan(&bench, 0, nobody_lost);
        assert_int_equal(bench.plan->n, M);
        for (uint32_t m = 0; m < M; m++) {
            uint32_t parts[M], n = (*ops)->stored(&c, m, parts);
            assert_int_equal(n, (*ops)->uses_redundancy ? 3 : 1);
            assert_int_equal(bench.plan->tasks[m].n, n);
            assert_memory_equal(bench.plan->tasks[m].parts, parts, n * sizeof *parts);
        }
        close_bench(&bench);
    }
}

static void lose__in_mid_round__stuck_or_not(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t r;
        enum offer first, second; /* losing worker 1, then worker 0, nobody having answered */
    } cases[] = {
        {"gd", 1, OFFER_STUCK, OFFER_STUCK},     {"lag-wk", 1, OFFER_STUCK, OFFER_STUCK},
        {"lag-ps", 1, OFFER_STUCK, OFFER_STUCK}, {"gc", 2, OFFER_MORE, OFFER_STUCK},
        {"gc", 3, OFFER_MORE, OFFER_MORE},       {"grouping", 2, OFFER_MORE, OFFER_STUCK},
        {"grouping", 3, OFFER_MORE, OFFER_MORE}, {"lagc", 2, OFFER_MORE, OFFER_STUCK},
        {"lagc", 1, OFFER_STUCK, OFFER_STUCK},   {"g-lag", 2, OFFER_MORE, OFFER_STUCK},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct bench bench = open_bench(cases[k].name, cases[k].r);
        plan(&bench, 0, nobody_lost);
        assert_false(bench.ops->is_stuck(bench.strategy));
        assert_int_equal(bench.ops->lose(bench.strategy, 1), cases[k].first);
        assert_int_equal(answer(&bench, 1, 0), OFFER_STRAY);
        assert_int_equal(bench.ops->lose(bench.strategy, 0), cases[k].second);
        assert_int_equal(bench.ops->is_stuck(bench.strategy), cases[k].second == OFFER_STUCK);
        close_bench(&bench);
    }
}

static void lose__after_done__the_round_stands(void **state)
{
    (void)state;
    struct bench bench = open_bench("gd", 1);
    plan(&bench, 0, nobody_lost);
    for (uint32_t m = 0; m < M; m++)
        answer(&bench, m, 0);
    assert_int_equal(bench.ops->lose(bench.strategy, 2), OFFER_DONE);
    finish(&bench);
    assert_true(bench.gradient == 21);
    const bool lost[M] = {[2] = true};
    plan(&bench, 1, lost);
    assert_true(bench.ops->is_stuck(bench.strategy));
    close_bench(&bench);
}

/* gc, r = 2, worker 4 lost before the round: not contacted, and the other five decode. */
static void plan__lost_workers__not_contacted(void **state)
{
    (void)state;
    struct bench bench = open_bench("gc", 2);
    const bool lost[M] = {[4] = true}, lost_two[M] = {[0] = true, [4] = true};
    plan(&bench, 0, lost);
    assert_int_equal(bench.plan->n, 5);
    assert_false(bench.ops->is_stuck(bench.strategy));
    for (uint32_t m = 0; m < 4; m++)
        assert_int_equal(answer(&bench, m, 0), OFFER_MORE);
    assert_int_equal(answer(&bench, 5, 0), OFFER_DONE);
    finish(&bench);
    plan(&bench, 1, lost_two);
    assert_true(bench.ops->is_stuck(bench.strategy));
    close_bench(&bench);
}

static void refuse(const char *name, struct strategy_config c, const char *why)
{
    struct error err = {""};
    const struct strategy_ops *ops = strategy_find(name);
    assert_null(ops->create(&c, &err));
    if (strstr(err.text, why) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", name, err.text, why);
}

static void create__configs_that_cannot_be__refused(void **state)
{
    (void)state;
    struct strategy_config c = config(4);
    refuse("grouping", c, "redundancy 4 does not divide 6 workers into groups: it can be 1, 2, 3 or 6");
    refuse("g-lag", c, "1, 2, 3 or 6");
    c.redundancy = 7;
    refuse("gc", c, "needs 1 to 6");
    refuse("lagc", c, "needs 1 to 6");
    c = config(4);
    c.code = CODE_FRACTIONAL;
    refuse("gc", c, "does not divide");
    c = config(2);
    c.partitions = 12;
    refuse("gd", c, "as many partitions as workers");
    c = config(2);
    c.history = 0;
    refuse("lag-wk", c, "history");
    refuse("lagc", c, "history");
    c = config(2);
    c.xi = -1;
    refuse("lag-ps", c, "xi");
    c = config(2);
    c.alpha = NAN;
    refuse("gd", c, "step");
    c = config(2);
    c.smoothness = NULL;
    refuse("lag-ps", c, "smoothness");
    c = config(2);
    c.group_smoothness = NULL;
    refuse("g-lag", c, "smoothness of a group");
    c = config(2);
    c.d = 0;
    refuse("grouping", c, "feature");
}

static void xi__given__used_by_both_triggers(void **state)
{
    (void)state;
    struct strategy_config c = config(1);
    c.xi = 0.5;
    c.history = 4;
    struct bench bench = {.ops = strategy_find("lag-wk")};
    bench.strategy = bench.ops->create(&c, NULL);
    history_init(&bench.history, 4);
    history_add(&bench.history, 8);
    plan(&bench, 1, nobody_lost);
    assert_true(fabs(bench.plan->tasks[0].threshold - 0.5 * 8 / (0.01 * M * M)) < 1e-12);
    close_bench(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table__names__found_and_described),
        cmocka_unit_test(every_strategy__wrong_answers__told_apart),
        cmocka_unit_test(gd__all_answered__sum_in_index_order),
        cmocka_unit_test(grouping__second_of_a_group__taken_but_not_used),
        cmocka_unit_test(gc__any_5_of_6__done_at_the_fifth),
        cmocka_unit_test(lag_wk__skips__allowed_after_round_0_and_used),
        cmocka_unit_test(lag_ps__trigger__selects_and_remembers),
        cmocka_unit_test(lagc__one_partition_selected__fastest_of_r_ends_round),
        cmocka_unit_test(g_lag__one_group_selected__its_workers_only),
        cmocka_unit_test(g_lag__by_smoothness__like_with_like),
        cmocka_unit_test(stored__every_strategy__what_tasks_ask_for),
        cmocka_unit_test(lose__in_mid_round__stuck_or_not),
        cmocka_unit_test(lose__after_done__the_round_stands),
        cmocka_unit_test(plan__lost_workers__not_contacted),
        cmocka_unit_test(create__configs_that_cannot_be__refused),
        cmocka_unit_test(xi__given__used_by_both_triggers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
