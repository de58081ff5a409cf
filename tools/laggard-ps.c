/* SPDX-License-Identifier: GPL-3.0-or-later */
/* laggard-ps(1): the parameter server, for use by hand or under a bed. */
#include "config.h"

#include <stddef.h>
#include <stdio.h>

#include "base/log.h"
#include "core/model.h"
#include "daemon.h"
#include "ps/ps.h"

struct values {
    const char *scenario, *cert, *key, *ca, *output;
    struct daemon_endpoint listen;
    int64_t control;
    bool every_round, quiet, verbose;
};

#define AT(field) offsetof(struct values, field)

static const struct daemon_option options[] = {
    {"scenario", "FILE", DAEMON_TEXT, AT(scenario), true, "what to run (laggard-scenario(5))"},
    {"listen", "ADDRESS:PORT", DAEMON_ENDPOINT, AT(listen), true, "where workers connect; port 0: any free one"},
    {"cert", "FILE", DAEMON_TEXT, AT(cert), false, "our certificate (PEM), CN=ps"},
    {"key", "FILE", DAEMON_TEXT, AT(key), false, "its private key (PEM)"},
    {"ca", "FILE", DAEMON_TEXT, AT(ca), false, "the authority that all certificates are checked against (PEM)"},
    {"output", "DIR", DAEMON_TEXT, AT(output), false, "write the results there (laggard-results(5)); default: nowhere"},
    {"control", "FD", DAEMON_NUMBER, AT(control), false, "be controlled through this open stream socket"},
    {"every-round", NULL, DAEMON_FLAG, AT(every_round), false,
     "tell the controller of every round, not of ten a second"},
    {"quiet", NULL, DAEMON_FLAG, AT(quiet), false, "log only warnings and errors"},
    {"verbose", NULL, DAEMON_FLAG, AT(verbose), false, "log more"},
    {0},
};

static const struct daemon_program program = {
    "laggard-ps", "The parameter server: runs the strategies of a scenario over the workers that connect.", options};

static enum exit_status serve(const struct values *values)
{
    struct error err = {{0}};
    struct scenario *scenario = daemon_read_scenario(values->scenario);
    if (scenario == NULL)
        return EXIT_WRONG;
    struct ps_options ps = {.address = values->listen.address,
                            .port = values->listen.port,
                            .cert = values->cert,
                            .key = values->key,
                            .ca = values->ca,
                            .output = values->output,
                            .control_fd = (int)values->control,
                            .every_round = values->every_round};
    enum exit_status status = ps_serve(scenario, &ps, &err);
    if (status != EXIT_DONE)
        log_error("%s", err.text);
    scenario_free(scenario);
    return status;
}

int main(int argc, char **argv)
{
    struct values values = {.control = -1};
    struct error err;
    log_open("ps", LOG_LEVEL_INFO);
    model_init_blas();
    if (daemon_parse(&program, argc, argv, &values, &err) < 0) {
        fprintf(stderr, "laggard-ps: %s\n", err.text);
        return EXIT_WRONG;
    }
    log_open("ps", values.verbose ? LOG_LEVEL_DEBUG : values.quiet ? LOG_LEVEL_WARN : LOG_LEVEL_INFO);
    return serve(&values);
}
