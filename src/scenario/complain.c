/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors of a scenario file: doors are scenario_errors_print and scenario_errors_clear for commands, complain for the
 * reader. */
#include "config.h"

#include "scenario/complain.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void complain(struct scenario_errors *errors, int line, const char *format, ...)
{
    if (errors->n >= COMPLAIN_MAX)
        return;
    struct error sentence;
    va_list args;
    va_start(args, format);
    vsnprintf(sentence.text, sizeof sentence.text, format, args);
    va_end(args);
    for (size_t i = 0; i < errors->n; i++)
        if (errors->error[i].line == line && strcmp(errors->error[i].text, sentence.text) == 0)
            return;
    errors->error = mem_resize(errors->error, errors->n + 1, sizeof *errors->error);
    errors->error[errors->n++] = (struct scenario_error){.line = line, .text = mem_strdup(sentence.text)};
}

static bool comes_after(const struct scenario_error *a, const struct scenario_error *b)
{
    if (a->line == 0 || b->line == 0)
        return a->line == 0 && b->line != 0;
    return a->line > b->line;
}

/* Insertion: stable, and the list is short and nearly sorted. */
void complain_sort(struct scenario_errors *errors)
{
    for (size_t i = 1; i < errors->n; i++) {
        struct scenario_error moved = errors->error[i];
        size_t j = i;
        for (; j > 0 && comes_after(&errors->error[j - 1], &moved); j--)
            errors->error[j] = errors->error[j - 1];
        errors->error[j] = moved;
    }
}

void scenario_errors_clear(struct scenario_errors *errors)
{
    for (size_t i = 0; i < errors->n; i++)
        free(errors->error[i].text);
    free(errors->error);
    *errors = (struct scenario_errors){0};
}

void scenario_errors_print(const struct scenario_errors *errors, const char *path, FILE *to)
{
    for (size_t i = 0; i < errors->n; i++) {
        const struct scenario_error *error = &errors->error[i];
        if (error->line > 0)
            fprintf(to, "%s:%d: %s\n", path, error->line, error->text);
        else
            fprintf(to, "%s: %s\n", path, error->text);
    }
}
