/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messages between PS and workers, as structs; wire/codec.h turns them into bytes and back. laggard-protocol(7) is
 * the specification.
 *
 *   worker                               PS
 *     HELLO  ───────────────────────────▶      version, worker, partitions (SHA-256, L_k)
 *            ◀───────────────────────────  WELCOME   or REFUSE (reason), then close
 *            ◀───────────────────────────  BEGIN     a run: strategy, repeat, redundancy
 *     READY  ───────────────────────────▶
 *            ◀───────────────────────────  THETA     round, d values: one immutable frame for all workers
 *            ◀───────────────────────────  TASK      round, op, threshold, partitions and weights
 *     ANSWER or SKIP ───────────────────▶
 *            ◀───────────────────────────  CANCEL    round
 *     CANCELLED ────────────────────────▶      round, partition gradients evaluated in vain
 *            ◀───────────────────────────  END       of the run;  BYE: of everything
 *
 * A CANCEL that crosses the answer is not acknowledged: exactly one of ANSWER, SKIP, CANCELLED comes for each TASK. */
#ifndef LAGGARD_WIRE_MESSAGE_H
#define LAGGARD_WIRE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WIRE_VERSION = 1,
    WIRE_HASH_BYTES = 32,
    WIRE_REASON_MAX = 512,
    WIRE_NAME_MAX = 32,
    WIRE_PARTS_MAX = 65536,
    WIRE_DIMENSION_MAX = 10 * 1000 * 1000
};

/* Numbers never change meaning; retired ones stay listed. */
enum wire_type {
    WIRE_HELLO = 1,
    WIRE_WELCOME = 2,
    WIRE_REFUSE = 3,
    WIRE_BEGIN = 4,
    WIRE_READY = 5,
    WIRE_THETA = 6,
    WIRE_TASK = 7,
    WIRE_ANSWER = 8,
    WIRE_SKIP = 9,
    WIRE_CANCEL = 10,
    WIRE_CANCELLED = 11,
    WIRE_END = 12,
    WIRE_BYE = 13
};

struct wire_stored { /* a partition that a worker has */
    uint32_t partition;
    uint8_t sha256[WIRE_HASH_BYTES];
    double smoothness; /* L_k */
};

/* A decoded message. Arrays are borrowed from the decoder until its next call; in a message to encode, from the caller.
 */
struct wire_message {
    enum wire_type type;
    uint8_t version; /* of the sender; encoding 0 means WIRE_VERSION. Anything else only in HELLO and REFUSE */
    union {
        struct {
            uint32_t worker, dimension, n;
            const struct wire_stored *stored;
        } hello;
        struct {
            uint32_t workers, dimension;
        } welcome;
        struct {
            char reason[WIRE_REASON_MAX];
        } refuse;
        struct {
            uint32_t run; /* counts from 1 over all strategies and repeats */
            uint32_t repeat, redundancy;
            char strategy[WIRE_NAME_MAX];
        } begin;
        struct {
            uint32_t run;
        } ready;
        struct {
            uint32_t round, n;
            const double *value;
        } theta;
        struct {
            uint32_t round, n;
            uint8_t op; /* enum task_op */
            double threshold;
            const uint32_t *parts;
            const double *weights;
        } task;
        struct {
            uint32_t round, evaluated, n;
            int64_t compute_ns;   /* real computing */
            int64_t wait_ns;      /* waited after it, to make up T */
            int64_t overrun_ns;   /* by which real computing exceeded T */
            int64_t late_ns;      /* how late the timer of the wait fired */
            const double *vector; /* NULL in a SKIP */
        } answer;                 /* ANSWER and SKIP */
        struct {
            uint32_t round;
        } cancel;
        struct {
            uint32_t round, evaluated;
        } cancelled;
        struct {
            uint32_t run;
        } end;
    } u;
};

#endif
