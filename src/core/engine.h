/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a worker computes: its partitions, its stale gradients, and one task at a time, in steps short enough that a
 * cancel is heard in between. No clock: the shell (or the simulator) decides how long a task takes.
 *
 *   engine_reset → engine_start → engine_step … until ENGINE_READY → engine_commit → engine_start …
 *                               └→ engine_cancel at any time, also when ready */
#ifndef LAGGARD_CORE_ENGINE_H
#define LAGGARD_CORE_ENGINE_H

#include "core/model.h"
#include "core/strategy.h"
#include "core/theta.h"

struct engine;

/* model and parts (all K of them; only the stored ones need rows: others may have n = 0) are borrowed. */
struct engine *engine_new(const struct model *model, const struct partition_set *parts);
void engine_free(struct engine *engine);

/* A new run of a strategy: forget stale gradients, and a task in hand. stored: the partitions that this worker holds in
 * it, each below K. */
void engine_reset(struct engine *engine, const uint32_t *stored, uint32_t n);

/* Take a task at theta (a reference is taken). Fails on a partition that is not stored or named twice, an unknown op, a
 * θ of another size, or a task in hand: the worker then stays as it was. task's arrays are copied; task->worker is put
 * into the answer. */
MUST_CHECK int engine_start(struct engine *engine, const struct task *task, struct theta *theta, struct error *err);

enum engine_step { ENGINE_BUSY, ENGINE_READY };
/* Compute at most `rows` more sample rows (rounded up to MODEL_BLOCK_ROWS). How the rows are cut does not change the
 * result. */
enum engine_step engine_step(struct engine *engine, size_t rows);

/* After ENGINE_READY: the answer (valid until the next call on the engine), and the worker's state moves on (stale
 * gradients, θ̂). vector is NULL for a skip. worker and round are filled in from the task and θ. */
struct answer engine_commit(struct engine *engine);

/* Stop the task in hand, whether computing or ready: its result is lost, since to the experiment a worker that was
 * still in its computing time has not finished. TASK_DELTA: θ̂_k moves to this θ all the same (the round went on without
 * us) and ∇L_k(θ̂_k) will be recomputed when next needed. Returns the partition gradients evaluated so far (whole ones);
 * 0 if there is no task. */
uint32_t engine_cancel(struct engine *engine);

bool engine_is_idle(const struct engine *engine);

#endif
