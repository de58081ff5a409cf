# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034
# What the scripts of this folder share: strict units, and how a link becomes one tc command. Sourced, never run. Nothing here starts a
# process: link-shape --serve goes through it for every change of a running bed, and starting one costs 40 ms in a guest kernel.
#
# A function that can fail returns 1 and leaves its sentence in $problem; otherwise its result is in a variable of its own name.

# A netem with a rate keeps packets in order, also while its delay shrinks or its jitter draws a smaller one; without a rate it does not.
# So a link that asks for none gets one that no veth pair reaches.
order_rate=100000000000

problem=

# scaled TEXT PLACES: TEXT × 10^PLACES, exactly. "2.5" 3 gives 2500. No sign, no exponent, no more decimals than PLACES.
scaled()
{
    case $1 in
    '' | *[!0-9.]* | *.*.* | .* | *.) return 1 ;;
    esac
    scaled_whole=${1%%.*}
    scaled_rest=
    case $1 in
    *.*) scaled_rest=${1#*.} ;;
    esac
    while [ "${scaled_rest%0}" != "$scaled_rest" ]; do
        scaled_rest=${scaled_rest%0}
    done
    if [ ${#scaled_rest} -gt "$2" ]; then
        return 1
    fi
    while [ ${#scaled_rest} -lt "$2" ]; do
        scaled_rest=${scaled_rest}0
    done
    scaled=$scaled_whole$scaled_rest
    while [ "${scaled#0}" != "$scaled" ]; do # a leading 0 would mean octal
        scaled=${scaled#0}
    done
    scaled=${scaled:-0}
    [ ${#scaled} -le 15 ]
}

# duration OPTION TEXT: microseconds, at most a minute
duration()
{
    case $2 in
    *us) scaled "${2%us}" 0 ;;
    *ms) scaled "${2%ms}" 3 ;;
    *s) scaled "${2%s}" 6 ;;
    *) false ;;
    esac || {
        problem="$1 $2: not a duration; a whole number of microseconds with its unit is needed, such as 500us, 2.5ms or 1s"
        return 1
    }
    duration=$scaled
    if [ "$duration" -gt 60000000 ]; then
        problem="$1 $2: longer than 60s"
        return 1
    fi
}

# rate OPTION TEXT: bits per second
rate()
{
    case $2 in
    *kbit) scaled "${2%kbit}" 3 ;;
    *mbit) scaled "${2%mbit}" 6 ;;
    *gbit) scaled "${2%gbit}" 9 ;;
    *bit) scaled "${2%bit}" 0 ;;
    *) false ;;
    esac || {
        problem="$1 $2: not a rate; a number with kbit, mbit or gbit (per second) is needed, such as 100mbit or 1.5gbit"
        return 1
    }
    rate=$scaled
    if [ "$rate" -lt 1000 ] || [ "$rate" -gt "$order_rate" ]; then
        problem="$1 $2: must be from 1kbit to 100gbit"
        return 1
    fi
}

# percent OPTION TEXT: the same percentage with four decimals, "0.1000%"; percent_ppm in parts per million
percent()
{
    case $2 in
    *%) scaled "${2%\%}" 4 ;;
    *) false ;;
    esac || {
        problem="$1 $2: not a percentage; a number with % and at most four decimals is needed, such as 0.1%"
        return 1
    }
    if [ "$scaled" -gt 1000000 ]; then
        problem="$1 $2: more than 100%"
        return 1
    fi
    percent_ppm=$scaled
    percent=$((scaled % 10000 + 10000))
    percent=$((scaled / 10000)).${percent#1}%
}

# count OPTION TEXT: a whole number from 1 to 10 million
count()
{
    if ! scaled "$2" 0 || [ "$scaled" -lt 1 ] || [ "$scaled" -gt 10000000 ]; then
        problem="$1 $2: not a number from 1 to 10000000"
        return 1
    fi
    count=$scaled
}

# gemodel OPTION P,R[,1-H[,1-K]]: tc's four percentages
gemodel()
{
    gemodel=
    gemodel_rest=$2,
    gemodel_n=0
    while [ -n "$gemodel_rest" ]; do
        percent "$1" "${gemodel_rest%%,*}" || return 1
        gemodel="$gemodel $percent"
        gemodel_rest=${gemodel_rest#*,}
        gemodel_n=$((gemodel_n + 1))
    done
    case $gemodel_n in
    2) gemodel="$gemodel 100.0000% 0.0000%" ;;
    3) gemodel="$gemodel 0.0000%" ;;
    4) ;;
    *)
        problem="$1 $2: two to four percentages are needed: P,R[,1-H[,1-K]], such as 1%,30%"
        return 1
        ;;
    esac
}

