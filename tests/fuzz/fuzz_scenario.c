/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader of scenario files: whatever the bytes are, either there are errors, each with a sentence, in line order, or there is
 * a scenario whose dump resolves to itself. */
#include "config.h"

#include <string.h>

#include "scenario/scenario.h"
#include "tests/fuzz/fuzz.h"

#define SEED(text)                                                                                                     \
    {                                                                                                                  \
        (text), sizeof(text) - 1                                                                                       \
    }

const struct fuzz_seed fuzz_seeds[] = {
    SEED("[scenario]\nname = \"a; b\" ; c\nseed = 7\nrepeats = 2\nstrategies = gd, lag-wk\ntarget_error = 1e-8\n"
         "max_time = 60s\n[security]\ntls = off\n"),
    SEED("[problem]\nmodel = logistic\ndata = synthetic\ncenter = true\norder = norm\nsamples = 90\nl2 = 10\n"
         "[cluster]\nworkers = 4\nredundancy = 2\n[strategy:lagc]\nhistory = 5\nxi = 0.1\ncode = fractional\n"),
    SEED("[compute]\nmodel = pareto\nmean = 10ms\nshape = 1.5\n[compute:worker3]\nmodel = bimodal\n"
         "probability = 10%\nfactor = 5\n[compute:worker4]\nmodel = constant\n"),
    SEED("[link]\ndelay = 5ms\njitter = 0.3ms\nrate = 100mbit\nloss = gemodel 1% 30%\nqueue = 50\n"
         "[link:worker3.up]\nrate = 1mbit\nreorder = 2%\n[link:ps.down]\nloss = 0.1%\n"),
    SEED("[pause]\nworkers = 2, 4\nevery = exponential 2s\nfor = pareto 300ms 1.5\n[pause:worker1]\n"
         "every = constant 1min\n"),
    SEED("[at:5s]\nlink.worker2.down.delay = 200ms\npause.worker4 = 2s\n[at:0.5s]\nkill.worker5 = KILL\n"
         "restart.worker5 = true\nlink.ps.loss = 100%\n"),
    SEED("\xef\xbb\xbf[SCENARIO] # x\r\nName='\xc3\xa4'\r\n\r\n[every:1s]\nx = \\\n[lnik]\n= 1\n"),
    {NULL, 0},
};

static void check_errors(const struct scenario_errors *errors)
{
    FUZZ_REQUIRE(errors->n > 0);
    for (size_t i = 0; i < errors->n; i++) {
        FUZZ_REQUIRE(errors->error[i].text[0] != '\0');
        FUZZ_REQUIRE(strchr(errors->error[i].text, '\n') == NULL);
        FUZZ_REQUIRE(i == 0 || errors->error[i].line == 0 ||
                     (errors->error[i - 1].line > 0 && errors->error[i - 1].line <= errors->error[i].line));
    }
}

static void check_dump(const struct scenario *scenario)
{
    struct scenario_errors errors;
    char *first = scenario_dump(scenario);
    struct scenario *again = scenario_parse("/nowhere/again.ini", first, strlen(first), &errors);
    if (again == NULL)
        scenario_errors_print(&errors, first, stderr);
    FUZZ_REQUIRE(again != NULL);
    char *second = scenario_dump(again);
    FUZZ_REQUIRE(strcmp(first, second) == 0);
    FUZZ_REQUIRE(scenario_needs_netem(scenario) == scenario_needs_netem(again));
    free(first);
    free(second);
    scenario_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct scenario_errors errors;
    struct scenario *scenario = scenario_parse("/nowhere/file.ini", (const char *)bytes, len, &errors);
    if (scenario == NULL)
        check_errors(&errors);
    else
        check_dump(scenario);
    scenario_errors_clear(&errors);
    scenario_free(scenario);
    return 0;
}
