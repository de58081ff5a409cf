/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "results/manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <jansson.h>

#include "base/mem.h"

static void processor_name(char *text, size_t size)
{
    char line[256];
    snprintf(text, size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL) {
        const char *value = strstr(line, ": ");
        if (value != NULL && strncmp(line, "model name", 10) == 0) {
            snprintf(text, size, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
            break;
        }
    }
    fclose(file);
}

/* Texts of people and files may hold what is no UTF-8, which JSON cannot. */
static json_t *text_or_null(const char *text)
{
    json_t *string = text ? json_string(text) : NULL;
    if (text != NULL && string == NULL) {
        char *copy = mem_strdup(text);
        for (char *at = copy; *at != '\0'; at++)
            if ((unsigned char)*at >= 0x80)
                *at = '?';
        string = json_string(copy);
        free(copy);
    }
    return string ? string : json_null();
}

static json_t *wall_clock(const struct timespec *at)
{
    char text[64], whole[40];
    struct tm utc;
    if (at->tv_sec == 0)
        return json_null();
    gmtime_r(&at->tv_sec, &utc);
    strftime(whole, sizeof whole, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(text, sizeof text, "%s.%03ldZ", whole, at->tv_nsec / 1000000);
    return json_string(text);
}

static json_t *words(const char *const *word)
{
    json_t *array = json_array();
    for (; word != NULL && *word != NULL; word++)
        json_array_append_new(array, text_or_null(*word));
    return array;
}

static json_t *kernel(const struct manifest *manifest)
{
    struct utsname host;
    uname(&host);
    return json_pack("{s:o, s:o, s:o}", "kind", text_or_null(manifest->kernel_kind), "release",
                     text_or_null(manifest->kernel_release), "host", text_or_null(host.release));
}

static json_t *machine(void)
{
    char processor[256];
    processor_name(processor, sizeof processor);
    json_int_t memory_mib = (json_int_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) >> 20;
    return json_pack("{s:o, s:I, s:I}", "processor", text_or_null(processor), "processors",
                     (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "memory_mib", memory_mib);
}

static json_t *libraries(const struct manifest_library *library)
{
    json_t *object = json_object();
    for (; library != NULL && library->name != NULL; library++)
        json_object_set_new(object, library->name, text_or_null(library->version));
    return object;
}

static json_t *seed(uint64_t value)
{
    char text[32];
    if (value <= INT64_MAX)
        return json_integer((json_int_t)value);
    snprintf(text, sizeof text, "%" PRIu64, value);
    return json_string(text);
}

static json_t *scenario(const struct manifest *manifest)
{
    return json_pack("{s:o, s:o, s:o}", "name", text_or_null(manifest->scenario_name), "file",
                     text_or_null(manifest->scenario_file), "resolved", text_or_null(manifest->scenario_text));
}

static json_t *compose(const struct manifest *manifest)
{
    json_t *root = json_object();
    json_object_set_new(root, "laggard", json_string(PACKAGE_VERSION));
    json_object_set_new(root, "status", text_or_null(manifest->status));
    json_object_set_new(root, "failure", text_or_null(manifest->failure));
    json_object_set_new(root, "command", words((const char *const *)manifest->command));
    json_object_set_new(root, "begin", wall_clock(&manifest->begin));
    json_object_set_new(root, "end", wall_clock(&manifest->end));
    json_object_set_new(root, "kernel", kernel(manifest));
    json_object_set_new(root, "machine", machine());
    json_object_set_new(root, "libraries", libraries(manifest->libraries));
    json_object_set_new(root, "seed", seed(manifest->seed));
    json_object_set_new(root, "repeats", json_integer(manifest->repeats));
    json_object_set_new(root, "scenario", scenario(manifest));
    json_object_set_new(root, "notes", words(manifest->notes));
    return root;
}

int manifest_write(const char *directory, const struct manifest *manifest, struct error *err)
{
    json_t *root = compose(manifest);
    char *path = mem_printf("%s/manifest.json", directory), *new_path = mem_printf("%s.new", path);
    int status = 0;
    if (json_dump_file(root, new_path, JSON_INDENT(2)) < 0)
        status = error_set_errno(err, "%s: cannot be written", new_path);
    else if (rename(new_path, path) < 0)
        status = error_set_errno(err, "%s: cannot be put in place", path);
    json_decref(root);
    free(path);
    free(new_path);
    return status;
}
