/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the guest kernel: laggard as its first process. Mounts what a bed needs, loads the modules, runs the job that
 * comes over the first serial line, tells its status there, powers off. */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <termios.h>
#include <unistd.h>

#include "base/mem.h"
#include "bed/bed.h"
#include "bed/container.h"
#include "bed/guest.h"
#include "bed/guest_job.h"
#include "bed/jsonline.h"
#include "bed/modules.h"
#include "bed/run.h"

static const char *const modules[] = {"veth", "ifb", "sch_netem", "sch_ingress", "cls_matchall", "act_mirred", NULL};

static int serial_fd = -1; /* for quit_on_signal */

static int open_serial(const char *path)
{
    int fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    struct termios settings;
    if (fd >= 0 && tcgetattr(fd, &settings) == 0) {
        cfmakeraw(&settings);
        settings.c_cflag |= CLOCAL;
        tcsetattr(fd, TCSANOW, &settings);
    }
    return fd;
}

static int set_up(struct error *err)
{
    struct utsname name;
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
        return error_set_errno(err, "guest: /proc");
    if (mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
        return error_set_errno(err, "guest: /sys");
    if (container_mount_run(err) < 0)
        return error_prefix(err, "guest");
    uname(&name);
    char *folder = mem_printf("%s/%s", guest_modules, name.release);
    int status = modules_load(folder, modules, err);
    free(folder);
    return status;
}

/* ── signals: they come from the host as lines, and are sent to ourselves ── */

static void *listen_for_signals(void *context)
{
    struct jsonline *serial = context;
    while (jsonline_fill(serial) == JSONLINE_OK)
        for (json_t *line; (line = jsonline_next(serial)) != NULL; json_decref(line)) {
            int number = (int)json_integer_value(json_object_get(line, "signal"));
            if (number > 0)
                kill(getpid(), number);
        }
    return NULL;
}

static void listen_in_background(struct jsonline *serial)
{
    pthread_t thread;
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old); /* signals are the loop's, not this thread's */
    if (pthread_create(&thread, NULL, listen_for_signals, serial) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Until the run sees to signals itself there is nothing worth keeping when one comes. */
static void quit_on_signal(int number)
{
    static const char line[] = "{\"exit\":1,\"error\":\"stopped by a signal\"}\n";
    (void)number;
    if (write(serial_fd, line, sizeof line - 1) > 0)
        tcdrain(serial_fd);
    reboot(RB_POWER_OFF);
}

/* ── the job ── */

static json_t *receive_job(struct jsonline *serial)
{
    jsonline_send(serial->fd, json_pack("{s:b}", "up", 1));
    for (;;) {
        json_t *line = jsonline_next(serial);
        json_t *job = json_incref(json_object_get(line, "job"));
        json_decref(line);
        if (job != NULL)
            return job;
        if (line == NULL && jsonline_fill(serial) != JSONLINE_OK)
            return NULL;
    }
}

static void set_environment(json_t *job)
{
    const char *name;
    json_t *value;
    setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
    json_object_foreach(json_object_get(job, "environment"), name, value) if (json_is_string(value))
        setenv(name, json_string_value(value), 1);
}

static struct scenario *read_scenario(const char *path, struct error *err)
{
    struct scenario_errors errors = {0};
    struct scenario *scenario = scenario_read(path, NULL, 0, &errors);
    if (scenario == NULL)
        error_set(err, "guest: %s:%d: %s", path, errors.n ? errors.error[0].line : 0,
                  errors.n ? errors.error[0].text : "cannot be read again");
    scenario_errors_clear(&errors);
    return scenario;
}

static enum exit_status run_job(json_t *job, struct bed_outcome *outcome, struct error *err)
{
    struct bed_options options;
    const char *cwd;
    if (guest_job_unpack(job, &options, &cwd, err) < 0)
        return EXIT_MACHINE;
    if (chdir(cwd) < 0) {
        error_set_errno(err, "guest: %s", cwd);
        return EXIT_MACHINE;
    }
    set_environment(job);
    struct scenario *scenario = read_scenario(options.scenario_path, err);
    if (scenario == NULL)
        return EXIT_WRONG;
    enum exit_status status = run_bed(scenario, &options, -1, outcome, err);
    scenario_free(scenario);
    return status;
}

static json_t *report(enum exit_status status, const struct bed_outcome *outcome, const struct error *err)
{
    struct utsname name;
    uname(&name);
    return json_pack("{s:i, s:s, s:s, s:I}", "exit", (int)status, "error", err->text, "release", name.release,
                     "wrong_figures", (json_int_t)outcome->wrong_figures);
}

void bed_guest_main(void)
{
    struct error err = {{0}};
    struct jsonline serial;
    struct bed_outcome outcome = {{0}, 0};
    enum exit_status status = EXIT_MACHINE;
    serial_fd = open_serial("/dev/ttyS0");
    int text_fd = open_serial("/dev/ttyS1");
    dup2(text_fd, STDOUT_FILENO);
    dup2(text_fd, STDERR_FILENO);
    signal(SIGINT, quit_on_signal);
    signal(SIGTERM, quit_on_signal);
    signal(SIGHUP, quit_on_signal);
    jsonline_init(&serial, serial_fd);
    int ready = set_up(&err);
    json_t *job = receive_job(&serial);
    if (ready == 0 && job != NULL) {
        listen_in_background(&serial);
        status = run_job(job, &outcome, &err);
    }
    fflush(NULL);
    tcdrain(text_fd);
    sync();
    jsonline_send(serial_fd, report(status, &outcome, &err));
    tcdrain(serial_fd);
    reboot(RB_POWER_OFF);
    _exit((int)status);
}
