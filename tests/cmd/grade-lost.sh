#!/bin/sh
# grade-lost.sh: a submission that takes its own grader along costs its own grade, and nobody else's.
#
# A schedule in a file is judged without a cage: only the worker's limits hold what it makes us do.
. tests/tools/command-test
lessons=$OLDPWD/lessons submissions=$OLDPWD/tests/submissions
sanitized=
grep -q __asan_init "$ringsim" && sanitized=1 # it reserves terabytes of addresses, and has no such limits

# The largest that is judged at all: as many moves as may be, in as many messages.
mkdir uncaged
awk 'BEGIN { print "ringsim-schedule 1\nranks 8\nchunks 4096"
    for (i = 0; i < 60000; i++) {
        print "step"
        for (a = 0; a < 8; a++) print a, "->", (a + 1) % 8, "chunk", i % 4000 ".." i % 4000 + 9, "reduce"
    } }' >uncaged/heavy.sched
cp "$lessons/08-lower-bound/exercise.sched" uncaged/light.sched
cp "$lessons/08-lower-bound/wrong/halves.sched" uncaged/other.sched
others() { # whether the two have what they earned
    [ "$(sed '/^heavy/d; / with all points$/q' out | cut -c 1-32 | tr -s ' \n' ' ')" = "light 20/20 other 0/20 1 of 3 with all points " ]
}
"$ringsim" grade 08 uncaged --jobs 2 >out 2>err
[ $? = 1 ] && others && grep -q '^heavy .* 0/20 .*a second time' out && [ ! -s err ]
report $? "the largest schedule that is judged has its grade, and the others theirs"
if [ -z "$sanitized" ]; then
    (ulimit -v 100000 && "$ringsim" grade 08 uncaged --jobs 2 >out 2>err)
    [ $? = 1 ] && others && grep -q '^heavy .* 0/20  no memory' out && [ ! -s err ]
    report $? "where the memory ends in it, it alone has no points"
fi

# A worker that runs: its limits, and what its end costs. The first one waits until the clock runs out.
mkdir class
cp "$submissions/hostile/sleeps.c" class/a.c
cp "$submissions/right/seed-order.c" class/b.c
cp "$submissions/right/seed-order.c" class/c.c
worker_of() { # PARENT: its child that has its own name, a child and limits; what waits for a compiler has no limits
    children=$(cat "/proc/$1/task/$1/children" 2>/dev/null) || return
    for child in $children; do
        # Its name comes last: what becomes a compiler has ours before.
        [ -n "$(cat "/proc/$child/task/$child/children" 2>/dev/null)" ] &&
            { [ -n "$sanitized" ] || grep -qs '^Max cpu time  *[0-9]' "/proc/$child/limits"; } &&
            [ "$(readlink "/proc/$child/exe")" = "$(readlink -f "$ringsim")" ] &&
            echo "$child" && return
    done
}
# Starts the class, waits for the first worker and what it runs in its cage, and sends it a signal.
lose() { # SIGNAL
    # A sanitizer would end by itself what gets a SIGSEGV.
    ASAN_OPTIONS=${ASAN_OPTIONS-}:handle_segv=0 "$ringsim" grade 05 class --jobs 1 --format csv >grades.csv 2>err &
    run=$!
    patience=300 worker=
    while [ -z "$worker" ] && [ $patience -gt 0 ]; do
        patience=$((patience - 1))
        sleep 0.05
        worker=$(worker_of $run)
    done
    grep -E '^Max (cpu time|address space)' "/proc/$worker/limits" | tr -s ' ' >limits
    kill "-$1" "$worker"
    wait $run
}
for signal in KILL SEGV XCPU; do
    lose $signal
    ended=$?
    [ $ended = 1 ] && [ ! -s err ] && grep -q '^a,.*,05,0,20,.*the grader was lost on it' grades.csv &&
        [ "$(grep -c '^[bc],.*,05,20,20,' grades.csv)" = 2 ]
    good=$?
    [ $good = 0 ] || { echo "    exit $ended, worker '$worker'" && head -n 8 grades.csv err | sed 's/^/    /'; }
    report $good "a grader that ends by SIG$signal costs one grade"
done
if [ -z "$sanitized" ]; then
    [ "$(tr -d '\n' <limits)" = 'Max cpu time 60 60 seconds Max address space 2147483648 2147483648 bytes ' ]
    report $? "a grader has 60 s of processor time and 2 GiB"
fi
exit $failed
