#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Does each folder include only what its layer may? The list below is the architecture: a folder under src, then the
# folders that it may include, itself apart. What is in none of these folders (tools, tests) may use all.
# core and wire are handed bytes and times and never fetch them: which headers of the system they may include is a list,
# too, and so is what their libraries may not call.
set -u
src=${top_srcdir:?run it with make check}/src
top_builddir=${top_builddir:-.}

layers='
base
core      base
scenario  base core
input     base core scenario
wire      base core
net       base core wire
results   base core
ps        base core wire net scenario input results
worker    base core wire net scenario input
bed       base core wire net scenario results
report    base core scenario results
'
pure='core wire'
pure_headers='assert cblas errno float gsl/ inttypes lapacke limits locale math stdarg stdbool stddef stdint stdio stdlib string zlib'
not_of_core='base/clock.h base/log.h'
not_called='(f?open(at|64|dir)?|fopen(64)?|f?close|f?read|f?write|__fread_chk|__read_chk|puts|f?puts|v?f?printf|__v?f?printf_chk|gz[a-z]+'
not_called="$not_called|fgets|getline|getenv|time|clock|clock_gettime|gettimeofday|nanosleep|usleep|s?rand(om)?(_r)?|socket|send(to)?|recv|poll|select|ioctl|log_.*|clock_.*)"

failed=0
complain() { # WHERE WHAT
    echo "$1: $2"
    failed=$((failed + 1))
}

# FILE:LINE:KIND:NAME of each include in a folder; kind is " or <
includes_of() {
    find "$src/$1" -name '*.[ch]' -exec grep -HnE '^[[:space:]]*#[[:space:]]*include' {} + |
        sed -nE 's|^([^:]*:[0-9]+):[^"<]*(["<])([^">]*)[">].*|\1:\2:\3|p'
}

may() { # does the word $1 stand in the list $2?
    case " $2 " in *" $1 "*) return 0 ;; *) return 1 ;; esac
}

check_ours() { # FOLDER ALLOWED WHERE NAME
    other=${4%%/*}
    [ "$4" = config.h ] && return
    if [ "$other" = "$4" ]; then
        complain "$3" "\"$4\": name the header by its path from src, as in \"$1/$4\""
    elif ! may "$other" "$1 $2"; then
        complain "$3" "\"$4\": $1 may include $1${2:+ $2}, not $other"
    elif may "$1" "$pure" && may "$4" "$not_of_core"; then
        complain "$3" "\"$4\": $1 has no clock and no log"
    fi
}

check_system() { # FOLDER WHERE NAME
    case $3 in
    event2/* | openssl/* | event.h)
        [ "$1" = net ] || complain "$2" "<$3>: only net knows libevent and OpenSSL"
        ;;
    *)
        may "$1" "$pure" || return
        name=${3#lapacke/}
        may "${name%.h}" "$pure_headers" || may "${name%%/*}/" "$pure_headers" ||
            complain "$2" "<$3>: $1 gets bytes and times, and does no I/O; these it may have: $pure_headers"
        ;;
    esac
}

check_folder() { # FOLDER ALLOWED
    count=0
    while IFS=: read -r file line kind name; do
        [ -n "$file" ] || continue
        count=$((count + 1))
        where=src/${file#"$src"/}:$line
        case $kind in
        '"') check_ours "$1" "$2" "$where" "$name" ;;
        '<') check_system "$1" "$where" "$name" ;;
        esac
    done <<END
$(includes_of "$1")
END
    total=$((total + count))
}

# tools and tests include what they like, but libevent and OpenSSL stay behind net there, too (tests of TLS itself apart).
check_tools() {
    tools=$(grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*<(event2|openssl)/' "$src"/../tools/*.[ch]) || return
    complain tools "only net knows libevent and OpenSSL:
$tools"
}

# What a header hides, the library shows: the names that its objects want from outside.
check_calls() { # FOLDER
    library=$top_builddir/src/$1/lib$1.a
    if [ ! -f "$library" ] || ! command -v nm >/dev/null; then
        echo "left out: what $library calls (no library, or no nm)"
        return
    fi
    calls=$(nm -u "$library" 2>/dev/null | awk '$1 == "U" { print $2 }' | sort -u | grep -Ex "$not_called")
    [ -z "$calls" ] || complain "src/$1" "calls $(echo "$calls" | tr '\n' ' ')"
}

total=0
while read -r folder allowed; do
    [ -n "$folder" ] && check_folder "$folder" "$allowed"
done <<END
$layers
END
for folder in "$src"/*/; do
    name=$(basename "$folder")
    echo "$layers" | grep -q "^$name\( \|\$\)" || complain "src/$name" "stands in no layer: put it into the list of $0"
done
check_tools
for folder in $pure; do
    check_calls "$folder"
done
echo "$total includes, $failed wrong"
[ "$total" -ge 100 ] && [ $failed -eq 0 ]
