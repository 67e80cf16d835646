#!/bin/sh
# device-nccl.sh: `ringsim verify --on nccl` as a whole, on the emulated device with the fake NCCL: spawned
# and launched in every way; ranks that die, stop or never come are told, and no process is left behind.
#
# No statement about a real GPU or the real NCCL follows from it.
. tests/tools/verify-test

program=$BUILD/device/ringsim
RINGSIM_NCCL=$BUILD/device/libnccl.so.2
export RINGSIM_NCCL
if [ ! -x "$program" ] || [ ! -e "$RINGSIM_NCCL" ]; then
    echo "ok verify --on nccl on the emulated device # skip: no C++ compiler to build it"
    exit 0
fi
unset RANK WORLD_SIZE LOCAL_RANK MASTER_ADDR MASTER_PORT NCCL_DEBUG NCCL_DEBUG_FILE NCCL_HOSTID NCCL_ALGO NCCL_PROTO

# Tells whether the last report is one whole JSON object.
whole() { # NAME
    [ "$(head -c 1 out)" = '{' ] && [ "$(tail -c 2 out)" = '}' ] && [ "$(grep -c '"version":3' out)" = 1 ]
    report $? "$1: the JSON is whole"
}

# ---------------------------------------------------------------- spawned
wants 0 '2 of 2 backends ran: cpu, nccl' --on cpu,nccl --gpus 4 -b 8 -e 64K -f 16 --iters 2
grep -q '# nccl: right: .*; the same bits as cpu' out && grep -q 'correctness only: 4 ranks on one GPU' out
report $? "nccl gives the bits of the reference, and says that one GPU tells nothing of speed"
wants 0 '3 of 3 backends ran: cpu, cuda, nccl' --on cpu,cuda,nccl --gpus 4 --count 1000 --iters 1
for algo in ring naive tree doubling halving; do
    wants 0 '# nccl: right' --on cpu,nccl --algo $algo --gpus 3 --count 0,1,2,3,4,100 --dtype i8,f16,f64 --op sum,avg --iters 1
done
wants 0 '# nccl: right' --on cpu,nccl --gpus 3 --count 1000 --dtype all --op all --iters 1
for special in nan inf negative-zero subnormal overflow; do
    wants 0 '# nccl: right' --on cpu,nccl --gpus 2 --special $special --count 51 --dtype f16,f32,u8 --op all --iters 1
done
wants 0 "the library's own all-reduce: the same bits" --on nccl --gpus 5 --count 999 --dtype i32,u64 --op all --iters 1
wants 0 "the library's own all-reduce: the same bits" --on nccl --gpus 4 --order nccl --count 1024 --dtype f16,bf16,f32,f64 --op sum,prod --iters 1
wants 0 'other bits than --order nccl' --on nccl --gpus 7 --order nccl --count 101 --dtype f16,f32 --iters 1
wants_with EMU_NCCL_ORDER=tree -- 0 'other bits than --order nccl' --on nccl --gpus 4 --order nccl --count 1024 --iters 1
wants_with EMU_DEVICES=4 EMU_SEED=3 -- 0 '# nccl: right' --on cpu,nccl --gpus 4 --count 1000 --dtype all --iters 1
wants_with EMU_NCCL_VERSION=23007 -- 0 'NCCL 2.30.7' --on cpu,nccl --gpus 3 --count 1000 --iters 1

