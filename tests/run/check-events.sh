#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# laggard check --events: the same bytes each time, other draws for another seed or repeat, and just what a run then does, for every
# strategy of it. On plain links, so on any kernel that has namespaces.
. "${top_srcdir:?}/tests/lib/daemons.sh"
begin
program=${top_builddir:?}/laggard

cat >"$work/plan.ini" <<'EOF'
[scenario]
seed = 5
repeats = 2
strategies = gd, lag-wk
target_relative_error = 1e-300
max_rounds = 60
[cluster]
workers = 3
redundancy = 1
[compute]
model = constant
mean = 10ms
[pause]
workers = 1, 3
every = exponential 150ms
for = pareto 30ms 1.5
[at:50ms]
pause.worker2 = 20ms
[at:70ms]
link.worker1.up.cut = 1.5s
link.ps.rate = 2.5mbit
kill.worker2 = TERM
EOF
grep -v -e '^link' -e '^kill' "$work/plan.ini" >"$work/plain.ini"

plan() # OPTION...
{
    "$program" check --events "$@"
}

# refused SENTENCE OPTION...
refused()
{
    sentence=$1
    shift
    "$program" check "$@" >/dev/null 2>"$work/refusal"
    [ $? -eq 2 ] || fail "check $*: not refused"
    grep -q -e "$sentence" "$work/refusal" || fail "check $*: $(cat "$work/refusal")"
}

plan "$work/plan.ini" >"$work/first" || fail "check --events: status $?"
plan "$work/plan.ini" | cmp "$work/first" - || fail "the same scenario gave another plan"
plan --set scenario.seed=6 "$work/plan.ini" | cmp -s "$work/first" - && fail "another seed gave the same plan"
[ "$(grep -c '^1,.*,random$' "$work/first")" -gt 20 ] || fail "a minute has too few pauses: $(cat "$work/first")"
draws() # REPEAT
{
    sed -n "s/^$1,\(.*random\)\$/\1/p" "$work/first"
}
[ "$(draws 1)" = "$(draws 2)" ] && fail "both repeats have the same draws"

# what the file says comes out exactly, and random pauses end where they are told to
plan --set pause.every=none --until 60ms "$work/plan.ini" >"$work/short"
printf 'repeat,requested_s,what,target,value,source\n1,0.050000000,pause,worker2,20ms,scenario\n2,0.050000000,pause,worker2,20ms,scenario\n' |
    diff - "$work/short" || fail "the plan (right) is not what the scenario says up to 60 ms (left)"
plan --set pause.every=none "$work/plan.ini" >"$work/whole"
for line in '1,0.070000000,cut,worker1.up,1500ms,scenario' '1,0.070000000,rate,ps,2.5mbit,scenario' \
    '2,0.070000000,kill,worker2,TERM,scenario'; do
    grep -qx "$line" "$work/whole" || fail "no line $line in: $(cat "$work/whole")"
done
[ "$(wc -l <"$work/whole")" -eq 9 ] || fail "more or less than four events for each of two repeats"
last=$(plan --set scenario.max_time=2s "$work/plain.ini" | awk -F, 'NR > 1 && $2 > last { last = $2 } END { print last }')
[ "${last%%.*}" -eq 1 ] || fail "with max_time = 2s the last event is planned for $last s"

# without a limit nothing that the file says is left out, however late it is
plan --set pause.every=none --set at:90s.pause.worker3=1s "$work/plan.ini" | grep -qx '1,90.000000000,pause,worker3,1s,scenario' ||
    fail "an event at 90 s is not in the plan"

# the manual's example
sed -n '/^\$ laggard check --events/,/^\.Ed/p' "$top_srcdir/man/laggard-check.1" | grep '^[r1],*' >"$work/manual"
[ "$(wc -l <"$work/manual")" -eq 4 ] || fail "laggard-check(1) has no example of a header and three events"
plan --until 2s "$top_srcdir/configs/demo.ini" | diff "$work/manual" - || fail "laggard-check(1) shows (left) what is not so (right)"

refused 'the unit is missing' --events --until 5 "$work/plan.ini"
refused 'nothing without it' --until 5s "$work/plan.ini"
refused 'one at a time' --events --dump "$work/plan.ini"
refused 'stands alone' --keys --events
refused 'one scenario file' --events

# a run carries the plan out, as far as it gets
need_namespaces
"$program" run "$work/plain.ini" -o "$work/run" --kernel host >"$work/run.log" 2>&1 || fail "the run ended with status $?"
plan "$work/plain.ini" | awk -F, 'NR > 1 { printf "%d %.7f %s %s %s %s\n", $1, $2, $3, $4, $5, $6 }' >"$work/planned"
for strategy in gd lag-wk; do
    for repeat in 1 2; do
        awk -F, -v s="$strategy" -v r="$repeat" \
            '$1 == s && $2 == r { printf "%d %.7f %s %s %s %s\n", $2, $3, $5, $6, $7, $9 }' "$work/run/events.csv" >"$work/done"
        done=$(wc -l <"$work/done")
        [ "$done" -ge 2 ] || fail "$strategy, repeat $repeat: only $done events in 60 rounds of 10 ms"
        grep "^$repeat " "$work/planned" | head -n "$done" | diff - "$work/done" ||
            fail "$strategy, repeat $repeat: what was done (right) is not what was planned (left)"
    done
done
echo "the plan is what is done"
