/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "bed/features.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

enum { WORDS_MAX = 20, EXIT_CANNOT_START = 127 };

const char *const feature_names[FEATURES] = {
    [FEATURE_VETH] = "veth",         [FEATURE_NETEM] = "netem",       [FEATURE_IFB] = "ifb",
    [FEATURE_REDIRECT] = "redirect", [FEATURE_OFFLOADS] = "offloads",
};

/* In order: later ones need the devices of earlier ones. */
static const struct trial {
    enum feature feature;
    const char *words[WORDS_MAX];
} trials[] = {
    {FEATURE_VETH, {"ip", "link", "add", "name", "lgd0", "type", "veth", "peer", "name", "lgd1"}},
    {FEATURE_NETEM,
     {"tc", "qdisc", "add", "dev", "lgd0", "root", "netem", "delay", "1ms", "1ms", "distribution", "normal", "loss",
      "random", "1%", "rate", "10mbit"}},
    {FEATURE_IFB, {"ip", "link", "add", "name", "lgd2", "type", "ifb"}},
    {FEATURE_REDIRECT, {"tc", "qdisc", "add", "dev", "lgd0", "ingress"}},
    {FEATURE_REDIRECT,
     {"tc", "filter", "add", "dev", "lgd0", "ingress", "matchall", "action", "mirred", "egress", "redirect", "dev",
      "lgd2"}},
    {FEATURE_OFFLOADS, {"ethtool", "-K", "lgd0", "tso", "off", "gso", "off", "gro", "off"}},
};

bool features_run(char *const argv[])
{
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && null >= 0; fd++)
            dup2(null, fd);
        execvp(argv[0], argv);
        _exit(EXIT_CANNOT_START);
    }
    int status = -1;
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

unsigned features_try(void)
{
    unsigned works = (1u << FEATURES) - 1;
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
        char *argv[WORDS_MAX + 1] = {NULL};
        for (size_t w = 0; w < WORDS_MAX && trials[i].words[w] != NULL; w++)
            argv[w] = mem_strdup(trials[i].words[w]);
        if (!features_run(argv))
            works &= ~(1u << trials[i].feature);
        for (size_t w = 0; argv[w] != NULL; w++)
            free(argv[w]);
    }
    return works;
}

void features_set_path(void)
{
    const char *path = getenv("PATH");
    char *longer = mem_printf("%s%s/usr/sbin:/usr/bin:/sbin:/bin", path ? path : "", path ? ":" : "");
    setenv("PATH", longer, 1);
    free(longer);
}
