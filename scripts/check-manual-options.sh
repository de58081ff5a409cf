#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Does each program's manual page explain (.It) the long options that its --help names, and no other? The programs are the two daemons, laggard,
# and each command that laggard --help lists. Are the pages sound (mandoc -T lint, where it is there), and is every page of ours that one
# of them refers to among them?
set -u
man=${top_srcdir:?run it with make check}/man
programs=${top_builddir:?run it with make check}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
failed=0
options=0

fail() {
    echo "FAIL $*"
    failed=1
}

compare() { # PAGE COMMAND...
    page=$1
    shift
    [ -f "$man/$page" ] || { fail "$page: there is no such page, for $*"; return; }
    "$@" --help >"$work/help" 2>&1 || { fail "$* --help: status $?"; return; }
    grep -oE -e '(^|[^a-zA-Z-])--[a-z][a-z-]*' "$work/help" | sed 's/^[^-]*//' | sort -u >"$work/said"
    grep '^\.It .*Fl ' "$man/$page" | grep -oE 'Fl -[a-z][a-z-]*' | sed 's/Fl /-/' | sort -u >"$work/documented"
    [ -s "$work/said" ] || fail "$* --help names no option"
    diff "$work/said" "$work/documented" >"$work/differ" ||
        { fail "$page (>) and $* --help (<) name different options:"; grep '^[<>]' "$work/differ"; }
    options=$((options + $(wc -l <"$work/said")))
}

compare laggard-ps.1 "$programs/laggard-ps"
compare laggard-worker.1 "$programs/laggard-worker"
compare laggard.1 "$programs/laggard"
commands=$("$programs/laggard" --help | awk '/^  [a-z]+ / { print $1 }')
count=$(echo "$commands" | wc -w)
[ "$count" -ge 4 ] || fail "laggard --help lists only: $commands"
for command in $commands; do
    compare "laggard-$command.1" "$programs/laggard" "$command"
    grep -q "laggard-$command 1" "$man/laggard.1" || fail "laggard.1 does not mention laggard-$command(1)"
done

for page in "$man"/*.[1-9]; do
    sed -nE 's/^\.Xr (laggard[a-z-]*) ([1-9]).*/\1.\2/p' "$page" | sort -u | while IFS= read -r other; do
        [ -f "$man/$other" ] || echo "$(basename "$page") refers to $other"
    done
done >"$work/dangling"
[ ! -s "$work/dangling" ] || { fail 'pages that are not there:'; cat "$work/dangling"; }

if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning "$man"/*.[1-9] || fail 'see what mandoc says above'
else
    echo 'left out: mandoc -T lint, for mandoc is not here'
fi

echo "$options options of $((count + 3)) programs and commands"
exit $failed
