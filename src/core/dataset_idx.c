/* SPDX-License-Identifier: GPL-3.0-or-later */
/* IDX, the format of MNIST and its kin: 00 00, element type, number of dimensions, each dimension in 32 bits
 * big-endian, then the elements, last dimension fastest. Images are unsigned bytes of 2 or more dimensions (samples
 * first), labels of 1.
 *
 * Both files are walked in step, and only to the last sample wanted: an image that nobody wants is skipped when a later
 * one is needed, and not at all if none is. */
#include "config.h"

#include <inttypes.h>

#include "core/dataset_rows.h"
#include "core/gunzip.h"

enum { IDX_UNSIGNED_BYTE = 0x08, IDX_DIMENSIONS_MAX = 4 };

struct idx {
    const char *name;
    struct gunzip *in;
    unsigned dimensions;
    uint64_t samples, each; /* elements of one sample */
};

static uint32_t big_endian(const unsigned char b[4])
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static int read_sizes(struct idx *idx, struct error *err)
{
    unsigned char size[4];
    idx->each = 1;
    for (unsigned i = 0; i < idx->dimensions; i++) {
        if (gunzip_read(idx->in, size, sizeof size, err) < 0)
            return -1;
        if (i == 0) {
            idx->samples = big_endian(size);
            continue;
        }
        idx->each *= big_endian(size); /* both factors are below 2³² */
        if (idx->each == 0 || idx->each > DATASET_FEATURES_MAX)
            return error_set(err, "%s: a sample has %" PRIu64 " elements%s; 1 to %d are possible", idx->name, idx->each,
                             idx->each ? " or more" : "", DATASET_FEATURES_MAX);
    }
    if (idx->samples == 0 || idx->samples > DATASET_SAMPLES_MAX)
        return error_set(err, "%s: %" PRIu64 " samples; 1 to %d are possible", idx->name, idx->samples,
                         DATASET_SAMPLES_MAX);
    return 0;
}

static int read_header(struct idx *idx, struct error *err)
{
    unsigned char magic[4];
    if (gunzip_read(idx->in, magic, sizeof magic, err) < 0)
        return -1;
    if (magic[0] != 0 || magic[1] != 0)
        return error_set(err, "%s: starts with %02x %02x %02x %02x; an IDX file starts with 00 00 08", idx->name,
                         magic[0], magic[1], magic[2], magic[3]);
    if (magic[2] != IDX_UNSIGNED_BYTE)
        return error_set(err, "%s: elements of type 0x%02x; only unsigned bytes (0x08) are read", idx->name, magic[2]);
    if (magic[3] == 0 || magic[3] > IDX_DIMENSIONS_MAX)
        return error_set(err, "%s: %d dimensions; 1 (labels) to %d are possible", idx->name, magic[3],
                         IDX_DIMENSIONS_MAX);
    idx->dimensions = magic[3];
    return read_sizes(idx, err);
}

static int read_headers(struct idx *images, struct idx *labels, struct error *err)
{
    if (read_header(images, err) < 0 || read_header(labels, err) < 0)
        return -1;
    if (images->dimensions < 2)
        return error_set(err,
                         "%s: one dimension, as labels have; images have 2 or more (idx:IMAGES,LABELS, in this order)",
                         images->name);
    if (labels->dimensions != 1)
        return error_set(err, "%s: %u dimensions; labels have 1 (idx:IMAGES,LABELS, in this order)", labels->name,
                         labels->dimensions);
    if (images->samples != labels->samples)
        return error_set(err, "%s has %" PRIu64 " images, %s %" PRIu64 " labels; they must be as many", images->name,
                         images->samples, labels->name, labels->samples);
    return 0;
}

static int read_image(struct idx *images, struct dataset_rows *rows, double label, struct error *err)
{
    double *row = dataset_rows_add(rows, label, err);
    if (row == NULL)
        return error_prefix(err, "%s", images->name);
    unsigned char pixels[1024];
    for (size_t at = 0; at < images->each; at += sizeof pixels) {
        size_t some = images->each - at < sizeof pixels ? (size_t)images->each - at : sizeof pixels;
        if (gunzip_read(images->in, pixels, some, err) < 0)
            return -1;
        for (size_t i = 0; i < some; i++)
            row[at + i] = pixels[i] / 255.0;
    }
    return 0;
}

static int read_samples(struct idx *images, struct idx *labels, const struct class_pair *classes,
                        struct dataset_rows *rows, struct error *err)
{
    uint64_t unread = 0; /* elements of images passed over since the last one kept */
    for (uint64_t i = 0; i < labels->samples && !dataset_rows_full(rows); i++) {
        unsigned char byte;
        if (gunzip_read(labels->in, &byte, 1, err) < 0)
            return -1;
        double label = byte;
        if (!dataset_keeps(classes, &label)) {
            unread += images->each;
            continue;
        }
        if (gunzip_read(images->in, NULL, unread, err) < 0 || read_image(images, rows, label, err) < 0)
            return -1;
        unread = 0;
    }
    return 0;
}

int dataset_parse_idx(const char *images_name, const void *images, size_t images_len, const char *labels_name,
                      const void *labels, size_t labels_len, const struct class_pair *classes, size_t limit,
                      struct dataset *out, struct error *err)
{
    *out = (struct dataset){0};
    struct idx image = {.name = images_name, .in = gunzip_new(images_name, images, images_len)};
    struct idx label = {.name = labels_name, .in = gunzip_new(labels_name, labels, labels_len)};
    struct dataset_rows rows = {.out = out, .limit = limit};
    int result = read_headers(&image, &label, err);
    out->d = result == 0 ? (size_t)image.each : 0;
    if (result == 0)
        result = read_samples(&image, &label, classes, &rows, err);
    if (result == 0)
        result = dataset_rows_finish(&rows, labels_name, classes, err);
    if (result < 0)
        dataset_clear(out);
    gunzip_free(image.in);
    gunzip_free(label.in);
    return result;
}
