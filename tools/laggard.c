/* SPDX-License-Identifier: GPL-3.0-or-later */
/* laggard: the controller, one command a file. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "bed/bed.h"

#include "command.h"

extern const struct command command_run, command_check, command_report, command_doctor;

/* In the order of help; NULL-terminated. */
static const struct command *const commands[] = {&command_run, &command_check, &command_report, &command_doctor, NULL};

static void print_help(FILE *to)
{
    fprintf(to, "Usage: laggard COMMAND [ARGUMENT]...\n\n"
                "Compare distributed learning strategies on real sockets, under stragglers and slow links.\n\n");
    for (size_t i = 0; commands[i] != NULL; i++)
        fprintf(to, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(to, "\n  --help     this text; laggard COMMAND --help tells of a command\n"
                "  --version  print the version\n\n"
                "A manual page comes with each command (man laggard-run), with the scenario file\n"
                "(man laggard-scenario) and with the result files (man laggard-results).\n");
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], GUEST_COMMAND) == 0 && getpid() == 1)
        bed_guest_main();
    log_open("laggard", LOG_LEVEL_WARN);
    if (argc < 2) {
        print_help(stderr);
        return EXIT_WRONG;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("laggard %s\n", PACKAGE_VERSION);
        return EXIT_DONE;
    }
    for (size_t i = 0; commands[i] != NULL; i++)
        if (strcmp(argv[1], commands[i]->name) == 0)
            return commands[i]->run(argc - 1, argv + 1);
    fprintf(stderr, "laggard: '%s' is no command; laggard --help lists them\n", argv[1]);
    return EXIT_WRONG;
}
