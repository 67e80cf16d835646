#!/bin/sh
# learner.sh: `--algo FILE.c`: a learner's functions, compiled and asked in a sandbox, in every command.
. tests/tools/command-test
top=$OLDPWD
ring=$top/tests/submissions/right/seed-order.c
up=$top/lessons/05-scatter-reduce/wrong/counts-up.c

wants 0 'sound: at the end' check "$ring" --gpus 7
wants 0 '"correct":true' run --algo "$ring" --gpus 6 --count 50 --json
wants 1 'overwritten too early' run --algo "$up" --view text
also 'the result is wrong: it has no bandwidth'
wants 0 'right' verify --on cpu --algo "$ring" --count 100
# Code beside state: what the function was asked, and its line with the numbers in it.
wants 1 ' Rule    send_chunk(step = 1, rank = 0, n = 5) = 1' run --algo "$up" --view text --at 1
also 'return (rank + step) % n;    (0 + 1) % 5 = 1'
# Of several statements: what each wrote, and the return that gave the answer; what was not executed goes first where
# there is little room.
printf '#include "ring.h"\nint send_chunk(int step, int rank, int n) {\n    int chunk = rank - step;\n    while (chunk < 0) chunk += n;\n    return chunk;\n}\n' >several.c
wants 0 'int chunk = rank - step;    chunk = -1' run --algo several.c --view text --at 1
also 'return chunk;    = 4'
"$ringsim" run --algo "$up" --view text --export own.svg >out; grep -q 'counts-up' own.svg
report $? "a learner's run is titled by its file"
# who blames what, of every known wrong answer: the grader, the run's end, check (interpret.sh: compiled, it is the same)
for lab in 05 06; do
    for wrong in "$OLDPWD"/lessons/$lab-*/wrong/*.c; do
        "$ringsim" grade $lab "$wrong" --interpret >graded 2>err
        blamed=$(sed -n 's/^    N = 5: [Ss]tep \([0-9]*\):.*/\1/p' graded | head -n 1)
        [ -n "$blamed" ] || continue
        "$ringsim" --algo "$wrong" --interpret --gpus 5 --view text 2>err | grep -q "Not an all-reduce. .*[Ss]tep $blamed:" &&
            "$ringsim" check "$wrong" --interpret --gpus 5 2>err | grep -q "unsound.*[Ss]tep $blamed:"
        report $? "grader, view and check blame the same step of $(basename "$wrong"): $blamed"
    done
done
"$ringsim" --save listed.sched --view none >out && "$ringsim" --algo listed.sched --view text --at 2 --export listed.svg >out
grep -q '>listed.sched' listed.svg && ! grep -q 'your function' listed.svg && grep -q '>iteration<' listed.svg
report $? "so is a schedule in lines, which has no function to show, but the phases that its steps show"
# Every report names what held it, and none where there was nothing to hold.
for command in 'check' 'run --algo' 'verify --on cpu --count 100 --algo' 'train --gpus 5 --algo'; do
    # shellcheck disable=SC2086
    "$ringsim" $command "$ring" >out 2>err
    grep -q '^\(# \)\{0,1\}sandbox: [a-z]*: .*, no network, system-call filter, limits$' out
    report $? "$command: the sandbox is named"
    # shellcheck disable=SC2086
    wants 0 '"sandbox":"' $command "$ring" --json
done
"$ringsim" run --json >out && ! grep -q 'sandbox' out
report $? "no sandbox without a learner's program"
wants 2 'neither send_chunk' run --algo "$top/tests/submissions/hostile/defines-nothing.c"
wants 2 'wanted to start a process' run --algo "$top/tests/submissions/hostile/fork-bomb.c"
wants 2 "expected ';'" run --algo "$top/tests/submissions/hostile/does-not-compile.c"
# The compiler names the file as the learner does; letters that are none everywhere become _.
echo 'int send_chunk(int step, int rank, int n) { return nothing; }' | tee my-1st.plan_2.c >'-ö b.c'
wants 2 'my-1st.plan_2.c:1:' check my-1st.plan_2.c
wants 2 '____b.c:1:' check './-ö b.c'
# It writes no more than 16 MB; a linker that maps its output crashes instead of being told.
echo 'char much[40 << 20] = {1}; int send_chunk(int step, int rank, int n) { return much[0] ? (rank - step + n) % n : 0; }' >much.c
wants 2 'compiler' check much.c --gpus 4
wants 2 'it crashed, signal 11' run --algo "$top/tests/submissions/hostile/crashes.c"
wants 2 '4096' run --algo "$ring" --gpus 5000
wants 2 'choose one of ring' compare --algo "$ring"
mkdir folder.c
wants 2 'there is no .c, .sched or .parsons file in it' run --algo folder.c
for kind in bubblewrap filter; do
    "$ringsim" check "$ring" --sandbox $kind >out 2>err
    case $? in
    0) echo "ok in the sandbox $kind" ;;
    3) echo "ok in the sandbox $kind # skip: $(head -n 1 err)" ;;
    *) report 1 "in the sandbox $kind" ;;
    esac
done
wants 0 'exercises' doctor
wants 2 "did you mean 'filter'" run --algo "$ring" --sandbox filtre
wants 2 'choose one of bubblewrap, filter' run --algo "$ring" --sandbox namespaces
ls "${TMPDIR:-/tmp}"/ringsim-sandbox-* >/dev/null 2>&1
[ $? != 0 ]
report $? "no scratch folder is left behind"
exit $failed
