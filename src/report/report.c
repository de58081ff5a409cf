/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "report/report.h"

#include <stdlib.h>

#include "base/mem.h"
#include "report/csv.h"
#include "report/folder.h"
#include "report/plot.h"
#include "report/text.h"

static int write_text(const struct folder *folder, const char *path, struct error *err)
{
    FILE *file = fopen(path, "we");
    if (file == NULL)
        return error_set_errno(err, "%s: cannot be written", path);
    text_print(folder, file);
    bool failed = ferror(file) != 0;
    return fclose(file) != 0 || failed ? error_set_errno(err, "%s: cannot be written whole", path) : 0;
}

/* The plots are an extra: without them the report is still one. */
static int make_plots(const struct folder *folder, FILE *to, struct error *err)
{
    struct error why = {{0}};
    switch (plot_make(folder, &why)) {
    case PLOT_DONE:
        for (size_t i = 0; plot_files[i] != NULL; i++)
            fprintf(to, "%s%s/%s\n", i ? "        " : "plots:  ", folder->path, plot_files[i]);
        return 0;
    case PLOT_NO_GNUPLOT:
    case PLOT_NOTHING:
        fprintf(to, "%s\n", why.text);
        return 0;
    case PLOT_FAILED:
        break;
    }
    return error_set(err, "%s", why.text);
}

static int write_files(const struct folder *folder, FILE *to, struct error *err)
{
    char *path = mem_printf("%s/report.txt", folder->path);
    int status = write_text(folder, path, err);
    if (status == 0) {
        fprintf(to, "\nreport: %s\n", path);
        status = make_plots(folder, to, err);
    }
    free(path);
    return status;
}

int report_text(const char *directory, bool with_files, FILE *to, struct error *err)
{
    struct folder folder;
    if (folder_read(directory, &folder, err) < 0)
        return -1;
    text_print(&folder, to);
    int status = with_files ? write_files(&folder, to, err) : 0;
    folder_clear(&folder);
    return status;
}

int report_after_run(const char *directory, FILE *to, struct error *err)
{
    return report_text(directory, true, to, err);
}

void report_csv_heading(FILE *to)
{
    csv_heading(to);
}

int report_csv(const char *directory, FILE *to, struct error *err)
{
    struct folder folder;
    if (folder_read(directory, &folder, err) < 0)
        return -1;
    csv_rows(&folder, to);
    folder_clear(&folder);
    return 0;
}
