#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The options in the manuals of the daemons are those in their tables (which --help prints), in the same order, with the same
# arguments.
. "${top_srcdir:?}/tests/lib/daemons.sh"
begin

for program in laggard-ps laggard-worker; do
    "$ps_program" --help >/dev/null || fail "$program does not start"
    "$top_builddir/$program" --help | sed -n 's/^  \(--[a-z-]*\)\( [A-Z:]*\)\{0,1\}  .*/\1\2/p' | tr '[:upper:]' '[:lower:]' |
        sed 's/ *$//' >"$work/table"
    sed -n 's/^\.It Fl -/--/p' "$top_srcdir/man/$program.1" | sed 's/ : Ns Ar /:/; s/ Ar / /' >"$work/manual"
    [ "$(wc -l <"$work/table")" -gt 8 ] || fail "$program --help lists hardly any options"
    diff "$work/table" "$work/manual" || fail "$program: its manual has other options than its --help"
done
exit 0
