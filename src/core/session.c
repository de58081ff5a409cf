/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run: rounds one after the other (session_begin, session_answer, session_end), the books (tallies per round), and
 * when it stops (session_error, session_verdict).
 *
 * Each round has two tallies: what was learnt while it was in hand, for its record; and what was caused by it, whenever
 * that came in, for the summary. */
#include "config.h"

#include "core/session.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/vector.h"

#define NOT_MET       UINT32_MAX
#define NS_PER_SECOND 1e9

struct round {
    struct round_record record;
    struct tally caused;
};

struct session {
    const struct strategy_ops *ops;
    struct strategy *strategy;
    uint32_t workers;
    double alpha;
    enum target_kind target_kind;
    double target, limit; /* as configured; as an absolute value, NAN: not known yet */
    uint32_t max_rounds;
    int64_t max_time_ns, start_ns;

    struct theta *theta;
    struct history history;
    double *gradient; /* d: G^i */

    struct round *rounds;
    uint32_t begun, ended, room; /* rounds; begun − ended is 0 or 1 */
    uint32_t handed_out;         /* records */

    bool *lost, *pending, *used; /* M flags */
    uint32_t *evaluated;         /* M: of the answers taken in the round in hand */

    uint32_t known; /* iterates whose error was told */
    uint32_t met;   /* the first of them that met the target */
    double initial_error, final_error;
};

struct session *session_new(const struct session_config *config, struct error *err)
{
    if (config->max_rounds < 1) {
        error_set(err, "max_rounds is 0: a run needs at least 1 round");
        return NULL;
    }
    if (config->ops->check(&config->strategy, err) < 0)
        return NULL;
    struct strategy *strategy = config->ops->create(&config->strategy, err);
    if (strategy == NULL)
        return NULL;
    uint32_t m = config->strategy.workers;
    struct session *session = mem_zalloc(sizeof *session);
    session->ops = config->ops;
    session->strategy = strategy;
    session->workers = m;
    session->alpha = config->strategy.alpha;
    session->target_kind = config->target_kind;
    session->target = config->target;
    session->limit = config->target_kind == TARGET_RELATIVE_ERROR ? NAN : config->target;
    session->max_rounds = config->max_rounds;
    session->max_time_ns = config->max_time_ns;
    session->theta = theta_new(0, config->strategy.d);
    history_init(&session->history, config->strategy.history);
    session->gradient = mem_array(config->strategy.d, sizeof *session->gradient);
    session->lost = mem_array(m, sizeof *session->lost);
    session->pending = mem_array(m, sizeof *session->pending);
    session->used = mem_array(m, sizeof *session->used);
    session->evaluated = mem_array(m, sizeof *session->evaluated);
    session->met = NOT_MET;
    session->initial_error = session->final_error = NAN;
    return session;
}

void session_free(struct session *session)
{
    if (session == NULL)
        return;
    session->ops->destroy(session->strategy);
    theta_unref(session->theta);
    history_clear(&session->history);
    free(session->gradient);
    free(session->rounds);
    free(session->lost);
    free(session->pending);
    free(session->used);
    free(session->evaluated);
    free(session);
}

static bool is_open(const struct session *session)
{
    return session->begun > session->ended;
}

static struct round *current(struct session *session)
{
    assert(session->begun > 0);
    return &session->rounds[session->begun - 1];
}

const struct plan *session_begin(struct session *session, int64_t now_ns)
{
    assert(!is_open(session));
    if (session->begun == 0)
        session->start_ns = now_ns;
    if (session->begun == session->room) {
        session->room = session->room ? 2 * session->room : 64;
        session->rounds = mem_resize(session->rounds, session->room, sizeof *session->rounds);
    }
    struct round *round = &session->rounds[session->begun];
    const struct plan *plan =
        session->ops->plan(session->strategy, session->begun, session->theta->value, &session->history, session->lost);
    *round = (struct round){.record = {.round = session->begun,
                                       .begin_ns = now_ns - session->start_ns,
                                       .contacted = plan->n,
                                       .selected = session->ops->selected(session->strategy),
                                       .error = NAN}};
    session->begun++;
    memset(session->pending, 0, session->workers * sizeof *session->pending);
    memset(session->evaluated, 0, session->workers * sizeof *session->evaluated);
    for (uint32_t k = 0; k < plan->n; k++)
        session->pending[plan->tasks[k].worker] = true;
    return plan;
}

uint32_t session_round(const struct session *session)
{
    return session->theta->round;
}

struct theta *session_theta(const struct session *session)
{
    return session->theta;
}

bool session_is_stuck(const struct session *session)
{
    return is_open(session) && session->ops->is_stuck(session->strategy);
}

static void tally_add(struct tally *sum, const struct tally *more)
{
    sum->uplink += more->uplink;
    sum->downlink += more->downlink;
    sum->notices += more->notices;
    sum->uplink_bytes += more->uplink_bytes;
    sum->downlink_bytes += more->downlink_bytes;
    sum->notice_bytes += more->notice_bytes;
    sum->gradients += more->gradients;
    sum->wasted += more->wasted;
}

/* Enter into the books what was learnt now of `round` (any other number: of the round in hand). */
static void count(struct session *session, uint32_t round, const struct tally *more)
{
    if (session->begun == 0)
        return;
    uint32_t cause = round < session->begun ? round : session->begun - 1;
    tally_add(&current(session)->record.tally, more);
    tally_add(&session->rounds[cause].caused, more);
}

static enum offer judge(struct session *session, const struct answer *answer)
{
    if (answer->worker >= session->workers || answer->round >= session->begun)
        return OFFER_STRAY;
    if (answer->round < session->ended)
        return OFFER_LATE;
    return session->ops->offer(session->strategy, answer);
}

