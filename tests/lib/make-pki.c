/* SPDX-License-Identifier: GPL-3.0-or-later */
/* make-pki DIRECTORY WORKERS: certificates for a test's daemons, as a bed makes them for a run. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "net/net.h"

int main(int argc, char **argv)
{
    struct error err;
    if (argc != 3) {
        fprintf(stderr, "usage: make-pki DIRECTORY WORKERS\n");
        return EXIT_WRONG;
    }
    if (net_pki_create(argv[1], (uint32_t)strtoul(argv[2], NULL, 10), 2, &err) < 0) {
        fprintf(stderr, "make-pki: %s\n", err.text);
        return EXIT_MACHINE;
    }
    return EXIT_DONE;
}
