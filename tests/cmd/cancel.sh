#!/bin/sh
# cancel.sh: SIGTERM and the first Ctrl-C end every command within two seconds, whatever it is doing:
# with 128 + the signal, one line at most, no file half-written and no process left.
#
#   - Each row's input lasts far longer than the test waits; a command that has no such input is named
#     as short, and must end by itself in the same time.
#   - On a machine that is busy with other things two seconds of the clock may hold little work: two of
#     processor time since the signal will do, too.
. tests/tools/command-test
command -v env >/dev/null && env --default-signal=INT true 2>/dev/null || {
    echo "ok signals end every command # skip: no env that gives a background job its Ctrl-C back"
    exit 0
}
[ -r /proc/self/stat ] || { echo "ok signals end every command # skip: no /proc"; exit 0; }
TEST_MARK=cancel.$$ XDG_DATA_HOME=$PWD/data SDL_VIDEODRIVER=dummy SDL_RENDER_DRIVER=software
export TEST_MARK XDG_DATA_HOME SDL_VIDEODRIVER SDL_RENDER_DRIVER
ticks=$(getconf CLK_TCK)
most=200 # hundredths of a second
[ "$(grep -c __asan_init "$ringsim")" -eq 0 ] || most=1000

# Hundredths of a second of processor time that the process has used.
used() { # PID
    sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk -v t="$ticks" '{print int(($12 + $13) * 100 / t)}'
}
now() {
    awk '{print int($1 * 100)}' /proc/uptime
}
# Lists the programs that this signal's row has started and that still run.
marked() {
    grep -lsxz "TEST_MARK=$TEST_MARK" /proc/[0-9]*/environ | while read -r file; do
        folder=${file%/environ}
        case $(tr '\0' ' ' <"$folder/cmdline") in *ringsim*) echo "${folder#/proc/}" ;; esac
    done 2>/dev/null
}

# Runs it in the background, signals it after a while and sees how it ends.
end_it() { # SIGNAL STATUS DELAY WORDS...
    signal=$1 wanted=$2 delay=$3
    shift 3
    name="SIG$signal after $delay s ends: ringsim $*"
    TEST_MARK=cancel.$$.$signal
    ls -A >before
    leaks=${ASAN_OPTIONS-}
    case " $* " in *' mpi '*) leaks=$leaks:detect_leaks=0 ;; esac # Open MPI keeps much in each process
    ASAN_OPTIONS=$leaks env --default-signal=INT "$ringsim" "$@" >out 2>err </dev/null &
    pid=$!
    sleep "$delay"
    cpu=$(used $pid) from=$(now) waited=0 busy=0
    if ! grep -qs '^State:.[^Z]' /proc/$pid/status || ! kill -s "$signal" $pid 2>/dev/null || [ -z "$cpu" ]; then
        wait $pid
        got=$?
        [ $got = 0 ] || sed 's/^/    /' out err
        [ $got = 0 ] # a fast machine may be done
        report $? "$name (it ended before, with $got)"
        echo "$name" >>../early
        return
    fi
    while [ $waited -lt 3000 ] && grep -qs '^State:.[^Z]' /proc/$pid/status; do
        at=$(used $pid)
        [ -n "$at" ] && busy=$((at - cpu))
        sleep 0.05
        waited=$(($(now) - from))
    done
    [ $waited -lt 3000 ] || kill -s KILL $pid
    wait $pid
    got=$? left=0 lines=$(wc -l <err)
    while [ -n "$(marked)" ] && [ $left -lt 40 ]; do
        left=$((left + 1))
        sleep 0.05
    done
    ls -A >after
    [ $got -eq "$wanted" ] && [ "$lines" -le 1 ] && [ $left -lt 40 ] && cmp -s before after &&
        { [ $waited -le $most ] || [ $busy -le $most ]; }
    good=$?
    [ $good = 0 ] || {
        echo "    exit $got, after $waited hundredths, of which $busy worked; left: $(marked)"
        sed 's/^/    /' err
        diff before after
    }
    report $good "$name"
}
# Both signals at once, each in a folder of its own, for scratch files, too: an mpirun that ends removes what is another's.
row() { # WORDS...: the first is the command
    seen="$seen $1"
    (cd term && TMPDIR=$SCRATCH/tmp/term end_it TERM 143 0.2 "$@" >said; exit $failed) &
    other=$!
    (cd int && TMPDIR=$SCRATCH/tmp/int end_it INT 130 0.45 "$@" >said; exit $failed) || failed=1
    wait $other || failed=1
    cat term/said int/said
}
short() { # WORDS...
    seen="$seen $1"
    timeout 60 "$ringsim" "$@" >out 2>err </dev/null
    got=$?
    [ $got -ne 124 ]
    report $? "ends by itself: ringsim $*"
}

