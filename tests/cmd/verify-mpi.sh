#!/bin/sh
# verify-mpi.sh: real processes, started by mpirun: `ringsim verify --on mpi` spawned and launched; dead
# and stopped ranks are told, and no process is left behind.
. tests/tools/verify-test
like="* --on mpi --gpus [0-9] " # the ranks, not who started them

if ! "$ringsim" verify --on mpi --gpus 2 --count 4 --iters 1 >out 2>err; then
    if grep -qE 'not run: mpi \((built without MPI|no mpirun|ringsim-mpi.so lies neither)' out; then
        echo "ok verify --on mpi # skip: $(tail -n 1 out)"
        exit 0
    fi
fi

# What mpirun may do instead of its work. Two of these take as long as our patience with it, so they go on meanwhile.
never() { # FOLDER SCRIPT: our mark is another, so that their processes are not taken for ranks
    mkdir "$1" && printf '#!/bin/sh\n%b\nexec sleep 60\n' "$2" >"$1/mpirun" && chmod +x "$1/mpirun"
    TEST_MARK=none PATH=$SCRATCH/$1:$PATH "$ringsim" verify --on mpi --gpus 2 --timeout 1s >"$1/out" 2>&1
    echo "exit $?" >>"$1/out"
}
never silent '' &
never remarks 'echo "hwloc/linux: failed to find sysfs" >&2' &

wants 0 '# mpi: right: 2 runs' --on mpi --gpus 4
also "4 processes on $(uname -n)" # all on one machine, and its name is the machine's
for n in 2 3; do
    wants 0 "$n processes on $(uname -n)" --on mpi --gpus $n --count 10 --iters 1
done
wants 0 '2 of 2 backends ran: cpu, mpi' --on cpu,mpi --gpus 4 -b 8 -e 64K -f 16 --iters 2
grep -q '# mpi: right: .*; the same bits as cpu' out
report $? "mpi gives the bits of the reference"
wants 0 "the library's own all-reduce" --on mpi --gpus 3 --count 1000 --dtype all --op all --iters 1
wants 0 "the library's own all-reduce: the same bits" --on mpi --gpus 5 --count 999 --dtype i32,u64 --op all --iters 1
wants 0 "the library's own all-reduce: the same bits" --on mpi --gpus 5 --data index --count 999
for special in nan overflow; do
    wants 0 '# mpi: right' --on mpi --gpus 3 --special $special --count 100 --dtype f16,bf16,f32,f64 --op all --iters 1
done
wants 1 'ranks 0 1 2 3' --on mpi --gpus 4 --count 100 --flip 2@1
wants 3 'not run: nccl (' --on mpi,nccl --gpus 2 --count 10
printf 'localhost slots=4\n' >hosts
wants 0 '# mpi: right' --on mpi --gpus 4 --count 1000 --hostfile hosts
wants 2 '--hostfile nowhere: No such file' --on mpi --gpus 2 --count 10 --hostfile nowhere
printf 'no-such-host.invalid slots=4\n' >elsewhere
wants 3 'mpirun ended before its ranks began: ' --on mpi --gpus 2 --count 10 --hostfile elsewhere
! grep hwloc out
report $? "a library's remark is not quoted as the reason"
nobody_left "good and bad ends"

if [ -w /dev/full ]; then # a trace that cannot be kept is an error, unless the result is one already
    wants 2 '--trace: cannot write /dev/full: ' --on mpi --gpus 2 --count 8 --iters 1 --trace /dev/full
    wants 1 '# mpi: WRONG' --on mpi --gpus 2 --count 8 --iters 1 --flip 1@1 --trace /dev/full
fi
wants 0 '1 of 1 backends ran: mpi' --on mpi --gpus 3 --count 3000 --trace trace.json
grep -q '^# trace: the last run on mpi, in trace.json$' out
report $? "whose trace it is, is told"
grep -c '"ph":"X"' trace.json >count && [ "$(cat count)" -ge 24 ] && grep -q '"name":"add chunk 2"' trace.json
report $? "the trace has every transfer and addition that was measured"
wants 0 '1 of 1 backends ran: mpi' --on mpi --gpus 3 --count 3000 --trace measured.trace
"$ringsim" view measured.trace --view text >out 2>err && grep -q measured measured.trace
report $? "a .trace of it is a measured run that view shows"
"$ringsim" verify --on cpu,mpi --gpus 2 --count 64 --json >out 2>err &&
    grep -q '"backend":"mpi","size":256,"count":64,"type":"float"' out && grep -q '"oracle":{"time":' out
report $? "JSON with the oracle's times"

# Launched: mpirun starts us, the first of us prints.
root=
[ "$(id -u)" != 0 ] || root=--allow-run-as-root
launch() { mpirun $root --oversubscribe --bind-to none -n 3 "$ringsim" verify "$@" >out 2>err </dev/null; }
launch --count 1000
[ $? = 0 ] && [ "$(grep -c 'backends ran' out)" = 1 ] && grep -q '^[12] of 2 backends ran: .*mpi' out
report $? "launched by mpirun: one report, auto leaves out what is for one process"
launch --on mpi --count 100 --flip 0@0
[ $? = 1 ] && grep -q '# mpi: WRONG' out && grep -q '^1 of 1 backends ran: mpi$' out
report $? "launched by mpirun: wrong results are told in full, exit 1"
launch --on mpi --gpus 4
[ $? = 2 ] && grep -q '^ringsim: --gpus 4: mpirun started 3 ranks; leave --gpus out$' err
report $? "launched by mpirun: a wrong world size"

