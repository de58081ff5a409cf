/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is asked of netem and what it says it has. The doors: netem_request, netem_compare. shape.c carries the words to
 * tc and back. */
#include "config.h"

#include "bed/netem.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/clock.h"
#include "base/mem.h"

enum { PACKET_BYTES = 1500, QUEUE_MIN_PACKETS = 100, PPM = 1000000 };

/* What netem/lib.sh gives a link that asks for no rate: with any rate netem keeps packets in order. */
static const double ORDER_RATE_BPS = 100e9;
static const double PLAIN_RATE_BPS = 1e9;

static const char *const table_names[] = {
    [DELAY_NORMAL] = "normal",
    [DELAY_UNIFORM] = "uniform",
    [DELAY_PARETO] = "pareto",
    [DELAY_PARETONORMAL] = "paretonormal",
};

uint32_t shape_queue_limit(const struct link *link)
{
    if (link->queue_packets > 0)
        return link->queue_packets;
    double rate = link->rate_bps > 0 ? (double)link->rate_bps : PLAIN_RATE_BPS;
    double delay_s = ((double)link->delay_ns + 4.0 * (double)link->jitter_ns) / NS_PER_S;
    double packets = ceil(2 * rate * delay_s / (8.0 * PACKET_BYTES));
    if (packets < QUEUE_MIN_PACKETS)
        return QUEUE_MIN_PACKETS;
    return packets < 10e6 ? (uint32_t)packets : 10000000; /* the most that link-shape takes: 15 GB */
}

bool netem_has_table(const struct link *link)
{
    return link->jitter_ns > 0 && link->shape != DELAY_UNIFORM;
}

static int64_t whole_us(int64_t ns)
{
    return (ns + NS_PER_US / 2) / NS_PER_US;
}

/* "0.1000%": exact, as a fraction in binary would not be */
static void percent_option(FILE *to, const char *before, uint32_t ppm)
{
    fprintf(to, "%s%" PRIu32 ".%04" PRIu32 "%%", before, ppm / 10000, ppm % 10000);
}

static void loss_options(FILE *to, const struct link *link)
{
    if (link->loss == LINK_LOSS_INDEPENDENT)
        percent_option(to, " --loss ", link->loss_ppm);
    if (link->loss != LINK_LOSS_GEMODEL)
        return;
    percent_option(to, " --gemodel ", link->ge_p_ppm);
    percent_option(to, ",", link->ge_r_ppm);
    percent_option(to, ",", link->ge_1h_ppm);
    percent_option(to, ",", link->ge_1k_ppm);
}

char *netem_request(const char *device, const struct link *link, bool fresh)
{
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    if (to == NULL)
        return mem_strdup("");
    fprintf(to, "set --dev %s --limit %" PRIu32, device, shape_queue_limit(link));
    fprintf(to, " --delay %" PRId64 "us --jitter %" PRId64 "us --distribution %s", whole_us(link->delay_ns),
            whole_us(link->jitter_ns), table_names[link->shape]);
    if (link->rate_bps > 0)
        fprintf(to, " --rate %" PRIu64 "bit", link->rate_bps);
    loss_options(to, link);
    percent_option(to, " --duplicate ", link->duplicate_ppm);
    percent_option(to, " --reorder ", link->reorder_ppm);
    percent_option(to, " --corrupt ", link->corrupt_ppm);
    if (fresh)
        fputs(" --fresh", to);
    fclose(to);
    return text;
}

/* One figure of the answer: options.OBJECT.MEMBER, or options.MEMBER without an object; not there means 0. */
struct figure {
    const char *object, *member, *unit;
    double asked, scale;       /* found × scale is in the unit of asked */
    double absolute, relative; /* tolerance */
};

static double found_value(const json_t *options, const struct figure *figure)
{
    const json_t *holder = figure->object ? json_object_get(options, figure->object) : options;
    return json_number_value(json_object_get(holder, figure->member)) * figure->scale;
}

static int compare_figure(const json_t *options, const struct figure *figure, struct error *err)
{
    double found = found_value(options, figure);
    if (fabs(found - figure->asked) <= figure->absolute + figure->relative * fabs(figure->asked))
        return 0;
    return error_set(err, "%s%s%s: asked for %.9g%s, the kernel has %.9g%s", figure->object ? figure->object : "",
                     figure->object ? "." : "", figure->member, figure->asked, figure->unit, found, figure->unit);
}