seen=''
mkfifo pipe
mkdir -p class data term int tmp/term tmp/int
touch term/before term/after term/out term/err term/said int/before int/after int/out int/err int/said
sleep 1000 >pipe & # whoever reads it waits
writer=$!
i=0
while [ $i -lt 8 ]; do # a class whose submissions never answer
    i=$((i + 1))
    echo 'int send_chunk(int step, int rank, int n) { for (volatile int x = 1; x;) {} return step + rank + n; }' >class/s$i.c
done
cp class/s1.c endless.c
{
    printf 'ringsim-layers 1\ninput 1000\noutput 1000\n'
    i=0
    while [ $i -lt 20000 ]; do
        i=$((i + 1))
        echo "layer w$i 1000 2000 1000"
    done
} >deep.lay

row run --gpus 4096 --check always --values none --json --export half.svg
row run -n 2 --bytes 300MB --values all --op prod --dtype f16 --algo naive --seed 1 --data random --json
row run --gpus 2048 --values none --check never --view none --trace half.json
row run --algo ../endless.c --view none
row compare -n 1000..4000 --csv
row check ../pipe
row view ../pipe
row fit ../pipe
row verify --on cpu -n 16 -b 16MB --iters 100000
row verify --on cpu -n 2 -b 400MB
row train --model mlp --hidden 4096,2048 -n 1 --batch 2048 --json
row train --model ../deep.lay -n 64 --accumulate 8 --json
row train --model ../deep.lay -n 64 --accumulate 8 --mode dp --json
row train --model ../deep.lay -n 64 --accumulate 8 --mode zero3 --json
row sampler --dataset 100000000 --shuffle --epochs 64 --json
row mapreduce --text ../pipe --json
row gil -n 6 --work 10s --iters 100 --json
row grade 06 ../class
row machine ../pipe
row hang ../pipe
row bits -n 1024 --channels 64 --bytes 1GiB
row bits -n 1024 --channels 64 --over bytes=1GiB..16GiB
# The largest machine is done before the second signal would come.
(cd term && TMPDIR=$SCRATCH/tmp/term end_it TERM 143 0.2 machine box:16384,gpus=8,port=1GB/s,nics=9x1GB/s --json; exit $failed) || failed=1
ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 "$ringsim" verify --on mpi -n 2 -b 8 >out 2>&1 && row verify --on mpi -n 3 -b 64MB --iters 10000
if "$ringsim" run -n 2 --count 2 --export a.gif --view none >out 2>&1; then
    rm -f a.gif
    row launch --export half.mp4 --view none
else
    short launch
fi
if "$ringsim" run -n 3 --export a.png --view none >out 2>&1; then
    rm -f a.png
    row lesson 5 --view window
else
    short lesson 5
fi
short list
short doctor
short estimate --machine dgx-h100:2
echo 'host:1:1 [0] NCCL INFO NCCL version 2.29.7+cuda12.9' >nccl.log
short explain nccl.log
kill $writer

# But most rows are worth their signal.
touch early
[ "$(wc -l <early)" -le 5 ]
report $? "nearly all commands were still at work: $(wc -l <early) were not"

# Every command has its row.
"$ringsim" --help table | awk -F '\t' '$1 == "command" { print $2 }' >commands
while read -r command; do
    case " $seen " in *" $command "*) ;; *) echo "$command" ;; esac
done <commands >missing
[ -s commands ] && [ ! -s missing ]
report $? "no command is left out: $(tr '\n' ' ' <missing)"
exit $failed