enum offer session_answer(struct session *session, const struct answer *answer, uint64_t bytes, int64_t now_ns)
{
    (void)now_ns;
    struct tally more = {.gradients = answer->evaluated};
    if (answer->vector != NULL) {
        more.uplink = 1;
        more.uplink_bytes = bytes;
    } else {
        more.notices = 1;
        more.notice_bytes = bytes;
    }
    enum offer verdict = judge(session, answer);
    if (verdict == OFFER_LATE || verdict == OFFER_DUPLICATE || verdict == OFFER_STRAY) {
        more.wasted = answer->evaluated;
    } else {
        session->pending[answer->worker] = false;
        session->evaluated[answer->worker] = answer->evaluated;
        current(session)->record.answered++;
    }
    count(session, answer->round, &more);
    return verdict;
}

void session_sent_task(struct session *session, uint32_t worker, uint64_t bytes)
{
    assert(is_open(session) && worker < session->workers);
    count(session, session->begun - 1, &(struct tally){.downlink = 1, .downlink_bytes = bytes});
}

bool session_needs(const struct session *session, uint32_t worker)
{
    if (!session->pending[worker])
        return false;
    return session->ops->needs == NULL || session->ops->needs(session->strategy, worker);
}

void session_sent_cancel(struct session *session, uint32_t worker, uint64_t bytes)
{
    assert(session->begun > 0 && worker < session->workers);
    session->pending[worker] = false;
    count(session, session->begun - 1, &(struct tally){.notices = 1, .notice_bytes = bytes});
}

void session_cancelled(struct session *session, uint32_t worker, uint32_t round, uint32_t evaluated, uint64_t bytes)
{
    (void)worker;
    count(session, round,
          &(struct tally){.notices = 1, .notice_bytes = bytes, .gradients = evaluated, .wasted = evaluated});
}

enum offer session_lose(struct session *session, uint32_t worker)
{
    assert(worker < session->workers);
    session->lost[worker] = true;
    session->pending[worker] = false;
    return is_open(session) ? session->ops->lose(session->strategy, worker) : OFFER_MORE;
}

const bool *session_pending(const struct session *session)
{
    return session->pending;
}

const bool *session_used(const struct session *session)
{
    return session->used;
}

/* θ^{i+1} = θ^i − α G^i as a new iterate (others may still hold the old one); returns ‖θ^{i+1} − θ^i‖². */
static double step(struct session *session)
{
    struct theta *old = session->theta, *next = theta_new(old->round + 1, old->d);
    vector_copy(next->value, old->value, old->d);
    vector_add(next->value, -session->alpha, session->gradient, old->d);
    double square = vector_distance_square(next->value, old->value, old->d);
    session->theta = next;
    theta_unref(old);
    return square;
}

const struct round_record *session_end(struct session *session, int64_t now_ns)
{
    assert(is_open(session));
    struct round *round = current(session);
    session->ops->finish(session->strategy, session->gradient, session->used);
    struct tally unused = {0};
    for (uint32_t worker = 0; worker < session->workers; worker++) {
        round->record.used += session->used[worker];
        unused.wasted += session->used[worker] ? 0 : session->evaluated[worker];
    }
    count(session, session->begun - 1, &unused);
    double square = step(session);
    history_add(&session->history, square);
    round->record.step_norm = sqrt(square);
    round->record.end_ns = now_ns - session->start_ns;
    session->ended++;
    return &round->record;
}

void session_error(struct session *session, uint32_t iterate, double error)
{
    assert(iterate == session->known && iterate <= session->ended);
    session->known++;
    if (iterate == 0) {
        session->initial_error = error;
        if (session->target_kind == TARGET_RELATIVE_ERROR)
            session->limit = session->target * error;
    } else {
        session->rounds[iterate - 1].record.error = error;
    }
    if (session->met != NOT_MET)
        return;
    session->final_error = error;
    if (error < session->limit)
        session->met = iterate;
}

double session_target(const struct session *session)
{
    return session->limit;
}

enum session_verdict session_verdict(const struct session *session, int64_t now_ns)
{
    if (session->met != NOT_MET)
        return SESSION_REACHED;
    if (session->ended >= session->max_rounds)
        return SESSION_MAX_ROUNDS;
    if (session->max_time_ns > 0 && session->begun > 0 && now_ns - session->start_ns >= session->max_time_ns)
        return SESSION_MAX_TIME;
    return SESSION_GOES_ON;
}

/* Rounds of the run: those that ended, and made an iterate up to the first that met the target. */
static uint32_t rounds_of_run(const struct session *session)
{
    return session->met < session->ended ? session->met : session->ended;
}

const struct round_record *session_next_record(struct session *session)
{
    uint32_t next = session->handed_out;
    if (next >= rounds_of_run(session) || next + 1 >= session->known)
        return NULL;
    session->handed_out++;
    return &session->rounds[next].record;
}

struct session_summary session_summary(const struct session *session)
{
    struct session_summary summary = {.rounds = rounds_of_run(session),
                                      .initial_error = session->initial_error,
                                      .final_error = NAN,
                                      .reached = session->met != NOT_MET,
                                      .seconds_to_target = NAN};
    for (uint32_t round = 0; round < summary.rounds; round++)
        tally_add(&summary.total, &session->rounds[round].caused);
    if (summary.rounds > 0)
        summary.seconds = (double)session->rounds[summary.rounds - 1].record.end_ns / NS_PER_SECOND;
    if (summary.rounds < session->known)
        summary.final_error = session->final_error;
    if (summary.reached) {
        summary.seconds_to_target = summary.seconds;
        summary.rounds_to_target = summary.rounds;
        summary.uplink_to_target = summary.total.uplink;
    }
    return summary;
}
