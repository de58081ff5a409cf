/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows that the PS and the simulator write alike, and summary.json. */
#include "config.h"

#include "results/results.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

static double seconds(int64_t ns)
{
    return (double)ns / NS_PER_S;
}

int results_round(struct results_writer *writer, const char *strategy, uint32_t repeat,
                  const struct round_record *record, struct error *err)
{
    const struct tally *tally = &record->tally;
    results_begin(writer);
    results_text(writer, strategy);
    results_int(writer, repeat + 1);
    results_int(writer, record->round);
    results_double(writer, seconds(record->begin_ns));
    results_double(writer, seconds(record->end_ns));
    results_int(writer, record->contacted);
    results_int(writer, record->answered);
    results_int(writer, record->used);
    results_int(writer, record->selected);
    results_int(writer, (int64_t)tally->uplink);
    results_int(writer, (int64_t)tally->downlink);
    results_int(writer, (int64_t)tally->notices);
    results_int(writer, (int64_t)tally->uplink_bytes);
    results_int(writer, (int64_t)tally->downlink_bytes);
    results_int(writer, (int64_t)tally->notice_bytes);
    results_int(writer, (int64_t)tally->gradients);
    results_int(writer, (int64_t)tally->wasted);
    results_double(writer, record->step_norm);
    results_double(writer, record->error);
    return results_end(writer, err);
}

int results_summary(struct results_writer *writer, const char *strategy, uint32_t repeat,
                    const struct session_summary *summary, struct error *err)
{
    const struct tally *total = &summary->total;
    results_begin(writer);
    results_text(writer, strategy);
    results_int(writer, repeat + 1);
    results_int(writer, summary->rounds);
    results_double(writer, summary->seconds);
    results_int(writer, (int64_t)total->uplink);
    results_int(writer, (int64_t)total->downlink);
    results_int(writer, (int64_t)total->notices);
    results_int(writer, (int64_t)total->uplink_bytes);
    results_int(writer, (int64_t)total->downlink_bytes);
    results_int(writer, (int64_t)total->gradients);
    results_int(writer, (int64_t)total->wasted);
    results_double(writer, summary->final_error);
    results_int(writer, summary->reached);
    results_double(writer, summary->reached ? summary->seconds_to_target : NAN);
    results_double(writer, summary->reached ? summary->rounds_to_target : NAN);
    results_double(writer, summary->reached ? (double)summary->uplink_to_target : NAN);
    return results_end(writer, err);
}

int results_iterates(struct results_writer *writer, const char *strategy, uint32_t repeat,
                     const struct session_summary *summary, const char *sha256, struct error *err)
{
    results_begin(writer);
    results_text(writer, strategy);
    results_int(writer, (int64_t)repeat + 1);
    results_int(writer, summary->rounds);
    results_text(writer, sha256);
    results_double(writer, summary->initial_error);
    return results_end(writer, err);
}

/* Every field but the strategy's name is a number; an empty one is null. */
static json_t *row_object(const struct results_table *table, size_t row)
{
    json_t *object = json_object();
    for (size_t column = 0; column < table->columns; column++) {
        const char *text = results_field(table, row, (int)column);
        double number = results_number(table, row, (int)column);
        json_t *value;
        if (column == 0)
            value = json_string(text);
        else if (!isfinite(number))
            value = json_null();
        else if (strpbrk(text, ".eE") == NULL)
            value = json_integer((json_int_t)number);
        else
            value = json_real(number);
        json_object_set_new(object, table->name[column], value);
    }
    return object;
}

int results_summary_json(const char *directory, struct error *err)
{
    struct results_table table;
    if (results_read(directory, RESULTS_SUMMARY, &table, err) < 0)
        return -1;
    json_t *runs = json_array(), *root = json_object();
    for (size_t row = 0; row < table.rows; row++)
        json_array_append_new(runs, row_object(&table, row));
    json_object_set_new(root, "runs", runs);
    results_table_clear(&table);
    char *path = mem_printf("%s/summary.json", directory), *new_path = mem_printf("%s.new", path);
    int status = 0;
    if (json_dump_file(root, new_path, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) < 0)
        status = error_set_errno(err, "%s: cannot be written", new_path);
    else if (rename(new_path, path) < 0)
        status = error_set_errno(err, "%s: cannot be put in place", path);
    json_decref(root);
    free(path);
    free(new_path);
    return status;
}
