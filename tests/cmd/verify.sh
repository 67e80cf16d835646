#!/bin/sh
# verify.sh: `ringsim verify` on the backend that is everywhere: table, verdict, JSON, exit status.
. tests/tools/verify-test

none() { # NAME: what the last run printed says nothing on stdout
    [ ! -s out ]
    report $? "$1"
}

wants 0 '1 of 1 backends ran: cpu' --on cpu
wants 0 'float     sum      -1' --on cpu --gpus 3 --count 10
wants 0 '# cpu: right: 400 runs' --on cpu -b 8 -e 64 -f 2 --dtype all --op all --iters 1
for algo in ring naive tree doubling halving; do
    wants 0 '# cpu: right' --on cpu --algo $algo --gpus 6 --count 0,1,5,6,7,100 --dtype f16,bf16 --iters 1
done
for special in nan inf negative-zero subnormal overflow; do
    wants 0 '# cpu: right' --on cpu --special $special --dtype all --op all --count 50 --iters 1
done
wants 1 '# cpu: WRONG: 2 runs, 800 elements, 8 wrong' --on cpu --gpus 4 --count 100 --flip 1@2
wants 1 '# cpu: WRONG: 6 runs, 2400 elements, 24 wrong; first: float sum, 100 elements, out of place, run 1 of 3, ranks' \
    --on cpu --gpus 4 --count 100 --flip 1@2 --iters 3 --check every
wants 0 '"checked_runs":3,"wrong_runs":0,"first_wrong_run":null' --on cpu --count 100 --iters 3 --check every --json
grep -q '"out_of_place":{.*"in_place":{' out
report $? "out of place first, then in place"
wants 2 '--check always: choose one of last, every' --on cpu --check always
wants 3 'not run: cuda (' --on cpu,cuda --count 10
wants 0 'not run: cuda (' --count 10
"$ringsim" verify --count 10 --iters 1 >out 2>err
tail -n 1 out | grep -q '^[0-9] of 4 backends ran: cpu'
report $? "the last line counts the backends"
"$ringsim" verify --on cpu,nccl --json --count 7 >out 2>err
[ $? = 3 ] && grep -q '^{"version":3,' out && grep -q '"backend":"cpu","size":28,"count":7,"type":"float"' out &&
    grep -q '"name":"nccl","ran":false' out
report $? "JSON in nccl-tests' form; a backend that is missing is told there, exit 3"

# What verify prints, fit reads.
"$ringsim" verify --on cpu,cuda -b 64K -e 1M -f 4 --iters 2 >report.txt 2>err
"$ringsim" verify --on cpu,cuda -b 64K -e 1M -f 4 --iters 2 --json >report.json 2>err
for report in report.txt report.json; do
    "$ringsim" fit $report >out 2>err && grep -q "^$report: ringsim verify, ring on c.*, GPUs 5, times 6," out
    report $? "fit reads $report"
done
"$ringsim" verify --on cpu --algo tree --iters 1 --json >report.json && ! "$ringsim" fit report.json >out 2>err &&
    grep -q 'report of tree on cpu' err
report $? "but not of another algorithm than the ring"

# Other algorithms on the same data: one-shot and two-shot add by rank, the ring does not.
wants 0 '# side by side, the same data' --on cpu --gpus 5 --count 1000 --iters 1 --beside one-shot,two-shot,ring
[ "$(grep -c '^# cpu [a-z-]*: right: 2 runs' out)" = 3 ] && grep -q 'size        cpu ring    cpu one-shot    cpu two-shot$' out && grep -q '^# *4000 .* a .* b .* b$' out
report $? "side by side in one table"
wants 0 '"name":"cpu","ran":true,"right":true,"kernel":null,"algorithm":"two-shot"' --on cpu --count 9 --iters 1 --beside two-shot --json
wants 2 'ringsim: --beside takes at most 3 algorithms' --on cpu --beside one-shot,two-shot,tree,naive
wants 2 'ringsim: --beside: a flip is of one' --on cpu --beside tree --flip 0@0

