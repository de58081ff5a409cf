/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "made_results.h"

#include "cmocka_all.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/report.h"

void made_begin(struct made *made)
{
    struct error err;
    *made = (struct made){.path = "/tmp/laggard-report-XXXXXX"};
    assert_non_null(mkdtemp(made->path));
    for (int file = 0; file < RESULTS_FILES; file++) {
        made->writer[file] = results_open(made->path, (enum results_file)file, false, &err);
        assert_non_null(made->writer[file]);
    }
}

void made_end(struct made *made)
{
    for (int file = 0; file < RESULTS_FILES; file++) {
        results_close(made->writer[file]);
        made->writer[file] = NULL;
    }
}

void made_remove(const struct made *made)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", made->path);
    assert_int_equal(system(command), 0);
}

void made_file(const struct made *made, const char *name, const char *text)
{
    char *path = mem_printf("%s/%s", made->path, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    free(path);
}

void made_round(struct made *made, const char *strategy, uint32_t repeat, uint32_t round, double begin_s, double end_s,
                uint64_t uplink, double error)
{
    struct error err;
    struct round_record record = {.round = round,
                                  .begin_ns = llround(begin_s * 1e9),
                                  .end_ns = llround(end_s * 1e9),
                                  .tally = {.uplink = uplink, .gradients = 2 * uplink},
                                  .error = error};
    assert_int_equal(results_round(made->writer[RESULTS_ROUNDS], strategy, repeat - 1, &record, &err), 0);
}

void made_answer(struct made *made, const char *strategy, uint32_t repeat, const struct made_answer *answer)
{
    struct error err;
    struct results_writer *to = made->writer[RESULTS_ANSWERS];
    results_begin(to);
    results_text(to, strategy);
    results_int(to, repeat);
    results_int(to, answer->round);
    results_int(to, answer->worker);
    results_double(to, answer->sent_s);
    results_double(to, answer->received_s);
    results_double(to, answer->compute_s);
    results_double(to, answer->wait_s);
    results_double(to, answer->overrun_s);
    results_double(to, answer->late_s);
    results_int(to, 1);
    results_text(to, "vector");
    results_int(to, answer->used);
    assert_int_equal(results_end(to, &err), 0);
}

void made_summary(struct made *made, const char *strategy, uint32_t repeat, const struct session_summary *summary)
{
    struct error err;
    assert_int_equal(results_summary(made->writer[RESULTS_SUMMARY], strategy, repeat - 1, summary, &err), 0);
    assert_int_equal(results_iterates(made->writer[RESULTS_ITERATES], strategy, repeat - 1, summary, "0", &err), 0);
}

void made_reached(struct made *made, const char *strategy, uint32_t repeat, double seconds, uint64_t uplink,
                  uint64_t gradients)
{
    struct session_summary summary = {.rounds = 10,
                                      .seconds = seconds,
                                      .total = {.uplink = uplink, .gradients = gradients, .uplink_bytes = 2500000},
                                      .final_error = 1e-3,
                                      .initial_error = 100,
                                      .reached = true,
                                      .seconds_to_target = seconds,
                                      .rounds_to_target = 10,
                                      .uplink_to_target = uplink};
    made_summary(made, strategy, repeat, &summary);
}

void made_link(struct made *made, const char *node, const char *figure, double asked, double achieved)
{
    struct error err;
    struct results_writer *to = made->writer[RESULTS_LINKS];
    results_begin(to);
    results_text(to, node);
    results_text(to, "up");
    results_text(to, figure);
    results_double(to, asked);
    results_double(to, achieved);
    results_int(to, 30);
    results_text(to, "ping");
    results_text(to, "before");
    assert_int_equal(results_end(to, &err), 0);
}

char *made_text(const struct made *made)
{
    struct error err;
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    assert_int_equal(report_text(made->path, false, to, &err), 0);
    fclose(to);
    return text;
}

char *made_read(const struct made *made, const char *name)
{
    char *path = mem_printf("%s/%s", made->path, name), *text = NULL;
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        text = mem_zalloc(1 << 20);
        size_t len = fread(text, 1, (1 << 20) - 1, file);
        text[len] = '\0';
        fclose(file);
    }
    free(path);
    return text;
}
