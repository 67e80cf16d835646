#!/bin/sh
# gil.sh: threads against processes. What is simulated is exact; what is measured here only has to be
# there, since tests run on busy machines.
. tests/tools/command-test
gil() { $ringsim gil "$@"; }
value() { sed -n "s/.*\"$1\":\([^,}]*\).*/\1/p"; }

gil --cores 4 --iters 0 --python-share 1 >all.out
grep -q '^threads  *400 ms, 1 x$' all.out && grep -q '^processes  *100 ms, 4 x$' all.out
report $? "all Python: four threads are as fast as one, four processes four times as fast"
gil --cores 4 --iters 0 --python-share 0 | grep -q '^threads  *100 ms, 4 x$'
report $? "no Python: threads are as fast as processes"
gil --cores 4 --iters 0 --python-share 0.5 >half.out
grep -q 'threads at the most 2 x' half.out && grep -q 'Amdahl says 1.60 x' half.out
report $? "half Python: the lock's limit and Amdahl's"
gil --cores 1 --iters 0 --python-share 0.1 | grep -q '^processes  *400 ms, 1 x$'
report $? "on one core processes do not help"
gil --cores 2 --iters 0 --json >a.json && gil --cores 2 --iters 0 --json | cmp -s - a.json && grep -q '"measured":null' a.json
report $? "the same JSON again"
gil --cores 2 --iters 0 --at 3 | grep -q '^Thread 3 takes the lock'
report $? "--at shows who has the lock"
gil --cores 2 --iters 0 --view text --lang zh_CN --slices 2 2>/dev/null | grep -q ' GIL '
report $? "lanes show who holds it"

# On a busy machine a worker's loop is measured short: far below 5 ms, but never nothing.
gil --gpus 3 --work 5ms --slices 4 --iters 2 --json >real.json
for way in alone threads processes; do
    [ "$(sed 's/.*"measured"//' real.json | value ${way}_ps)" -ge 500000000 ]
    report $? "really run: $way takes its time"
done
[ "$(value start_process_ps <real.json)" -gt 0 ] && [ "$(value start_thread_ps <real.json)" -gt 0 ]
report $? "what it costs to start a worker is measured"
gil --gpus 3 --work 5ms --slices 4 --iters 1 --view text | grep -q 'real process 2'
report $? "what was measured has lanes of its own"

refused() { # PATTERN ARGUMENTS...
    pattern=$1
    shift
    gil "$@" >out 2>err
    [ $? -eq 2 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -q -e "$pattern" err
    report $? "gil $*: $pattern"
}
refused 'a share lies in 0..1' --python-share 1.01
refused 'python-share' --python-share half
refused '1..64' --gpus 65
refused '1..1000' --slices 0
refused 'from 1us to 60s' --work 61s
refused 'from 1us to 60s' --work 0

# Stopped while it works: the children end with it.
"$RINGSIM" gil --gpus 2 --work 20s --iters 1 >out 2>err &
worker=$!
sleep 0.3
kill -TERM $worker
wait $worker 2>/dev/null
[ $? -ge 128 ] && [ ! -s out ] && grep -q cancelled err
report $? "stopped by a signal"
exit $failed