# ---------------------------------------------------------------- predicted bits
# The fake adds along the ring of --order nccl, else from the last rank to the first: a chain, which is NCCL's tree in one node.
of="--on nccl --gpus 4 --count 1,1024 --dtype f16,bf16,f32,f64 --iters 1"
told='NCCL_PROTO=LL NCCL_MIN_CTAS=1 NCCL_MAX_CTAS=1'
# shellcheck disable=SC2086
{
    wants_with EMU_NCCL_VERSION=22907 -- 0 'predicted bits (NCCL 2.29.7, Ring, Simple, channels 1, nodes 4): the same in 16 runs; predicted from' $of --order nccl
    wants_with EMU_NCCL_VERSION=23007 NCCL_ALGO=Tree $told -- 0 'predicted bits (NCCL 2.30.7, Tree, LL, channels 1, nodes 1): the same in 16 runs; predicted from' $of --op prod
    wants_with EMU_NCCL_VERSION=23007 NCCL_ALGO=Ring $told -- 0 '; ((2+3)+1)+0 gives it' --on nccl --gpus 4 --count 1024 --iters 1 --dtype f32
    wants_with EMU_NCCL_VERSION=22907 NCCL_ALGO=Ring $told -- 0 'predicted bits (NCCL 2.29.7, Ring, LL, channels 1, nodes 4): others in 2 of 2 runs; first: f32 sum, 1024 elements' --on nccl --gpus 4 --count 1024 --iters 1 --collective reduce-scatter
    wants_with EMU_NCCL_VERSION=22907 NCCL_ALGO=Ring $told NCCL_BUFFSIZE=9 -- 0 'not predicted: a buffer' $of
    wants_with NCCL_ALGO=Ring,Tree $told -- 0 'not predicted: NCCL_ALGO does not leave one' $of
    wants_with NCCL_ALGO=Ring NCCL_MIN_CTAS=1 NCCL_MAX_CTAS=1 -- 0 'not predicted: NCCL_PROTO does not leave one' $of
    wants_with NCCL_ALGO=Ring $told NCCL_MAX_CTAS=2 -- 0 'not predicted: NCCL_MIN_CTAS and NCCL_MAX_CTAS do not' $of
}
wants_with EMU_NCCL_VERSION=22907 EMU_NCCL_SWAP=301:2 -- 0 'predicted bits (NCCL 2.29.7, Ring, Simple, channels 1, nodes 4): others in 2 of 2 runs; first: f32 sum, 1024 elements, out of place, element 301 on rank 2: 0.803204894 (0x3f4d9ed6), predicted by ((2+3)+0)+1: 0.803204834 (0x3f4d9ed5); no one order gives it and those behind it; predicted from' --on nccl --gpus 4 --order nccl --count 1024 --iters 1
wants_with EMU_NCCL_VERSION=22907 EMU_NCCL_SWAP=301:2 -- 0 '"predicted":{"elements":4096,"differ":1,"element":301,"rank":2,"got":"0x3f4d9ed6","wanted":"0x3f4d9ed5","order":"((2+3)+0)+1","like":null}' --on nccl --gpus 4 --order nccl --count 1024 --iters 1 --json
wants 0 '"predicted":null' --on nccl --gpus 3 --count 64 --iters 1 --json

for c in reduce-scatter all-gather 'broadcast --root 1' 'reduce --root 2' all-to-all; do
    # shellcheck disable=SC2086
    wants 0 "the library's own ${c%% *}: " --on cpu,nccl --gpus 3 --count 0,1000 --dtype f32,u8 --iters 1 --collective $c
    grep -q '# nccl: right: 8 runs, .*; the same bits as cpu' out
    report $? "nccl gives the reference's bits of ${c%% *}"
done
wants_with EMU_NCCL_FLIP=reduce:1:0 -- 1 '1 of them wrong or outside the bound' --on nccl --gpus 2 --count 100 --iters 1 --warmup 0 --collective all-gather

cat >odd.sched <<'END'
ringsim-schedule 1
ranks 3
chunks 2
step
2 -> 0 chunk 0..1 reduce
step
1 -> 0 chunk 1 reduce
1 -> 0 chunk 0 reduce
step
0 -> 1 chunk 0..1 copy
0 -> 2 chunk 0..1 copy
END
wants 0 '# nccl: right' --on cpu,nccl --algo odd.sched --count 101 --dtype f32,i8 --iters 1

wants 1 'ranks 0 1 2 3' --on nccl --gpus 4 --count 100 --flip 2@1 --iters 1
wants_with EMU_NCCL_FLIP=send:3:1 -- 1 '# nccl: WRONG' --on nccl --gpus 4 --count 100 --iters 1 --warmup 0
wants_with EMU_NCCL_FLIP=reduce:1:2 -- 1 '# nccl: WRONG' --on nccl --gpus 4 --count 100 --dtype i32 --iters 1 --warmup 0
for call in ncclGroupEnd:2:0 ncclAllReduce:1:0; do
    wants_with EMU_NCCL_FAIL=$call -- 1 "${call%%:*}" --on nccl --gpus 3 --count 100 --timeout 5s --iters 1
done
wants_with EMU_NCCL_FAIL=ncclSend:1:1 -- 1 'as asked, in step 0 with rank 0, 2' --on nccl --gpus 3 --count 100 --timeout 5s --iters 1
wants_with NCCL_HOSTID=one -- 3 'Duplicate GPU' --on nccl --gpus 3 --count 100 --timeout 2s --iters 1
wants_with EMU_NCCL_FAIL=ncclGetUniqueId:1 -- 3 'not run: nccl (' --on nccl --gpus 3 --count 100 --timeout 2s --iters 1
nobody_left "good and bad ends"

