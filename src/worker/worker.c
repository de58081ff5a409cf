/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 *   CONNECTING ─ open: HELLO ─▶ GREETING ─ WELCOME ─▶ WELCOME ─ BYE ─▶ done
 *        ◀────────── closed: again, until `retry` has passed ──┘
 */
#include "config.h"

#include "worker/worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "net/digest.h"
#include "net/net.h"
#include "scenario/stored.h"
#include "wire/codec.h"
#include "worker/agent.h"

enum { PAUSE_FIRST_NS = 100 * NS_PER_MS, PAUSE_LONGEST_NS = NS_PER_S };

enum worker_state { WORKER_CONNECTING, WORKER_GREETING, WORKER_WELCOME, WORKER_OVER };

struct worker {
    const struct scenario *scenario;
    const struct worker_options *options;
    struct input input;
    double *smoothness;         /* L_k of all partitions, or NULL */
    struct wire_stored *stored; /* what HELLO says: n of them */
    uint32_t n;
    struct net_loop *loop;
    struct net_identity *identity;
    struct net_conn *conn; /* NULL between two attempts */
    struct net_timer *wake, *again;
    struct agent *agent;
    enum worker_state state;
    int64_t give_up_ns, pause_ns;
    enum exit_status status;
    struct error *err;
};

/* ── data ── */

static double smoothness_of(const struct worker *worker, uint32_t partition)
{
    return model_smoothness(&worker->input.model, &worker->input.parts, &partition, 1);
}

/* What this worker must store, and what it says of that. */
static void reckon(struct worker *worker)
{
    uint32_t k, count = worker->scenario->cluster.workers;
    if (stored_needs_smoothness(worker->scenario)) {
        worker->smoothness = mem_array(count, sizeof *worker->smoothness);
        for (k = 0; k < count; k++)
            worker->smoothness[k] = smoothness_of(worker, k);
    }
    uint32_t *parts = mem_array(count, sizeof *parts);
    worker->n = stored_by(worker->scenario, worker->smoothness, worker->options->worker, parts);
    worker->stored = mem_array(worker->n, sizeof *worker->stored);
    for (uint32_t i = 0; i < worker->n; i++) {
        k = parts[i];
        worker->stored[i].partition = k;
        worker->stored[i].smoothness = worker->smoothness ? worker->smoothness[k] : smoothness_of(worker, k);
        digest_partition(&worker->input.parts.part[k], worker->stored[i].sha256);
    }
    free(parts);
}

/* ── ends ── */

static void finish(struct worker *worker, enum exit_status status)
{
    worker->state = WORKER_OVER;
    worker->status = status;
    net_loop_stop(worker->loop);
}

static void drop(struct worker *worker, const char *reason)
{
    error_set(worker->err, "%s", reason);
    net_conn_free(worker->conn);
    worker->conn = NULL;
    finish(worker, EXIT_RUN_FAILED);
}

/* ── what the agent asks for ── */

static int64_t io_now(void *context)
{
    (void)context;
    return clock_now_ns();
}

static void io_send(void *context, const struct wire_message *message)
{
    struct worker *worker = context;
    net_conn_send(worker->conn, message);
}

static void io_wake_at(void *context, int64_t at_ns)
{
    struct worker *worker = context;
    net_timer_at(worker->wake, at_ns);
}

static bool work(void *context)
{
    struct worker *worker = context;
    return agent_work(worker->agent);
}

static void io_work(void *context)
{
    struct worker *worker = context;
    net_loop_idle(worker->loop, work, worker);
}

static void on_wake(void *context)
{
    struct worker *worker = context;
    agent_wake(worker->agent);
}

/* ── the connection ── */

static void on_open(struct net_conn *conn, void *context)
{
    struct worker *worker = context;
    struct wire_message hello = {.type = WIRE_HELLO,
                                 .u.hello = {.worker = worker->options->worker,
                                             .dimension = (uint32_t)worker->input.data.d,
                                             .n = worker->n,
                                             .stored = worker->stored}};
    worker->state = WORKER_GREETING;
    net_conn_send(conn, &hello);
}

static void on_greeting(struct worker *worker, const struct wire_message *message)
{
    char reason[WIRE_REASON_MAX + 40];
    if (message->type == WIRE_WELCOME && message->version == WIRE_VERSION) {
        worker->state = WORKER_WELCOME;
        log_info("welcome at %s", net_conn_address(worker->conn));
        return;
    }
    if (message->type == WIRE_REFUSE)
        snprintf(reason, sizeof reason, "the PS refused us: %s", message->u.refuse.reason);
    else
        snprintf(reason, sizeof reason, "protocol error: %s instead of WELCOME", wire_type_name(message->type));
    drop(worker, reason);
}

