/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first process of a guest kernel that a test boots: mounts, modules, one shell script, power off.
 *   linux.uml … init=…/guest_init -- SCRIPT ARGUMENT...
 * The guest's kernel puts words of its own behind the arguments. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

static void load_module(const char *name)
{
    struct utsname kernel;
    char path[256];
    uname(&kernel);
    snprintf(path, sizeof path, "/usr/lib/uml/modules/%s/kernel/%s.ko", kernel.release, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || syscall(SYS_finit_module, fd, "", 0) < 0)
        perror(path);
    if (fd >= 0)
        close(fd);
}

static void run_script(char **argv)
{
    pid_t pid = fork();
    if (pid == 0) {
        static char shell[] = "sh";
        argv[0] = shell;
        setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
        execv("/bin/sh", argv);
        perror("/bin/sh");
        _exit(127);
    }
    int status = -1;
    while (pid > 0 && waitpid(pid, &status, 0) != pid)
        ;
    printf("\nguest_init: the script ended with status %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const char *const modules[] = {"drivers/net/veth",     "drivers/net/ifb",        "net/sched/sch_netem",
                                          "net/sched/act_mirred", "net/sched/cls_matchall", "net/sched/sch_ingress"};
    if (argc < 2 || getpid() != 1) {
        fputs("guest_init: to be the first process of a guest kernel, with a script\n", stderr);
        return 2;
    }
    mount("proc", "/proc", "proc", 0, NULL);
    mount("sysfs", "/sys", "sysfs", 0, NULL);
    mount("tmpfs", "/run", "tmpfs", 0, NULL);
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++)
        load_module(modules[i]);
    run_script(argv);
    sync();
    reboot(RB_POWER_OFF);
    return 1;
}
