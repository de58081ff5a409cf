/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tries one thing after the other and writes a finding for each; what it says follows from what was tried. Features of
 * a kernel are features.c's, the guest is doctor_guest.c's. */
#include "config.h"

#include "bed/doctor.h"

#include <assert.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "bed/doctor_guest.h"
#include "bed/features.h"

enum { NO_NAMESPACE = 0x80, SOME_UID = 65534, ALL_FEATURES = (1 << FEATURES) - 1, FILES_ENOUGH = 1024 };
enum { NAMESPACES = CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS };
static_assert(ALL_FEATURES < NO_NAMESPACE, "both fit one exit status");

static void add(struct doctor *doctor, enum finding_state state, const char *what, const char *format, ...)
    PRINTF_LIKE(4, 5);

static void add(struct doctor *doctor, enum finding_state state, const char *what, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    doctor->finding = mem_resize(doctor->finding, doctor->n + 1, sizeof *doctor->finding);
    doctor->finding[doctor->n++] = (struct finding){what, state, mem_strdup(text)};
}

void doctor_clear(struct doctor *doctor)
{
    for (size_t i = 0; i < doctor->n; i++)
        free(doctor->finding[i].text);
    free(doctor->finding);
    *doctor = (struct doctor){0};
}

/* ── programs ── */

/* The path of a program, a new string; NULL: not in PATH. */
static char *find_program(const char *name)
{
    char *all = mem_strdup(getenv("PATH")), *rest = all, *found = NULL;
    for (char *folder; found == NULL && (folder = strsep(&rest, ":")) != NULL;) {
        char *path = mem_printf("%s/%s", folder, name);
        if (access(path, X_OK) == 0)
            found = path;
        else
            free(path);
    }
    free(all);
    return found;
}

static bool examine_program(struct doctor *doctor, const char *name, const char *package, const char *without)
{
    char *path = find_program(name);
    if (path != NULL)
        add(doctor, FINDING_WORKS, name, "%s", path);
    else
        add(doctor, FINDING_MISSING, name, "%s; mend with: apt install %s", without, package);
    free(path);
    return path != NULL;
}

/* ── namespaces and the host's kernel ── */

static bool write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return done;
}

/* Namespaces as a bed has them: with root, or in a user namespace of one's own, where one is root. */
static bool enter_namespaces(bool with_user)
{
    if (!with_user)
        return unshare(NAMESPACES) == 0;
    char map[64];
    snprintf(map, sizeof map, "0 %ld 1\n", (long)geteuid());
    if (unshare(CLONE_NEWUSER) < 0)
        return false;
    write_file("/proc/self/setgroups", "deny");
    return write_file("/proc/self/uid_map", map) && unshare(NAMESPACES) == 0;
}

static void NO_RETURN namespace_child(bool with_user, bool drop_root, bool try_features)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (drop_root) {
        if (setgid(SOME_UID) < 0 || setuid(SOME_UID) < 0)
            _exit(NO_NAMESPACE);
        prctl(PR_SET_DUMPABLE, 1); /* or /proc/self belongs to root */
    }
    if (!enter_namespaces(with_user))
        _exit(NO_NAMESPACE);
    /* the first child in the PID namespace is its init, and the commands that are tried would be its second */
    pid_t pid = fork();
    if (pid == 0)
        _exit((int)(try_features ? features_try() : ALL_FEATURES));
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
        _exit(NO_NAMESPACE);
    _exit(WEXITSTATUS(status));
}

/* Features that work there, or NO_NAMESPACE. */
static unsigned in_namespaces(bool with_user, bool drop_root, bool try_features)
{
    pid_t pid = fork();
    if (pid == 0)
        namespace_child(with_user, drop_root, try_features);
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
        return NO_NAMESPACE;
    return (unsigned)WEXITSTATUS(status);
}

static long read_number(const char *path)
{
    FILE *from = fopen(path, "re");
    long number = -1;
    if (from != NULL && fscanf(from, "%ld", &number) != 1)
        number = -1;
    if (from != NULL)
        fclose(from);
    return number;
}

/* Which of the switches that forbid user namespaces is it? */
static const char *user_namespace_cure(void)
{
    if (read_number("/proc/sys/kernel/unprivileged_userns_clone") == 0)
        return "sysctl kernel.unprivileged_userns_clone=1";
    if (read_number("/proc/sys/user/max_user_namespaces") == 0)
        return "sysctl user.max_user_namespaces=15000";
    if (read_number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1)
        return "sysctl kernel.apparmor_restrict_unprivileged_userns=0";
    return "run laggard as root (a container may need --privileged)";
}

static void examine_user_namespaces(struct doctor *doctor, bool is_root)
{
    if (in_namespaces(true, is_root, false) == ALL_FEATURES)
        add(doctor, FINDING_WORKS, "without root", "user namespaces can be made by anyone");
    else
        add(doctor, is_root ? FINDING_DIFFERENT : FINDING_MISSING, "without root",
            "user namespaces are refused: beds on this kernel need root; mend with: %s", user_namespace_cure());
}

