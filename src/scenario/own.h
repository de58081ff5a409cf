/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readers and writers of the keys whose values have a form of their own (KEY_OWN in keys.h). Each pair: text to field
 * of object, and field to text. */
#ifndef LAGGARD_SCENARIO_OWN_H
#define LAGGARD_SCENARIO_OWN_H

#include "base/error.h"

/* struct scenario */
int own_read_name(const char *text, void *object, struct error *err);
char *own_write_name(const void *object);
int own_read_strategies(const char *text, void *object,
                        struct error *err); /* "gd, gc": sets ops of each, the rest cleared */
char *own_write_strategies(const void *object);
int own_read_data(const char *text, void *object,
                  struct error *err); /* file names made absolute against the scenario's folder */
char *own_write_data(const void *object);
int own_read_classes(const char *text, void *object, struct error *err);
char *own_write_classes(const void *object);
/* The three targets: each sets kind and figure; writes NULL unless it is the kind that the scenario has. */
int own_read_target_error(const char *text, void *object, struct error *err);
int own_read_target_relative(const char *text, void *object, struct error *err);
int own_read_target_gradient(const char *text, void *object, struct error *err);
char *own_write_target_error(const void *object);
char *own_write_target_relative(const void *object);
char *own_write_target_gradient(const void *object);

/* struct link */
int own_read_loss(const char *text, void *object, struct error *err); /* "0.1%" or "gemodel 1% 30% [1-h [1-k]]" */
char *own_write_loss(const void *object);

/* struct pause_draft */
int own_read_pause_workers(const char *text, void *object, struct error *err); /* "all" or "2, 4" */
char *own_write_pause_workers(const void *object);
int own_read_pause_every(const char *text, void *object, struct error *err); /* "none" or "KIND MEAN [SHAPE]" */
char *own_write_pause_every(const void *object);
int own_read_pause_for(const char *text, void *object, struct error *err);
char *own_write_pause_for(const void *object);

/* struct compute_draft: the model, by dist_names */
int own_read_model(const char *text, void *object, struct error *err);
char *own_write_model(const void *object);

/* struct timeline_event */
int own_read_signal(const char *text, void *object, struct error *err);
char *own_write_signal(const void *object);
int own_read_restart(const char *text, void *object, struct error *err);
char *own_write_restart(const void *object);

/* path as it stands, or against the folder of the file `beside`. New string. */
char *own_absolute(const char *path, const char *beside);

#endif
