/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `laggard check` as a program of its own, for the cases beside it. */
#include "config.h"

#include "../../tools/command.h"

extern const struct command command_check;

int main(int argc, char **argv)
{
    return command_check.run(argc, argv);
}