# Started by something of which this MPI knows nothing: each is alone in its world.
for started in 'srun SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0' 'PMI PMI_SIZE=2 PMI_RANK=0'; do
    # shellcheck disable=SC2086
    wants_with ${started#* } -- 3 "not run: mpi (${started%% *} started 2 ranks, and MPI finds 1: " --on mpi --count 10
done

# A rank that dies, one that is stopped, and a reader who loses patience. Long enough to be hit.
begin() { # WORDS...
    for try in 1 2 3; do # with a --timeout, a machine with much to do may end it before it has begun
        "$ringsim" verify --on mpi --gpus 4 --bytes 1M --iters 100000 "$@" >out 2>err </dev/null &
        run=$!
        patience=600 # tenths of a second: a machine with much to do starts four ranks slowly
        had=
        until { grep -q '#wrong' out && works "$(rank_3)"; } || [ $patience = 0 ] || over; do
            patience=$((patience - 1))
            sleep 0.1
        done
        over || return 0
        wait $run
        echo "    try $try: exit $?: $(tail -n 1 out)"
    done
}
over() { # its words are no sign: there are none for a moment while it becomes another program
    ! grep -qs '^State:.[^ZX]' "/proc/$run/status"
}
# Of our processes the one that mpirun made rank 3.
rank_3() {
    for pid in $(ranks); do
        if grep -qxz OMPI_COMM_WORLD_RANK=3 "/proc/$pid/environ"; then echo "$pid"; fi
    done 2>/dev/null
}
# Whether the rank has used two tenths of a second of the processor since this was asked first, when the table began:
# before, it may have waited for the others.
works() { # PID
    [ -n "$1" ] || return 1
    used=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '{ print $12 + $13 }')
    [ -n "$used" ] || return 1
    had=${had:-$used}
    [ $(((used - had) * 5)) -ge "$(getconf CLK_TCK)" ]
}
begin
kill -KILL "$(rank_3)"
wait $run
[ $? = 1 ] && grep -q '# mpi: FAILED: the ranks ended before the result: .*exited on signal 9' out
report $? "a rank that dies is told, exit 1"
nobody_left "a rank that dies"
begin --timeout 8s --dump dumps
number=3
kill -STOP "$(rank_3)"
wait $run
[ $? = 1 ] && grep -Eq "# mpi: FAILED: rank $number said nothing within 8 s: rank .* waits (in step .* for rank|for the others)" out
report $? "a rank that is stopped is told first, then who waits for it, exit 1"
grep -o 'rank [0-9] waits in step [0-9]* for rank [0-9, ]*' out | tr -d ,. | awk -v stopped="$number" '
    { for (i = 9; i <= NF; i++) bad += ($i - $2 + 8) % 4 % 2 != 1
      if (($2 - stopped + 4) % 4 == 1) bad += $9 != stopped && $10 != stopped }
    END { exit bad > 0 }'
report $? "each waits for its neighbours on the ring, who comes behind the stopped one for that"
[ ! -e "dumps/ringsim_trace_rank_$number" ] && "$ringsim" hang --json dumps >hang.json
[ $? = 1 ] && grep -q "\"verdict\":\"silent-rank\",\"culprits\":\[{\"rank\":$number," hang.json
report $? "the others' dumps name the rank that is stopped"
nobody_left "a rank that is stopped"
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

wait
for folder in silent remarks; do
    grep -qF 'not run: mpi (mpirun has not started 2 ranks within 1 s)' $folder/out && grep -qx 'exit 3' $folder/out
    report $? "an mpirun that never starts: $folder"
done
mkdir bin
printf '#!/bin/sh\n%s "$@" | LC_ALL=C sed -u ""\n' "$(command -v mpirun)" >bin/mpirun
chmod +x bin/mpirun
PATH=$SCRATCH/bin:$PATH "$ringsim" verify --on mpi --gpus 2 --count 1000 >out 2>err
[ $? = 0 ] && grep -q '# mpi: right' out
report $? "an mpirun that passes on whole lines, as from Open MPI 5 on"
cat >bin/mpirun <<END
#!/bin/sh
echo >>began
[ \$(wc -l <began) -gt 2 ] && exec $(command -v mpirun) "\$@"
echo '[vm:1] ORTE_ERROR_LOG: Error in file ../../../orte/util/session_dir.c at line 107' >&2
exit 1
END
PATH=$SCRATCH/bin:$PATH "$ringsim" verify --on mpi --gpus 2 --count 1000 >out 2>err
[ $? = 0 ] && grep -q '# mpi: right' out && [ "$(wc -l <began)" = 3 ]
report $? "an mpirun that lost its folder to another one is started again"
printf '#!/bin/sh\necho >>began\nexit 1\n' >bin/mpirun
rm began
PATH=$SCRATCH/bin:$PATH "$ringsim" verify --on mpi --gpus 2 --count 1000 >out 2>err
[ $? = 3 ] && [ "$(wc -l <began)" = 1 ]
report $? "one that ends for another reason is not"
printf '#!/bin/sh\necho garbage and more garbage, more than a head\n' >bin/mpirun
PATH=$SCRATCH/bin:$PATH "$ringsim" verify --on mpi --gpus 2 >out 2>err
[ $? = 3 ]
report $? "an mpirun that talks nonsense"
exit $failed
