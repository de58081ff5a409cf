/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes of a run: how PS and workers are started, and what each one's end means. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/log.h"
#include "base/mem.h"
#include "bed/run_private.h"

#define OWN_DIRECTORY "/run/laggard"
#define PKI_DIRECTORY OWN_DIRECTORY "/pki"
enum { CERTIFICATE_DAYS = 30, WORDS_MAX = 32, LAST_WORDS_MAX = 600, REVIVALS_MAX = 3 };

/* ── starting them ── */

static int make_private(const char *path, struct error *err)
{
    return mkdir(path, 0700) < 0 && errno != EEXIST ? error_set_errno(err, "%s", path) : 0;
}

/* In memory of the bed's own: keys never reach a disk, and are gone with the bed. */
int daemons_make_certificates(const struct scenario *scenario, struct error *err)
{
    if (!scenario->tls)
        return 0;
    if (make_private(OWN_DIRECTORY, err) < 0 || make_private(PKI_DIRECTORY, err) < 0)
        return -1;
    return net_pki_create(PKI_DIRECTORY, scenario->cluster.workers, CERTIFICATE_DAYS, err);
}

static int spawn(struct run *run, int32_t node, const char *const head[], size_t n, int keep_fd, struct error *err)
{
    char name[NODE_NAME_MAX];
    node_name(node, name);
    char *cert = mem_printf(PKI_DIRECTORY "/%s.pem", name), *key = mem_printf(PKI_DIRECTORY "/%s.key", name);
    const char *const tls[] = {"--cert", cert, "--key", key, "--ca", PKI_DIRECTORY "/ca.pem"};
    const char *argv[WORDS_MAX] = {NULL};
    size_t at = 0;
    for (; at < n; at++)
        argv[at] = head[at];
    for (size_t i = 0; run->scenario->tls && i < sizeof tls / sizeof *tls; i++)
        argv[at++] = tls[i];
    pid_t pid = supervise_spawn(run->supervisor, node, (char *const *)argv, keep_fd, err);
    free(cert);
    free(key);
    return pid < 0 ? -1 : 0;
}

int daemons_spawn_worker(void *context, int32_t node, struct error *err)
{
    struct run *run = context;
    char id[16], address[NODE_ADDRESS_MAX], to[NODE_ADDRESS_MAX + 8];
    char *program = mem_printf("%s/laggard-worker", run->options->daemon_directory);
    node_address(NODE_PS, address);
    snprintf(id, sizeof id, "%" PRId32, node + 1);
    snprintf(to, sizeof to, "%s:%d", address, TOPOLOGY_PS_PORT);
    const char *const head[] = {program, "--scenario", run->options->scenario_path, "--id", id, "--connect", to};
    int status = spawn(run, node, head, sizeof head / sizeof *head, -1, err);
    free(program);
    return status;
}

int daemons_spawn_missing_workers(struct run *run, struct error *err)
{
    for (int32_t node = 0; node < (int32_t)run->scenario->cluster.workers; node++)
        if (supervise_pid(run->supervisor, node) == 0 && daemons_spawn_worker(run, node, err) < 0)
            return -1;
    return 0;
}

int daemons_spawn_ps(struct run *run, int control_fd, struct error *err)
{
    char address[NODE_ADDRESS_MAX], at[NODE_ADDRESS_MAX + 8], fd[16];
    char *program = mem_printf("%s/laggard-ps", run->options->daemon_directory);
    node_address(NODE_PS, address);
    snprintf(at, sizeof at, "%s:%d", address, TOPOLOGY_PS_PORT);
    snprintf(fd, sizeof fd, "%d", control_fd);
    const char *const head[] = {program, "--scenario", run->options->scenario_path, "--listen",
                                at,      "--output",   run->options->directory,     "--control",
                                fd};
    int status = spawn(run, NODE_PS, head, sizeof head / sizeof *head, control_fd, err);
    free(program);
    return status;
}

/* ── their ends ── */

static bool is_clean(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* "worker3 was killed by signal 11 (Segmentation fault); the end of logs/worker3.log: …" */
static void describe(struct run *run, int32_t node, int status, struct error *err)
{
    char name[NODE_NAME_MAX], words[LAST_WORDS_MAX];
    node_name(node, name);
    if (is_clean(status)) {
        error_set(err, "%s ended as it should", name);
        return;
    }
    supervise_last_words(run->supervisor, node, words, sizeof words);
    if (WIFSIGNALED(status))
        error_set(err, "%s was killed by signal %d (%s); the end of logs/%s.log: %s", name, WTERMSIG(status),
                  strsignal(WTERMSIG(status)), name, words);
    else
        error_set(err, "%s ended with status %d; the end of logs/%s.log: %s", name, WEXITSTATUS(status), name, words);
}

static void on_ps_death(struct run *run, int status, const struct error *why)
{
    bool is_wrong = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_WRONG;
    if (run->phase != PHASE_LEAVING) {
        run_give_up(run, is_wrong ? EXIT_WRONG : EXIT_RUN_FAILED, why);
    } else {
        if (!is_clean(status) && run->status == EXIT_DONE) {
            run->status = EXIT_RUN_FAILED;
            *run->err = *why;
        }
        run_leave_if_empty(run);
    }
}

/* Between two runs nobody waits but the next run: start it again at once, but not for ever. */
static void revive(struct run *run, int32_t node, const struct error *why)
{
    struct error err;
    if (run->revived[node]++ == REVIVALS_MAX)
        run_give_up(run, EXIT_RUN_FAILED, why);
    else if (daemons_spawn_worker(run, node, &err) < 0)
        run_give_up(run, EXIT_RUN_FAILED, &err);
}

static void on_worker_death(struct run *run, int32_t node, int status, const struct error *why)
{
    switch (run->phase) {
    case PHASE_LOADING:
    case PHASE_GATHERING: /* it would not come up the next time either */
        if (!is_clean(status))
            run_give_up(run, WIFEXITED(status) && WEXITSTATUS(status) == EXIT_WRONG ? EXIT_WRONG : EXIT_RUN_FAILED,
                        why);
        break;
    case PHASE_RUNNING: /* in a run the PS decides what it means, and before the next one the worker is started again */
        if (!run->run_is_on && !run->was_stopped && !is_clean(status))
            revive(run, node, why);
        break;
    case PHASE_LEAVING:
        run_leave_if_empty(run);
        break;
    }
}

void daemons_on_death(void *context, int32_t node, int status, bool was_signalled)
{
    struct run *run = context;
    struct error why;
    describe(run, node, status, &why);
    bool told_already = node == NODE_PS && run->phase == PHASE_LEAVING && run->failed_runs > 0;
    if (is_clean(status) || was_signalled || told_already || run->was_stopped)
        log_info("%s", why.text);
    else
        log_warn("%s", why.text);
    if (node == NODE_PS)
        on_ps_death(run, status, &why);
    else
        on_worker_death(run, node, status, &why);
}
