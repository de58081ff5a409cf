/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which queue is set to what. The doors: shaper_set for a change, shaper_set_all for the start. Words and comparison
 * are netem.c's, the process is tcserve.c's. */
#include "config.h"

#include "bed/shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bed/netem.h"
#include "bed/tcserve.h"

/* One direction of one link: the queue of one device in the switch. */
struct queue {
    struct link link;
    bool netem; /* has one */
    bool table; /* has loaded a table of delays, which stays through every change */
};

struct shaper {
    struct tcserve *serve;
    size_t n;
    struct queue *queue; /* by queue_index; grown as asked for */
};

static const struct link plain_link;

static size_t queue_index(int32_t node, enum direction direction)
{
    return (size_t)(node - NODE_PS) * 2 + direction;
}

static struct queue *queue_of(struct shaper *shaper, int32_t node, enum direction direction)
{
    size_t index = queue_index(node, direction);
    if (index >= shaper->n) {
        shaper->queue = mem_resize(shaper->queue, index + 1, sizeof *shaper->queue);
        memset(shaper->queue + shaper->n, 0, (index + 1 - shaper->n) * sizeof *shaper->queue);
        shaper->n = index + 1;
    }
    return &shaper->queue[index];
}

struct shaper *shaper_new(const struct topology *topology, const char *netem_directory, struct error *err)
{
    struct tcserve *serve = tcserve_new(topology, netem_directory, err);
    if (serve == NULL)
        return NULL;
    struct shaper *shaper = mem_zalloc(sizeof *shaper);
    shaper->serve = serve;
    return shaper;
}

void shaper_free(struct shaper *shaper)
{
    if (shaper == NULL)
        return;
    tcserve_free(shaper->serve);
    free(shaper->queue);
    free(shaper);
}

const struct link *shaper_link(const struct shaper *shaper, int32_t node, enum direction direction)
{
    size_t index = queue_index(node, direction);
    return index < shaper->n ? &shaper->queue[index].link : &plain_link;
}

/* One change on its way. */
struct change {
    int32_t node;
    enum direction direction;
    const struct link *link; /* NULL: no netem is to be there */
};

static char *request_of(struct shaper *shaper, struct change *change)
{
    const struct queue *queue = queue_of(shaper, change->node, change->direction);
    char device[NODE_DEVICE_MAX];
    node_queue(change->node, change->direction, device);
    if (!queue->netem && link_is_plain(change->link)) {
        change->link = NULL;
        return mem_printf("show --dev %s", device);
    }
    bool uniform = change->link->jitter_ns > 0 && !netem_has_table(change->link);
    return netem_request(device, change->link, queue->table && uniform);
}

/* Put the place before the sentence that is there. */
static int blame(const struct change *change, struct error *err)
{
    char name[NODE_NAME_MAX];
    link_name(change->node, change->direction, name);
    return error_prefix(err, "link.%s", name);
}

static int check_answer(const struct tcserve_answer *answer, const struct link *link, struct shape_counts *counts,
                        struct error *err)
{
    if (answer->complaint != NULL)
        return error_set(err, "tc refused it: %s", answer->complaint);
    if (answer->queue == NULL)
        return error_set(err, "tc showed no queue");
    return netem_compare(answer->queue, link, counts, err);
}

static int finish(struct shaper *shaper, const struct change *change, const struct tcserve_answer *answer,
                  struct error *err)
{
    if (check_answer(answer, change->link, NULL, err) < 0)
        return blame(change, err);
    struct queue *queue = queue_of(shaper, change->node, change->direction);
    queue->link = change->link ? *change->link : plain_link;
    queue->netem = change->link != NULL;
    if (queue->netem && queue->link.jitter_ns > 0)
        queue->table = netem_has_table(&queue->link);
    return 0;
}

/* Ask for n changes at once and check every answer. */
static int apply(struct shaper *shaper, struct change *changes, size_t n, struct error *err)
{
    char **requests = mem_array(n, sizeof *requests);
    struct tcserve_answer *answers = mem_array(n, sizeof *answers);
    for (size_t i = 0; i < n; i++)
        requests[i] = request_of(shaper, &changes[i]);
    int status = tcserve_ask(shaper->serve, requests, n, answers, err);
    if (status < 0 && n == 1)
        blame(changes, err);
    for (size_t i = 0; i < n && status == 0; i++)
        status = finish(shaper, &changes[i], &answers[i], err);
    for (size_t i = 0; i < n; i++) {
        free(requests[i]);
        tcserve_answer_clear(&answers[i]);
    }
    free(requests);
    free(answers);
    return status;
}

int shaper_set(struct shaper *shaper, int32_t node, enum direction direction, const struct link *link,
               int64_t *applied_ns, struct error *err)
{
    struct link whole = *link; /* the caller's may be the table's own row */
    struct change change = {node, direction, &whole};
    if (apply(shaper, &change, 1, err) < 0)
        return -1;
    if (applied_ns != NULL)
        *applied_ns = clock_now_ns();
    return 0;
}

int shaper_set_all(struct shaper *shaper, const struct scenario *scenario, struct error *err)
{
    int32_t workers = (int32_t)scenario->cluster.workers;
    size_t n = 0;
    struct change *changes = mem_array(((size_t)workers + 1) * 2, sizeof *changes);
    for (int32_t node = NODE_PS; node < workers; node++) {
        const struct link_pair *pair = node == NODE_PS ? &scenario->ps_link : &scenario->worker_link[node];
        for (enum direction d = LINK_UP; d <= LINK_DOWN; d++)
            changes[n++] = (struct change){node, d, &pair->direction[d]};
    }
    int status = apply(shaper, changes, n, err);
    free(changes);
    return status;
}

int shaper_counts(struct shaper *shaper, int32_t node, enum direction direction, struct shape_counts *out,
                  struct error *err)
{
    const struct queue *queue = queue_of(shaper, node, direction);
    struct change change = {node, direction, queue->netem ? &queue->link : NULL};
    *out = (struct shape_counts){0};
    if (!queue->netem)
        return 0;
    char device[NODE_DEVICE_MAX];
    node_queue(node, direction, device);
    char *request = mem_printf("show --dev %s", device);
    struct tcserve_answer answer;
    int status = tcserve_ask(shaper->serve, &request, 1, &answer, err);
    if (status == 0)
        status = check_answer(&answer, change.link, out, err);
    if (status < 0)
        blame(&change, err);
    tcserve_answer_clear(&answer);
    free(request);
    return status;
}