# ---------------------------------------------------------------- not here
wants_with EMU_DEVICES=0 -- 3 'not run: nccl (' --on nccl --count 10
wants_with EMU_DEVICES=0 -- 3 '1 of 2 backends ran: cpu; not run: nccl (' --on cpu,nccl --count 10
wants_with EMU_DRIVER=0 -- 3 'driver' --on nccl --count 10
wants_with RINGSIM_NCCL=nowhere.so -- 3 'nowhere.so' --on nccl --count 10
wants_with EMU_NCCL_VERSION=21300 -- 3 'NCCL 2.13.0 is too old' --on nccl --count 10
wants_with EMU_DEVICES=0 -- 0 'not run: cuda (' --on auto --count 10 --iters 1
wants_with RINGSIM_NCCL=nowhere.so -- 0 'nowhere.so' --on auto --count 10 --iters 1
wants_with EMU_DEVICES=0 -- 3 '"name":"nccl","ran":false' --on cpu,nccl --json --count 10
whole "no GPU"

# ---------------------------------------------------------------- JSON, traces, and NCCL's own chatter
wants_with NCCL_DEBUG=INFO -- 0 '"name":"nccl","ran":true' --on cpu,nccl --gpus 3 --count 64 --json
whole "NCCL that speaks on standard output"
grep -q '"backend":"nccl","size":256,"count":64,"type":"float"' out && grep -q '"oracle":{"time":' out
report $? "JSON with the oracle's times"
wants_with EMU_NCCL_FLIP=send:1:0 -- 1 '"name":"nccl","ran":true' --on nccl --gpus 3 --count 64 --json --warmup 0 --iters 1
whole "wrong results"
wants 0 '1 of 1 backends ran: nccl' --on nccl --gpus 3 --count 3000 --trace trace.json
[ "$(grep -c '"ph":"X"' trace.json)" -ge 24 ]
report $? "the Chrome trace has every transfer"
wants 0 '1 of 1 backends ran: nccl' --on nccl --gpus 3 --count 3000 --trace measured.trace
"$program" view measured.trace --view text >out 2>err
report $? "view shows the measured .trace"

# ---------------------------------------------------------------- launched, as torchrun does it
port=$((20000 + $$ % 12000)) # below those that the system gives to others
# Starts a rank in the background, one of those `started`; its words go to out.R and err.R, its exit status to status.R.
started=
start() { # RANK WORLD_SIZE ASSIGNMENTS WORDS...
    r=$1 n=$2 given=$3
    shift 3
    # shellcheck disable=SC2086
    { env RANK=$r WORLD_SIZE=$n LOCAL_RANK=$r MASTER_ADDR=127.0.0.1 MASTER_PORT=$port $given \
        timeout 40 "$program" verify "$@" >out.$r 2>err.$r </dev/null; echo $? >status.$r; } &
    started="$started $!"
}
# Waits for all that were started.
await() {
    # shellcheck disable=SC2086
    wait $started
    started=
}
# Starts N ranks in an odd order, waits for all.
launch() { # WORLD_SIZE ASSIGNMENTS WORDS...
    port=$((port + 3))
    rm -f out.* err.* status.*
    size=$1
    shift
    for first in 1 2 0 3; do
        [ $first -ge "$size" ] || start $first "$size" "$@"
    done
    await
}
# Wants the same exit status of all ranks, a text from rank 0 and none from the others.
all_say() { # NAME STATUS TEXT
    bad=0
    for file in status.*; do [ "$(cat "$file")" = "$2" ] || bad=1; done
    cat out.0 err.0 | grep -qF -e "$3" || bad=1
    for file in out.[1-9]; do [ ! -s "$file" ] || bad=1; done
    [ $bad = 0 ] || for file in status.* out.* err.*; do echo "    $file:"; sed 's/^/        /' "$file"; done
    report $bad "$1: $3"
}
# NCCL's own abort may wait for a GPU that never answers; the launcher must not: it gives up after seconds, and the rest
# goes on meanwhile.
mkdir aborts
(
    cd aborts || exit 1
    port=$((port + 60)) begin=$(date +%s)
    launch 2 'EMU_NCCL_STALL=kernel:3:1 EMU_NCCL_ABORT=hangs' --on nccl --count 100 --timeout 1s
    [ "$(cat status.1)" = 142 ] && [ $(($(date +%s) - begin)) -lt 60 ]
) &
aborts=$!
launch 3 '' --count 1000 --iters 2
all_say "launched like torchrun" 0 'backends ran: nccl; not run: mpi ('
launch 3 '' --on cpu,nccl --count 0,1,100 --dtype f16,i64 --op sum,max --iters 1 --init env://
all_say "launched, --init env://" 0 '2 of 2 backends ran: cpu, nccl'
launch 2 '' --on nccl --count 100 --init tcp://127.0.0.1:$((port + 40))
all_say "launched, --init tcp://" 0 '1 of 1 backends ran: nccl'
launch 3 '' --on nccl --count 100 --init "file://$SCRATCH/meeting" --json
all_say "launched, --init file://" 0 '"name":"nccl","ran":true'
cp out.0 out && whole "launched"
[ ! -e meeting ]
report $? "the meeting's file is removed"
launch 3 '' --on nccl --count 100 --dtype i32 --flip 1@0 --iters 1
all_say "launched: wrong results" 1 'ranks 0 1 2'
launch 1 '' --on nccl --count 100
all_say "launched alone" 0 '1 of 1 backends ran: nccl'
launch 3 'EMU_DEVICES=2' --on nccl --count 100
all_say "launched: three ranks on two devices" 0 '1 of 1 backends ran: nccl'
if command -v mpirun >/dev/null 2>&1; then
    root=
    [ "$(id -u)" != 0 ] || root=--allow-run-as-root
    # shellcheck disable=SC2086
    timeout 40 mpirun $root --oversubscribe --bind-to none -n 3 "$program" verify --on nccl --count 100 >out 2>err </dev/null
    [ $? = 0 ] && [ "$(grep -c 'backends ran: nccl' out)" = 1 ]
    report $? "launched by mpirun: one report"
