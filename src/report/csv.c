/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "report/csv.h"

#include <string.h>

/* Quoted as RFC 4180 says, where needed. */
static void print_field(const char *text, FILE *to)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, to);
        return;
    }
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', to);
        fputc(*text, to);
    }
    fputc('"', to);
}

void csv_heading(FILE *to)
{
    const char *const *name = results_columns(RESULTS_SUMMARY);
    fputs("directory", to);
    for (size_t i = 0; name[i] != NULL; i++)
        fprintf(to, ",%s", name[i]);
    fputc('\n', to);
}

void csv_rows(const struct folder *folder, FILE *to)
{
    const struct results_table *table = &folder->table[RESULTS_SUMMARY];
    const char *const *name = results_columns(RESULTS_SUMMARY);
    for (size_t row = 0; row < table->rows; row++) {
        print_field(folder->path, to);
        for (size_t i = 0; name[i] != NULL; i++) {
            fputc(',', to);
            print_field(folder_text(table, row, results_column(table, name[i])), to);
        }
        fputc('\n', to);
    }
}
