/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Edit distance with swaps (optimal string alignment), three rows at a time. */
#include "config.h"

#include "scenario/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static int letter(const char *text, size_t i)
{
    return tolower((unsigned char)text[i]);
}

unsigned nearest_distance(const char *a, const char *b)
{
    size_t n = strnlen(a, NEAREST_MAX), m = strnlen(b, NEAREST_MAX);
    unsigned rows[3][NEAREST_MAX + 1];
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned change = above[j - 1] + (letter(a, i - 1) != letter(b, j - 1));
            row[j] = least(change, 1 + least(above[j], row[j - 1]));
            if (i > 1 && j > 1 && letter(a, i - 1) == letter(b, j - 2) && letter(a, i - 2) == letter(b, j - 1))
                row[j] = least(row[j], above2[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

void nearest_offer(struct nearest *nearest, const char *written, const char *known)
{
    size_t longer = strlen(written) > strlen(known) ? strlen(written) : strlen(known);
    unsigned distance = nearest_distance(written, known);
    if (distance >= longer || (distance > 1 && distance * 3 > longer))
        return;
    if (nearest->name == NULL || distance < nearest->distance)
        *nearest = (struct nearest){known, distance};
}

char *nearest_hint(const struct nearest *nearest, char *out, size_t size)
{
    if (nearest->name)
        snprintf(out, size, "; did you mean \"%s\"?", nearest->name);
    else if (size > 0)
        out[0] = '\0';
    return out;
}
