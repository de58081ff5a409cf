/* SPDX-License-Identifier: GPL-3.0-or-later */
/* laggard doctor: what this machine can and cannot do, and the command that mends it. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "bed/doctor.h"

#include "command.h"
#include "options.h"

static const char usage[] = "[OPTION]...";

static const struct option_row rows[] = {{0}};

static const struct option_page page = {
    .command = "doctor",
    .usage = usage,
    .about =
        "Try what a bed needs (namespaces, links, shaping, the guest kernel, programs) and say of each whether it\n"
        "works, works differently (and what laggard does about it) or is missing (and the command that mends it).\n"
        "Nothing is left behind.",
    .rows = rows,
    .footer = "Exit status: 0 when a shaped bed can run here, on the host's kernel or in the guest; 3 when it cannot.",
};

static void print_findings(const struct doctor *doctor)
{
    static const char *const states[] = {"works", "works differently", "missing"};
    for (size_t i = 0; i < doctor->n; i++)
        printf("%-18s  %-13s %s\n", states[doctor->finding[i].state], doctor->finding[i].what, doctor->finding[i].text);
    if (doctor->host_runs)
        printf("\nShaped beds run on the host's kernel.\n");
    else if (doctor->guest_runs)
        printf("\nShaped beds run in the guest kernel.\n");
    else
        printf("\nNo shaped bed can run here: see what is missing above.\n");
}

/* This program as the guest sees it: the same path, for its root is the host's. */
static const char *self_path(char *path, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    path[n > 0 ? n : 0] = '\0';
    return n > 0 ? path : NULL;
}

static int cmd_doctor(int argc, char **argv)
{
    /* The guest's kernel puts words of its own behind this one. */
    if (argc > 1 && strcmp(argv[1], "--guest") == 0 && getpid() == 1)
        doctor_guest();
    int first, status = options_parse(&page, argc, argv, NULL, &first);
    if (status != OPTIONS_GO)
        return status;
    if (first < argc) {
        fprintf(stderr, "laggard doctor: %s: no argument is needed; try laggard doctor --help\n", argv[first]);
        return EXIT_WRONG;
    }
    char path[4096];
    struct doctor doctor;
    doctor_examine(&doctor, self_path(path, sizeof path));
    print_findings(&doctor);
    status = doctor.host_runs || doctor.guest_runs ? EXIT_DONE : EXIT_MACHINE;
    doctor_clear(&doctor);
    if (fflush(stdout) != 0) {
        perror("laggard doctor: standard output");
        return EXIT_RUN_FAILED;
    }
    return status;
}

const struct command command_doctor = {"doctor", usage, "Say what this machine can and cannot do, and what mends it.",
                                       cmd_doctor};