# The other collectives: shards of whole 16 bytes, the columns and rates of nccl-tests.
for c in reduce-scatter all-gather broadcast reduce all-to-all; do
    for n in 1 3; do
        wants 0 '# cpu: right: 12 runs' --on cpu --collective $c --gpus $n --count 0,7,1000 --dtype f16,i64 --iters 1
    done
done
wants 0 '        3984           332     float     sum      -1 ' --on cpu --collective reduce-scatter --gpus 3 --count 1000
wants 0 '        3984           332     float    none      -1 ' --on cpu --collective all-to-all --gpus 3 --count 1000
wants 0 '        4000          1000     float    none       2 ' --on cpu --collective broadcast --root 2 --gpus 3 --count 1000
wants 0 'verify: reduce tree on cpu' --on cpu --collective reduce --algo tree --root 1 --gpus 6 --op avg --special nan
wants 0 '# cpu: right' --on cpu --collective broadcast --chunks 7 --channels 2 --gpus 4 --count 1000
wants 0 '# cpu: right' --on cpu --algo rings --channels 3 --gpus 4 --count 1000
wants 1 '# cpu: WRONG: 2 runs, 384 elements, 2 wrong; first: int32 sum, 192 elements, out of place, rank 2' \
    --on cpu --collective reduce-scatter --algo halving --gpus 4 --count 200 --dtype i32 --flip 0@0 --iters 1
"$ringsim" --collective all-gather --gpus 3 --save gather.sched --view none >out 2>err
sed '$d' gather.sched >less.sched
wants 0 '# cpu: right' --on cpu --algo gather.sched --count 99
wants 0 '# cpu: right' --on cpu --algo gather.sched --count 0
wants 1 '# cpu: WRONG: 2 runs, 576 elements, 64 wrong; first: float none, 96 elements, out of place, rank 0' \
    --on cpu --algo less.sched --count 99 --iters 1
wants 2 '--collective, --root: gather.sched says itself what it is' --on cpu --algo gather.sched --collective broadcast
wants 2 '--chunks: a schedule from a file has its own' --on cpu --algo gather.sched --chunks 2
wants 0 '"collective":"reduce","root":1,"algorithm":"ring"' --on cpu --collective reduce --root 1 --count 9 --json
wants 0 '"size":36,"count":9,"type":"float","redop":"sum","root":"1"' --on cpu --collective reduce --root 1 --count 9 --json
wants 2 '--root: only broadcast and reduce have one' --on cpu --root 1
wants 2 'root 5: the ranks are 0..4' --on cpu --collective reduce --root 5
wants 2 '--op: broadcast only copies' --on cpu --collective broadcast --op max
wants 2 '--order: only the all-reduce has a choice' --on cpu --collective all-gather --order nccl
wants 2 'only a pipeline can be told how many chunks' --on cpu --chunks 3
wants 2 '--algo halving' --on cpu --collective broadcast --algo halving

for form in '' --json; do # two ranks: the rates of a broadcast are those of an all-reduce
    "$ringsim" verify --on cpu --collective broadcast --gpus 2 -b 64K -e 128K --iters 2 $form >report.any &&
        ! "$ringsim" fit report.any >out 2>err && grep -q 'report of broadcast ring on cpu' err
    report $? "fit knows a broadcast from an all-reduce $form"
done

cat >ring.sched <<'END'
ringsim-schedule 1
ranks 2
chunks 1
step
0 -> 1 chunk 0 reduce
step
1 -> 0 chunk 0 copy
END
sed '$d' ring.sched | sed '$d' >unsound.sched
wants 0 '# cpu: right' --on cpu --algo ring.sched --count 9
wants 0 '# cpu: right' --on cpu --algo ring.sched --count 0
wants 1 'rank 0' --on cpu --algo unsound.sched --count 9

