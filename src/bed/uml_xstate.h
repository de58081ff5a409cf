/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small shared library that linux.uml needs on processors with more registers than it knows of (uml_xstate.c). */
#ifndef LAGGARD_BED_UML_XSTATE_H
#define LAGGARD_BED_UML_XSTATE_H

/* For the child that becomes linux.uml: write it into a folder that exists and have it loaded (LD_PRELOAD). Where it
 * cannot be written it says so on standard error, and the kernel starts without it. */
void uml_xstate_preload(const char *folder);

#endif
