/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "Did you mean …?": the known name that is closest to what was written. */
#ifndef LAGGARD_SCENARIO_NEAREST_H
#define LAGGARD_SCENARIO_NEAREST_H

#include <stddef.h>

/* Edits (insert, delete, change, or swap of neighbours) between two names, letters' case aside. Names longer than
 * NEAREST_MAX bytes are compared by their first NEAREST_MAX. */
enum { NEAREST_MAX = 64 };
unsigned nearest_distance(const char *a, const char *b);

/* The closest name so far; start with {0}. */
struct nearest {
    const char *name; /* borrowed from the offers; NULL: none was close */
    unsigned distance;
};
/* Offer a known name for what was written. Names that differ in more than about a third of their letters are no help.
 * Of equally close ones the first stays. */
void nearest_offer(struct nearest *nearest, const char *written, const char *known);

/* "; did you mean "NAME"?" or "" into out; returns out. */
char *nearest_hint(const struct nearest *nearest, char *out, size_t size);

#endif
