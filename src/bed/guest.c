/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The host's side of the guest kernel. It gets two serial lines on socket pairs: on the first go lines of JSON (the
 * job, signals; back come its status and sentence), on the second comes what the run prints. The kernel's own messages
 * go to logs/guest.log. Its memory file and its folder of sockets lie in a tmpfs of this mount namespace, below the
 * bed's own /run, and vanish with it. */
#include "config.h"

#include "bed/guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bed/guest_job.h"
#include "bed/jsonline.h"
#include "bed/uml_xstate.h"

#define SCRATCH "/run/laggard-guest"
enum {
    BOOT_S = 60,
    POWER_OFF_S = 5,
    EXIT_NOT_STARTED = 127,
    MEMORY_MIN_MIB = 512,
    MEMORY_MAX_MIB = 8192,
    SCRATCH_EXTRA_MIB = 64
};
const char guest_modules[] = "/usr/lib/uml/modules";

struct guest {
    const struct bed_options *options;
    struct bed_outcome *outcome;
    pid_t pid;
    int text_fd; /* what the run prints */
    int signal_fd;
    int life_fd;
    struct jsonline serial;
    bool is_up, was_signalled, has_status, is_over;
    enum exit_status status;
    struct error *err;
};

int guest_find(char *program, size_t size)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin"; *at != '\0';) {
        int len = (int)strcspn(at, ":");
        char *candidate = mem_printf("%.*s/linux.uml", len, at);
        bool found = access(candidate, X_OK) == 0;
        if (found && program != NULL)
            snprintf(program, size, "%s", candidate);
        free(candidate);
        if (found)
            return 0;
        at += len + (at[len] != '\0');
    }
    return -1;
}

void guest_release(char release[BED_RELEASE_MAX])
{
    release[0] = '\0';
    DIR *folder = opendir(guest_modules);
    if (folder == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (entry->d_name[0] != '.')
            snprintf(release, BED_RELEASE_MAX, "%.*s", BED_RELEASE_MAX - 1, entry->d_name);
    closedir(folder);
}

/* ── its memory ── */

/* "MemAvailable:   23226000 kB" */
static unsigned long available_mib(void)
{
    char line[128];
    unsigned long kib = 0;
    FILE *file = fopen("/proc/meminfo", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %lu kB", &kib) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return kib / 1024;
}

/* Half of what is free: it is a file that only takes what has been written to, and the guest's page cache grows to fill
 * it. */
static unsigned memory_mib(void)
{
    unsigned long half = available_mib() / 2;
    return half < MEMORY_MIN_MIB ? MEMORY_MIN_MIB : half > MEMORY_MAX_MIB ? MEMORY_MAX_MIB : (unsigned)half;
}

static int mount_scratch(unsigned memory, struct error *err)
{
    char settings[64];
    snprintf(settings, sizeof settings, "mode=700,size=%um", memory + SCRATCH_EXTRA_MIB);
    if (mkdir(SCRATCH, 0700) < 0 || mount("tmpfs", SCRATCH, "tmpfs", MS_NOSUID | MS_NODEV, settings) < 0)
        return error_set_errno(err, "no tmpfs on %s for the guest kernel's memory", SCRATCH);
    return 0;
}

/* ── starting it ── */

/* Not to be inherited but by it: the ends of its serial lines. */
struct ends {
    int serial, text, log;
};

static void NO_RETURN child(const struct bed_options *options, unsigned memory, const struct ends *ends)
{
    char program[4096], mem[32], ssl0[32], ssl1[32];
    char *init = mem_printf("init=%s", options->program);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(ends->log, STDOUT_FILENO);
    dup2(ends->log, STDERR_FILENO);
    fcntl(ends->serial, F_SETFD, 0);
    fcntl(ends->text, F_SETFD, 0);
    setenv("TMPDIR", SCRATCH, 1);
    setenv("HOME", SCRATCH, 1);
    uml_xstate_preload(SCRATCH);
    snprintf(mem, sizeof mem, "mem=%uM", memory);
    snprintf(ssl0, sizeof ssl0, "ssl0=fd:%d,fd:%d", ends->serial, ends->serial);
    snprintf(ssl1, sizeof ssl1, "ssl1=null,fd:%d", ends->text);
    if (guest_find(program, sizeof program) == 0)
        execl(program, program, mem, "uml_dir=" SCRATCH "/", "umid=laggard", "root=/dev/root", "rootfstype=hostfs",
              "rootflags=/", "rw", "quiet", "con=null", "con0=null,fd:1", ssl0, ssl1, init, "--", GUEST_COMMAND,
              (char *)NULL);
    fprintf(stderr, "linux.uml cannot be started: %s\n", strerror(errno));
    _exit(EXIT_NOT_STARTED);
}

static int open_log(const struct bed_options *options, struct error *err)
{
    char *folder = mem_printf("%s/logs", options->directory), *path = mem_printf("%s/guest.log", folder);
    (void)mkdir(folder, 0777); /* may be there */
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0)
        error_set_errno(err, "%s", path);
    free(folder);
    free(path);
    return fd;
}

/* What of our environment matters to the programs of a run. */
static json_t *environment(void)
{
    static const char *const names[] = {"LD_LIBRARY_PATH", "OPENBLAS_CORETYPE", "TZ", "LANG", "LC_ALL"};
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]) != NULL)
            json_object_set_new(object, names[i], json_string(getenv(names[i])));
    return object;
}

