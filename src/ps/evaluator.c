/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One ring holds the iterates in order:
 *
 *   taken ── results to be fetched ── done ── queued ── submitted ── free …
 *
 * `taken` and `submitted` are the caller's, `done` is the thread's; all three are under the lock. */
#include "config.h"

#include "ps/evaluator.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "core/model.h"
#include "net/net.h"

enum { QUEUE_MIN = 2, QUEUE_MAX = 1024, QUEUE_BYTES = 256 << 20, LOWEST_PRIORITY = 19 };

struct slot {
    struct theta *theta;
    struct evaluation result;
};

struct evaluator {
    const struct facts *facts;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t queued;
    int fd;
    bool stop;
    size_t capacity;
    uint64_t taken, done, submitted; /* since evaluator_new; position in the ring is modulo capacity */
    struct slot *ring;
    uint8_t *path_bytes; /* the thread's: hash so far, then room for θ */
    double *gradient, *sum;
};

static double gradient_norm(struct evaluator *evaluator, const double *theta)
{
    const struct input *input = &evaluator->facts->input;
    size_t d = evaluator->facts->d;
    memset(evaluator->sum, 0, d * sizeof *evaluator->sum);
    for (size_t k = 0; k < input->parts.count; k++) {
        model_partition(&input->model, &input->parts.part[k], theta, evaluator->gradient);
        for (size_t j = 0; j < d; j++)
            evaluator->sum[j] += evaluator->gradient[j];
    }
    double square = 0;
    for (size_t j = 0; j < d; j++)
        square += evaluator->sum[j] * evaluator->sum[j];
    return sqrt(square);
}

static double error_of(struct evaluator *evaluator, const double *theta)
{
    const struct facts *facts = evaluator->facts;
    if (facts->scenario->target_kind == TARGET_GRADIENT)
        return gradient_norm(evaluator, theta);
    return model_loss(&facts->input.model, &facts->input.parts, theta) - facts->optimum_loss;
}

static void evaluate(struct evaluator *evaluator, const struct theta *theta, struct evaluation *out)
{
    size_t bytes = theta->d * sizeof *theta->value;
    if (theta->round == 0)
        memset(evaluator->path_bytes, 0, WIRE_HASH_BYTES);
    memcpy(evaluator->path_bytes + WIRE_HASH_BYTES, theta->value, bytes);
    net_sha256(evaluator->path_bytes, WIRE_HASH_BYTES + bytes, out->path);
    memcpy(evaluator->path_bytes, out->path, WIRE_HASH_BYTES);
    out->iterate = theta->round;
    out->error = error_of(evaluator, theta->value);
}

/* The PS's own loop goes first wherever they share a processor. Failing that, evaluation merely competes. */
static void yield_to_others(void)
{
    struct sched_param none = {0};
    pthread_setschedparam(pthread_self(), SCHED_BATCH, &none);
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), LOWEST_PRIORITY);
}

static void *evaluate_all(void *context)
{
    struct evaluator *evaluator = context;
    const uint64_t one = 1;
    yield_to_others();
    pthread_mutex_lock(&evaluator->lock);
    for (;;) {
        while (!evaluator->stop && evaluator->done == evaluator->submitted)
            pthread_cond_wait(&evaluator->queued, &evaluator->lock);
        if (evaluator->stop)
            break;
        struct slot *slot = &evaluator->ring[evaluator->done % evaluator->capacity];
        pthread_mutex_unlock(&evaluator->lock);
        evaluate(evaluator, slot->theta, &slot->result);
        pthread_mutex_lock(&evaluator->lock);
        evaluator->done++;
        ssize_t ignored = write(evaluator->fd, &one, sizeof one);
        (void)ignored; /* only full at 2⁶⁴ − 2 */
    }
    pthread_mutex_unlock(&evaluator->lock);
    return NULL;
}

static size_t queue_capacity(size_t d)
{
    size_t fits = QUEUE_BYTES / (d * sizeof(double));
    return fits < QUEUE_MIN ? QUEUE_MIN : fits > QUEUE_MAX ? QUEUE_MAX : fits;
}

