/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/gunzip.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

#include "base/mem.h"

enum { WINDOW = 32 * 1024 };

struct gunzip {
    const char *name;
    const unsigned char *in; /* what is left of the file */
    size_t in_len;
    bool packed, ended;
    z_stream z;
    uint64_t given;  /* bytes read so far */
    size_t from, to; /* of window: inflated, not yet read */
    unsigned char window[WINDOW];
};

struct gunzip *gunzip_new(const char *name, const void *bytes, size_t len)
{
    struct gunzip *in = mem_zalloc(sizeof *in);
    in->name = name;
    in->in = bytes;
    in->in_len = len;
    in->packed = len >= 2 && in->in[0] == 0x1f && in->in[1] == 0x8b;
    const int gzip_only = 16 + MAX_WBITS;
    if (in->packed && inflateInit2(&in->z, gzip_only) != Z_OK)
        abort(); /* out of memory, or built against another zlib */
    return in;
}

void gunzip_free(struct gunzip *in)
{
    if (in != NULL && in->packed)
        inflateEnd(&in->z);
    free(in);
}

/* Put up to WINDOW more bytes into the window, which is empty. At the end of the file it stays empty. */
static int refill_packed(struct gunzip *in, struct error *err)
{
    in->z.next_out = in->window;
    in->z.avail_out = WINDOW;
    int status = Z_OK;
    while (in->z.avail_out > 0 && status == Z_OK) {
        uInt some = in->in_len < UINT_MAX ? (uInt)in->in_len : UINT_MAX;
        in->z.next_in = in->in;
        in->z.avail_in = some;
        status = inflate(&in->z, Z_NO_FLUSH);
        in->in += some - in->z.avail_in;
        in->in_len -= some - in->z.avail_in;
    }
    in->to = WINDOW - in->z.avail_out;
    in->ended = status == Z_STREAM_END || status == Z_BUF_ERROR;
    if (status != Z_OK && !in->ended)
        return error_set(err, "%s: the gzip data are damaged (%s); fetch the file again", in->name,
                         in->z.msg ? in->z.msg : "zlib gives no reason");
    return 0;
}

static int refill(struct gunzip *in, struct error *err)
{
    in->from = in->to = 0;
    if (in->ended)
        return 0;
    if (in->packed)
        return refill_packed(in, err);
    in->to = in->in_len < WINDOW ? in->in_len : WINDOW;
    memcpy(in->window, in->in, in->to);
    in->in += in->to;
    in->in_len -= in->to;
    return 0;
}

int gunzip_read(struct gunzip *in, void *to, uint64_t n, struct error *err)
{
    unsigned char *out = to;
    uint64_t wanted = in->given + n;
    while (in->given < wanted) {
        if (in->from == in->to && refill(in, err) < 0)
            return -1;
        if (in->from == in->to)
            return error_set(
                err, "%s: ends after %" PRIu64 " bytes%s; at least %" PRIu64 " are needed, so the file is cut short",
                in->name, in->given, in->packed ? " (inflated)" : "", wanted);
        uint64_t left = wanted - in->given;
        size_t some = in->to - in->from < left ? in->to - in->from : (size_t)left;
        if (out != NULL) {
            memcpy(out, in->window + in->from, some);
            out += some;
        }
        in->from += some;
        in->given += some;
    }
    return 0;
}
