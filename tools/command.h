/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command of `laggard`: one file tools/cmd_NAME.c each, one row in the table of tools/laggard.c. */
#ifndef LAGGARD_TOOLS_COMMAND_H
#define LAGGARD_TOOLS_COMMAND_H

struct command {
    const char *name;
    const char *usage;                 /* what follows the name: "SCENARIO [-o DIR] …" */
    const char *summary;               /* one line for `laggard --help` */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns an exit status (base/error.h) */
};

#endif