/* Does the kernel of the host carry a shaped bed? */
static bool examine_host(struct doctor *doctor)
{
    bool is_root = geteuid() == 0;
    unsigned works = in_namespaces(!is_root, false, true);
    if (is_root && works != NO_NAMESPACE)
        add(doctor, FINDING_WORKS, "with root", "namespaces of network, mounts and processes");
    else if (is_root)
        add(doctor, FINDING_DIFFERENT, "with root",
            "namespaces are refused, as in a container without privileges: beds run in the guest kernel");
    examine_user_namespaces(doctor, is_root);
    static const char *const cures[FEATURES] = {
        [FEATURE_VETH] = "modprobe veth",
        [FEATURE_NETEM] = "modprobe sch_netem",
        [FEATURE_IFB] = "modprobe ifb",
        [FEATURE_REDIRECT] = "modprobe -a act_mirred cls_matchall sch_ingress",
        [FEATURE_OFFLOADS] = "apt install ethtool",
    };
    for (int f = 0; f < FEATURES && works != NO_NAMESPACE; f++) {
        if (works & (1u << f))
            add(doctor, FINDING_WORKS, feature_names[f], "on the host's kernel");
        else
            add(doctor, FINDING_DIFFERENT, feature_names[f],
                "not on the host's kernel: shaped beds run in the guest kernel; where it is a module: %s", cures[f]);
    }
    return works == ALL_FEATURES;
}

/* ── guest ── */

static bool examine_guest(struct doctor *doctor, const char *self)
{
    char *kernel = find_program("linux.uml");
    if (kernel == NULL) {
        add(doctor, doctor->host_runs ? FINDING_DIFFERENT : FINDING_MISSING, "guest kernel",
            "not installed%s; mend with: apt install user-mode-linux",
            doctor->host_runs ? ": beds run on the host's kernel" : "");
        return false;
    }
    unsigned works = 0;
    char release[GUEST_RELEASE_MAX] = "";
    struct error err = {{0}};
    int status = self != NULL ? doctor_guest_boot(kernel, self, &works, release, &err)
                              : error_set(&err, "this program cannot be its first process");
    free(kernel);
    if (status < 0) {
        add(doctor, FINDING_MISSING, "guest kernel", "does not boot: %s; try: apt install --reinstall user-mode-linux",
            err.text);
        return false;
    }
    if (works == ALL_FEATURES) {
        add(doctor, FINDING_WORKS, "guest kernel", "Linux %s boots, with veth, netem, ifb and redirection", release);
        return true;
    }
    for (int f = 0; f < FEATURES; f++)
        if (!(works & (1u << f)))
            add(doctor, FINDING_MISSING, "guest kernel",
                "Linux %s boots, but %s does not work in it; mend with: apt install --reinstall user-mode-linux",
                release, feature_names[f]);
    return false;
}

/* ── the machine ── */

static void examine_processors(struct doctor *doctor)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    if (n > 1)
        add(doctor, FINDING_WORKS, "processors", "%d (the guest kernel uses one)", n);
    else
        add(doctor, FINDING_DIFFERENT, "processors",
            "one: the computing of workers overlaps; results are marked where that shows, so take few workers");
}

static long available_mib(void)
{
    FILE *from = fopen("/proc/meminfo", "re");
    char line[128];
    long kib = -1;
    while (from != NULL && kib < 0 && fgets(line, sizeof line, from) != NULL)
        if (sscanf(line, "MemAvailable: %ld kB", &kib) != 1)
            kib = -1;
    if (from != NULL)
        fclose(from);
    return kib < 0 ? -1 : kib / 1024;
}

static void examine_memory(struct doctor *doctor)
{
    enum { ENOUGH_MIB = 1024 };
    long mib = available_mib();
    if (mib >= ENOUGH_MIB || mib < 0)
        add(doctor, FINDING_WORKS, "memory", "%ld MiB available", mib);
    else
        add(doctor, FINDING_DIFFERENT, "memory", "%ld MiB available: enough for small data and few workers", mib);
}

static void examine_files(struct doctor *doctor)
{
    struct rlimit limit = {0};
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max >= FILES_ENOUGH)
        add(doctor, FINDING_WORKS, "open files", "up to %llu", (unsigned long long)limit.rlim_max);
    else
        add(doctor, FINDING_DIFFERENT, "open files", "up to %llu: for about %llu workers; mend with: ulimit -Hn %d",
            (unsigned long long)limit.rlim_max, (unsigned long long)limit.rlim_max / 8, FILES_ENOUGH);
}

void doctor_examine(struct doctor *doctor, const char *self)
{
    *doctor = (struct doctor){0};
    features_set_path();
    bool tools = examine_program(doctor, "ip", "iproute2", "no bed can be built");
    tools &= examine_program(doctor, "tc", "iproute2", "no link can be shaped");
    tools &= examine_program(doctor, "ethtool", "ethtool", "offloads would make 64 KiB count as one packet");
    doctor->host_runs = examine_host(doctor) && tools;
    doctor->guest_runs = examine_guest(doctor, self) && tools;
    examine_program(doctor, "gnuplot", "gnuplot-nox", "reports come without plots");
    examine_processors(doctor);
    examine_memory(doctor);
    examine_files(doctor);
}
