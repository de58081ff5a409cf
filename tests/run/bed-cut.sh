#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A worker's uplink is cut for a while in a run in the guest kernel: no round of gd ends meanwhile, and rounds go on after it has healed.
. "${top_srcdir:?}/tests/lib/daemons.sh"
begin
program=${top_builddir:?}/laggard
PATH=$PATH:/usr/sbin:/sbin
command -v linux.uml >/dev/null || skip "linux.uml is not installed (Debian: apt install user-mode-linux)"

cat >"$work/cut.ini" <<'EOF'
[scenario]
name = cut
strategies = gd
target_error = 1e-300
max_rounds = 60
[cluster]
workers = 3
redundancy = 1
[compute]
model = constant
mean = 20ms
[link]
delay = 1ms
[at:300ms]
link.worker1.up.cut = 600ms
EOF
"$program" run "$work/cut.ini" -o "$work/result" --kernel uml >"$work/run.log" 2>&1 || fail "the run ends with status $?"

# cut and heal in turn, each applied, the heal 600 ms after the cut at the earliest
awk -F, '$6 == "worker1.up" && $4 != "" { print $5, $4 }' "$work/result/events.csv" >"$work/events"
awk 'NR == 1 { ok = $1 == "cut"; from = $2 }
     NR == 2 { ok = ok && $1 == "heal" && $2 - from > 0.59 }
     END { exit !(ok && NR == 2) }' "$work/events" || fail "events.csv has not the cut and its heal: $(cat "$work/events")"
# a gradient may have been under way: one round can still end in the first 100 ms of the cut, none later
awk -F, 'NR == FNR { split($0, word, " "); at[word[1]] = word[2]; next }
         FNR > 1 && $5 > at["cut"] + 0.1 && $5 < at["heal"] { during++ }
         FNR > 1 && $5 > at["heal"] { after++ }
         END { exit !(during == 0 && after > 0) }' "$work/events" "$work/result/rounds.csv" ||
    fail "rounds end while the uplink is cut, or none after it"
echo "no round ends while worker1's uplink is cut, and rounds go on after it"
