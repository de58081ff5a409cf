#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every folder beside this script is a case: scenario.ini (and args, a word a line) goes through `laggard check`.
# With a file `error`, the check must exit 2 and say just that on stderr; with `expected`, it must exit 0 and resolve to just that.
# The case's own folder is written @DIR@ in both.   UPDATE=1 writes the files anew, to be looked at before they are committed.
set -u
cases=${top_srcdir:?run it with make check}/tests/scenario
check=${top_builddir:?run it with make check}/tests/scenario/check_main
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
failed=0
count=0

run_case() {
    set --
    if [ -f args ]; then
        while IFS= read -r word; do
            set -- "$@" "$word"
        done <args
    fi
    "$check" --dump "$@" scenario.ini >"$work/out" 2>"$work/err"
    status=$?
    here=$(pwd -P)
    sed "s|$here|@DIR@|g" "$work/out" >"$work/expected"
    sed "s|$here|@DIR@|g" "$work/err" >"$work/error"
}

fail() {
    echo "FAIL $1: $2"
    failed=$((failed + 1))
}

compare() {
    diff -u "$2" "$3" || fail "$1" "not what the file $2 says"
}

for folder in "$cases"/*/; do
    name=$(basename "$folder")
    [ -f "$folder/scenario.ini" ] || continue
    cd "$folder" || exit 99
    count=$((count + 1))
    run_case
    if [ "${UPDATE:-0}" = 1 ]; then
        rm -f error expected
        if [ $status -eq 0 ]; then cp "$work/expected" expected; else cp "$work/error" error; fi
    elif [ -f error ]; then
        [ $status -eq 2 ] || fail "$name" "exit status $status, not 2"
        [ -s "$work/out" ] && fail "$name" "something on standard output"
        compare "$name" error "$work/error"
    elif [ -f expected ]; then
        [ $status -eq 0 ] || fail "$name" "exit status $status, not 0"
        compare "$name" expected "$work/expected"
        [ -s "$work/err" ] && fail "$name" "something on standard error"
        # What it resolves to resolves to itself.
        "$check" --dump "$work/out" >"$work/again" 2>&1
        diff -u "$work/out" "$work/again" || fail "$name" "the resolved scenario does not resolve to itself"
    else
        fail "$name" "has neither error nor expected"
    fi
done

# The scenarios that come with laggard are fine.
for file in "$top_srcdir"/configs/*.ini; do
    images=$(sed -n 's/^data = idx:\(.*\),.*/\1/p' "$file")
    if [ -n "$images" ] && [ ! -f "$images" ]; then
        echo "left out: $file, for $images is not installed"
        continue
    fi
    count=$((count + 1))
    "$check" "$file" >"$work/out" 2>&1 || { cat "$work/out"; fail "$file" "not fine"; }
done

echo "$count cases, $failed failed"
[ $count -ge 30 ] && [ $failed -eq 0 ]
