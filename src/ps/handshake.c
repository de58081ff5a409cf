/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "ps/handshake.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "scenario/stored.h"

static int check_identity(const struct facts *facts, bool tls, const char *peer_name, const struct wire_message *hello,
                          struct error *err)
{
    char expected[32];
    uint32_t worker = hello->u.hello.worker;
    if (hello->version != WIRE_VERSION)
        return error_set(err, "protocol version %u: this PS speaks version %d", hello->version, WIRE_VERSION);
    if (worker >= facts->workers)
        return error_set(err, "worker number %" PRIu64 ": the scenario has workers 1 to %" PRIu32, (uint64_t)worker + 1,
                         facts->workers);
    snprintf(expected, sizeof expected, "worker%" PRIu64, (uint64_t)worker + 1);
    if (tls && strcmp(peer_name, expected) != 0)
        return error_set(err, "the certificate is of \"%s\": %s must show its own", peer_name, expected);
    return 0;
}

static int check_partition(const struct facts *facts, const struct wire_stored *theirs, struct error *err)
{
    uint64_t number = (uint64_t)theirs->partition + 1;
    if (theirs->partition >= facts->workers)
        return error_set(err, "partition %" PRIu64 ": the scenario has partitions 1 to %" PRIu32, number,
                         facts->workers);
    const struct wire_stored *ours = &facts->partition[theirs->partition];
    if (memcmp(theirs->sha256, ours->sha256, sizeof ours->sha256) != 0)
        return error_set(
            err, "other data: the SHA-256 of partition %" PRIu64 " differs; both need the same scenario and files",
            number);
    if (!facts_smoothness_agrees(theirs->smoothness, ours->smoothness))
        return error_set(err, "other model: the smoothness of partition %" PRIu64 " is %.17g there and %.17g here",
                         number, theirs->smoothness, ours->smoothness);
    return 0;
}

static int check_presence(const struct wire_message *hello, uint32_t partition, struct error *err)
{
    for (uint32_t i = 0; i < hello->u.hello.n; i++)
        if (hello->u.hello.stored[i].partition == partition)
            return 0;
    return error_set(err, "partition %" PRIu32 " is missing: start the worker with the PS's scenario", partition + 1);
}

static double *own_smoothness(const struct facts *facts)
{
    double *smoothness = mem_array(facts->workers, sizeof *smoothness);
    for (uint32_t k = 0; k < facts->workers; k++)
        smoothness[k] = facts->partition[k].smoothness;
    return smoothness;
}

static int check_data(const struct facts *facts, const struct wire_message *hello, struct error *err)
{
    if (hello->u.hello.dimension != facts->d)
        return error_set(err, "other data: %" PRIu32 " features there, %zu here", hello->u.hello.dimension, facts->d);
    for (uint32_t i = 0; i < hello->u.hello.n; i++)
        if (check_partition(facts, &hello->u.hello.stored[i], err) < 0)
            return -1;
    double *smoothness = own_smoothness(facts);
    uint32_t *parts = mem_array(facts->workers, sizeof *parts);
    uint32_t n = stored_by(facts->scenario, smoothness, hello->u.hello.worker, parts);
    int result = 0;
    for (uint32_t i = 0; i < n && result == 0; i++)
        result = check_presence(hello, parts[i], err);
    free(parts);
    free(smoothness);
    return result;
}

int handshake_check(const struct facts *facts, bool tls, const char *peer_name, const struct wire_message *hello,
                    struct error *err)
{
    if (check_identity(facts, tls, peer_name, hello, err) < 0)
        return -1;
    return check_data(facts, hello, err);
}
