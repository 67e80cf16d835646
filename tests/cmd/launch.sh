#!/bin/sh
# launch.sh: `ringsim launch`: processes and what each is told, how they meet, mistakes and their outcome.
. tests/tools/command-test
run() { $ringsim launch "$@" >out 2>err </dev/null; }
says() { # TEXT NAME
    grep -qF -e "$1" out
    report $? "$2"
}
ends() { # STATUS TEXT WORDS...
    wanted=$1 text=$2
    shift 2
    run "$@"
    got=$?
    [ $got -eq "$wanted" ] && cat out err | tr '\n' ' ' | grep -qF -e "$text"
    report $? "exit $wanted: launch $*"
}

run && says 'process 3     3     1      1 of 2       2 3           4  works *' "2 x 4 GPUs, 2 a process: rank 3 is the second on node 1"
says 'node1$ torchrun --nnodes 2 --nproc-per-node 2 --node-rank 1 --master-addr node0 --master-port 29500 train.py' \
    "what is typed on node 1"
says 'All have met: 4 ranks, each with GPUs of its own' "they meet"
run --json && says '"world_size":4,"idle_gpus":0,' "JSON: the world" &&
    says '{"rank":3,"world_size":4,"node":1,"local_rank":1,"local_world_size":2,"gpus":[2,3],"environment":{"RANK":"3",' \
        "JSON: a process and what it is told" && says '"completes":true,"text":""}' "JSON: it works"
run --with spawn && says '... and the first argument of fn: 1; its rank is 1 x 2 + 1' "spawn hands over a number, and no more"
run --with launch && says 'the argument --local_rank=1, unless --use_env is given' "launch hands over --local_rank, too"
run --with srun && says 'MASTER_ADDR=node0 MASTER_PORT=29500 srun --nodes 2 --ntasks-per-node 2' "srun hands on what was set before it"
run --init file && says 'Rank 1 is the first at file:///shared/meeting' "in a file whoever comes first writes the head"

ends 1 'rank 2 was started as one of 6 ranks' --mistake world-size
ends 1 'rank 2 of 4 has come to tcp://node0:29500 twice' --mistake rank-twice
ends 1 'stale: left by a run of 4 ranks' --mistake stale-file
ends 1 'Rank 0 hangs, and nothing says why' --mistake rank0-collective
ends 1 'Rank 0 reads back what it saved, and finds 50 % of it' --mistake everybody-saves
ends 1 'NCCL: Duplicate GPU detected' --mistake no-set-device
ends 0 'but 4 of 8 GPUs are idle' --mistake missing-nproc
ends 1 '"completes":false,"text":"rank 2 of 4 has come' --mistake rank-twice --json

# The real rendezvous says the same of a wrong world size: ranks of verify, on the emulated device.
real=$BUILD/device/ringsim
RINGSIM_NCCL=$BUILD/device/libnccl.so.2
export RINGSIM_NCCL
if [ -x "$real" ] && [ -e "$RINGSIM_NCCL" ]; then
    port=$((20000 + $$ % 12000)) # below those that the system gives to others
    rank() { # RANK WORLD_SIZE
        RANK=$1 WORLD_SIZE=$2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port timeout 40 \
            "$real" verify --on nccl --count 10 --timeout 4s >real."$1" 2>&1 </dev/null
    }
    rank 2 4 &
    rank 1 3 &
    rank 0 3 # the last, for its patience is what the others are measured by
    wait
    run --nodes 1 --gpus-per-node 3 --gpus-per-proc 1 --mistake world-size
    line=$(tr '\n' ' ' <out | grep -o 'rank 2 was started as .* same world size' | sed "s/node0:29500/127.0.0.1:$port/")
    [ -n "$line" ] && grep -qF -e "$line" real.0
    report $? "verify's own ranks end with the same sentence: $line"
else
    echo "ok verify's own ranks end with the same sentence # skip: the emulated device is not built"
fi

# Any moment as the story tells it, in both languages, and in pictures of characters.
run --at 3 --view text && says 'Process 1 connects: rank 1 of 4' "--at 3 tells that moment"
run --nodes 1 --gpus-per-node 64 --gpus-per-proc 1 && [ "$(awk 'length > 120' out | wc -l)" -eq 0 ] && [ "$(wc -l <out)" -lt 90 ]
report $? "64 processes have room"

ends 2 "did you mean 'rank-twice'?" --mistake rank-twicee
ends 2 '4 GPUs a node cannot be dealt to processes of 3; give a divisor' --gpus-per-proc 3
ends 2 'takes at least 3 processes' --mistake rank-twice --nodes 1
ends 2 'a stale file takes a file to meet at, not env' --mistake stale-file --init env
ends 2 'srun has no --nproc-per-node to forget' --mistake missing-nproc --with srun
ends 2 'at most 1024 can be shown' --nodes 2000
exit $failed
