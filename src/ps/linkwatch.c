/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "ps/linkwatch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "results/results.h"

enum { INTERVAL_NS = 100 * NS_PER_MS };

struct linkwatch_worker {
    uint64_t samples, retransmits;
    uint32_t last_retransmits; /* of the connection in hand: a new one counts from 0 again */
    double rtt_sum_us;
    uint32_t rtt_min_us;
};

void linkwatch_init(struct linkwatch *watch, uint32_t workers)
{
    *watch = (struct linkwatch){.workers = workers, .worker = mem_array(workers, sizeof *watch->worker)};
}

void linkwatch_clear(struct linkwatch *watch)
{
    free(watch->worker);
    *watch = (struct linkwatch){0};
}

void linkwatch_add(struct linkwatch *watch, uint32_t worker, const struct net_tcp_info *info)
{
    struct linkwatch_worker *of = &watch->worker[worker];
    if (info->retransmits < of->last_retransmits)
        of->last_retransmits = 0;
    of->retransmits += info->retransmits - of->last_retransmits;
    of->last_retransmits = info->retransmits;
    if (info->rtt_us == 0)
        return; /* nothing has been acknowledged yet */
    if (of->samples == 0 || info->min_rtt_us < of->rtt_min_us)
        of->rtt_min_us = info->min_rtt_us;
    of->rtt_sum_us += info->rtt_us;
    of->samples++;
}

void linkwatch_look(struct linkwatch *watch, const struct roster *roster, int64_t now_ns)
{
    struct net_tcp_info info;
    if (watch->sampled_ns != 0 && now_ns - watch->sampled_ns < INTERVAL_NS)
        return;
    watch->sampled_ns = now_ns;
    for (uint32_t worker = 0; worker < watch->workers; worker++)
        if (roster_tcp_info(roster, worker, &info))
            linkwatch_add(watch, worker, &info);
}

int64_t linkwatch_asked_ns(const struct scenario *scenario, uint32_t worker)
{
    const struct link_pair *pairs[] = {&scenario->ps_link, &scenario->worker_link[worker]};
    int64_t sum_ns = 0;
    for (size_t i = 0; i < 2; i++)
        sum_ns += pairs[i]->direction[LINK_UP].delay_ns + pairs[i]->direction[LINK_DOWN].delay_ns;
    return sum_ns;
}

static int write_row(struct results_writer *writer, uint32_t worker, const char *figure, double asked, double achieved,
                     uint64_t samples, struct error *err)
{
    char node[24];
    snprintf(node, sizeof node, "worker%u", worker + 1);
    results_begin(writer);
    results_text(writer, node);
    results_text(writer, "both");
    results_text(writer, figure);
    results_double(writer, asked);
    results_double(writer, achieved);
    results_int(writer, (int64_t)samples);
    results_text(writer, "tcp_info");
    results_text(writer, "during");
    return results_end(writer, err);
}

static int write_worker(struct results_writer *writer, const struct linkwatch_worker *of, uint32_t worker,
                        double asked_ms, struct error *err)
{
    if (of->samples == 0)
        return 0;
    double mean_ms = of->rtt_sum_us / (double)of->samples / 1000;
    if (write_row(writer, worker, "rtt_ms", NAN, mean_ms, of->samples, err) < 0 ||
        write_row(writer, worker, "rtt_min_ms", asked_ms, of->rtt_min_us / 1000.0, of->samples, err) < 0)
        return -1;
    return write_row(writer, worker, "retransmits", NAN, (double)of->retransmits, of->samples, err);
}

int linkwatch_write(const struct linkwatch *watch, const struct scenario *scenario, const char *directory, bool anew,
                    struct error *err)
{
    struct results_writer *writer = results_open(directory, RESULTS_LINKS, !anew, err);
    int status = writer ? 0 : -1;
    for (uint32_t worker = 0; status == 0 && worker < watch->workers; worker++) {
        double asked_ms = (double)linkwatch_asked_ns(scenario, worker) / NS_PER_MS;
        status = write_worker(writer, &watch->worker[worker], worker, asked_ms, err);
    }
    results_close(writer);
    return status;
}
