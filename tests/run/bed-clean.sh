#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# laggard run configs/clean.ini, twice: every strategy takes the reference's number of rounds both times, and those whose contributors
# are fixed take bit-identical steps. Over a bed of plain links, so on any kernel that has namespaces.
. "${top_srcdir:?}/tests/lib/daemons.sh"
begin
program=${top_builddir:?}/laggard
need_namespaces

for time in 1 2; do
    "$program" run "$top_srcdir/configs/clean.ini" -o "$work/$time" --kernel host >"$work/run$time.log" 2>&1 ||
        fail "run $time ended with status $?"
done

# strategy rounds reached, a line each
outcome() # RUN
{
    awk -F, 'NR > 1 { print $1, $3, $13 }' "$work/$1/summary.csv"
}
outcome 1 >"$work/rounds"
cat >"$work/reference" <<'EOF'
gd 109 1
gc 109 1
grouping 109 1
lag-wk 71 1
lag-ps 76 1
lagc 76 1
g-lag 94 1
EOF
diff "$work/reference" "$work/rounds" || fail "rounds differ from the reference (left)"
outcome 2 | diff "$work/rounds" - || fail "the second run took other rounds"

fixed='^(gd|grouping|lag-wk|lag-ps|g-lag),'
for time in 1 2; do
    grep -E "$fixed" "$work/$time/iterates.csv" >"$work/iterates$time"
    [ "$(wc -l <"$work/iterates$time")" -eq 5 ] || fail "iterates.csv of run $time lacks strategies"
done
diff "$work/iterates1" "$work/iterates2" || fail "iterates are not bit-identical"

grep -q '^worker9,both,rtt_min_ms,0,[0-9.]*,[0-9]*,tcp_info,during$' "$work/1/links.csv" ||
    fail "links.csv has no round trip by TCP_INFO"
echo "all seven strategies as in the reference, twice"