wants 2 'did you mean' --on cpi
none "a mistyped backend: nothing is written"
wants 2 '--count' --count 5 --bytes 8
wants 2 '--maxbytes' -b 8 -e 4
wants 2 '--gpus' --algo ring.sched --gpus 3
wants 2 '--timeout' --timeout 0
wants 2 '--kernel' --on cpu --kernel 2
wants 2 '--kernel 8' --on cuda --kernel 8
wants 2 "--kernel '1,,2': a name is missing" --on cuda --kernel 1,,2
wants 2 '--kernel 0' --on cuda --kernel 0
wants 2 '--init' --on cpu --init env://
# What a launcher might say, but none would.
launched() { # STATUS TEXT VARIABLES
    on=cpu
    [ "$1" = 0 ] || on=cpu,nccl
    env $3 "$ringsim" verify --on $on --count 10 --iters 1 >out 2>err </dev/null
    [ $? = "$1" ] && cat out err | grep -qF -e "$2"
    report $? "exit $1: $3 ringsim verify"
}
launched 2 "ringsim: RANK is '7'; with WORLD_SIZE=4 it takes 0..3" 'RANK=7 WORLD_SIZE=4'
launched 2 'ringsim: RANK is set and WORLD_SIZE is not' 'RANK=1'
launched 0 '1 of 1 backends ran: cpu' 'SLURM_PROCID=1 SLURM_NTASKS=4'
launched 0 '1 of 1 backends ran: cpu' 'RANK=0 WORLD_SIZE=4'
# Each rank may lack something of its own, and says so itself; the first one's report does.
for rank in 0 1 2; do
    env RINGSIM_NCCL="$SCRATCH/none" RANK=$rank WORLD_SIZE=3 MASTER_ADDR=127.0.0.1 MASTER_PORT=29500 \
        "$ringsim" verify --on nccl --count 4 >out 2>err </dev/null
    [ $? = 3 ] && [ "$(grep -c '^ringsim: nccl: ' err)" = $((rank > 0)) ] &&
        [ "$(grep -c 'not run: nccl ([^)]' out)" = $((rank == 0)) ]
    report $? "rank $rank says what it lacks, once"
done
for init in tcp:// tcp://h tcp://h: tcp://h:0 tcp://h:65536 tcp://h:5x tcp://::1:5 'tcp://[::1]5' tcp://a/b:5 \
    'tcp://a b:5' file:// file:/// file:///tmp/ file:///nowhere-at-all/f file://tmp/f env env:///x http://h:1 '' x; do
    wants 2 "--init $init" --on nccl --init "$init"
    none "--init '$init': nothing is written"
done
for init in env:// tcp://127.0.0.1:29500 tcp://:29500 'tcp://[::1]:29500' tcp://node-1.example:65535 "file://$SCRATCH/meet"; do
    "$ringsim" verify --on cpu,nccl --gpus 1 --count 4 --iters 1 --init "$init" --timeout 1s >out 2>err
    [ $? != 2 ]
    report $? "--init $init is understood"
done
wants 2 '--trace' --on cpu --trace t.json
wants 2 '--trace -: ' --on mpi --trace -
none "the trace does not go where the report goes"
wants 2 '--trace: cannot write' --on cpu,mpi --gpus 1 --count 4 --trace /nowhere-at-all/t.trace
none "a trace that cannot be written: nothing is run"
wants 2 '--flip' --on cpu --gpus 4 --count 2 --flip 3@0
wants 2 '--count: 9223372036854775807 is too much' --count 9223372036854775807
wants 2 '--maxbytes: ' -b 8 -e 9223372036854775807
wants 2 '--flip' --on cpu --flip 0@0 --flip 1@0
wants 2 '--hostfile /: Is a directory' --on mpi --hostfile /
wants 2 "--on 'cpu,': a name is missing" --on cpu,
# What cannot be read is refused before anything runs.
nasty() {
    "$ringsim" verify "$@" >out 2>err </dev/null
    [ $? = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ]
    status=$?
    [ $status = 0 ] || sed 's/^/    /' out err
    report $status "refused in one line: $*"
}
for words in '--gpus 0' '--gpus -1' '--gpus 4097' '--gpus 2,3' '--on ,' '--on auto,cpu' '--algo nope' '--algo none.sched' \
    '--algo tree --order nccl' '--order up' '-b 0 -e 8' '-b 8 -f 1' '-b 8 -f -2' '-b 8 -e 1EiB' '-b 8 --bytes 8' \
    '--bytes 1..' '--bytes nan' '--bytes -8' '--bytes 0.5' '--count 5..3' '--dtype f8' '--dtype f32,' '--dtype all,f32' \
    '--op up' '--data 1,2' '--seed -1' '--special zero' '-w -1' '--iters 0' '--iters 1.5' '--timeout 1ns' '--timeout 25h' \
    '--kernel 1-4' '--kernel all,1' '--flip 0' '--flip 5@0' '--flip 0@99' '--trace /' '--csv' '--view text' '-g 4' more; do
    # shellcheck disable=SC2086
    nasty $words
