/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "output.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

static int make_folders(char *path, struct error *err)
{
    if (*path == '\0')
        return error_set(err, "the result directory has an empty name");
    for (char *at = path + 1;; at++) {
        char ending = *at;
        if (ending != '/' && ending != '\0')
            continue;
        *at = '\0';
        int status = mkdir(path, 0777);
        if (status < 0 && errno != EEXIST)
            return error_set_errno(err, "%s: cannot be made for the results", path);
        *at = ending;
        if (ending == '\0')
            return 0;
    }
}

static char *default_path(const char *name)
{
    char when[32];
    time_t now = time(NULL);
    struct tm local;
    localtime_r(&now, &local);
    strftime(when, sizeof when, "%Y%m%d-%H%M%S", &local);
    return mem_printf("results/%s-%s", name, when);
}

static int check_empty(const char *path, struct error *err)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return error_set_errno(err, "%s: cannot be read as a directory for the results", path);
    size_t n = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    if (n == 0)
        return 0;
    return error_set(err, "%s: %s; name another directory with -o", path,
                     output_has(path, "manifest.json") ? "holds a run already" : "is not empty");
}

char *output_make(const char *wanted, const char *name, struct error *err)
{
    char *path = wanted ? mem_strdup(wanted) : default_path(name), *absolute = NULL;
    if (make_folders(path, err) == 0 && check_empty(path, err) == 0 && (absolute = realpath(path, NULL)) == NULL)
        error_set_errno(err, "%s", path);
    free(path);
    return absolute;
}

int output_write(const char *path, const char *text, struct error *err)
{
    FILE *file = fopen(path, "we");
    if (file == NULL)
        return error_set_errno(err, "%s", path);
    bool failed = fputs(text, file) < 0;
    return fclose(file) != 0 || failed ? error_set_errno(err, "%s: cannot be written whole", path) : 0;
}

bool output_has(const char *directory, const char *file)
{
    char *path = mem_printf("%s/%s", directory, file);
    bool found = access(path, F_OK) == 0;
    free(path);
    return found;
}
