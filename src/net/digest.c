/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "net/digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

enum { CHUNK = 512 };

static void put_le64(uint8_t out[8], uint64_t value)
{
    for (int i = 0; i < 8; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

static void must(int ok)
{
    if (ok != 1)
        abort(); /* SHA-256 of bytes in memory fails only without memory or without SHA-256 */
}

static void add_u64(EVP_MD_CTX *sha, uint64_t value)
{
    uint8_t bytes[8];
    put_le64(bytes, value);
    must(EVP_DigestUpdate(sha, bytes, sizeof bytes));
}

/* In chunks, whatever the byte order here: a copy of the whole partition could be gigabytes. */
static void add_doubles(EVP_MD_CTX *sha, const double *value, size_t n)
{
    uint8_t bytes[CHUNK * 8];
    for (size_t first = 0; first < n; first += CHUNK) {
        size_t count = n - first < CHUNK ? n - first : CHUNK;
        for (size_t i = 0; i < count; i++) {
            uint64_t bits;
            memcpy(&bits, &value[first + i], sizeof bits);
            put_le64(bytes + 8 * i, bits);
        }
        must(EVP_DigestUpdate(sha, bytes, 8 * count));
    }
}

void digest_partition(const struct partition *part, uint8_t out[WIRE_HASH_BYTES])
{
    EVP_MD_CTX *sha = EVP_MD_CTX_new();
    must(sha != NULL && EVP_DigestInit_ex(sha, EVP_sha256(), NULL) == 1);
    add_u64(sha, part->n);
    add_u64(sha, part->d);
    add_doubles(sha, part->x, part->n * part->d);
    add_doubles(sha, part->y, part->n);
    must(EVP_DigestFinal_ex(sha, out, NULL));
    EVP_MD_CTX_free(sha);
}

void digest_text(const uint8_t digest[WIRE_HASH_BYTES], char text[DIGEST_TEXT_BYTES])
{
    for (size_t i = 0; i < WIRE_HASH_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}