else
    echo "ok launched by mpirun # skip: no mpirun"
fi
# A rank without a communicator is no reason to wait: all end when it has failed, and say the same reason first.
begin=$(date +%s)
for r in 0 1 2; do
    fails=EMU_NCCL_FAIL=ncclCommInitRankConfig
    wants_with $fails:1:$r -- 3 "nccl (rank $r: ncclCommInitRankConfig on" --on nccl --gpus 3 --count 96 --timeout 60s
    wants_with $fails:2:$r -- 1 "FAILED: rank $r: ncclCommInitRankConfig on" --on nccl --gpus 3 --count 96 --timeout 60s --order nccl
done
launch 3 $fails:1:1 --on nccl --count 100 --timeout 60s
all_say "launched: one without a communicator" 3 'nccl (rank 1: ncclCommInitRankConfig on'
[ $(($(date +%s) - begin)) -lt 20 ]
report $? "a rank without a communicator is not waited for"
launch 3 '' --on nccl --gpus 4 --count 100
all_say "launched: a wrong world size" 2 '--gpus'
port=$((port + 3))
rm -f out.* err.* status.*
for r in 0 1; do start $r 2 EMU_NCCL_VERSION=$((22700 + r)) --on nccl --count 100; done
await
all_say "launched: two versions of NCCL" 2 'rank 1 has NCCL 22701, rank 0 has 22700; install the same everywhere'
wait $aborts
report $? "a rank whose abort never returns leaves all the same"
nobody_left "launched ranks"

# Somebody is missing, twice there, or of another opinion: every rank that is there says so in time.
all_fail() { # NAME TEXT: exit 3 or 2, and each rank says the one or the other
    bad=0
    for file in status.*; do
        rank=${file#status.}
        case $(cat "$file") in 2 | 3) ;; *) bad=1 ;; esac
        cat "out.$rank" "err.$rank" | grep -qE -e "$2" || bad=1
    done
    [ $bad = 0 ] || for file in status.* out.* err.*; do echo "    $file:"; sed 's/^/        /' "$file"; done
    report $bad "$1"
}
# All at once, since they wait: each in a folder of its own.
aside=
beside() { # NAME ASSIGNMENTS OF RANK 1, then for each rank: RANK WORLD_SIZE WORDS, as one word
    name=$1 of_one=$2
    shift 2
    port=$((port + 3))
    mkdir "$name" && cd "$name" || exit 1
    for each in "$@"; do
        own=
        [ "${each%% *}" != 1 ] || own=$of_one
        rest=${each#* }
        # shellcheck disable=SC2086
        start "${each%% *}" "${rest%% *}" "$own" --on nccl ${rest#* }
    done
    cd ..
    aside="$aside $name"
}
beside never '' '0 3 --count 100 --timeout 1s' '2 3 --count 100 --timeout 1s'
beside sizes '' '0 2 --count 100 --timeout 2s' '1 3 --count 100 --timeout 2s'
beside twice RANK=0 '0 3 --count 100 --timeout 2s' '1 3 --count 100 --timeout 2s'
beside jobs '' '0 2 --count 100 --timeout 5s' '1 2 --count 200 --timeout 5s'
echo stale >stale
beside file '' "0 2 --count 100 --timeout 2s --init file://$SCRATCH/stale" "1 2 --count 100 --timeout 2s --init file://$SCRATCH/stale"
await
for name in $aside; do
    cd "$name" || exit 1
    case $name in
    never) all_fail "a rank that never comes is named" 'rank 1 of 3 has not come to' ;;
    sizes) all_fail "two world sizes" 'same world size' ;;
    twice) all_fail "a rank taken twice" 'rank [01]' ;;
    jobs) all_say "two jobs" 2 'different jobs' ;;
    file) all_fail "a file that is none of ours" 'stale' ;;
    esac
    cd ..
