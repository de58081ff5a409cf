#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Does laggard-scenario(5) say what the key table says? Every key, in its section, with its default, its range and its words; and no
# key that is not there. And does laggard-check(1) name every option that `laggard check --help` names, and no other?
set -u
man=${top_srcdir:?run it with make check}/man
check=${top_builddir:?run it with make check}/tests/scenario/check_main
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
failed=0

# A line a key of the manual: section, key, default ("-": none), the rest as one line of plain text; separated by tabs.
manual_keys() {
    awk '
        function finish() {
            if (key != "")
                printf "%s\t%s\t%s\t%s\n", section, key, default_text == "" ? "-" : default_text, text
            key = text = default_text = ""
        }
        /^\.S[sh] / { finish(); section = "" }
        /^\.Ss \[/ { section = substr($2, 2); sub(/[\]:].*/, "", section) }
        /^\.It Ic / && section != "" { finish(); key = $3; next }
        key == "" { next }
        /^\.Bq / && default_text == "" { default_text = substr($0, 5); sub(/ [.,]$/, "", default_text); next }
        { gsub(/^\.(Cm|Ic|Ar|It|Li|Ql|Bl|El) */, ""); gsub(/ ,/, ","); text = text " " $0 }
        END { finish() }
    ' "$1"
}

# table.tsv: section, key, type, default, range or form, help.   Complaints go to standard output.
compare() {
    awk -F '\t' '
        NR == FNR { found[$1, $2] = 1; default_text[$1, $2] = $3; text[$1, $2] = $4; where[$1, $2] = "[" $1 "] " $2; next }
        {
            id = $1 SUBSEP $2
            name = "[" $1 "] " $2
            if (!(id in found)) { print name " is not in the manual"; next }
            known[id] = 1
            if ($2 != "name" && default_text[id] != $4)
                print name ": the default is " $4 ", the manual says " default_text[id]
            if ($3 == "form" || $3 == "text")
                next
            n = $3 == "word" ? split($5, part, / \| /) : 1
            if ($3 != "word") part[1] = $5
            for (i = 1; i <= n; i++)
                if (part[i] != "" && index(text[id], part[i]) == 0)
                    print name ": the manual does not say \"" part[i] "\""
        }
        END { for (id in found) if (!(id in known)) print where[id] " is in the manual but is no key" }
    ' "$1" "$2"
}

complain_if_any() {
    if [ -s "$work/complaints" ]; then
        cat "$work/complaints"
        failed=1
    fi
}

"$check" --keys >"$work/table.tsv" || exit 99
manual_keys "$man/laggard-scenario.5" >"$work/manual.tsv"
compare "$work/manual.tsv" "$work/table.tsv" >"$work/complaints"
complain_if_any
keys=$(wc -l <"$work/table.tsv")
if [ "$keys" -lt 40 ] || [ "$(wc -l <"$work/manual.tsv")" -lt 40 ]; then
    echo "only $keys keys: the table or the manual was not read"
    failed=1
fi

"$check" --help | grep -o -e '--[a-z][a-z-]*' | sort -u >"$work/options"
grep -o 'Fl -[a-z][a-z-]*' "$man/laggard-check.1" | sed 's/Fl /-/' | sort -u >"$work/documented"
if ! diff "$work/options" "$work/documented" >"$work/complaints"; then
    echo "laggard-check(1) (>) and laggard check --help (<) name different options:"
fi
complain_if_any

echo "$keys keys compared"
exit $failed
