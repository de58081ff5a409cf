/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "daemon.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static const double SECONDS_MAX = 1e6;

static void print_option(const char *name, const char *argument, const char *help)
{
    char left[40];
    snprintf(left, sizeof left, "--%s%s%s", name, argument ? " " : "", argument ? argument : "");
    printf("  %-24s %s\n", left, help);
}

static void print_help(const struct daemon_program *program)
{
    printf("usage: %s", program->name);
    for (const struct daemon_option *o = program->options; o->name != NULL; o++)
        if (o->required)
            printf(" --%s %s", o->name, o->argument);
    printf(" [OPTION]...\n%s\n\n", program->summary);
    for (const struct daemon_option *o = program->options; o->name != NULL; o++)
        print_option(o->name, o->argument, o->help);
    print_option("help", NULL, "print this and exit");
    print_option("version", NULL, "print the version and exit");
}

static int parse_endpoint(const char *name, const char *text, struct daemon_endpoint *out, struct error *err)
{
    const char *colon = strrchr(text, ':');
    size_t len = colon ? (size_t)(colon - text) : 0;
    char *end;
    unsigned long port = colon ? strtoul(colon + 1, &end, 10) : 0;
    if (len > 2 && text[0] == '[' && text[len - 1] == ']') {
        text++;
        len -= 2;
    }
    if (len == 0 || len >= sizeof out->address || !isdigit((unsigned char)colon[1]) || *end != '\0' ||
        port > UINT16_MAX)
        return error_set(err, "--%s %s: ADDRESS:PORT is wanted, as in 127.0.0.1:4700 or [::1]:4700", name, text);
    memcpy(out->address, text, len);
    out->address[len] = '\0';
    out->port = (uint16_t)port;
    return 0;
}

static int parse_number(const char *name, const char *text, int64_t *out, struct error *err)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < 0)
        return error_set(err, "--%s %s: a whole number is wanted, 0 or more", name, text);
    *out = value;
    return 0;
}

static int parse_seconds(const char *name, const char *text, int64_t *out, struct error *err)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= 0 && value <= SECONDS_MAX))
        return error_set(err, "--%s %s: seconds are wanted, from 0 to %g", name, text, SECONDS_MAX);
    *out = llrint(value * NS_PER_S);
    return 0;
}

static int set_value(const struct daemon_option *option, const char *text, void *values, struct error *err)
{
    void *place = (char *)values + option->offset;
    switch (option->kind) {
    case DAEMON_FLAG:
        *(bool *)place = true;
        return 0;
    case DAEMON_TEXT:
        *(const char **)place = text;
        return 0;
    case DAEMON_NUMBER:
        return parse_number(option->name, text, place, err);
    case DAEMON_SECONDS:
        return parse_seconds(option->name, text, place, err);
    case DAEMON_ENDPOINT:
        return parse_endpoint(option->name, text, place, err);
    }
    return -1;
}

/* "--name", "--name value" or "--name=value" at argv[*i]; *i moves to the last word used. */
static const struct daemon_option *take(const struct daemon_program *program, int argc, char **argv, int *i,
                                        const char **value, struct error *err)
{
    const char *word = argv[*i];
    size_t len = strcspn(word, "=");
    for (const struct daemon_option *o = program->options; o->name != NULL && strncmp(word, "--", 2) == 0; o++) {
        if (strlen(o->name) != len - 2 || strncmp(o->name, word + 2, len - 2) != 0)
            continue;
        *value = word[len] == '=' ? word + len + 1 : NULL;
        if (o->kind == DAEMON_FLAG && *value != NULL) {
            error_set(err, "--%s takes no value", o->name);
            return NULL;
        }
        if (o->kind != DAEMON_FLAG && *value == NULL && ++*i < argc)
            *value = argv[*i];
        if (o->kind == DAEMON_FLAG || *value != NULL)
            return o;
        error_set(err, "--%s needs a value: %s", o->name, o->argument);
        return NULL;
    }
    error_set(err, "%s is no option of %s; --help lists them", word, program->name);
    return NULL;
}

static int check_required(const struct daemon_program *program, const bool *seen, struct error *err)
{
    for (size_t i = 0; program->options[i].name != NULL; i++)
        if (program->options[i].required && !seen[i])
            return error_set(err, "--%s %s is needed; --help says what it is", program->options[i].name,
                             program->options[i].argument);
    return 0;
}

int daemon_parse(const struct daemon_program *program, int argc, char **argv, void *values, struct error *err)
{
    bool seen[64] = {false}; /* more rows than any daemon has */
    for (int i = 1; i < argc; i++) {
        const char *value;
        if (strcmp(argv[i], "--help") == 0) {
            print_help(program);
            exit(EXIT_DONE);
        }
        if (strcmp(argv[i], "--version") == 0) {
            printf("%s %s\n", program->name, PACKAGE_VERSION);
            exit(EXIT_DONE);
        }
        const struct daemon_option *option = take(program, argc, argv, &i, &value, err);
        if (option == NULL || set_value(option, value, values, err) < 0)
            return -1;
        seen[option - program->options] = true;
    }
    return check_required(program, seen, err);
}

struct scenario *daemon_read_scenario(const char *path)
{
    struct scenario_errors errors = {0};
    struct scenario *scenario = scenario_read(path, NULL, 0, &errors);
    if (scenario == NULL)
        scenario_errors_print(&errors, path, stderr);
    scenario_errors_clear(&errors);
    return scenario;
}
