/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both ends of one short-lived guest: doctor_guest_boot on the host reads the one line that doctor_guest writes inside.
 */
#include "config.h"

#include "bed/doctor_guest.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bed/doctor.h"
#include "bed/features.h"
#include "bed/modules.h"
#include "bed/uml_xstate.h"

enum { BOOT_MAX_S = 60, OUTPUT_MAX = 16384, EXIT_CANNOT_START = 127 };

static const char answer_format[] = "laggard-doctor-guest %63s %u";

/* ── inside ── */

void doctor_guest(void)
{
    static const char *const modules[] = {"veth",         "ifb",         "sch_netem", "act_mirred",
                                          "cls_matchall", "sch_ingress", NULL};
    struct utsname name;
    struct error err = {{0}};
    uname(&name);
    mount("proc", "/proc", "proc", 0, NULL);
    mount("sysfs", "/sys", "sysfs", 0, NULL);
    char *folder = mem_printf("/usr/lib/uml/modules/%s", name.release);
    if (modules_load(folder, modules, &err) < 0)
        printf("\n%s\n", err.text); /* what counts is what works below */
    features_set_path();
    printf("\nlaggard-doctor-guest %s %u\n", name.release, features_try());
    fflush(stdout);
    reboot(RB_POWER_OFF);
    _exit(1);
}

/* ── outside ── */

static void NO_RETURN start_kernel(const char *kernel, const char *self, const char *folder, int out)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    uml_xstate_preload(folder);
    char *init = mem_printf("init=%s", self), *uml = mem_printf("uml_dir=%s/", folder);
    execl(kernel, kernel, "rootfstype=hostfs", "rootflags=/", "ro", "mem=128M", "con=null", "con0=null,fd:1", "quiet",
          uml, init, "--", "doctor", "--guest", (char *)NULL);
    _exit(EXIT_CANNOT_START);
}

/* All that it says until it ends or its time is over. */
static void read_output(int fd, char text[OUTPUT_MAX])
{
    int64_t deadline_ns = clock_now_ns() + (int64_t)BOOT_MAX_S * NS_PER_S;
    size_t used = 0;
    while (used < OUTPUT_MAX - 1 && clock_now_ns() < deadline_ns) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        if (poll(&ready, 1, 1000) <= 0)
            continue;
        ssize_t n = read(fd, text + used, OUTPUT_MAX - 1 - used);
        if (n == 0 || (n < 0 && errno != EINTR))
            break;
        used += n > 0 ? (size_t)n : 0;
    }
    text[used] = '\0';
}

static int read_answer(const char *text, unsigned *features, char release[GUEST_RELEASE_MAX], struct error *err)
{
    const char *line = strstr(text, "laggard-doctor-guest ");
    if (line != NULL && sscanf(line, answer_format, release, features) == 2)
        return 0;
    return error_set(err, "it gave no answer%s%.200s", text[0] ? "; it said: " : "", text);
}

int doctor_guest_boot(const char *kernel, const char *self, unsigned *features, char release[GUEST_RELEASE_MAX],
                      struct error *err)
{
    char folder[] = "/tmp/laggard-doctor-XXXXXX", *text = mem_alloc(OUTPUT_MAX);
    int ends[2], status = -1;
    if (mkdtemp(folder) == NULL || pipe2(ends, O_CLOEXEC) < 0) {
        free(text);
        return error_set_errno(err, "a folder in /tmp and a pipe");
    }
    pid_t pid = fork();
    if (pid == 0)
        start_kernel(kernel, self, folder, ends[1]);
    close(ends[1]);
    if (pid > 0) {
        read_output(ends[0], text);
        kill(-pid, SIGKILL); /* the processes that it is made of, if it did not power off */
        waitpid(pid, NULL, 0);
        status = read_answer(text, features, release, err);
    } else {
        error_set_errno(err, "fork");
    }
    close(ends[0]);
    char remove[] = "rm", force[] = "-rf";
    features_run((char *[]){remove, force, folder, NULL}); /* a kernel that was killed leaves its socket there */
    free(text);
    return status;
}
