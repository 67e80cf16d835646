#!/bin/sh
# train.sh: `ringsim train`: the step's timeline, real training, what goes wrong, bad options.
top=$PWD
. tests/tools/command-test
says() { # TEXT NAME: what the last run printed
    tr -s '\n ' ' ' <out | grep -qF -e "$1"
    report $? "$2"
}
run() { $ringsim train "$@" >out 2>err </dev/null; }
number() { # KEY: the first number of that name in JSON
    grep -o "\"$1\":-*[0-9][0-9.e+-]*" out | head -1 | cut -d : -f 2
}
ends() { # STATUS NAME WORDS...
    want=$1 name=$2
    shift 2
    run "$@"
    [ $? -eq "$want" ]
    report $? "$name"
}
refused() { # TEXT WORDS...
    text=$1
    shift
    run "$@"
    [ $? -eq 2 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -qF -e "$text" err
    report $? "refused: train $*"
}

# The tables of layers are those that the tool writes.
for m in resnet50 gpt2; do
    (cd "$top" && tests/tools/layers $m) | cmp -s - "$top/assets/$m.lay"
    report $? "assets/$m.lay is what tests/tools/layers writes"
done

# Faults of links and ranks reach the exchange: without latency and in one bucket a slow link multiplies it, and a
# straggler adds its time to each of 2(N-1) steps.
exchanged() { run --alpha 0ps --no-overlap --bucket-mb inf --json "$@" && number exchange_ps; }
for n in 2 4 8; do # by which the parameters can be divided
    plain=$(exchanged --gpus $n) steps=$((2 * (n - 1)))
    [ "$(exchanged --gpus $n --slow-link 1:4)" = $((4 * plain)) ] && [ "$(exchanged --gpus $n --slow-link 0:2 --slow-link 1:3)" = $((3 * plain)) ] &&
        [ "$(exchanged --gpus $n --straggler 1:2ms)" = $((plain + steps * 2000000000)) ]
    report $? "$n GPUs: a slow link, two, a straggler make the exchange longer by what they are"
done

# The timeline: at least four buckets, overlapped, and slower without.
run --json --transfers && [ "$(grep -o '"first":' out | wc -l)" -ge 4 ]
report $? "by default at least four buckets"
step=$(number step_ps) apart=$(number step_without_overlap_ps)
[ "$step" -lt "$apart" ] && [ "$(($(number exchange_ps) - $(number exposed_ps)))" -gt 0 ]
report $? "... and most of the exchange is hidden"
grep -q '"lane":"network","work":"all-reduce","rank":4,"index":4' out
report $? "the pieces of work are in the JSON"
run --json --no-overlap && [ "$(number step_ps)" -eq "$apart" ]
report $? "--no-overlap is as much slower as was said"
run && says "without overlap the step takes" "the figures say both" && says "bucket 5" "... and show the buckets"
run --view text && says "without overlap it takes" "so does the story" && grep -q '^ GPU 0\.\.4 net' out
report $? "... with a lane for what each GPU exchanges"
run && cp out first && run && cmp -s out first
report $? "the same command prints the same bytes"
# Up to 16 buckets are all listed, of more the first twelve and the last four.
for mb in 0.5 1 2 3 5 8 13 25; do
    run --model gpt2.lay --bucket-mb $mb --json && n=$(grep -o '"first":' out | wc -l)
    run --model gpt2.lay --bucket-mb $mb --no-overlap && sed -n 's/^bucket \([0-9]*\) .*/\1/p; s/^\(\.\.\.\)$/\1/p' out >listed
    if [ "$n" -le 16 ]; then seq 1 "$n"; else seq 1 12 && echo ... && seq $((n - 3)) "$n"; fi | cmp -s - listed
    report $? "$n buckets are listed"
done
run --json --bucket-mb inf && [ "$(grep -o '"first":' out | wc -l)" -eq 1 ]
report $? "one bucket for all"
run --json --model gpt2.lay --gpus 2 && [ "$(number parameters)" -eq 124439808 ]
report $? "gpt2.lay has 124,439,808 parameters"
run --json --accumulate 4 && [ "$(number step_ps)" -gt $((3 * step)) ] && [ "$(number exchange_ps)" -lt $((step / 5)) ]
report $? "four batches, one exchange"
printf 'ringsim-layers 1\ninput 4\noutput 2\nlayer only 10 1000\n' >own.lay
run --json --model own.lay && [ "$(number parameters)" -eq 10 ]
report $? "a table of one's own"
run --slow-gpu 2:3 --view text && grep -q '^ GPU 0 net.*\.\.\.\.' out
report $? "the others wait for a slow GPU"

# dp
run --mode dp --gpus 4 --view text && says 'DataParallel adds where DDP averages' "dp adds gradients where ddp averages" &&
    grep -q '^ GIL ' out && grep -q '^ thread 3' out
report $? "dp's threads and their lock have lanes"
run --gpus 1,2,4,8 --csv && awk -F , 'NR > 2 && $3 <= $2 { bad = 1 } NR > 2 && $3 <= last { bad = 1 } { last = $3 }
    END { exit bad || NR != 5 }' out
report $? "dp is slower than ddp, and the slower the more GPUs"
# Of one world size the curve goes by powers of two up to it, from two GPUs on, to 64.
bad=
for n in 1 2 3 4 5 8 9 63 64 65; do
    run --gpus $n --json
    grep -o '"scaling":.[^]]*' out | grep -o '"gpus":[0-9]*' | cut -d : -f 2 >points
    awk -v n=$n 'BEGIN { if (n < 2 || n > 64) exit; for (i = 1; i < n; i *= 2) print i; print n }' | cmp -s - points || bad="$bad $n"
done
[ -z "$bad" ]
report $? "a world size's curve goes by powers of two$bad"
run --gpus 1,2,4 --json && grep -q '"scaling":\[{"gpus":1,' out
report $? "a list of GPUs as JSON"

# Real training
run --model linreg --gpus 4 && says 'Folded in the same order it is the same, bit for bit' "linreg: ddp is one GPU with all samples" &&
    run --model linreg --gpus 4 --view text && says 'All replicas have the same weights, bit for bit.' \
    "... and the replicas stay equal" && says 'loss * all samples' "the loss is plotted"
run --model mlp --gpus 3 --dataset 300 --json && grep -q '"exact":true,"bounded":true' out
report $? "mlp, as JSON"
run --model mlp --gpus 3 --dataset 300 --algo halving --mode dp --json && grep -q '"exact":true,"bounded":true' out
report $? "mlp under dp"
ends 1 "the mean of unequal GPUs' means is not the mean over samples" --model linreg --gpus 2 --batch 3,1 --mean ranks
says 'is not the mean over samples' "... and it says so"
ends 0 "weighted by their samples it is" --model linreg --gpus 2 --batch 3,1
ends 0 "equal shards: the mean of means will do" --model linreg --gpus 2 --mean ranks
ends 1 "nobody broadcasts the weights: replicas differ for ever" --model linreg --gpus 2 --no-broadcast
ends 0 "mode none is no failure" --model linreg --gpus 4 --mode none
says '4 different models' "... but four models"
printf 'ringsim-schedule 1\nranks 2\nchunks 1\nstep\n0 -> 1 chunk 0 reduce\n' >lost.sched
ends 1 "a schedule that loses a gradient" --model linreg --algo lost.sched
ends 0 "one GPU" --gpus 1 --model linreg

# What DDP minds: an unused layer, buffers, an uneven rank, accumulation; timed and real.
layer=layer3.0.conv1.weight
ends 1 "a layer that nobody uses: the step fails" --gpus 4 --unused $layer --json
grep -q '"waits_for":null' out && [ "$(grep -o '"start_ps":null,"end_ps":null' out | wc -l)" -eq 1 ]
report $? "... its bucket and those behind it are never sent, and nobody waits"
ends 1 "a layer that one GPU does not use" --gpus 4 --unused 1:100 --json --transfers
grep -q '"waits_for":1,' out && grep -q '"work":"wait","rank":0,"index":3' out
report $? "... the others wait for it in the bucket's all-reduce"
ends 0 "looked for, it counts as ready" --gpus 4 --unused 1:$layer --find-unused --json
grep -q '"number":1,"bytes":644,' out && [ "$(number waits_for)" = "" ]
report $? "... and a map of 161 tensors is all-reduced"
ends 1 "who has no batch leaves the others waiting" --gpus 4 --uneven 2:1 --view text
says 'GPU 2 has no batch any more' "... the story says for whom"
ends 0 "... under Join nobody waits" --gpus 4 --uneven 2:1 --join --json
grep -q '"number":2,"bytes":8,"wait_ps":60002200}' out
report $? "... for two all-reduces of a number, 6 latencies each"
run --gpus 4 --buffers broadcast --json && grep -q '"number":1,"bytes":212480,"wait_ps":31248000}' out
report $? "buffers go down a tree: two latencies, twice the bytes"
run --gpus 4 --buffers sync --json && grep -q '"number":106,' out && waited=$(number wait_ps) && exchanged=$(number exchange_ps) &&
    run --gpus 4 --buffers sync --bucket-mb inf --json && [ "$(number wait_ps)" -lt "$waited" ]
report $? "53 norms' exchanges, and they wait behind buckets ($waited of $exchanged ps)"
run --gpus 4 --accumulate 3 --json && once=$(number exchange_ps) && run --gpus 4 --accumulate 3 --every-batch --json &&
    [ $((($(number exchange_ps) - 3 * once) / 1000000000)) -eq 0 ] && grep -q '"sent_bytes":.460026' out
report $? "without no_sync three exchanges for three batches"
ends 1 "real: an unused bias drifts apart in one update" --model linreg --gpus 4 --unused fc1.bias --json
grep -q '"stopped":true' out && [ "$(grep -c '"drift":0,' out)" -eq 0 ] && [ "$(grep -o '"loss":' out | wc -l)" -eq 1 ]
report $? "... and the second forward pass fails"
ends 0 "real: found, replicas stay equal" --model linreg --gpus 4 --unused fc1.bias --find-unused
ends 1 "real: who has two batches fewer stops all" --model linreg --gpus 4 --uneven 1:2
says 'After 6 of 24 updates GPU 1 has no batch any more' "... it says when"
ends 0 "real: Join with sums is the mean over all samples" --model mlp --gpus 3 --dataset 300 --uneven 1:2 --join --bucket-mb 0.01
ends 1 "... with means zeros count" --model linreg --gpus 4 --uneven 1:2 --join --mean ranks
for mean in samples ranks; do
    ends 0 "real: exchanged thrice or once, the same mean ($mean)" --model linreg --gpus 4 --accumulate 3 --every-batch --mean $mean --check always
    says 'bit for bit' "... each exchange is its fold"
done
run --model linreg --gpus 4 --buffers own --json && own=$(number buffers_apart) && run --model linreg --gpus 4 --buffers broadcast --json &&
    off=$(number buffers_off) && apart=$(number buffers_apart) && run --model linreg --gpus 4 --buffers sync --json &&
    awk "BEGIN { exit !($own > $apart && $apart > 0 && $off > 0.01 && $(number buffers_apart) == 0 && $(number buffers_off) < 1e-6) }"
report $? "running means: apart, those of GPU 0, and with sync those of all samples"
refused 'give a layer of the model' --unused nothing
refused 'give a layer of the model' --unused 9:fc.bias
refused 'this layer has no parameters' --model gpt2.lay --unused lm_head
refused 'can do without a bias' --model linreg --unused fc1.weight
refused 'give a GPU, 0..4' --uneven 5:1
refused 'give a GPU, 0..4' --uneven 1
refused 'for --uneven' --join
refused 'for --accumulate K' --every-batch
refused 'for --mode ddp' --mode zero1 --find-unused
refused 'one case at a time; leave the others out' --unused fc.bias --uneven 1:1
refused 'leave --accumulate out' --unused fc.bias --accumulate 2
refused 'no layer of gpt2.lay has any' --model gpt2.lay --buffers sync

# In shards: what a GPU sends and keeps, and what it computes.
bits() { grep -o '"weights_crc32":.[0-9]*' out; }
run --mode ddp --order nccl --model linreg --gpus 3 --optimizer adam --json && ddp=$(bits)
for mode in zero1 zero2 zero3 fsdp 'hsdp --gpus-per-node 3' 'hsdp --gpus-per-node 1'; do
    # shellcheck disable=SC2086 # the mode and its option
    run --mode $mode --model linreg --gpus 3 --optimizer adam --json && [ "$(bits)" = "$ddp" ] &&
        grep -q '"exact":true,"bounded":true' out
    report $? "$mode ends with ddp's bits"
done
run --mode zero3 --gpus 4 --optimizer adam --json && grep -q '"sent_bytes":.230013288,230013288,' out
report $? "zero3 sends 3 x 3/4 of the parameters"
run --mode zero1 --gpus 8 --optimizer adam && says 'GPU 0 sends 178.9 MB in the step, 1.75 times the parameters' \
    "zero1 sends 2 x 7/8" && says 'zero1 2 2 0.5 * 1 * 0 5.5 >' \
    "... and keeps 4 + 12/8 bytes a parameter"
run --mode zero2 --gpus 8 && says 'sgd keeps no states' "sgd has nothing but the copy to shard"
run --mode zero3 --gpus 4 --json && step=$(number step_ps) && run --mode zero3 --gpus 4 --prefetch off --json &&
    [ "$(number step_ps)" -gt "$step" ] && grep -q '"prefetch":false' out
report $? "without prefetch a step takes longer"
run --machine dgx-h100:2 --mode zero3 --flops 400TFLOP/s --json && step=$(number step_ps) &&
    run --machine dgx-h100:2 --mode hsdp --flops 400TFLOP/s --json && [ "$(number step_ps)" -lt "$step" ] &&
    grep -q '"machine":{"name":"dgx-h100:2","gpus":16,"nodes":2}' out && grep -q '"gpus_per_node":8' out
report $? "on two machines hsdp takes less time than zero3"
run --mode zero3 --gpus 1,2,4 --csv && grep -q '^gpus,ddp_step_ps,zero3_step_ps$' out
report $? "a list of GPUs compares with ddp"
run --mode hsdp --gpus 4 --gpus-per-node 2 --view text && says '% all-reduce' "all-reduces between nodes have their sign"

refused 'only zero3 and hsdp' --prefetch off
refused 'that is --prefetch off' --mode zero3 --no-overlap
refused 'NCCL' --mode zero2 --order seed
refused 'leave --algo out' --mode zero2 --algo halving
refused 'leave --algo out' --mode hsdp --algo ring
refused 'how large a node is' --mode hsdp
refused 'do not fill nodes of dgx-h100:2' --mode hsdp --machine dgx-h100:2 --gpus 12
refused 'at most 1024 can be trained' --machine dgx-h100:200
refused 'a divisor of 6' --mode hsdp --gpus 6 --gpus-per-node 4
refused 'know of nodes' --mode zero3 --gpus-per-node 5
refused 'one model, in shards' --mode zero1 --model linreg --no-broadcast
refused '--optimizer' --optimizer lion
refused 'have their own' --machine dgx-h100 --alpha 1us
refused 'has 8 GPUs' --machine dgx-h100 --gpus 9
refused 'no such model' --model resnet
refused 'line 1, column 1' --model lost.sched
refused 'only timed' --epochs 3
refused 'only timed' --gpus 1,2 --model linreg --lr 1
refused 'only mlp' --hidden 4
refused 'one for each of 5 GPUs' --batch 1,2
refused '--slow-gpu' --slow-gpu 9:2
refused '--slow-gpu' --slow-gpu 1
refused '--gpus' --gpus 2000
refused '--mode' --mode dpp
$ringsim --gpus 4 --collective all-gather --save gather.sched --view none
denies 2 '--algo gather.sched: this is for all-gather, not for all-reduce' train --algo gather.sched --export t.svg
denies 2 '--gpus 4,8: the world size must lie in 1..1024' train --algo lost.sched --gpus 4,8
denies 2 '--gpus 3: lost.sched is for 2 ranks; leave --gpus out' train --algo lost.sched --gpus 3
denies 2 'several world sizes are a table, no story' train --gpus 1,2 --export two.html
for ranks in 1024 1025; do sed "s/ranks 2/ranks $ranks/" lost.sched >$ranks.sched; done
ends 0 "as many GPUs as can be trained" --algo 1024.sched
denies 2 '--algo: at most 1024 GPUs can be trained' train --algo 1025.sched
refused '--python-share' --python-share 200
refused '--python-share' --python-share much
refused '--bucket-mb' --bucket-mb 0
refused '--flops' --flops fast
refused 'unit' --flops 5GB/s
refused 'only the ring' --algo tree --order nccl
refused 'list of GPUs' --csv
exit $failed
