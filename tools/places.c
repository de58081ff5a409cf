/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "places.h"

#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

static int has_scripts(const char *folder)
{
    char *path = mem_printf("%s/link-shape", folder);
    int status = access(path, X_OK);
    free(path);
    return status == 0;
}

static int find_netem(struct places *out, struct error *err)
{
    const char *named = getenv("LAGGARD_NETEM_DIR");
    const char *const beside[] = {"netem", "../netem", "../share/laggard/netem"};
    if (named != NULL) {
        if (!has_scripts(named) || realpath(named, out->netem) == NULL)
            return error_set(err, "LAGGARD_NETEM_DIR=%s: the script link-shape is not there", named);
        return 0;
    }
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        char *path = mem_printf("%s/%s", out->daemons, beside[i]);
        bool found = has_scripts(path) && realpath(path, out->netem) != NULL;
        free(path);
        if (found)
            return 0;
    }
    snprintf(out->netem, sizeof out->netem, "%s/netem", PKGDATADIR);
    return has_scripts(out->netem)
               ? 0
               : error_set(err, "%s/link-shape is not there: install laggard, or name the folder in LAGGARD_NETEM_DIR",
                           out->netem);
}

int places_find(struct places *out, struct error *err)
{
    char copy[4096];
    ssize_t len = readlink("/proc/self/exe", out->program, sizeof out->program - 1);
    if (len <= 0)
        return error_set_errno(err, "/proc/self/exe");
    out->program[len] = '\0';
    snprintf(copy, sizeof copy, "%s", out->program);
    snprintf(out->daemons, sizeof out->daemons, "%s", dirname(copy));
    char *daemon = mem_printf("%s/laggard-ps", out->daemons);
    int status = access(daemon, X_OK) < 0 ? error_set_errno(err, "%s must be beside laggard", daemon) : 0;
    free(daemon);
    return status < 0 ? -1 : find_netem(out, err);
}
