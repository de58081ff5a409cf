/* SPDX-License-Identifier: GPL-3.0-or-later */
/* laggard-worker(1): one worker, for use by hand or under a bed. */
#include "config.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "core/model.h"
#include "daemon.h"
#include "worker/worker.h"

struct values {
    const char *scenario, *cert, *key, *ca;
    struct daemon_endpoint connect;
    int64_t id, retry;
    bool quiet, verbose;
};

#define AT(field) offsetof(struct values, field)

static const struct daemon_option options[] = {
    {"scenario", "FILE", DAEMON_TEXT, AT(scenario), true, "the scenario that the PS runs"},
    {"id", "N", DAEMON_NUMBER, AT(id), true, "which worker to be, counting from 1"},
    {"connect", "ADDRESS:PORT", DAEMON_ENDPOINT, AT(connect), true, "where the PS listens"},
    {"cert", "FILE", DAEMON_TEXT, AT(cert), false, "our certificate (PEM), CN=workerN"},
    {"key", "FILE", DAEMON_TEXT, AT(key), false, "its private key (PEM)"},
    {"ca", "FILE", DAEMON_TEXT, AT(ca), false, "the authority that the PS's certificate is checked against (PEM)"},
    {"retry", "SECONDS", DAEMON_SECONDS, AT(retry), false, "try to reach the PS for so long; default: 10"},
    {"quiet", NULL, DAEMON_FLAG, AT(quiet), false, "log only warnings and errors"},
    {"verbose", NULL, DAEMON_FLAG, AT(verbose), false, "log more"},
    {0},
};

static const struct daemon_program program = {
    "laggard-worker", "One worker: computes gradients of its partitions for the parameter server.", options};

static enum exit_status serve(const struct values *values, struct error *err)
{
    struct scenario *scenario = daemon_read_scenario(values->scenario);
    if (scenario == NULL) {
        error_set(err, "the scenario is wrong");
        return EXIT_WRONG;
    }
    struct worker_options worker = {.worker = (uint32_t)(values->id - 1),
                                    .address = values->connect.address,
                                    .port = values->connect.port,
                                    .cert = values->cert,
                                    .key = values->key,
                                    .ca = values->ca,
                                    .retry_ns = values->retry};
    enum exit_status status = EXIT_WRONG;
    if (values->id < 1 || values->id > scenario->cluster.workers)
        error_set(err, "--id %" PRId64 ": the scenario has workers 1 to %" PRIu32, values->id,
                  scenario->cluster.workers);
    else
        status = worker_serve(scenario, &worker, err);
    scenario_free(scenario);
    return status;
}

int main(int argc, char **argv)
{
    struct values values = {.retry = 10 * (int64_t)NS_PER_S};
    struct error err = {{0}};
    char name[32];
    log_open("worker", LOG_LEVEL_INFO);
    model_init_blas();
    if (daemon_parse(&program, argc, argv, &values, &err) < 0) {
        fprintf(stderr, "laggard-worker: %s\n", err.text);
        return EXIT_WRONG;
    }
    snprintf(name, sizeof name, "worker%" PRId64, values.id);
    log_open(name, values.verbose ? LOG_LEVEL_DEBUG : values.quiet ? LOG_LEVEL_WARN : LOG_LEVEL_INFO);
    enum exit_status status = serve(&values, &err);
    if (status != EXIT_DONE)
        log_error("%s", err.text);
    return status;
}