/* Every figure of a link. tc prints six digits; the kernel keeps ticks of 64 ns, whole bytes per second and fractions
 * of 2^32. */
static int compare_options(const json_t *options, const struct link *link, struct error *err)
{
    bool random = link->loss == LINK_LOSS_INDEPENDENT, bursts = link->loss == LINK_LOSS_GEMODEL;
    double rate = link->rate_bps > 0 ? (double)link->rate_bps : ORDER_RATE_BPS;
#define US(object, member, ns)                                                                                         \
    {                                                                                                                  \
        object, member, "us", (double)whole_us(ns), 1e6, 2, 1e-5                                                       \
    }
#define SHARE(object, member, ppm)                                                                                     \
    {                                                                                                                  \
        object, member, "ppm", (double)(ppm), PPM, 1e-3, 2e-5                                                          \
    }
    const struct figure figures[] = {
        US("delay", "delay", link->delay_ns),
        US("delay", "jitter", link->jitter_ns),
        {"rate", "rate", "bit/s", rate, 8, 8, 0},
        {NULL, "limit", " packets", shape_queue_limit(link), 1, 0, 0},
        SHARE("loss-random", "loss", random ? link->loss_ppm : 0),
        SHARE("loss-gemodel", "p", bursts ? link->ge_p_ppm : 0),
        SHARE("loss-gemodel", "r", bursts ? link->ge_r_ppm : 0),
        SHARE("loss-gemodel", "1-h", bursts ? link->ge_1h_ppm : 0),
        SHARE("loss-gemodel", "1-k", bursts ? link->ge_1k_ppm : 0),
        SHARE("duplicate", "duplicate", link->duplicate_ppm),
        SHARE("reorder", "reorder", link->reorder_ppm),
        SHARE("corrupt", "corrupt", link->corrupt_ppm),
        {NULL, "gap", "", link->reorder_ppm > 0, 1, 0, 0},
        /* never asked for */
        SHARE("delay", "correlation", 0),
        SHARE("loss-random", "correlation", 0),
        SHARE("duplicate", "correlation", 0),
        SHARE("reorder", "correlation", 0),
        SHARE("corrupt", "correlation", 0),
        SHARE("loss-state", "p13", 0),
        {"rate", "packetoverhead", " bytes", 0, 1, 0, 0},
        {"slot", "min-delay", "", 0, 1, 0, 0},
    };
#undef US
#undef SHARE
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        if (compare_figure(options, &figures[i], err) < 0)
            return -1;
    return 0;
}

/* The queue at the root of the device; NULL: none is listed. */
static const json_t *root_queue(const json_t *answer)
{
    size_t i;
    json_t *queue;
    json_array_foreach(answer, i, queue) if (json_is_true(json_object_get(queue, "root"))) return queue;
    return NULL;
}

static uint64_t count_of(const json_t *queue, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(queue, name));
}

static int compare_queue(const json_t *queue, const struct link *link, struct error *err)
{
    const char *kind = json_string_value(json_object_get(queue, "kind"));
    bool is_netem = kind != NULL && strcmp(kind, "netem") == 0;
    if (link == NULL)
        return is_netem ? error_set(err, "queue: asked for none, the kernel has a netem") : 0;
    if (!is_netem)
        return error_set(err, "queue: asked for a netem, the kernel has %s", kind ? kind : "none");
    return compare_options(json_object_get(queue, "options"), link, err);
}

int netem_compare(const char *json, const struct link *link, struct shape_counts *counts, struct error *err)
{
    json_error_t where;
    json_t *answer = json_loads(json, 0, &where);
    if (!json_is_array(answer)) {
        json_decref(answer);
        return error_set(err, "tc -j qdisc show: not a list in JSON: %.80s", json);
    }
    const json_t *queue = root_queue(answer);
    int status = compare_queue(queue, link, err);
    if (status == 0 && counts != NULL)
        *counts = (struct shape_counts){count_of(queue, "packets"), count_of(queue, "bytes"), count_of(queue, "drops")};
    json_decref(answer);
    return status;
}
