#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# All seven strategies on the synthetic set to 1e-8, over TLS: rounds and uplinks are the reference's (computed apart from this
# program, see its strategies' page), and a second run goes the same way bit by bit where contributors are fixed.
. "${top_srcdir:?}/tests/lib/daemons.sh"
begin

cat >"$work/scenario.ini" <<EOF
[scenario]
name = reference
strategies = gd, gc, grouping, lag-wk, lag-ps, lagc, g-lag
target_error = 1e-8
[cluster]
workers = 9
redundancy = 3
wait_limit = 100s
EOF
make_pki "$work/pki" 9

run()
{
    start_ps "$work/scenario.ini"
    start_workers 9 "$work/scenario.ini"
    ends ps 0
    workers_end 9 0
}

rounds_are() # STRATEGY ROUNDS
{
    equal "$1: reached" "$(csv summary.csv "$1" 1 reached)" 1
    equal "$1: rounds" "$(csv summary.csv "$1" 1 rounds)" "$2"
    equal "$1: rows of rounds.csv" "$(csv rounds.csv "$1" 1 round | wc -l)" "$2"
}

run
rounds_are gd 109
rounds_are gc 109
rounds_are grouping 109
rounds_are lag-wk 71
rounds_are lag-ps 76
rounds_are lagc 76
rounds_are g-lag 94

equal "gd: uplinks" "$(csv summary.csv gd 1 uplink)" 981
equal "lag-wk: uplinks" "$(csv summary.csv lag-wk 1 uplink)" 127
equal "lag-ps: uplinks" "$(csv summary.csv lag-ps 1 uplink)" 223
# Answers that a round used: redundant ones may have been under way already, and count as uplinks too.
equal "grouping: answers used" "$(sum rounds.csv grouping 1 used)" 327
equal "g-lag: answers used" "$(sum rounds.csv g-lag 1 used)" 144
equal "lagc: downlinks" "$(csv summary.csv lagc 1 downlink)" 471
[ "$(sum rounds.csv lagc 1 used)" -le 319 ] || fail "lagc used more than 319 answers"
[ "$(sum rounds.csv gc 1 used)" -le 763 ] || fail "gc used more than 7 answers a round"
# Each task has exactly one outcome.
for strategy in gd lag-wk lag-ps; do
    equal "$strategy: rows of answers.csv" "$(csv answers.csv $strategy 1 kind | wc -l)" "$(csv summary.csv $strategy 1 downlink)"
done
for strategy in gd grouping lag-wk lag-ps g-lag; do
    equal "$strategy: answers used, by worker" "$(sum answers.csv $strategy 1 used)" "$(sum rounds.csv $strategy 1 used)"
done

cp "$work/out/iterates.csv" "$work/first.csv"
cut -d, -f1-3 "$work/out/summary.csv" >"$work/first.rounds"
run
cut -d, -f1-3 "$work/out/summary.csv" >"$work/second.rounds"
cmp "$work/first.rounds" "$work/second.rounds" || fail "the second run took other numbers of rounds"
for strategy in gd grouping lag-wk lag-ps g-lag; do
    first=$(grep "^$strategy," "$work/first.csv") second=$(grep "^$strategy," "$work/out/iterates.csv")
    [ ${#first} -gt 64 ] || fail "$strategy: no hash of its iterates"
    equal "$strategy: iterates of the second run" "$second" "$first"
done
exit 0
