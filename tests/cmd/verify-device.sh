#!/bin/sh
# verify-device.sh: what people see of `ringsim verify` on GPUs and NCCL, on the emulated device: the
# ladder, ranks that are spawned and launched, JSON, traces, what is missing.
. tests/tools/verify-test
program=$BUILD/device/ringsim
RINGSIM_NCCL=$BUILD/device/libnccl.so.2
export RINGSIM_NCCL
if ! [ -x "$program" ] || ! [ -e "$RINGSIM_NCCL" ]; then
    echo "ok verify on the emulated device # skip: it is not built, for want of a C++ compiler"
    exit 0
fi

has() { # PATTERN NAME
    grep -qE -e "$1" out
    report $? "$2"
}

wants 0 '1 of 1 backends ran: cuda' --on cuda --gpus 3 --count 1000 --iters 1
has '^#   1 emulated device' "what it runs on is told for what it is"
wants 0 '2 of 2 backends ran: cpu, cuda' --on cpu,cuda --gpus 4 --count 100,1003 --iters 1 --kernel all
for k in 1 2 3 4 5 6 7; do
    has "^# cuda kernel $k: right: 4 runs, .*; the same bits as cpu" "kernel $k has a verdict of its own"
done
has '^# ladder: busbw in place at 4012 bytes: kernel 1 [^,]* GB/s, kernel 2 .* x\), kernel 3 .* x\), kernel 4 .* x\), kernel 5 .* x\), kernel 6 .* x\), kernel 7 .* x\)$' \
    "one line lays the kernel variants side by side"
"$program" fit out >fit.out 2>err && grep -q '^out: ringsim verify, ring on cuda kernel 6, GPUs 4' fit.out
report $? "fit reads the last kernel that goes round a ring"
wants 0 '"backends":[{"name":"cuda","ran":true,"right":true,"kernel":2' --on cuda --gpus 2 --count 10 --kernel 2,4 --json
has '"experiment_name":"ringsim","kernel":4,"algorithm":"ring"}' "JSON tells which kernel variant"
for c in reduce-scatter all-gather broadcast reduce all-to-all; do
    wants 0 '# cuda kernel 7: right: 2 runs, ' --on cpu,cuda --collective $c --gpus 3 --count 500 --iters 1 --kernel all
    [ "$(grep -c '^# cuda kernel [1-7]: right: .*; the same bits as cpu' out)" = 7 ]
    report $? "each kernel runs $c"
done
wants 0 '1 of 1 backends ran: cuda; not run: cuda kernel 7 (kernel 7 cannot run: halving adds sums to sums;' --on cuda --gpus 4 --algo halving --count 9 --iters 1 --kernel all
wants 3 'kernel 6 cannot run: it is for arrays of up to 256 KiB;' --on cuda --gpus 2 --bytes 512K --iters 1 --kernel 6
wants 3 'kernel 7 cannot run: no message that could flip;' --on cuda --gpus 2 --count 9 --iters 1 --kernel 7 --flip 0@0
wants 1 '# cuda: WRONG: ' --on cuda --collective reduce --root 1 --gpus 3 --count 100 --flip 0@0
has 'rank 1;' "what flips on the way of a reduce is the root's"
export EMU_COOPERATIVE=0
wants 3 '1 of 1 backends ran: cuda; not run: cuda kernel 4 (' --on cuda --gpus 2 --count 10 --kernel 3,4
wants 0 '1 of 1 backends ran: cuda' --on cuda --gpus 2 --count 10
unset EMU_COOPERATIVE
export EMU_SMS=1 EMU_BLOCKS=1
wants 3 'not run: cuda kernel 4 (kernel 4 cannot run: GPU 0 runs 1 block at once' --on cuda --gpus 2 --count 10 --kernel 4,3
has '^# cuda kernel 3: right' "that kernel 4 does not fit does not keep kernel 3 from running"
wants 3 '"ran":false,"right":null,"kernel":4' --on cpu,cuda --gpus 2 --count 10 --kernel 4 --json
has '"backend":"cpu"' "nor the report from being written"
unset EMU_SMS EMU_BLOCKS
export EMU_MEMORY=1
wants 3 '1 of 2 backends ran: cpu; not run: cuda (cudaMalloc on GPU 0' --on cuda,cpu --gpus 4 --bytes 4M --iters 1
wants 0 'not run: cuda (cudaMalloc on GPU 0' --on auto --gpus 4 --bytes 4M --iters 1
unset EMU_MEMORY
export EMU_FAIL=cudaMemcpy:1
wants 1 '# cuda: FAILED: cudaMemcpy on GPU 0' --on auto --gpus 2 --count 10 --iters 1
unset EMU_FAIL
# Each thing that it asks for fails once: exit 3 and one line that names the call; in the end nothing fails.
# (Of nccl each rank is a process, and all fail at the same place.)
lacks() { # BACKEND CALL WORDS...
    backend=$1 call=$2 n=1
    shift 2
    while
        EMU_FAIL=$call:$n=2 "$program" verify --on $backend --count 10 --iters 1 --timeout 20s "$@" >out 2>err
        status=$?
        [ $status = 3 ] && grep -qE "$call( on GPU 0, .*)?: out of memory; take smaller sizes" out err && [ $n -lt 99 ]
    do n=$((n + 1)); done
    [ $status = 0 ] && [ $n -gt 1 ]
    report $? "$backend, $call: each of $((n - 1)) fails in one line"
}
for call in cudaMalloc cudaHostAlloc cudaStreamCreateWithFlags cudaEventCreateWithFlags cudaGraphInstantiateWithFlags; do
    lacks cuda $call --gpus 3 --kernel 3
