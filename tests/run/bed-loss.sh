#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A worker is killed by the timeline in mid-run: the strategies with redundancy go on to the right result, gd ends with an error that
# names the worker, and the worker is there again for the next strategy.
. "${top_srcdir:?}/tests/lib/daemons.sh"
begin
program=${top_builddir:?}/laggard
need_namespaces

cat >"$work/loss.ini" <<'EOF'
[scenario]
name = loss
strategies = gc, gd, grouping, lagc, g-lag
target_error = 1e-8
[cluster]
workers = 9
redundancy = 3
[compute]
model = constant
mean = 3ms
[at:50ms]
kill.worker5 = KILL
EOF
"$program" run "$work/loss.ini" -o "$work/result" --kernel host >"$work/run.log" 2>&1
status=$?
[ $status -eq 1 ] || fail "status $status, where the failed gd makes it 1"
grep -q '^laggard run: gd, round [0-9]*: worker5 is gone' "$work/run.log" || fail "no error that names gd and worker5"

# rounds and uplinks of gd aside: the others reach the target in the rounds that they take with everybody there
awk -F, 'NR > 1 && $1 != "gd" { print $1, $3, $13 }' "$work/result/summary.csv" >"$work/rounds"
cat >"$work/reference" <<'EOF'
gc 109 1
grouping 109 1
lagc 76 1
g-lag 94 1
EOF
diff "$work/reference" "$work/rounds" || fail "the others do not come to the right result"
[ "$(grep -c ',kill,' "$work/result/events.csv")" -eq 5 ] || fail "events.csv has not the kill of each run"
echo "four strategies finish without worker5; gd names it"