# name OPTION TEXT: of a device or a namespace; keeps a request from smuggling in words of its own
name()
{
    case $2 in
    '' | -* | *[!A-Za-z0-9_.:-]*)
        problem="$1 $2: not a name"
        return 1
        ;;
    esac
    name=$2
}

# link_options ARGUMENT...: reads the options of one link into link_*; all that is not said is off
link_options()
{
    link_dev='' link_netns='' link_fresh=''
    link_delay=0 link_jitter=0 link_table=normal link_rate='' link_limit=''
    link_loss='random 0.0000%' link_duplicate=0.0000% link_reorder=0.0000% link_corrupt=0.0000% link_reorder_ppm=0
    while [ $# -gt 0 ]; do
        if [ "$1" = --fresh ]; then
            link_fresh=yes
            shift
            continue
        fi
        if [ $# -lt 2 ]; then
            problem="$1: not an option, or one without its value (see --help)"
            return 1
        fi
        link_option "$1" "$2" || return 1
        shift 2
    done
    if [ -z "$link_dev" ]; then
        problem='--dev is missing: which device?'
    elif [ "$link_jitter" -gt "$link_delay" ]; then
        problem='--jitter is larger than --delay: no packet can arrive before it was sent'
    elif [ "$link_reorder_ppm" -gt 0 ] && [ "$link_delay" -eq 0 ]; then
        problem='--reorder needs a --delay: a packet overtakes those that are being delayed'
    else
        return 0
    fi
    return 1
}

# link_option OPTION VALUE: one of them
link_option()
{
    case $1 in
    --dev) name "$1" "$2" && link_dev=$name ;;
    --netns) name "$1" "$2" && link_netns=$name ;;
    --delay) duration "$1" "$2" && link_delay=$duration ;;
    --jitter) duration "$1" "$2" && link_jitter=$duration ;;
    --distribution)
        case $2 in
        uniform | normal | pareto | paretonormal) link_table=$2 ;;
        *)
            problem="$1 $2: must be uniform, normal, pareto or paretonormal"
            return 1
            ;;
        esac
        ;;
    --rate) rate "$1" "$2" && link_rate=$rate ;;
    --loss) percent "$1" "$2" && link_loss="random $percent" ;;
    --gemodel) gemodel "$1" "$2" && link_loss="gemodel$gemodel" ;;
    --duplicate) percent "$1" "$2" && link_duplicate=$percent ;;
    --reorder) percent "$1" "$2" && link_reorder=$percent link_reorder_ppm=$percent_ppm ;;
    --corrupt) percent "$1" "$2" && link_corrupt=$percent ;;
    --limit) count "$1" "$2" && link_limit=$count ;;
    *)
        problem="$1: no such option (see --help)"
        return 1
        ;;
    esac
}

# link_limit_auto: room for twice what is under way, in packets of 1500 bytes; without a rate as at 1 Gbit/s
link_limit_auto()
{
    link_limit=${link_rate:-1000000000}
    # shellcheck disable=SC2017 # divided early: the product of the largest figures would not fit
    link_limit=$(((link_limit / 1000 * (link_delay + 4 * link_jitter) / 1000 * 2 + 11999) / 12000))
    if [ "$link_limit" -lt 100 ]; then
        link_limit=100
    fi
}

# link_command: the words after `tc` that set everything there is to set. A change keeps the rate, the reordering, the corruption and the
# table of delays that it is not told about, and forgets the rest: so each is always said.
link_command()
{
    if [ -z "$link_limit" ]; then
        link_limit_auto
    fi
    link_delays="${link_delay}us ${link_jitter}us"
    if [ "$link_jitter" -gt 0 ] && [ "$link_table" != uniform ]; then # uniform is what netem does without a table
        link_delays="$link_delays distribution $link_table"
    fi
    link_command="qdisc replace dev $link_dev root handle 1: netem limit $link_limit delay $link_delays loss $link_loss"
    link_command="$link_command duplicate $link_duplicate reorder $link_reorder corrupt $link_corrupt"
    link_command="$link_command rate ${link_rate:-$order_rate}bit"
}
