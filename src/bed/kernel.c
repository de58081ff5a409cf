/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which kernel runs the bed: the host's where it can, else a guest's. Whether the host has netem is tried, not guessed.
 */
#include "config.h"

#include "bed/bed.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bed/container.h"
#include "bed/features.h"
#include "bed/guest.h"
#include "bed/run.h"

/* What a shaped bed needs. Offloads are not among it: they are switched off without a program. */
static const enum feature needed_features[] = {FEATURE_VETH, FEATURE_NETEM, FEATURE_IFB, FEATURE_REDIRECT};
enum { NEEDED = sizeof needed_features / sizeof *needed_features };

/* In namespaces of its own, so that nothing stays. */
static int try_features(void *context, int life_fd)
{
    unsigned *works = context;
    (void)life_fd;
    features_set_path();
    *works = features_try();
    return EXIT_DONE;
}

/* "no netem, no ifb" */
static bool has_all(unsigned works, struct error *why)
{
    char text[128] = "";
    size_t len = 0;
    for (size_t i = 0; i < NEEDED; i++)
        if (!(works & 1u << needed_features[i]))
            len += (size_t)snprintf(text + len, sizeof text - len, "%sno %s", len ? ", " : "",
                                    feature_names[needed_features[i]]);
    if (len > 0)
        error_set(why, "%s", text);
    return len == 0;
}

static bool host_shapes(struct error *why)
{
    why->text[0] = '\0';
    unsigned *works = mmap(NULL, sizeof *works, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (works == MAP_FAILED) {
        error_set_errno(why, "no memory to share");
        return false;
    }
    bool shapes = container_run(try_features, works, why) == EXIT_DONE && has_all(*works, why);
    munmap(works, sizeof *works);
    if (container_signal() != 0)
        raise(container_signal()); /* nothing has been started yet: it was meant for us alone */
    return shapes;
}

int bed_choose_kernel(const struct scenario *scenario, enum bed_kernel wanted, enum bed_kernel *chosen,
                      struct error *err)
{
    struct error why = {{0}};
    bool shaped = scenario_needs_netem(scenario);
    if (wanted != BED_KERNEL_UML && (!shaped || host_shapes(&why))) {
        *chosen = BED_KERNEL_HOST;
        return 0;
    }
    *chosen = BED_KERNEL_UML;
    if (wanted == BED_KERNEL_HOST)
        return error_set(err, "the host's kernel cannot shape links: %s (--kernel auto runs a guest kernel instead)",
                         why.text);
    if (guest_find(NULL, 0) == 0)
        return 0;
    if (wanted == BED_KERNEL_UML)
        return error_set(err, "there is no guest kernel here (Debian: apt install user-mode-linux)");
    return error_set(err,
                     "the host's kernel cannot shape links (%s), and there is no guest kernel (Debian: apt install "
                     "user-mode-linux); laggard doctor tells more",
                     why.text);
}

void bed_kernel_release(enum bed_kernel kernel, char release[BED_RELEASE_MAX])
{
    struct utsname name;
    if (kernel == BED_KERNEL_UML) {
        guest_release(release);
        return;
    }
    uname(&name);
    snprintf(release, BED_RELEASE_MAX, "%s", name.release);
}

/* ── places ── */

static bool lies_below(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    return path != NULL && strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* A bed has a /run of its own, a guest a /dev, /proc and /sys as well: what lies there cannot be seen from inside. */
static int check_path(const char *path, enum bed_kernel kernel, struct error *err)
{
    static const char *const covered[] = {"/run", "/var/run", "/dev", "/proc", "/sys"};
    enum { ON_HOST = 2, IN_GUEST = sizeof covered / sizeof *covered };
    for (int i = 0; i < (kernel == BED_KERNEL_UML ? IN_GUEST : ON_HOST); i++)
        if (lies_below(path, covered[i]))
            return error_set(err, "%s: a bed%s has a %s of its own and does not see this one: put it elsewhere", path,
                             kernel == BED_KERNEL_UML ? " in a guest kernel" : "", covered[i]);
    return 0;
}

static int check_places(const struct scenario *scenario, const struct bed_options *options, enum bed_kernel kernel,
                        struct error *err)
{
    const char *const needed[] = {options->directory,       options->program,       options->daemon_directory,
                                  options->netem_directory, scenario->problem.path, scenario->problem.labels_path};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (check_path(needed[i], kernel, err) < 0)
            return -1;
    for (size_t i = 0; i < scenario->n_traces; i++)
        if (check_path(scenario->trace[i].path, kernel, err) < 0)
            return -1;
    return 0;
}

/* ── running it ── */

struct job {
    const struct scenario *scenario;
    const struct bed_options *options;
    enum bed_kernel kernel;
    struct bed_outcome *outcome; /* in memory that the caller sees */
};

static int run_job(void *context, int life_fd)
{
    const struct job *job = context;
    struct error err = {{0}};
    enum exit_status status = job->kernel == BED_KERNEL_UML
                                  ? guest_run(job->scenario, job->options, life_fd, job->outcome, &err)
                                  : run_bed(job->scenario, job->options, life_fd, job->outcome, &err);
    if (status != EXIT_DONE)
        container_fail(&err);
    return (int)status;
}

enum exit_status bed_run(const struct scenario *scenario, const struct bed_options *options, enum bed_kernel kernel,
                         struct bed_outcome *outcome, struct error *err)
{
    if (check_places(scenario, options, kernel, err) < 0)
        return EXIT_WRONG;
    struct bed_outcome *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        error_set_errno(err, "no memory to share with the bed");
        return EXIT_MACHINE;
    }
    *shared = *outcome;
    struct job job = {scenario, options, kernel, shared};
    int status = container_run(run_job, &job, err);
    *outcome = *shared;
    munmap(shared, sizeof *shared);
    return status < 0 ? EXIT_MACHINE : (enum exit_status)status;
}
