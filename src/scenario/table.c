/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table itself. To add a key: a row here, a field in scenario.h, a paragraph in laggard-scenario(5) (a test
 * compares the names). */
#include "config.h"

#include "scenario/keys.h"

#include "scenario/own.h"

const char *const section_names[SECTION_KINDS] = {"scenario", "problem", "cluster", "strategy", "compute",
                                                  "link",     "pause",   "at",      "security"};

static const char *const model_words[] = {"linear", "logistic", NULL};
static const char *const scale_words[] = {"none", "unit", "standard", NULL};
static const char *const order_words[] = {"file", "norm", "label", "shuffle", NULL};
static const char *const loss_words[] = {"wait", "continue", "abort", NULL};
static const char *const code_words[] = {"cyclic", "fractional", NULL};
static const char *const shape_words[] = {"normal", "uniform", "pareto", "paretonormal", NULL};
static const char *const assign_words[] = {"consecutive", "smoothness", NULL};

#define IN(type, field) .offset = offsetof(struct type, field)
#define OWN(name)       .type = KEY_OWN, .read = own_read_##name, .write = own_write_##name
#define LAZY            "lag-wk lag-ps lagc g-lag"

/* clang-format off */
const struct key keys[] = {
    /* [scenario] */
    {SECTION_SCENARIO, "name", OWN(name), .form = "TEXT",
     .help = "what the scenario is called in reports; without it, the file's name"},
    {SECTION_SCENARIO, "seed", KEY_COUNT64, .def = "1", IN(scenario, seed),
     .help = "of all random numbers; the same seed gives the same draws"},
    {SECTION_SCENARIO, "repeats", KEY_COUNT32, .def = "1", .min = "1", .max = "10000", IN(scenario, repeats),
     .help = "how often each strategy runs, each time with draws of its own"},
    {SECTION_SCENARIO, "strategies", OWN(strategies), .def = "gd, gc, grouping, lag-wk, lag-ps, lagc, g-lag",
     .form = "NAME, NAME, ...", .help = "which strategies run, in this order"},
    {SECTION_SCENARIO, "target_relative_error", OWN(target_relative), .def = "1e-4", .form = "NUMBER",
     .help = "a run ends when L(theta) - L* is below this share of what it was at round 0"},
    {SECTION_SCENARIO, "target_error", OWN(target_error), .form = "NUMBER",
     .help = "instead: a run ends when L(theta) - L* is below this"},
    {SECTION_SCENARIO, "target_gradient", OWN(target_gradient), .form = "NUMBER",
     .help = "instead: a run ends when the norm of the gradient is below this"},
    {SECTION_SCENARIO, "max_rounds", KEY_COUNT32, .def = "10000", .min = "1", .max = "10000000", IN(scenario, max_rounds),
     .help = "a run ends after so many rounds"},
    {SECTION_SCENARIO, "max_time", KEY_DURATION, .def = "none", .min = "1ms", .zero = "none", IN(scenario, max_time_ns),
     .help = "a run ends after so long"},

    /* [problem] */
    {SECTION_PROBLEM, "model", KEY_WORD, .def = "linear", .words = model_words, IN(scenario, problem.model),
     .help = "least squares or logistic regression"},
    {SECTION_PROBLEM, "data", OWN(data), .def = "synthetic", .form = "synthetic | csv:FILE | libsvm:FILE | idx:IMAGES,LABELS",
     .help = "where the samples come from"},
    {SECTION_PROBLEM, "classes", OWN(classes), .def = "none", .form = "none | LABEL, LABEL",
     .help = "keep samples with these two labels: the first becomes +1, the second -1"},
    {SECTION_PROBLEM, "center", KEY_SWITCH, .def = "false", IN(scenario, problem.center),
     .help = "subtract each feature's mean"},
    {SECTION_PROBLEM, "scale", KEY_WORD, .def = "none", .words = scale_words, IN(scenario, problem.scale),
     .help = "unit: each sample to norm 1; standard: each feature to deviation 1"},
    {SECTION_PROBLEM, "order", KEY_WORD, .def = "file", .words = order_words, IN(scenario, problem.order),
     .help = "how samples are ordered before they are cut into partitions"},
    {SECTION_PROBLEM, "samples", KEY_SIZE, .def = "all", .min = "1", .max = "50000000", .zero = "all", IN(scenario, problem.samples),
     .help = "how many samples; all of synthetic is 450"},
    {SECTION_PROBLEM, "features", KEY_SIZE, .def = "auto", .min = "1", .max = "10000000", .zero = "auto", IN(scenario, problem.features),
     .help = "how many features; auto: as the file has, synthetic 50"},
    {SECTION_PROBLEM, "heterogeneity", KEY_NUMBER, .def = "1.3", .min = "0", .max = "10", IN(scenario, problem.heterogeneity),
     .help = "h of synthetic data: partition m has smoothness (h^(m-1) + 1)^2"},
    {SECTION_PROBLEM, "l2", KEY_NUMBER, .def = "0", .min = "0", IN(scenario, problem.l2),
     .help = "the regulariser lambda, once per partition"},
    {SECTION_PROBLEM, "step", KEY_NUMBER, .def = "1/L", .zero = "1/L", IN(scenario, problem.step),
     .help = "alpha of theta := theta - alpha G"},

    /* [cluster] */
    {SECTION_CLUSTER, "workers", KEY_COUNT32, .def = "9", .min = "1", .max = "1000", IN(scenario, cluster.workers),
     .help = "M, which is also the number of partitions"},
    {SECTION_CLUSTER, "redundancy", KEY_COUNT32, .def = "3", .min = "1", .max = "1000", IN(scenario, cluster.redundancy),
     .help = "r: how many partitions a worker stores, and workers store a partition"},
    {SECTION_CLUSTER, "on_worker_loss", KEY_WORD, .def = "continue", .words = loss_words, .not_yet = "wait",
     IN(scenario, cluster.on_worker_loss),
     .help = "what a run does when a worker goes away"},
    {SECTION_CLUSTER, "wait_limit", KEY_DURATION, .def = "30s", .min = "1ms", IN(scenario, cluster.wait_limit_ns),
     .help = "how long the PS waits for workers to connect and to be ready"},

    /* [strategy], [strategy:NAME] */
    {SECTION_STRATEGY, "redundancy", KEY_COUNT32, .def = "inherit", .min = "1", .max = "1000", .zero = "inherit",
     IN(strategy_choice, redundancy), .only = "gc grouping lagc g-lag", .help = "r of this strategy; inherit: the cluster's"},
    {SECTION_STRATEGY, "step", KEY_NUMBER, .def = "inherit", .zero = "inherit", IN(strategy_choice, step),
     .help = "alpha of this strategy; inherit: the problem's"},
    {SECTION_STRATEGY, "history", KEY_COUNT32, .def = "10", .min = "1", .max = "10000", IN(strategy_choice, history), .only = LAZY,
     .help = "D: how many past steps a trigger compares with"},
    {SECTION_STRATEGY, "xi", KEY_NUMBER, .def = "auto", .min = "0", .zero = "auto", .zero_is_nan = true, IN(strategy_choice, xi),
     .only = LAZY, .help = "the weight of a past step in a trigger; auto: 1/D for lag-wk, 10/D for the others"},
    {SECTION_STRATEGY, "always", KEY_SWITCH, .def = "false", IN(strategy_choice, always), .only = LAZY,
     .help = "every trigger forced on"},
    {SECTION_STRATEGY, "refresh", KEY_COUNT32, .def = "0", .max = "10000000", IN(strategy_choice, refresh), .only = "lagc",
     .help = "every partition is selected each so many rounds; 0: only in round 0"},
    {SECTION_STRATEGY, "assign", KEY_WORD, .def = "consecutive", .words = assign_words, IN(strategy_choice, assign), .only = "g-lag",
     .help = "which partitions share a group"},
    {SECTION_STRATEGY, "code", KEY_WORD, .def = "cyclic", .words = code_words, IN(strategy_choice, code), .only = "gc lagc",
     .help = "the gradient code"},

    /* [compute], [compute:workerN] */
    {SECTION_COMPUTE, "model", OWN(model), .def = "none",
     .form = "none | constant | exponential | shifted-exponential | pareto | weibull | lognormal | bimodal | trace",
     .help = "the distribution of a worker's computing time per partition"},
    {SECTION_COMPUTE, "mean", KEY_SECONDS, .min = "1us", .max = "60min", IN(compute_draft, dist.mean),
     .help = "its mean, per partition"},
    {SECTION_COMPUTE, "shape", KEY_NUMBER, .min = "0", IN(compute_draft, dist.shape),
     .help = "pareto: the exponent; weibull: k; lognormal: sigma; shifted-exponential: the constant share of the mean"},
    {SECTION_COMPUTE, "probability", KEY_SHARE, IN(compute_draft, dist.probability),
     .help = "bimodal: how often a task is slow"},
    {SECTION_COMPUTE, "factor", KEY_NUMBER, .min = "1", .max = "1e6", IN(compute_draft, dist.factor),
     .help = "bimodal: how many times slower a slow task is"},
    {SECTION_COMPUTE, "file", KEY_TEXT, IN(compute_draft, file), .form = "FILE",
     .help = "trace: a CSV of milliseconds, a row per round, a column per worker"},
    {SECTION_COMPUTE, "scale", KEY_NUMBER, .def = "1", .min = "1e-9", .max = "1e9", IN(compute_draft, dist.scale),
     .help = "trace: multiplies its times"},

    /* [link], [link:NODE], [link:NODE.up], [link:NODE.down]; the names are figures of the timeline too */
    {SECTION_LINK, "delay", KEY_DURATION, .def = "0ms", .max = "60s", IN(link, delay_ns), .help = "one-way delay"},
    {SECTION_LINK, "jitter", KEY_DURATION, .def = "0ms", .max = "60s", IN(link, jitter_ns), .help = "spread of the delay, at most the delay"},
    {SECTION_LINK, "distribution", KEY_WORD, .def = "normal", .words = shape_words, IN(link, shape), .help = "of the jitter"},
    {SECTION_LINK, "rate", KEY_RATE, .def = "unlimited", .min = "8kbit", .max = "100gbit", .zero = "unlimited", IN(link, rate_bps),
     .help = "bits a second, packet headers included"},
    {SECTION_LINK, "loss", OWN(loss), .def = "0%", .form = "PERCENT | gemodel P R [1-H [1-K]]",
     .help = "packets lost, independently or in bursts"},
    {SECTION_LINK, "duplicate", KEY_PERCENT, .def = "0%", IN(link, duplicate_ppm), .help = "packets sent twice"},
    {SECTION_LINK, "reorder", KEY_PERCENT, .def = "0%", IN(link, reorder_ppm),
     .help = "packets that skip the delay and so overtake others"},
    {SECTION_LINK, "corrupt", KEY_PERCENT, .def = "0%", IN(link, corrupt_ppm), .help = "packets with one wrong bit"},
    {SECTION_LINK, "queue", KEY_COUNT32, .def = "auto", .min = "1", .max = "1000000", .zero = "auto", IN(link, queue_packets),
     .help = "packets that wait at most; auto: what rate and delay need"},

    /* [pause], [pause:workerN] */
    {SECTION_PAUSE, "workers", OWN(pause_workers), .def = "all", .form = "all | NUMBER, NUMBER, ...",
     .help = "which workers [pause] is about"},
    {SECTION_PAUSE, "every", OWN(pause_every), .def = "none", .form = "none | KIND MEAN [SHAPE]",
     .help = "from the end of a pause to the next one"},
    {SECTION_PAUSE, "for", OWN(pause_for), .def = "constant 1s", .form = "KIND MEAN [SHAPE]", .help = "how long a pause lasts"},

    /* [at:TIME] */
    {SECTION_AT, "link.NODE.FIGURE", KEY_OWN, .form = "as the key FIGURE of [link]",
     .help = "change one figure of a link; NODE.up or NODE.down: of one direction"},
    {SECTION_AT, "link.NODE.cut", KEY_DURATION, .min = "1ms", IN(timeline_event, length_ns),
     .help = "no packet passes for so long; NODE.up or NODE.down: in one direction"},
    {SECTION_AT, "pause.workerN", KEY_DURATION, .min = "1ms", IN(timeline_event, length_ns), .help = "stop a worker's process for so long"},
    {SECTION_AT, "kill.workerN", OWN(signal), .form = "KILL | TERM", .help = "end a worker's process with this signal"},
    {SECTION_AT, "restart.workerN", OWN(restart), .form = "true", .help = "start a worker's process again"},

    /* [security] */
    {SECTION_SECURITY, "tls", KEY_SWITCH, .def = "true", IN(scenario, tls), .help = "TLS 1.3 on every connection"},
    {.name = NULL}};

const struct key_unsupported keys_unsupported[] = {
    {"every", NULL, "write an [at:TIME] for each time", NULL},
    {"round", NULL, "[at:TIME] counts in time", NULL},
    {"cpu", NULL, "[compute] makes a worker slow", NULL},
    {"sweep", NULL, "call laggard once for each value, with --set", NULL},
    {"scenario", "checkpoint", "only 0, none, is", "0"},
    {"link", "trace", "use rate, delay and the timeline", NULL},
    {"at", "cpu", "use pause.workerN", NULL},
    {NULL, NULL, NULL, NULL}};
/* clang-format on */
