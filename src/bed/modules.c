/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "bed/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

enum { DEP_MAX_BYTES = 16 << 20 };

/* Does "kernel/net/sched/sch_netem.ko" name this module? */
static int is_named(const char *path, size_t len, const char *name)
{
    const char *base = path;
    for (size_t i = 0; i < len; i++)
        if (path[i] == '/')
            base = path + i + 1;
    size_t left = len - (size_t)(base - path), want = strlen(name);
    return left > want && strncmp(base, name, want) == 0 && base[want] == '.';
}

size_t modules_order(const char *dep, const char *name, char paths[MODULES_MAX][MODULE_PATH_MAX])
{
    for (const char *line = dep; *line != '\0';) {
        size_t len = strcspn(line, "\n"), colon = strcspn(line, ":\n");
        if (!is_named(line, colon, name)) {
            line += len + (line[len] != '\0');
            continue;
        }
        /* "module: first-needed … needed-by-that": modules.dep lists what is nearest first. */
        size_t n = 0;
        const char *words[MODULES_MAX];
        size_t lens[MODULES_MAX];
        for (const char *at = line; at < line + len && n < MODULES_MAX;) {
            size_t word = strcspn(at, " :\n");
            if (word > 0) {
                words[n] = at;
                lens[n++] = word;
            }
            at += word + 1;
        }
        for (size_t i = 0; i < n; i++)
            snprintf(paths[i], MODULE_PATH_MAX, "%.*s", (int)lens[n - 1 - i], words[n - 1 - i]);
        return n;
    }
    return 0;
}

static int load_file(const char *folder, const char *path, struct error *err)
{
    char *full = mem_printf("%s/%s", folder, path);
    int fd = open(full, O_RDONLY | O_CLOEXEC), status = 0;
    if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST))
        status = error_set_errno(err, "kernel module %s", full);
    if (fd >= 0)
        close(fd);
    free(full);
    return status;
}

static char *read_dep(const char *folder, struct error *err)
{
    char *path = mem_printf("%s/modules.dep", folder);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        error_set_errno(err, "%s", path);
        free(path);
        return NULL;
    }
    free(path);
    char *text = mem_alloc(DEP_MAX_BYTES + 1);
    text[fread(text, 1, DEP_MAX_BYTES, file)] = '\0';
    fclose(file);
    return text;
}

int modules_load(const char *folder, const char *const *names, struct error *err)
{
    char paths[MODULES_MAX][MODULE_PATH_MAX];
    char *dep = read_dep(folder, err);
    if (dep == NULL)
        return -1;
    int status = 0;
    for (; status == 0 && *names != NULL; names++) {
        size_t n = modules_order(dep, *names, paths);
        for (size_t i = 0; status == 0 && i < n; i++)
            status = load_file(folder, paths[i], err);
    }
    free(dep);
    return status;
}