/* Signals are for the loop's thread. */
static int start_thread(struct evaluator *evaluator)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = pthread_create(&evaluator->thread, NULL, evaluate_all, evaluator);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

static void destroy(struct evaluator *evaluator)
{
    close(evaluator->fd);
    pthread_cond_destroy(&evaluator->queued);
    pthread_mutex_destroy(&evaluator->lock);
    free(evaluator->sum);
    free(evaluator->gradient);
    free(evaluator->path_bytes);
    free(evaluator->ring);
    free(evaluator);
}

struct evaluator *evaluator_new(const struct facts *facts, struct error *err)
{
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0) {
        error_set_errno(err, "cannot make an event descriptor");
        return NULL;
    }
    struct evaluator *evaluator = mem_zalloc(sizeof *evaluator);
    evaluator->facts = facts;
    evaluator->fd = fd;
    evaluator->capacity = queue_capacity(facts->d);
    evaluator->ring = mem_array(evaluator->capacity, sizeof *evaluator->ring);
    evaluator->path_bytes = mem_alloc(WIRE_HASH_BYTES + facts->d * sizeof(double));
    evaluator->gradient = mem_array(facts->d, sizeof *evaluator->gradient);
    evaluator->sum = mem_array(facts->d, sizeof *evaluator->sum);
    pthread_mutex_init(&evaluator->lock, NULL);
    pthread_cond_init(&evaluator->queued, NULL);
    int failed = start_thread(evaluator);
    if (failed != 0) {
        error_set(err, "cannot start the evaluating thread: %s", strerror(failed));
        destroy(evaluator);
        return NULL;
    }
    return evaluator;
}

void evaluator_free(struct evaluator *evaluator)
{
    if (evaluator == NULL)
        return;
    pthread_mutex_lock(&evaluator->lock);
    evaluator->stop = true;
    pthread_cond_signal(&evaluator->queued);
    pthread_mutex_unlock(&evaluator->lock);
    pthread_join(evaluator->thread, NULL);
    for (uint64_t i = evaluator->taken; i < evaluator->submitted; i++)
        theta_unref(evaluator->ring[i % evaluator->capacity].theta);
    destroy(evaluator);
}

int evaluator_fd(const struct evaluator *evaluator)
{
    return evaluator->fd;
}

void evaluator_submit(struct evaluator *evaluator, struct theta *theta)
{
    assert(!evaluator_is_full(evaluator));
    pthread_mutex_lock(&evaluator->lock);
    evaluator->ring[evaluator->submitted++ % evaluator->capacity].theta = theta_ref(theta);
    pthread_cond_signal(&evaluator->queued);
    pthread_mutex_unlock(&evaluator->lock);
}

size_t evaluator_waiting(const struct evaluator *evaluator)
{
    return evaluator->submitted - evaluator->taken; /* both are only written by the caller's thread */
}

bool evaluator_is_full(const struct evaluator *evaluator)
{
    return evaluator_waiting(evaluator) == evaluator->capacity;
}

void evaluator_discard(struct evaluator *evaluator)
{
    pthread_mutex_lock(&evaluator->lock);
    while (evaluator->submitted > evaluator->done + 1) { /* the one at `done` may be in work */
        struct slot *slot = &evaluator->ring[--evaluator->submitted % evaluator->capacity];
        theta_unref(slot->theta);
        slot->theta = NULL;
    }
    pthread_mutex_unlock(&evaluator->lock);
}

bool evaluator_take(struct evaluator *evaluator, struct evaluation *out)
{
    uint64_t count;
    ssize_t ignored = read(evaluator->fd, &count, sizeof count);
    (void)ignored; /* EAGAIN: nothing new since last time */
    pthread_mutex_lock(&evaluator->lock);
    bool ready = evaluator->taken < evaluator->done;
    if (ready) {
        struct slot *slot = &evaluator->ring[evaluator->taken++ % evaluator->capacity];
        *out = slot->result;
        theta_unref(slot->theta);
        slot->theta = NULL;
    }
    pthread_mutex_unlock(&evaluator->lock);
    return ready;
}
