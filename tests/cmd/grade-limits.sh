#!/bin/sh
# grade-limits.sh: answers that are none, that depend on what was asked before, that are too large to be timed; by --interpret,
# for which no compiler is needed.
. tests/tools/command-test
lessons=$OLDPWD/lessons
says() { # TEXT NAME: a line of the last report
    grep -qxF -e "$1" out
    report $? "$2"
}
mean() { # NAME SED...: the mean of lesson 1, changed
    name=$1
    shift
    sed "$@" "$lessons"/01-*/exercise.c >"$name.c"
    "$ringsim" grade 01 "$name.c" --interpret --show >out 2>err
}
mean right ''
[ $? = 0 ] && [ "$(tail -n 1 out)" = 'nothing to show: all points, and nothing of this lab is a run' ]
report $? "all points, and nothing to show"
mean wrong 's/return sum/return 1 + sum/'
[ $? = 1 ] && [ "$(tail -n 1 out)" = 'nothing to show: where the answer is wrong no run can be made of it' ]
report $? "a wrong one, and nothing to show"
# Right at N = 2 by chance: that run would show nothing of what is wrong at N = 5.
cat >below.c <<'END'
#include "ring.h"
int send_chunk(int step, int rank, int n) { return (rank - step) % n; }
END
"$ringsim" grade 05 below.c --interpret --show --view text >out 2>err
[ $? = 1 ] && grep -q '^Step 1 of 0..1$' out && grep -q '^Here it goes wrong: N = 5: send_chunk(1, 0, 5) is -1' out &&
    grep -q '^ Rule    send_chunk(step = 1, rank = 0, n = 5) = -1$' out && grep -q '^ GPU 1         11 ' out && ! grep -q '^Step 2' out
report $? "a run is shown up to the call that answers nonsense, at N = 5 where it is the first"
mean endless 's/double sum = 0/if (n == 3) for (;;) { } double sum = 0/'
[ $? = 3 ] && grep -q 'endless.c:15: it did not come to an end within 200000000 steps: beyond' err
report $? "what does not come to its end is not judged"
mean other 's/double average/double mean/'
says '    the file does not define average(); it defines mean()' "a function that is not there"
mean first 's/double sum = 0/static int calls; if (calls++ == 0 \&\& n != 1) return 7; double sum = 0/'
says '    question 27: asked once more, in another order, average() answers otherwise; it must answer from its arguments alone' \
    "who asks first gets another answer"
says 'Score: 0/10' "and that has no points"

# All buckets right, and how many there are wrong.
for more in 1 -1; do
    sed "s/return 1 + bucket/return 1 + $more + bucket/" "$lessons"/12-*/exercise.c >count.c
    "$ringsim" grade 12 count.c --interpret >out 2>err
    says "    1 layers: there are 1 buckets; it returns $((1 + more))" "buckets counted wrong by $more"
    grep -q '^exchange_end(): 49 questions: OK' out
    report $? "and the other function is right"
done

# A schedule of 100000 messages is timed, one of more is not: rounds behind the ring that send what all have.
for rounds in 12486 12487; do
    cat >rounds.c <<END
#include "ring.h"
int chunks(int n) {
    return n;
}
int steps(int n) {
    return 2 * (n - 1) + $rounds;
}
int sends(int step, int rank, int n, rs_send out[]) {
    out[0].to = (rank + 1) % n;
    out[0].chunk = (rank - step % n + n) % n;
    out[0].chunks = 1;
    out[0].copy = step >= n - 1;
    return 1;
}
END
    "$ringsim" grade 17 rounds.c --interpret >out 2>err
    [ $? = 1 ] && grep -q '^N = 8: every GPU ends with every sum: OK' out && grep -qx 'Score: 6/20' out &&
        grep -qE "^    $([ $rounds = 12486 ] && echo 'it takes [0-9.]* s, [0-9.]* times as long as two-level, .*' || echo 'no schedule for 8 GPUs could be timed')$" out
    report $? "$((8 * (14 + rounds))) messages"
done

# What is judged has at most 200000 steps and moves at most 5000000 chunks, in however many messages.
steps() { # STEPS: a schedule of empty steps
    printf 'ringsim-schedule 1\nranks 8\nchunks 1\n'
    yes step | head -n "$1"
}
moves() { # MESSAGES MORE: that many messages of 4000 chunks, a step each, and one chunk more or none
    printf 'ringsim-schedule 1\nranks 8\nchunks 4000\n'
    yes 'step
0 -> 1 chunk 0..3999 copy' | head -n $((2 * $1))
    [ "$2" = 0 ] || echo '2 -> 3 chunk 7 copy'
}
judged() { # TEXT: the schedule on stdin is too large, with these numbers; "": it is judged
    cat >plan.sched
    "$ringsim" grade 08 plan.sched >out 2>err
    [ $? = 1 ] && [ ! -s err ] || return 1
    said=$(sed -n 's/.*the schedule is too large to be judged: //p' out)
    [ "$said" = "$1" ]
}
steps 200000 | judged '' && moves 1250 0 | judged ''
report $? "as large as can be, it is judged"
steps 200001 | judged '200001 steps, 0 messages' && moves 1250 1 | judged '1250 steps, 1251 messages' &&
    moves 1251 0 | judged '1251 steps, 1251 messages'
report $? "of one step or chunk more it is told how large it is"
for rounds in 152 153; do # 8 x 4096 chunks each
    cat >wide.c <<END
#include "ring.h"
int chunks(int n) {
    return 4096;
}
int steps(int n) {
    return n == 8 ? $rounds : 1;
}
int sends(int step, int rank, int n, rs_send out[]) {
    out[0].to = (rank + 1) % n;
    out[0].chunk = 0;
    out[0].chunks = 4096;
    out[0].copy = 0;
    return n > 1;
}
END
    "$ringsim" grade 17 wide.c --interpret >out 2>err
    [ $? = 1 ] && [ "$(grep -cF 'N = 8: the schedule is too large to be judged: 153 steps, 1224 messages' out)" = $((rounds - 152)) ]
    report $? "a program's schedule of $((rounds * 32768)) chunks"
done
exit $failed