static int send_job(const struct guest *guest)
{
    char cwd[4096];
    json_t *job = guest_job_pack(guest->options, getcwd(cwd, sizeof cwd) ? cwd : "/");
    json_object_set_new(job, "environment", environment());
    return jsonline_send(guest->serial.fd, json_pack("{s:o}", "job", job));
}

static int start(struct guest *guest, unsigned memory, struct error *err)
{
    int serial[2], text[2];
    struct ends ends = {.log = open_log(guest->options, err)};
    if (ends.log < 0)
        return -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, serial) < 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, text) < 0) {
        close(ends.log);
        return error_set_errno(err, "no serial lines for the guest kernel");
    }
    ends.serial = serial[1];
    ends.text = text[1];
    guest->pid = fork();
    if (guest->pid == 0)
        child(guest->options, memory, &ends);
    close(ends.serial);
    close(ends.text);
    close(ends.log);
    jsonline_init(&guest->serial, serial[0]);
    guest->text_fd = text[0];
    return guest->pid < 0 ? error_set_errno(err, "no process for the guest kernel") : 0;
}

/* ── while it runs ── */

/* What the run has printed so far, as it is. */
static void relay_text(struct guest *guest)
{
    char bytes[4096];
    ssize_t got;
    while ((got = recv(guest->text_fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
        if (write(STDERR_FILENO, bytes, (size_t)got) < 0)
            return; /* nobody listens to progress any more; the run goes on */
}

static void take_status(struct guest *guest, json_t *line)
{
    const char *why = json_string_value(json_object_get(line, "error"));
    const char *release = json_string_value(json_object_get(line, "release"));
    guest->has_status = true;
    guest->status = (enum exit_status)json_integer_value(json_object_get(line, "exit"));
    guest->outcome->wrong_figures = (uint32_t)json_integer_value(json_object_get(line, "wrong_figures"));
    if (why != NULL && *why != '\0')
        error_set(guest->err, "%s", why);
    if (release != NULL)
        snprintf(guest->outcome->release, sizeof guest->outcome->release, "%s", release);
}

static void on_serial(struct guest *guest)
{
    (void)jsonline_fill(&guest->serial);
    for (json_t *line; (line = jsonline_next(&guest->serial)) != NULL; json_decref(line)) {
        if (json_object_get(line, "up") != NULL && !guest->is_up) {
            guest->is_up = true;
            (void)send_job(guest); /* if it has gone, its end tells */
        }
        if (json_is_integer(json_object_get(line, "exit")))
            take_status(guest, line);
    }
}

static void on_signal(struct guest *guest)
{
    struct signalfd_siginfo info;
    if (read(guest->signal_fd, &info, sizeof info) != sizeof info)
        return;
    if (info.ssi_signo != SIGCHLD) {
        guest->was_signalled = true;
        (void)jsonline_send(guest->serial.fd, json_pack("{s:i}", "signal", (int)info.ssi_signo));
        return;
    }
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) /* as PID 1 we inherit its helpers too */
        guest->is_over = guest->is_over || pid == guest->pid;
}

/* Until it has powered off. It is never killed by itself: its user processes, which it traces, would for a moment run on
 * the host's kernel, their system calls with them. What is still there in the end goes with our namespace, all at once.
 */
static void look_after(struct guest *guest)
{
    int64_t boot_until_ns = clock_now_ns() + (int64_t)BOOT_S * NS_PER_S;
    struct pollfd fds[] = {{.fd = guest->serial.fd, .events = POLLIN},
                           {.fd = guest->text_fd, .events = POLLIN},
                           {.fd = guest->signal_fd, .events = POLLIN},
                           {.fd = guest->life_fd, .events = POLLIN}};
    int64_t off_until_ns = INT64_MAX;
    while (!guest->is_over && clock_now_ns() < off_until_ns) {
        if (poll(fds, 4, 100) < 0 && errno != EINTR)
            break;
        if (fds[0].revents & POLLIN)
            on_serial(guest);
        relay_text(guest);
        if (fds[2].revents & POLLIN)
            on_signal(guest);
        if (fds[3].revents != 0)
            _exit(EXIT_RUN_FAILED); /* the controller is gone, and we take the guest along */
        if (!guest->is_up && (guest->was_signalled || clock_now_ns() > boot_until_ns))
            break;
        if (guest->has_status && off_until_ns == INT64_MAX)
            off_until_ns = clock_now_ns() + (int64_t)POWER_OFF_S * NS_PER_S;
    }
}

static void last_line_of_log(const struct bed_options *options, char *text, size_t size)
{
    char line[512];
    char *path = mem_printf("%s/logs/guest.log", options->directory);
    FILE *file = fopen(path, "re");
    free(path);
    snprintf(text, size, "it printed nothing");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (line[strspn(line, "\r\n")] != '\0')
            snprintf(text, size, "%.*s", (int)strcspn(line, "\r\n"), line);
    if (file != NULL)
        fclose(file);
}

static enum exit_status verdict(struct guest *guest)
{
    char words[512];
    if (guest->has_status)
        return guest->status;
    if (guest->was_signalled) {
        error_set(guest->err, "stopped by a signal");
        return EXIT_RUN_FAILED;
    }
    last_line_of_log(guest->options, words, sizeof words);
    if (guest->is_up)
        error_set(guest->err, "the guest kernel ended in mid-run; the last line of logs/guest.log: %s", words);
    else
        error_set(guest->err, "the guest kernel did not come up; the last line of logs/guest.log: %s", words);
    return guest->is_up ? EXIT_RUN_FAILED : EXIT_MACHINE;
}

/* Signals come through a descriptor, from before the guest is there. */
static int watch_signals(struct guest *guest, struct error *err)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    guest->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return guest->signal_fd < 0 ? error_set_errno(err, "no descriptor for signals") : 0;
}

enum exit_status guest_run(const struct scenario *scenario, const struct bed_options *options, int life_fd,
                           struct bed_outcome *outcome, struct error *err)
{
    struct guest guest = {.options = options, .outcome = outcome, .life_fd = life_fd, .err = err, .text_fd = -1};
    unsigned memory = memory_mib();
    (void)scenario; /* read again inside, from the result directory */
    signal(SIGPIPE, SIG_IGN);
    if (!options->quiet && options->columns > 0)
        fprintf(stderr, "booting the guest kernel");
    if (mount_scratch(memory, err) < 0 || watch_signals(&guest, err) < 0 || start(&guest, memory, err) < 0)
        return EXIT_MACHINE;
    look_after(&guest);
    relay_text(&guest);
    close(guest.signal_fd);
    close(guest.text_fd);
    close(guest.serial.fd);
    jsonline_clear(&guest.serial);
    return verdict(&guest);
}