done
for call in cudaMalloc cudaStreamCreateWithFlags; do lacks nccl $call --gpus 2; done
wants 1 'cuda: WRONG' --on cuda --gpus 3 --dtype i32 --count 30 --flip 1@1
EMU_DRIVER=0 && export EMU_DRIVER
wants 3 'not run: cuda (no NVIDIA driver' --on cpu,cuda --count 10
wants 0 'nccl (no NVIDIA driver' --count 10 --gpus 2 --iters 1
unset EMU_DRIVER

wants 0 '2 of 2 backends ran: cuda, nccl' --on cuda,nccl --gpus 3 --count 100 --iters 1
has '^# learnt: small is latency: cuda does not show it .*; nccl does not show it ' "one size teaches nothing of latency, and says so"
has "^# nccl: right: 2 runs, 600 elements, none wrong; the same bits as cuda; the library's own all-reduce: .*correctness only: 3 ranks on one GPU" \
    "nccl's verdict has the oracle's share, and that its times mean nothing"
for init in "file://$SCRATCH/meet" env://; do
    wants 0 '1 of 1 backends ran: nccl' --on nccl --gpus 2 --count 10 --iters 1 --init "$init"
done
[ ! -e meet ]
report $? "the file to meet in is gone"
wants 0 '# trace: the last run on nccl, in t.trace' --on cpu,cuda,nccl --gpus 3 --count 3000 --trace t.trace --iters 1
"$ringsim" view t.trace --view text >view.out 2>&1 && [ -s view.out ] && grep -q '^measured .* verify, nccl$' t.trace
report $? "view shows what nccl measured"
wants 0 '# trace: the last run on cuda kernel 2, in t.json' --on cuda --kernel 2 --gpus 3 --count 3000 --trace t.json --iters 1
grep -c '"ph":"X"' t.json >count && [ "$(cat count)" -ge 24 ]
report $? "and a Chrome trace what cuda did"
"$ringsim" --gpus 3 --count 3000 --dtype f32 --view none --trace simulated.trace &&
    "$program" verify --on cuda --gpus 3 --count 3000 --iters 1 --trace measured.trace >out 2>err &&
    "$ringsim" view simulated.trace measured.trace --view text >view.out 2>&1
report $? "simulated and measured lie on one time axis"

EMU_DEVICES=3 && export EMU_DEVICES
wants 3 '# side by side, the same data' --on cuda,nccl --kernel 4,6 --gpus 3 --count 1003,128000 --iters 1 --beside one-shot,two-shot
unset EMU_DEVICES
has '^# *4012( .* a .* b .* b){3} .* -$' "over peer memory and by NCCL: one-shot and two-shot have the same bits, the ring others"
has '^# *512000( .* a .* b .* b) +- +- +-( .* a .* b .* b)' "kernel 6 has no row of large arrays"

# Launched, as torchrun does it: each process is a rank, the first reports.
launch() { # INIT WORDS...
    where=$1
    shift
    for r in 1 2; do
        RANK=$r WORLD_SIZE=3 LOCAL_RANK=$r timeout 120 "$program" verify --on nccl --init "$where" --count 100 \
            --iters 1 "$@" >out.$r 2>err.$r </dev/null &
    done
    RANK=0 WORLD_SIZE=3 LOCAL_RANK=0 timeout 120 "$program" verify --on nccl --init "$where" --count 100 --iters 1 "$@" \
        >out 2>err </dev/null
    got=$?
    wait
}
launch "file://$SCRATCH/launched"
[ $got = 0 ] && grep -q '^1 of 1 backends ran: nccl$' out && [ ! -s out.1 ] && [ ! -s out.2 ]
report $? "launched: one report, --gpus left out"
launch "file://$SCRATCH/launched" --dtype i32 --flip 1@1
[ $got = 1 ] && grep -q '^# nccl: WRONG: .* ranks ' out
report $? "launched: wrong results of other ranks are told by the first, exit 1"
RANK=0 WORLD_SIZE=3 timeout 60 "$program" verify --on nccl --init "file://$SCRATCH/alone" --timeout 1s >out 2>err </dev/null
got=$?
[ $got = 3 ] && grep -q 'ranks 1, 2 of 3 have not come to' out
report $? "launched: who never comes is named, exit $got"
exit $failed
