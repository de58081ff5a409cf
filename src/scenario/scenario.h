/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scenario: one INI file, read whole, checked whole, resolved whole (laggard-scenario(5)).
 *
 * One table row a key (keys.c): name, type, default, range, what it means. Parser, `laggard check`, the resolved dump
 * and the manual's test read that table. Errors are collected, all of them, each with its line. */
#ifndef LAGGARD_SCENARIO_SCENARIO_H
#define LAGGARD_SCENARIO_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "core/dataset.h"
#include "core/dist.h"
#include "core/model.h"
#include "core/session.h"
#include "core/strategy.h"

/* How much synthetic data there is when nobody says. */
enum { SCENARIO_SYNTHETIC_SAMPLES = 450, SCENARIO_SYNTHETIC_FEATURES = 50 };

enum data_source { DATA_SYNTHETIC, DATA_CSV, DATA_LIBSVM, DATA_IDX };

/* [problem] */
struct problem {
    enum model_kind model;
    enum data_source source;
    char *path, *labels_path; /* as written, made absolute against the scenario's folder; NULL for synthetic */
    struct class_pair classes;
    bool center;
    enum data_scale scale;
    enum data_order order;
    size_t samples;       /* 0: all there are (synthetic: 450) */
    size_t features;      /* synthetic, libsvm; 0: as the file has (synthetic: 50) */
    double heterogeneity; /* synthetic; 0 else */
    double l2;
    double step; /* 0: 1/L */
};

enum worker_loss { LOSS_WAIT, LOSS_CONTINUE, LOSS_ABORT };

/* [cluster] */
struct cluster {
    uint32_t workers, redundancy;
    enum worker_loss on_worker_loss;
    int64_t wait_limit_ns;
};

enum group_assign { ASSIGN_CONSECUTIVE, ASSIGN_SMOOTHNESS };

/* [strategy] and [strategy:NAME] resolved: one per strategy that the scenario runs */
struct strategy_choice {
    const struct strategy_ops *ops;
    uint32_t redundancy; /* may override the cluster's */
    uint32_t history;
    double xi;   /* NAN: the strategy's own */
    double step; /* 0: the problem's */
    bool always;
    uint32_t refresh;
    enum group_assign assign; /* g-lag */
    enum code_kind code;      /* gc, lagc */
};

enum delay_shape { DELAY_NORMAL, DELAY_UNIFORM, DELAY_PARETO, DELAY_PARETONORMAL };
enum loss_kind { LINK_LOSS_NONE, LINK_LOSS_INDEPENDENT, LINK_LOSS_GEMODEL };

/* One direction of one link. Fractions are in parts per million (0.1 % = 1000). */
struct link {
    int64_t delay_ns, jitter_ns;
    enum delay_shape shape;
    uint64_t rate_bps; /* 0: unlimited */
    enum loss_kind loss;
    uint32_t loss_ppm;                                 /* independent */
    uint32_t ge_p_ppm, ge_r_ppm, ge_1h_ppm, ge_1k_ppm; /* gemodel, as tc-netem(8) has them */
    uint32_t duplicate_ppm, reorder_ppm, corrupt_ppm;
    uint32_t queue_packets; /* 0: auto */
};

/* up is towards the PS on every link, down away from it: link.ps.up carries every worker's gradients, link.ps.down
 * every θ. */
enum direction { LINK_UP, LINK_DOWN };
struct link_pair {
    struct link direction[2]; /* by enum direction */
};

/* Random pauses of one worker: gaps and lengths in seconds. kind DIST_NONE in `every`: never. */
struct pause_model {
    struct dist every, length;
};

/* A file of computing times, in memory in seconds. */
struct trace {
    char *path; /* absolute */
    double *table;
    size_t rows, columns;
};

/* EVENT_HEAL, the end of a cut, is never planned: it is what events.csv calls it. */
enum event_kind { EVENT_LINK, EVENT_PAUSE, EVENT_CUT, EVENT_HEAL, EVENT_KILL, EVENT_RESTART, EVENT_CPU };

/* One planned change, `at_ns` after the start of each strategy's run. */
struct timeline_event {
    int64_t at_ns;
    enum event_kind kind;
    int32_t node; /* worker 0-based, −1: the PS's link */
    bool both;    /* EVENT_LINK, EVENT_CUT: both directions */
    enum direction direction;
    char *key;         /* EVENT_LINK: which figure ("delay"); NULL else. Owned. */
    struct link value; /* EVENT_LINK: only the figure named is meant */
    int64_t length_ns; /* pause, cut */
    int signal;        /* kill */
    int line;          /* in the scenario file */
};

struct scenario {
    char *path; /* of the file; errors and relative paths refer to it */
    char *name;
    uint64_t seed;
    uint32_t repeats;
    size_t n_strategies;
    struct strategy_choice *strategy;
    enum target_kind target_kind;
    double target;
    uint32_t max_rounds;
    int64_t max_time_ns; /* 0: none */
    struct problem problem;
    struct cluster cluster;
    struct dist *compute; /* workers of them */
    size_t n_traces;
    struct trace *trace;           /* owned; compute[] refer to their tables (which may be shared) */
    struct link_pair *worker_link; /* workers of them */
    struct link_pair ps_link;
    struct pause_model *pause; /* workers of them */
    size_t n_events;
    struct timeline_event *event; /* ascending in time, ties in file order */
    bool tls;
};

/* One error of a file: the sentence names section, key, value and what would be right. */
struct scenario_error {
    int line; /* 0: about the whole file or a --set */
    char *text;
};
struct scenario_errors {
    size_t n;
    struct scenario_error *error;
};

/* Read and check a file. overrides: n of "section.key=value" (--set; the section is all before the last dot of the left
 * side), applied before checking. Returns NULL when there is any error; errors (out) then has them all, in line order.
 * Files that the scenario names are looked for, traces are read, data sets are not. */
MUST_CHECK struct scenario *scenario_read(const char *path, const char *const *overrides, size_t n,
                                          struct scenario_errors *errors);
/* The same from bytes in memory; name stands for the file's path. */
MUST_CHECK struct scenario *scenario_parse(const char *name, const char *bytes, size_t len,
                                           struct scenario_errors *errors);
void scenario_free(struct scenario *scenario);
void scenario_errors_clear(struct scenario_errors *errors);
/* "FILE:LINE: sentence" each on a line. */
void scenario_errors_print(const struct scenario_errors *errors, const char *path, FILE *to);

/* The resolved scenario as text, every key with its value: read again, it resolves to itself. New string. */
char *scenario_dump(const struct scenario *scenario);

/* Does it ask for anything of the network that needs netem (now or on the timeline)? */
bool scenario_needs_netem(const struct scenario *scenario);
bool link_is_plain(const struct link *link);
bool link_equals(const struct link *a, const struct link *b);

/* Everything of a strategy's run but the data: partitions = workers, seed of the repeat, target. d, alpha, smoothness
 * and group_smoothness are the caller's to fill in. */
void scenario_session_config(const struct scenario *scenario, size_t which, uint32_t repeat,
                             struct session_config *out);

#endif
