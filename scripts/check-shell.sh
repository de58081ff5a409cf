#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every shell script through shellcheck.
set -u
cd "${top_srcdir:?run it with make check}" || exit 99
command -v shellcheck >/dev/null || {
    echo "SKIP: shellcheck is not here (Debian: apt install shellcheck)"
    exit 77
}

# Scripts are known by their first line, or by shellcheck's own.
scripts=$(find quickstart .ci scripts netem tests tools -type f \
    -exec awk 'FNR > 3 { nextfile } /^#!.*sh( |$)/ || /^# shellcheck shell=/ { print FILENAME; nextfile }' {} + | sort)
# SC2317: functions that are called through another one's argument look unreachable to it.
# shellcheck disable=SC2086 # words are wanted; no name of ours has a space
shellcheck -x -e SC2317 -P SCRIPTDIR -P . $scripts || exit 1
count=$(echo "$scripts" | wc -l)
echo "$count scripts"
[ "$count" -ge 10 ]
