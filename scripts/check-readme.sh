#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Is what README.md and CONTRIBUTING.md show there? The example scenario is one that laggard accepts, every relative link leads to a file, every manual
# page that is mentioned exists, and the strategies are those that a scenario runs by default.
set -u
cd "${top_srcdir:?run it with make check}" || exit 99
check=${top_builddir:?run it with make check}/tests/scenario/check_main
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
failed=0

fail() {
    echo "FAIL $*"
    failed=1
}

# shellcheck disable=SC2016 # backquotes are meant
sed -n '/^```ini$/,/^```$/{/^```/!p}' README.md >"$work/my-first.ini"
[ -s "$work/my-first.ini" ] || fail 'README.md has no scenario'
"$check" "$work/my-first.ini" >"$work/out" 2>&1 || { fail 'the scenario in README.md:'; cat "$work/out"; }

grep -hoE '\]\([^)#]+' README.md CONTRIBUTING.md | sed 's/^](//' | grep -v '^https\?:' | sort -u >"$work/links"
while IFS= read -r link; do
    [ -e "$link" ] || fail "a link to $link, which is not there"
done <"$work/links"

grep -hoE 'laggard(-[a-z]+)?\([1-9]\)' README.md CONTRIBUTING.md | tr -d ')' | tr '(' . | sort -u >"$work/pages"
while IFS= read -r page; do
    [ -f "man/$page" ] || fail "$page is mentioned, but man/$page is not there"
done <"$work/pages"

# shellcheck disable=SC2016
sed -nE 's/^\| `([a-z-]+)` \|.*/\1/p' README.md | tr '\n' ' ' >"$work/told"
"$check" --keys | awk -F '\t' '$1 == "scenario" && $2 == "strategies" { gsub(/,/, "", $4); print $4 " " }' | tr -d '\n' >"$work/known"
cmp -s "$work/told" "$work/known" || fail "strategies in README.md: $(cat "$work/told"); in the table: $(cat "$work/known")"

echo "$(wc -l <"$work/links") links, $(wc -l <"$work/pages") pages"
exit $failed
