/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The coded round that gc and lagc share: each worker answers with its row of B, restricted to the selected partitions;
 * the round ends at the first set of answers that decodes their sum. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/strategy_private.h"
#include "core/vector.h"

int coded_check(const struct strategy_config *config, struct error *err)
{
    if (strategy_check_common(config, err) < 0)
        return -1;
    return code_check_size(config->code, config->workers, config->redundancy, err);
}

uint32_t coded_stored(const struct strategy_config *config, uint32_t worker, uint32_t *parts)
{
    return code_support(config->code, config->workers, config->redundancy, worker, parts);
}

int coded_init(struct coded *coded, const struct strategy_config *config, struct error *err)
{
    uint32_t m = config->workers;
    coded->code = code_new(config->code, m, config->redundancy, config->seed, err);
    if (coded->code == NULL)
        return -1;
    coded->span = code_span_new(coded->code);
    coded->column = mem_array(m, sizeof *coded->column);
    coded->row = mem_array(m, sizeof *coded->row);
    coded->weight = mem_array(m, sizeof *coded->weight);
    return 0;
}

void coded_clear(struct coded *coded)
{
    free(coded->weight);
    free(coded->row);
    free(coded->column);
    code_span_free(coded->span);
    code_free(coded->code);
}

void coded_plan(struct coded *coded, struct strategy *strategy, const bool *selected, enum task_op op)
{
    const struct strategy_config *config = &strategy->config;
    uint32_t m = config->workers, *parts = mem_array(config->redundancy, sizeof *parts);
    memcpy(coded->column, selected, m * sizeof *coded->column);
    strategy->selected = 0;
    for (uint32_t k = 0; k < m; k++)
        strategy->selected += selected[k];
    coded->columns = strategy->selected == m ? NULL : coded->column;
    coded->n = 0;
    strategy->done = strategy->selected == 0;
    code_span_begin(coded->span, coded->columns);
    for (uint32_t worker = 0; worker < m; worker++) {
        struct task *task = NULL;
        uint32_t n = coded_stored(config, worker, parts);
        for (uint32_t j = 0; j < n && !strategy->lost[worker]; j++) {
            if (!selected[parts[j]])
                continue;
            if (task == NULL)
                task = strategy_contact(strategy, worker, op, 0);
            strategy_assign(strategy, task, parts[j], code_entry(coded->code, worker, parts[j]));
        }
    }
    free(parts);
}

static bool nobody_awaited(const struct strategy *strategy)
{
    for (uint32_t worker = 0; worker < strategy->config.workers; worker++)
        if (strategy_awaits(strategy, worker))
            return false;
    return true;
}

enum offer coded_offer(struct coded *coded, struct strategy *strategy, const struct answer *answer)
{
    enum offer verdict = strategy_take(strategy, answer);
    if (verdict != OFFER_MORE)
        return verdict;
    vector_copy(strategy_slot(strategy, answer->worker), answer->vector, strategy->config.d);
    coded->row[coded->n++] = answer->worker;
    bool ask = code_span_add(coded->span, answer->worker);
    if (ask && code_decode(coded->code, coded->row, coded->n, coded->columns, coded->weight, NULL) == CODE_OK) {
        strategy->done = true;
        return OFFER_DONE;
    }
    return nobody_awaited(strategy) ? OFFER_STUCK : OFFER_MORE;
}

bool coded_is_stuck(const struct coded *coded, const struct strategy *strategy)
{
    uint32_t m = strategy->config.workers, n = 0, lost = 0;
    for (uint32_t worker = 0; worker < m; worker++)
        lost += strategy->lost[worker];
    if (strategy->done || (lost == 0 && !nobody_awaited(strategy)))
        return false;
    uint32_t *row = mem_array(m, sizeof *row);
    double *weight = mem_array(m, sizeof *weight);
    for (uint32_t worker = 0; worker < m; worker++)
        if (strategy->answered[worker] || strategy_awaits(strategy, worker))
            row[n++] = worker;
    bool stuck = code_decode(coded->code, row, n, coded->columns, weight, NULL) != CODE_OK;
    free(weight);
    free(row);
    return stuck;
}

void coded_add(const struct coded *coded, const struct strategy *strategy, double *sum, bool *used)
{
    uint32_t m = strategy->config.workers;
    double *weight = mem_array(m, sizeof *weight);
    for (uint32_t j = 0; j < coded->n && strategy->done; j++)
        weight[coded->row[j]] = coded->weight[j];
    for (uint32_t worker = 0; worker < m; worker++) {
        used[worker] = weight[worker] != 0;
        if (used[worker])
            vector_add(sum, weight[worker], strategy->slot[worker], strategy->config.d);
    }
    free(weight);
}
