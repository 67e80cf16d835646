#!/bin/sh
# cli-honest.sh: bytes are those really sent, and the edges (one GPU, no element, fewer elements than
# GPUs, more than 2^31) get whole answers.
. tests/tools/command-test
says() { # FILE TEXT...
    file=$1
    shift
    for text; do grep -F -q -e "$text" "$file" || return 1; done
}

# A ring whose all-gather sends again all that it has sent before: 3/4 + (1 + 2 + 3)/4 of the array.
awk 'BEGIN {
    n = 4
    print "ringsim-schedule 1\nranks 4\nchunks 4"
    for (s = 0; s < n - 1; s++) {
        print "step"
        for (r = 0; r < n; r++) print r " -> " (r + 1) % n " chunk " (r - s + n) % n " reduce"
    }
    for (i = 0; i < n - 1; i++) {
        print "step"
        for (r = 0; r < n; r++) for (k = 0; k <= i; k++) {
            print r " -> " (r + 1) % n " chunk " (r + 1 - k + n) % n " copy"
        }
    }
}' >again.sched
# Whole arrays go round: 3 -> 2 -> 1 -> 0 adding, then back. Two GPUs send the array twice.
awk 'BEGIN {
    print "ringsim-schedule 1\nranks 4\nchunks 4"
    for (s = 3; s > 0; s--) print "step\n" s " -> " s - 1 " chunk 0..3 reduce"
    for (s = 0; s < 3; s++) print "step\n" s " -> " s + 1 " chunk 0..3 copy"
}' >whole.sched
# A ring that shouts: all send all they have all the time. Not even right.
awk 'BEGIN {
    print "ringsim-schedule 1\nranks 4\nchunks 4"
    for (s = 0; s < 6; s++) {
        print "step"
        for (r = 0; r < 4; r++) print r " -> " (r + 1) % 4 " chunk 0..3 " (s < 3 ? "reduce" : "copy")
    }
}' >shout.sched

$ringsim --algo again.sched --count 400 --json >out &&
    says out '"correct":true' '"bytes_sent":[3600,3600,3600,3600]' '"lower_bound_ps":120000,' '"n_transfers":36,'
report $? "a wasteful ring's sums are right, and its bytes are told"
$ringsim --algo again.sched --count 400 --view text >out && says out '3.60 kB sent by GPU 0: 1.50 times the lower bound 2.40 kB, too many'
report $? "the story shows them"
$ringsim check again.sched >out && says out 'the busiest GPU sends 2.25 times the array; no all-reduce needs less than 1.5'
report $? "check tells what the plan costs"
$ringsim --algo whole.sched --count 400 --json >out && says out '"correct":true' '"bytes_sent":[1600,3200,3200,1600]'
report $? "whole arrays sent round are counted whole"
$ringsim --algo whole.sched --count 400 --view text >out && says out 'file 75 % in bytes'
report $? "and the story measures the busiest GPU, not only the one it follows"
$ringsim --algo whole.sched --count 400 --json --transfers | tr '{' '\n' | grep -c '"chunks":4,"offset":0,"count":400,' >out
[ "$(cat out)" = 6 ]
report $? "each transfer with its elements"
$ringsim --algo shout.sched --count 400 --json >out
[ $? -eq 1 ] && says out '"fault":"counted-twice"' '"correct":false' '"bytes_sent":[9600,9600,9600,9600]'
report $? "a ring that shouts is caught, and billed"

# The ring has 2(N-1) chunks to send; its own bytes are the bound exactly where N divides K.
$ringsim --gpus 4 --count 400 --json >out && says out '"bytes_sent":[2400,2400,2400,2400]'
report $? "the ring itself sends the lower bound"
$ringsim --gpus 4 --count 400 --json --kill 2@3 >out
[ $? -eq 1 ] && says out '"bytes_sent":[1600,1200,1200,1600]'
report $? "what was never sent is not counted"
says out '"completed":false' '"correct":false' '"wrong_ranks":[],'
report $? "and who never finished is stalled, not wrong"
$ringsim --count 5 --protocol eager --kill 1@7 --flip 3@2 --json >out
[ $? -eq 1 ] && says out '"stalled":[{"rank":2,"step":7,"waits_for":[1]}],"killed":[1]' '"wrong_ranks":[0,3,4]'
report $? "of a run that stalls those are wrong who finished with wrong data"

# A bit that flips at hop h of the all-gather reaches the N - h ranks behind; earlier it reaches all.
flips=0
for case in '2 0,1,2,3,4' '4 0,1,2,4' '5 0,1,4' '6 0,4' '7 4'; do
    $ringsim --count 13 --flip 3@${case% *} --json >out
    [ $? -eq 1 ] && says out '"correct":false' "\"wrong_ranks\":[${case#* }]" || flips=1
done
report $flips "a flipped bit is wrong exactly where the ring carries it"

# Each GPU reads its own part: GPU r holds r + 1 + i in element i; the sums are 6 + 3 i.
printf '\1\2\3\4\5\6\7\2\3\4\5\6\7\10\3\4\5\6\7\10\11' >in.bin
$ringsim --gpus 3 --dtype u8 --input in.bin --output out.bin --json >out &&
    says out '"count":7,' '"correct":true' &&
    [ "$(od -An -v -t u1 -N 7 out.bin | tr -s ' ' | tr -d '\n')" = ' 6 9 12 15 18 21 24' ]
report $? "every GPU starts from its own part of the input"
# One element a chunk: elements 0, 3 and 5, with the sums 6, 15 and 21.
$ringsim --gpus 3 --dtype u8 --input in.bin --values sample --json >out && says out '"result_crc32":[294215044,294215044,294215044]'
report $? "and a sampled run from the first element of each chunk"

edges=0
for algo in ring naive tree doubling halving; do
    for where in "1 1000" "1 0" "7 0"; do
        $ringsim --algo $algo --gpus ${where% *} --count ${where#* } --json >out 2>err &&
            says out '"sound":true' '"correct":true' '"makespan_ps":0,' '"n_transfers":0,' '"algbw_GBps":null' || edges=1
        $ringsim --algo $algo --gpus ${where% *} --count ${where#* } --view text >out 2>err && [ ! -s err ] || edges=1
    done
    for where in "2 1" "7 1" "7 6" "33 1"; do
        $ringsim --algo $algo --gpus ${where% *} --count ${where#* } --json >out 2>err &&
            says out '"sound":true' '"correct":true' '"wrong_ranks":[]' || edges=1
    done
    # 2^40 + 1 elements of 8 bytes, counted and never held
    $ringsim --algo $algo --count 1099511627777 --dtype f64 --bandwidth 2TB/s --json >out 2>err &&
        says out '"count":1099511627777,' '"bytes":8796093022216,' '"correct":true' || edges=1
done
report $edges "one GPU, no element, fewer elements than GPUs, 2^40 elements: with every algorithm"
$ringsim --count 1099511627777 --dtype f64 --bandwidth 2TB/s --json >out && awk -F '"bytes_sent":' '{
    split($2, part, /[][,]/); for (i = 2; i <= 6; i++) sum += part[i]; exit sum != 8 * 8796093022216 }' out
report $? "together the ring's GPUs send 2(N-1) arrays, to the byte"
exit $failed