done
nobody_left "meetings that fail"

# ---------------------------------------------------------------- a rank dies, stops, or a reader loses patience
begin() { # WORDS...
    "$program" verify --on nccl --gpus 4 --bytes 64K --iters 100000 "$@" >out 2>err </dev/null &
    run=$!
    patience=300 # tenths of a second: a machine with much to do starts four ranks slowly
    until [ "$(ranks | wc -l)" -ge 6 ] || [ $patience = 0 ]; do # this process, the starter, four ranks
        patience=$((patience - 1))
        sleep 0.1
    done
    sleep 0.5
}
# The last of the ranks: the processes that have no children.
a_rank() {
    for pid in $(ranks); do
        [ -n "$(cat "/proc/$pid/task/$pid/children" 2>/dev/null)" ] || echo "$pid"
    done | tail -n 1
}
# Of launched ranks the first speaks; where it is the one that died, the others do.
rm -f out.* err.* status.*
port=$((port + 3))
for rank in 1 2 0; do start $rank 3 'EMU_DEVICES=1' --on nccl --bytes 64K --iters 100000 --timeout 3s; done
patience=300
until [ "$(ranks | wc -l)" -ge 3 ] || [ $patience = 0 ]; do patience=$((patience - 1)) && sleep 0.1; done
sleep 0.7
for pid in $(ranks); do
    tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qx RANK=0 && kill -KILL "$pid"
done
await
[ "$(cat status.1 status.2 | tr -d '\n')" = 11 ] && [ ! -s out.1 ] && [ ! -s out.2 ] &&
    grep -q '^ringsim: nccl: .*rank' err.1 && grep -q '^ringsim: nccl: .*rank' err.2
report $? "launched: rank 0 dies, the others say what they know: $(cat err.1)"
nobody_left "launched: rank 0 dies"
for sockets in 1 0; do
    # Through sockets NCCL tells of a peer that died, through memory it is silent.
    [ $sockets = 1 ] && EMU_DEVICES=1 || EMU_DEVICES=4
    export EMU_DEVICES
    begin --timeout 3s
    kill -KILL "$(a_rank)"
    wait $run
    [ $? = 1 ] && grep -qE '# nccl: FAILED: .*(exited on signal 9|Connection closed|for rank|has gone)' out
    report $? "$EMU_DEVICES devices: a rank that dies is told, exit 1: $(grep FAILED out)"
    nobody_left "$EMU_DEVICES devices: a rank that dies"
    begin --timeout 2s
    kill -STOP "$(a_rank)"
    wait $run
    # In a step, or between two of them where all meet.
    [ $? = 1 ] && grep -qE '# nccl: FAILED: .*(waits in step .* for rank|rank [0-3] of 4 has not answered)' out
    report $? "$EMU_DEVICES devices: who waits for a rank that is stopped is told, exit 1: $(grep FAILED out || tail -n 3 out err)"
    nobody_left "$EMU_DEVICES devices: a rank that is stopped"
done
unset EMU_DEVICES
wants_with EMU_NCCL_STALL=kernel:3:1 -- 1 'waits in step' --on nccl --gpus 3 --count 100 --timeout 1s
nobody_left "a kernel that never ends"
wants_with EMU_NCCL_DELAY=50:2 -- 0 '# nccl: right' --on nccl --gpus 3 --count 100 --iters 1
begin
kill -TERM $run
wait $run
[ $? = 143 ] && grep -q 'cancelled' err
report $? "a signal ends it, exit 143"
nobody_left "a signal"
begin
kill -KILL $run
wait $run 2>/dev/null
nobody_left "a parent that is killed"
exit $failed