static void on_message(struct net_conn *conn, const struct wire_message *message, size_t bytes, void *context)
{
    struct worker *worker = context;
    struct error err;
    (void)conn;
    log_debug("%s, %zu bytes", wire_type_name(message->type), bytes);
    if (worker->state != WORKER_WELCOME) {
        on_greeting(worker, message);
        return;
    }
    switch (agent_message(worker->agent, message, &err)) {
    case AGENT_GOES_ON:
        break;
    case AGENT_BYE:
        net_conn_free(worker->conn);
        worker->conn = NULL;
        finish(worker, EXIT_DONE);
        break;
    case AGENT_BAD:
        error_prefix(&err, "protocol error");
        drop(worker, err.text);
        break;
    }
}

static void plan_retry(struct worker *worker)
{
    int64_t now = clock_now_ns();
    if (worker->state == WORKER_WELCOME) { /* a new loss: a new time limit */
        worker->give_up_ns = now + worker->options->retry_ns;
        worker->pause_ns = PAUSE_FIRST_NS;
        agent_disconnect(worker->agent);
    }
    worker->state = WORKER_CONNECTING;
    if (now + worker->pause_ns > worker->give_up_ns) {
        finish(worker, EXIT_RUN_FAILED);
        return;
    }
    net_timer_at(worker->again, now + worker->pause_ns);
    worker->pause_ns = 2 * worker->pause_ns < PAUSE_LONGEST_NS ? 2 * worker->pause_ns : PAUSE_LONGEST_NS;
}

static void on_closed(struct net_conn *conn, const char *reason, void *context)
{
    struct worker *worker = context;
    (void)conn;
    static const char *const where[] = {[WORKER_CONNECTING] = "cannot connect to the PS at",
                                        [WORKER_GREETING] = "no welcome from the PS at",
                                        [WORKER_WELCOME] = "lost the PS at"};
    worker->conn = NULL;
    if (worker->state == WORKER_OVER)
        return;
    error_set(worker->err, "%s %s:%u: %s", where[worker->state], worker->options->address, worker->options->port,
              reason);
    if (worker->state == WORKER_CONNECTING)
        log_info("%s", worker->err->text);
    else
        log_warn("%s", worker->err->text);
    plan_retry(worker);
}

static void try_connect(void *context)
{
    static const struct net_handlers handlers = {on_open, on_message, on_closed};
    struct worker *worker = context;
    const struct worker_options *options = worker->options;
    worker->conn = net_connect(worker->loop, options->address, options->port, worker->identity,
                               worker->identity ? "ps" : NULL, &handlers, worker, worker->err);
    if (worker->conn == NULL)
        finish(worker, EXIT_RUN_FAILED);
}

/* ── beginning and end ── */

static int load_identity(struct worker *worker, struct error *err)
{
    const struct worker_options *options = worker->options;
    if (!worker->scenario->tls) {
        log_warn("TLS is off ([security] tls): whoever answers at this address is taken for the PS");
        return 0;
    }
    if (options->cert == NULL || options->key == NULL || options->ca == NULL)
        return error_set(err, "--cert, --key and --ca are needed: the scenario has TLS on");
    worker->identity = net_identity_load(options->cert, options->key, options->ca, err);
    return worker->identity ? 0 : -1;
}

static void serve(struct worker *worker)
{
    static const struct agent_io io = {io_now, io_send, io_wake_at, io_work};
    worker->agent =
        agent_new(worker->scenario, &worker->input, worker->options->worker, worker->smoothness, &io, worker);
    worker->loop = net_loop_new();
    worker->wake = net_timer_new(worker->loop, on_wake, worker);
    worker->again = net_timer_new(worker->loop, try_connect, worker);
    worker->pause_ns = PAUSE_FIRST_NS;
    worker->give_up_ns = clock_now_ns() + worker->options->retry_ns;
    net_timer_at(worker->again, clock_now_ns());
    net_loop_run(worker->loop);
}

enum exit_status worker_serve(const struct scenario *scenario, const struct worker_options *options, struct error *err)
{
    struct worker worker = {.scenario = scenario, .options = options, .err = err, .status = EXIT_WRONG};
    if (load_identity(&worker, err) == 0 && input_load(scenario, &worker.input, err) == 0) {
        reckon(&worker);
        serve(&worker);
        if (worker.conn != NULL)
            net_conn_free(worker.conn);
        net_timer_free(worker.wake);
        net_timer_free(worker.again);
        net_loop_free(worker.loop);
        agent_free(worker.agent);
        free(worker.stored);
        free(worker.smoothness);
        input_clear(&worker.input);
    }
    net_identity_free(worker.identity);
    return worker.status;
}
