/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "options.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

/* What getopt_long returns for row i; above every letter. */
enum { ROW_BASE = 256, CODE_HELP = 128, CODE_VERSION, LEFT_COLUMN = 28 };

void options_list_add(struct option_list *list, const char *text)
{
    list->text = mem_resize(list->text, list->n + 1, sizeof *list->text);
    list->text[list->n++] = text;
}

void options_list_clear(struct option_list *list)
{
    free(list->text);
    *list = (struct option_list){0};
}

/* ── help ── */

static void print_row(char letter, const char *name, const char *argument, const char *help)
{
    char left[64], dash[8] = "    ";
    if (letter)
        snprintf(dash, sizeof dash, "-%c, ", letter);
    snprintf(left, sizeof left, "  %s--%s%s%s", dash, name, argument ? " " : "", argument ? argument : "");
    printf("%-*s", LEFT_COLUMN, left);
    if (strlen(left) >= LEFT_COLUMN)
        printf("\n%*s", LEFT_COLUMN, "");
    for (const char *line = help; line != NULL;) {
        int len = (int)strcspn(line, "\n");
        printf("%.*s\n", len, line);
        line = line[len] == '\n' ? line + len + 1 : NULL;
        if (line != NULL)
            printf("%*s", LEFT_COLUMN, "");
    }
}

static void print_help(const struct option_page *page)
{
    printf("Usage: laggard %s %s\n\n%s\n\n", page->command, page->usage, page->about);
    for (const struct option_row *row = page->rows; row->name != NULL; row++)
        print_row(row->letter, row->name, row->argument, row->help);
    print_row(0, "help", NULL, "print this and exit");
    print_row(0, "version", NULL, "print the version and exit");
    if (page->footer != NULL)
        printf("\n%s\n", page->footer);
}

/* ── parsing ── */

static size_t count(const struct option_page *page)
{
    size_t n = 0;
    while (page->rows[n].name != NULL)
        n++;
    return n;
}

/* getopt_long's own tables, made from the rows. */
struct tables {
    struct option *longs;
    char *letters;
};

static struct tables make_tables(const struct option_page *page)
{
    size_t n = count(page), at = 0;
    struct tables tables = {mem_array(n + 3, sizeof *tables.longs), mem_zalloc(2 * n + 2)};
    tables.letters[at++] = ':'; /* a missing argument is told apart */
    for (size_t i = 0; i < n; i++) {
        const struct option_row *row = &page->rows[i];
        int wants = row->kind == OPTION_FLAG ? no_argument : required_argument;
        tables.longs[i] = (struct option){row->name, wants, NULL, ROW_BASE + (int)i};
        if (row->letter) {
            tables.letters[at++] = row->letter;
            if (wants == required_argument)
                tables.letters[at++] = ':';
        }
    }
    tables.longs[n] = (struct option){"help", no_argument, NULL, CODE_HELP};
    tables.longs[n + 1] = (struct option){"version", no_argument, NULL, CODE_VERSION};
    return tables;
}

static void free_tables(struct tables *tables)
{
    free(tables->longs);
    free(tables->letters);
}

static const struct option_row *find_row(const struct option_page *page, int code)
{
    if (code >= ROW_BASE)
        return &page->rows[code - ROW_BASE];
    const struct option_row *row = page->rows;
    while (row->letter != code)
        row++;
    return row;
}

static int set_choice(const struct option_page *page, const struct option_row *row, const char *text, int *place)
{
    for (int i = 0; row->choices[i] != NULL; i++)
        if (strcmp(row->choices[i], text) == 0) {
            *place = i;
            return OPTIONS_GO;
        }
    fprintf(stderr, "laggard %s: --%s %s: must be one of", page->command, row->name, text);
    for (int i = 0; row->choices[i] != NULL; i++)
        fprintf(stderr, "%s %s", i ? "," : "", row->choices[i]);
    fputc('\n', stderr);
    return EXIT_WRONG;
}

static int set_value(const struct option_page *page, const struct option_row *row, const char *text, void *values)
{
    void *place = (char *)values + row->offset;
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)place = true;
        break;
    case OPTION_TEXT:
        *(const char **)place = text;
        break;
    case OPTION_LIST:
        options_list_add(place, text);
        break;
    case OPTION_CHOICE:
        return set_choice(page, row, text, place);
    }
    return OPTIONS_GO;
}

/* getopt_long has moved on past the word that it did not understand, unless that is a cluster of letters. */
static int complain(const struct option_page *page, int code, char **argv)
{
    const char *word = optind > 0 ? argv[optind - 1] : "";
    if (code == ':')
        fprintf(stderr, "laggard %s: %s needs a value; see laggard %s --help\n", page->command, word, page->command);
    else if (optopt > 0 && optopt < CODE_HELP)
        fprintf(stderr, "laggard %s: -%c is no option here; see laggard %s --help\n", page->command, optopt,
                page->command);
    else if (optopt > 0)
        fprintf(stderr, "laggard %s: %s: a flag takes no value; see laggard %s --help\n", page->command, word,
                page->command);
    else
        fprintf(stderr, "laggard %s: %s is no option here, or stands for several; see laggard %s --help\n",
                page->command, word, page->command);
    return EXIT_WRONG;
}

static int take(const struct option_page *page, int code, char **argv, void *values)
{
    switch (code) {
    case CODE_HELP:
        print_help(page);
        return EXIT_DONE;
    case CODE_VERSION:
        printf("laggard %s\n", PACKAGE_VERSION);
        return EXIT_DONE;
    case ':':
    case '?':
        return complain(page, code, argv);
    default:
        return set_value(page, find_row(page, code), optarg, values);
    }
}

int options_parse(const struct option_page *page, int argc, char **argv, void *values, int *first)
{
    struct tables tables = make_tables(page);
    int status = OPTIONS_GO;
    optind = 0; /* begin anew, whoever called getopt before */
    opterr = 0;
    while (status == OPTIONS_GO) {
        int code = getopt_long(argc, argv, tables.letters, tables.longs, NULL);
        if (code == -1)
            break;
        status = take(page, code, argv, values);
    }
    *first = optind;
    free_tables(&tables);
    return status;
}
