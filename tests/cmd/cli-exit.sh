#!/bin/sh
# cli-exit.sh: the exit status and the one line on stderr, for each kind of end.
set -u
LC_ALL=C
export LC_ALL
unset LANGUAGE
cd "${SCRATCH:?}" || exit 1
failed=0
out=$SCRATCH/out err=$SCRATCH/err

report() { # GOOD NAME
    if [ "$1" = 1 ]; then echo "ok $2"; else
        failed=1
        echo "not ok $2"
        sed 's/^/    /' "$err"
    fi
}
# Runs ringsim with the words that follow; checks the status and what one line of stderr says.
expect() { # STATUS TEXT WORDS...
    wanted=$1 says=$2
    shift 2
    "${RINGSIM:?}" "$@" >"$out" 2>"$err" </dev/null
    got=$?
    good=1
    [ "$got" = "$wanted" ] || good=0
    if [ "$wanted" -ge 2 ]; then
        [ "$(wc -l <"$err")" -eq 1 ] || good=0
        [ -s "$out" ] && good=0
        grep -q '^ringsim: ' "$err" || good=0
    elif [ -s "$err" ]; then
        good=0
    fi
    if [ -n "$says" ]; then
        cat "$out" "$err" | grep -F -q -e "$says" || good=0
    fi
    report $good "exit $wanted: ringsim $(echo "$*" | tr "\n" "?")"
}

cat >good.sched <<'END'
ringsim-schedule 1
ranks 2
chunks 1
step
0 -> 1 chunk 0 reduce
step
1 -> 0 chunk 0 copy
END
sed '$d' good.sched | sed '$d' >unsound.sched
printf 'ringsim-schedule 1\nranks 999999999999\nchunks 999999999999\n' >huge.sched
: >empty
printf '\377\376\000' >bytes
mkdir -p folder

# 0: good
expect 0 '"correct":true' --gpus 5 --count 5 --json
expect 0 '"correct":true' run --gpus 5 --count 5 --json
expect 0 '"schema":"ringsim.run/1"' --json --transfers --gpus 4 --algo tree --count 100
expect 0 '' --view none
expect 0 'sound' check good.sched
expect 0 '"sound":true' check good.sched --json
expect 0 'ring' list
expect 0 '"algorithms":["ring"' list --json
expect 0 'cores' doctor
expect 0 'ringsim ' --version
expect 0 'ringsim ' compare --version
for command in run compare check grade list doctor train sampler mapreduce gil launch; do expect 0 "usage: ringsim $command" "$command" --help; done
expect 0 'usage: ringsim [COMMAND]' --help
expect 0 'usage: ringsim [COMMAND]' -h
expect 0 'usage: ringsim [COMMAND]' help
expect 0 'usage: ringsim compare' help compare
expect 0 'usage' --gpus 0 --help
expect 0 'usage: ringsim [COMMAND]' --lang en help
expect 0 '--engine auto' help --help all
expect 2 'did you mean train?' help trian

# 1: the answer is no
expect 1 '"completed":false' --gpus 5 --count 5 --kill 3@2 --json
expect 1 '"correct":false' --gpus 5 --count 5 --flip 3@2 --json
expect 1 '"fault":"unfinished"' --algo unsound.sched --count 5 --json
expect 1 '' --kill 3@2 --view none
expect 1 'unsound' check unsound.sched
expect 1 '"sound":false' check unsound.sched --json

# 2: wrong usage, bad input
expect 2 '--gpus 0: the world size must lie in 1..131072' --gpus 0
expect 2 'did you mean --gpus?' --gpsu 5
expect 2 'did you mean compare?' comapre
expect 2 "did you mean 'ring'?" --algo rnig
expect 2 'no command' frobnicate
expect 2 'the command comes first' -- compare
expect 2 'run takes options only' --show grade 05
expect 2 'takes options only' --gpus 5 five
expect 2 'needs an argument' --gpus
expect 2 'is for 2 ranks' check good.sched --gpus 5
expect 2 'no option of check' check good.sched --count 5
expect 2 'one file at a time' check
expect 2 'one file at a time' check good.sched good.sched
expect 2 'No such file' check missing.sched
expect 2 'directory' check folder
expect 2 'missing.c: No such file' --algo missing.c
expect 2 'empty' check empty
expect 2 'bytes' check bytes
expect 2 'huge.sched: line 2' check huge.sched
expect 2 'is for 2 ranks' --algo good.sched --gpus 5 --json
expect 2 'wavefront' --engine wavefront --protocol eager --links /dev/null --algo naive --gpus 5 --json
expect 2 'no bit to flip' --count 1 --flip 1@0 --json
expect 2 'no whole number of elements' --bytes 7 --json
expect 2 'choose one' --json --view text
expect 2 'add --json' --transfers
expect 2 'steps are 0..7' --at 9
expect 2 'no factor' --speed 0
expect 2 'write FILE.svg, png, pdf, mp4 or gif' --export picture.bmp
expect 2 'choose one of en, zh_CN' --lang de
expect 2 'only one output' --json --save -
expect 2 'cannot be both' --json --save same --trace same
expect 2 'holds at most 4096 GPUs' --json --save large.sched --gpus 5000
expect 2 'can be -' --json --links - --algo -
expect 2 'a?b' "a
b"

# 3: this build or machine lacks it
unset DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER
expect 3 '--view window: ' --view window
expect 3 'no terminal' --view terminal
expect 3 '34359476224 transfers take' --gpus 131072 --json --transfers
expect 3 'the values of 131072 GPUs take' --gpus 131072 --values all --json

# CSV of links: each mistake is one line with its place
link() { # TEXT CONTENT
    printf '%b' "$2" >links.csv
    expect 2 "$1" --links links.csv --json
}
link 'line 1, alpha' '0,1,nan,1GB/s\n'
link 'line 2, bandwidth' '0,1,5us,1GB/s\n1,2,5us,-1GB/s\n'
link 'line 2: the link 0,1 stands in line 1' '0,1,5us,1GB/s\n0,1,5us,1GB/s\n'
link 'line 1 has 5 fields' '0,1,5us,1GB/s,6\n'
link "unit 'parsec'" '0,1,5parsec,1GB/s\n'
link 'line 1, dst' '0,5,5us,1GB/s\n'
expect 2 'directory' --links folder --json
expect 0 '"overrides":0' --links empty --count 5 --json

left=$(ls "$SCRATCH" | grep -c -e tmp -e picture)
report $((left == 0)) "no file was left behind"
exit $failed
