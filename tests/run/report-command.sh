#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# laggard report as people and scripts use it: exit statuses, a directory that is not there among others, CSV, a result directory that
# cannot be written.
set -u
laggard=${top_builddir:?run it with make check}/laggard
work=$(mktemp -d) || exit 99
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
failed=0

fail() {
    echo "FAIL $*"
    failed=1
}

# status WANTED ARGUMENT...: output in $work/out and $work/err
status() {
    wanted=$1
    shift
    "$laggard" report "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got -eq "$wanted" ] || { fail "laggard report $*: status $got, not $wanted"; cat "$work/err"; }
}
says() { # FILE TEXT
    grep -qF -e "$2" "$work/$1" || { fail "\"$2\" is not in:"; cat "$work/$1"; }
}

make_run() { # DIRECTORY SECONDS
    mkdir "$1"
    echo 'strategy,repeat,rounds,seconds,uplink,downlink,notices,uplink_bytes,downlink_bytes,gradients,wasted,final_error,reached,'\
'seconds_to_target,rounds_to_target,uplink_to_target' >"$1/summary.csv"
    echo "gd,1,10,$2,40,40,0,1000,1000,40,0,0.001,1,$2,10,40" >>"$1/summary.csv"
}
make_run "$work/a" 1.5
make_run "$work/b, c" 2.5

status 0 "$work/a" "$work/b, c"
says out 'quickest          gd 1.50 s'
says out 'quickest          gd 2.50 s'
[ ! -e "$work/a/report.txt" ] || fail 'it wrote without being asked to'

status 0 --format csv "$work/a" "$work/b, c"
says out "$work/a,gd,1,10,1.5,40"
says out "\"$work/b, c\",gd,1,10,2.5,40"
[ "$(wc -l <"$work/out")" -eq 3 ] || fail "not three lines of CSV"

status 1 "$work/nothing" "$work/a"
says err "$work/nothing"
says out 'quickest          gd 1.50 s'

status 0 --plots "$work/a"
grep -q 'quickest' "$work/a/report.txt" || fail 'no report.txt'

status 2
says err 'a result directory is needed'
status 2 --format json "$work/a"
says err 'text, csv'
status 2 --plots --format csv "$work/a"
says err '--plots'

# root writes everywhere
if [ "$(id -u)" != 0 ]; then
    chmod a-w "$work/b, c"
    status 1 --plots "$work/b, c"
    says err 'report.txt'
fi

if [ -c /dev/full ]; then
    "$laggard" report "$work/a" >/dev/full 2>"$work/err"
    got=$?
    [ $got -eq 1 ] || fail "a full disk: status $got, not 1"
fi
exit $failed
