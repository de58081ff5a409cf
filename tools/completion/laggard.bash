# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Completion for laggard, laggard-ps and laggard-worker. Commands and options are read from the programs' own --help, so
# they are always those of the version that is installed; only what an option's value may be is known here.

# The long options of "$@".
_laggard_options() {
    "$@" --help 2>/dev/null | grep -oE -e '(^|[^a-zA-Z-])--[a-z][a-z-]*' | sed 's/^[^-]*//' | sort -u
}

_laggard_commands() {
    "$1" --help 2>/dev/null | sed -nE 's/^  ([a-z]+) .*/\1/p'
}

_laggard_words() { # WORDS: those that begin as the current one does
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

_laggard_files() { # PATTERN CURRENT: folders, and files that match; readline marks and quotes them
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$2"; [[ $1 == '/' ]] || compgen -f -X "!$1" -- "$2")
}

# The last of a list separated by commas.
_laggard_list() { # WORDS CURRENT
    local before=
    [[ $2 == *,* ]] && before=${2%,*},
    compopt -o nospace 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${2##*,}")
}

# The value of an option. 1: the option has none, or nothing is known of it.
_laggard_value() { # COMMAND OPTION CURRENT
    case $1:$2 in
    run:--kernel) _laggard_words 'auto host uml' "$3" ;;
    run:--strategies) _laggard_list 'gd gc grouping lag-wk lag-ps lagc g-lag' "$3" ;;
    report:--format) _laggard_words "$_laggard_formats" "$3" ;;
    *:--output | *:-o) _laggard_files / "$3" ;;
    *:--scenario) _laggard_files '*.ini' "$3" ;;
    *:--cert | *:--ca) _laggard_files '*.pem' "$3" ;;
    *:--key) _laggard_files '*.key' "$3" ;;
    *:--set | *:--repeats | *:--id | *:--connect | *:--listen | *:--retry | *:--control) COMPREPLY=() ;;
    *) return 1 ;;
    esac
}
_laggard_formats='text csv'

_laggard() {
    local program=$1 current=$2 previous=$3 command=
    COMPREPLY=()
    # "--kernel=u" comes as three words.
    if [[ $current == '=' ]]; then
        current=
    elif [[ $previous == '=' ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [[ ${program##*/} == laggard ]]; then
        if [[ $COMP_CWORD -eq 1 ]]; then
            _laggard_words "$(_laggard_commands "$program") --help --version" "$current"
            return
        fi
        command=${COMP_WORDS[1]}
    fi
    _laggard_value "$command" "$previous" "$current" && return
    if [[ $current == -* ]]; then
        # shellcheck disable=SC2086 # no command is no word
        _laggard_words "$(_laggard_options "$program" $command)" "$current"
        return
    fi
    case $command in
    run | check) _laggard_files '*.ini' "$current" ;;
    report) _laggard_files / "$current" ;;
    esac
}
complete -F _laggard laggard laggard-ps laggard-worker
