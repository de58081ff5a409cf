#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Does the completion for bash offer what it should, as bash would ask for it?
set -u
command -v bash >/dev/null || {
    echo "SKIP: bash is not here"
    exit 77
}
PATH=${top_builddir:?run it with make check}:$PATH
export PATH top_srcdir
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
mkdir "$work/folder"
touch "$work/one.ini" "$work/two.ini" "$work/three.csv"
cd "$work" || exit 99

cat >"$work/try.bash" <<'END'
source "$top_srcdir/tools/completion/laggard.bash" || exit 1
failed=0

# ask WORD...: the last one is being typed; "=" is a word of its own, as in COMP_WORDBREAKS
ask() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    local previous=$(($# - 2))
    COMPREPLY=()
    _laggard "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[previous]}" 2>/dev/null
    offered=$(printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ')
    offered=${offered% }
}
exactly() { # WANTED WORD...
    local wanted=$1
    shift
    ask "$@"
    [[ $offered == "$wanted" ]] || { echo "FAIL '$*': '$offered', not '$wanted'"; failed=1; }
    count=$((count + 1))
}
among() { # WANTED WORD...
    local wanted=$1
    shift
    ask "$@"
    [[ " $offered " == *" $wanted "* ]] || { echo "FAIL '$*': '$wanted' is not among '$offered'"; failed=1; }
    count=$((count + 1))
}

count=0
exactly 'check' laggard ch
among 'doctor' laggard ''
among 'run' laggard ''
among '--version' laggard --
exactly '--kernel' laggard run --ker
exactly 'uml' laggard run --kernel u
exactly 'uml' laggard run --kernel = u
exactly 'auto host uml' laggard run --kernel =
exactly 'lag-ps lag-wk lagc' laggard run --strategies lag
exactly 'gd,lag-ps gd,lag-wk' laggard run --strategies gd,lag-
exactly '--set' laggard check --se
exactly 'folder one.ini two.ini' laggard run ''
exactly 'one.ini' laggard check o
exactly 'folder' laggard report ''
exactly 'folder' laggard run -o ''
exactly '' laggard run --repeats ''
exactly '--listen' laggard-ps --li
exactly 'folder one.ini two.ini' laggard-ps --scenario ''
exactly '--id' laggard-worker --i
[[ $(complete -p laggard-worker) == *_laggard* ]] || { echo "FAIL laggard-worker has no completion"; failed=1; }
for strategy in $(laggard run --help >/dev/null && laggard check --keys | awk -F '\t' '$2 == "strategies" { gsub(/,/, "", $4); print $4 }'); do
    among "$strategy" laggard run --strategies ''
done
echo "$count completions"
[[ $count -ge 26 && $failed -eq 0 ]]
END
bash --norc --noprofile "$work/try.bash"
