/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "ps/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "net/digest.h"

/* An eigenvalue is good to a few units in the last place; other processors and libraries may differ in those. */
static const double SMOOTHNESS_TOLERANCE = 1e-9;

static void reckon_partitions(struct facts *facts)
{
    facts->partition = mem_array(facts->workers, sizeof *facts->partition);
    for (uint32_t k = 0; k < facts->workers; k++) {
        struct wire_stored *stored = &facts->partition[k];
        stored->partition = k;
        digest_partition(&facts->input.parts.part[k], stored->sha256);
        stored->smoothness = model_smoothness(&facts->input.model, &facts->input.parts, &k, 1);
    }
}

static double whole_smoothness(const struct facts *facts)
{
    uint32_t *all = mem_array(facts->workers, sizeof *all);
    for (uint32_t k = 0; k < facts->workers; k++)
        all[k] = k;
    double smoothness = model_smoothness(&facts->input.model, &facts->input.parts, all, facts->workers);
    free(all);
    return smoothness;
}

int facts_load(const struct scenario *scenario, struct facts *out, struct error *err)
{
    *out = (struct facts){.scenario = scenario, .workers = scenario->cluster.workers};
    if (input_load(scenario, &out->input, err) < 0)
        return -1;
    out->d = out->input.data.d;
    reckon_partitions(out);
    out->smoothness = whole_smoothness(out);
    out->optimum = mem_array(out->d, sizeof *out->optimum);
    if (model_optimum(&out->input.model, &out->input.parts, out->optimum, &out->optimum_loss, err) < 0) {
        facts_clear(out);
        return -1;
    }
    return 0;
}

void facts_clear(struct facts *facts)
{
    free(facts->optimum);
    free(facts->partition);
    input_clear(&facts->input);
    memset(facts, 0, sizeof *facts);
}

bool facts_smoothness_agrees(double a, double b)
{
    return fabs(a - b) <= SMOOTHNESS_TOLERANCE * fmax(fabs(a), fabs(b));
}

static double group_smoothness(void *context, const uint32_t *parts, size_t n)
{
    const struct facts *facts = context;
    return model_smoothness(&facts->input.model, &facts->input.parts, parts, n);
}

void facts_session_config(const struct facts *facts, size_t which, uint32_t repeat, const double *smoothness,
                          struct session_config *out)
{
    const struct scenario *scenario = facts->scenario;
    double step = scenario->strategy[which].step;
    if (step == 0)
        step = scenario->problem.step;
    scenario_session_config(scenario, which, repeat, out);
    out->strategy.d = facts->d;
    out->strategy.alpha = step > 0 ? step : 1 / facts->smoothness;
    out->strategy.smoothness = smoothness;
    out->strategy.group_smoothness = group_smoothness;
    out->strategy.context = (void *)(uintptr_t)facts;
}