done
# How it was started: variables that make no sense are named, exit 2; only the first rank speaks.
as() { # "VARIABLES" STATUS TEXT
    # shellcheck disable=SC2086
    on=cpu
    [ "$2" = 0 ] || on=cpu,nccl
    env $1 "$ringsim" verify --on $on --count 4 --iters 1 >out 2>err </dev/null
    got=$?
    [ $got = "$2" ] && cat out err | grep -qF -e "$3"
    status=$?
    [ $status = 0 ] || { echo "    exit $got"; sed 's/^/    /' out err; }
    report $status "started with $1: $3"
}
as 'RANK=4 WORLD_SIZE=4' 2 "RANK is '4'; with WORLD_SIZE=4"
as 'RANK=-1 WORLD_SIZE=4' 2 "RANK is '-1'"
as 'RANK=one WORLD_SIZE=4' 2 "RANK is 'one'"
as 'RANK=0 WORLD_SIZE=0' 2 "WORLD_SIZE is '0'"
as 'RANK=0 WORLD_SIZE=99999999999999999999' 2 "WORLD_SIZE is '9999"
as 'RANK=0' 2 'RANK is set and WORLD_SIZE is not'
as 'WORLD_SIZE=4' 2 'WORLD_SIZE is set and RANK is not'
as 'RANK=1 WORLD_SIZE=4 LOCAL_RANK=4' 2 "LOCAL_RANK is '4'"
as 'OMPI_COMM_WORLD_SIZE=x OMPI_COMM_WORLD_RANK=0' 2 'OMPI_COMM_WORLD_SIZE'
as 'OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=2' 2 'OMPI_COMM_WORLD_RANK'
as 'SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=3' 2 'SLURM_PROCID'
as 'SLURM_NTASKS=8 SLURM_PROCID=0' 0 '# cpu: right' # a batch script is no rank
as 'RANK=0 WORLD_SIZE=4' 0 '1 of 1 backends ran: cpu'
as 'WORLD_SIZE=4' 0 '# cpu: right' # who runs alone asks nobody
as 'RANK=1 WORLD_SIZE=4' 0 'rank 0 reports, and this is rank 1 (RANK=1 WORLD_SIZE=4'
none "started as rank 1: no report"
# A rank that somebody means to run says nothing of the sort, whatever else runs; any other does.
for on in cpu cuda mpi nccl cpu,mpi; do
    env RANK=1 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=29500 "$ringsim" verify --on $on --count 8 --timeout 1s >out 2>err </dev/null
    case $on in *mpi* | *nccl*) told=0 ;; *) told=1 ;; esac
    [ ! -s out ] && [ "$(grep -c 'rank 0 reports, and this is rank 1' err)" = $told ]
    report $? "rank 1 --on $on: told $told times that rank 0 reports"
done
RANK=0 WORLD_SIZE=4 "$ringsim" verify --on cpu,nccl --gpus 3 --count 4 >out 2>err </dev/null
[ $? = 2 ] && grep -q '^ringsim: --gpus 3: RANK and WORLD_SIZE started 4 ranks; leave --gpus out$' err
report $? "a world size that is not the one that was started"
RANK=0 WORLD_SIZE=4 "$ringsim" verify --on nccl --algo ring.sched --count 4 >out 2>err </dev/null
[ $? = 2 ] && grep -q '^ringsim: the schedule is for 2 ranks, and RANK and WORLD_SIZE started 4' err
report $? "a schedule for other ranks than were started"

wants 3 'this machine has' --on mpi --bytes 1TB
none "too large: nothing is written"
wants 3 'not run: cpu (it would work through 5000.0 GB; name it, --on cpu,' --bytes 1TB
exit $failed
