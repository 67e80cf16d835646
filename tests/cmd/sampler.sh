#!/bin/sh
# sampler.sh: `ringsim sampler`: who sees what, in words and as JSON; several epochs, batches, bad numbers.
. tests/tools/command-test
says() { # TEXT NAME: what the last run printed
    grep -qF -e "$1" out
    report $? "$2"
}
run() { $ringsim sampler "$@" >out 2>err </dev/null; }

run && says 'GPU 2  2 6 0*' "ten samples on four GPUs: the third sees sample 0 a second time"
says '  sample 0: GPU 0, 2' "it is named, with those who see it"
says '10 / 4 rounded up = 3 each, 12 in all' "the rule is told with its numbers"

run --dataset 1 --gpus 6 && grep -q '  sample 0: GPU 0, 1, 2, 3, 4, 5$' out
report $? "six who see it are all named"
run --dataset 1 --gpus 7 && says '  sample 0: GPU 0, 1, 2, 3, 4, 5, ...' "of seven the rest is left out"
run --json && grep -qF '"indices":[[0,4,8],[1,5,9],[2,6,0],[3,7,1]],"repeated":[{"sample":0,"ranks":[0,2]},{"sample":1,"ranks":[1,3]}],"dropped":[],' out
report $? "the same as JSON"
says '"equals":"torch.randperm, CPU"' "JSON tells the generator, and what it equals"

run --shuffle --json && says '"indices":[[4,3,6],[1,9,2],[7,0,4],[5,8,1]]' "shuffled as torch.randperm(10) of seed 0"
run --shuffle --seed 40 --epoch 2 --json && cut -d '[' -f 2- out | cut -d ']' -f 1-5 >a &&
    run --shuffle --seed 42 --json && cut -d '[' -f 2- out | cut -d ']' -f 1-5 | cmp -s - a &&
    grep -q '^\[2,4,3\],\[6,5,7\],\[1,0,2\],\[8,9,6\]$' a
report $? "seed 40 in epoch 2 is seed 42 in epoch 0"

run --shuffle --epochs 3 && says 'GPU 0 meets 8 of 10 samples in 3 epochs.' "three epochs, three orders"
cp out three && run --shuffle --epochs 3 --forget-epoch && says 'GPU 0 meets 3 of 10 samples in 3 epochs.' \
    "set_epoch forgotten: the same three samples every time"
grep '^GPU 3' out >row && grep -q '^GPU 3   5 8 1\*   5 8 1\*   5 8 1\*$' row
report $? "... on every GPU, and still no sample on two of them but the padding"
run --shuffle --epochs 2 --epoch 1 --json && says '"epochs":[{"epoch":1,"order_seed":1,' "epochs are counted from --epoch on"

run --shuffle --json && says '"epochs":[{"epoch":0,"order_seed":0,' "one epoch stands in the list, too"
run --gpus 1 && says '10 samples, 1 GPU: 10 / 1' "one GPU is one GPU"

run --dataset 3 --gpus 7 && says 'GPU 6  0*' "fewer samples than half the GPUs: the order goes round and round"
run --dataset 3 --gpus 7 --drop-last && says 'seen by nobody: 3 samples, the end of the order: 0, 1, 2' "... or nobody gets any"
run --drop-last --shuffle && says 'seen by nobody: 2 samples, the end of the order: 6, 2' "what is dropped is the order's end"
run --dataset 0 && [ "$(grep -c '^GPU [0-9]*$' out)" = 4 ]
report $? "an empty dataset"

run --dataset 1000 --batch 24 && says 'batch: 24 a GPU x 4 = 96 a step; 11 steps an epoch, the last with 10 a GPU' \
    "a batch is per GPU"
run --dataset 1000 --gpus 2 --total-batch 64 --json && says '"batch":{"per_gpu":32,"total":64,"steps":16,"last":20}' \
    "--total-batch is of all GPUs"

run --dataset 1281167 --gpus 100 --shuffle --epochs 5 && [ "$(awk 'length > 80' out | wc -l)" -eq 0 ] &&
    [ "$(wc -l <out)" -lt 34 ]
report $? "a large dataset has room in 80 columns, its end too"
run --dataset 1000000 --gpus 131072 && says '1000000 / 131072 rounded up = 8 each' "as many GPUs as there may be"
run --dataset 1000000 --gpus 131072 --at 7 && says 'Round 8 of 8' "... and their rounds"
run --dataset 1000000 --gpus 8 --shuffle --json &&
    sed 's/\]\],"rep.*//; s/.*"indices":\[//' out | tr '][' ',,' | tr ',' '\n' | sed '/^$/d' | sort -n | awk '$1 != NR - 1 { exit 1 } END { exit NR != 1000000 }'
report $? "a million samples: every one exactly once"

# A row's samples are the first and the last of the GPU's list, a gap between them where some are left out.
bad=
for samples in 1 9 40 99 1000 54321; do
    for gpus in 1 3 8; do
        run --dataset $samples --gpus $gpus && awk -v samples=$samples -v gpus=$gpus '
            /^GPU [0-9]+ +[0-9]/ {
                each = int((samples + gpus - 1) / gpus)
                for (f = 3; f <= NF && $f != "..."; f++) bad = bad || $f + 0 != (r + (f - 3) * gpus) % samples
                if (f > NF) bad = bad || NF - 2 != each
                else for (k = 0; NF - k > f; k++) bad = bad || $(NF - k) + 0 != (r + (each - 1 - k) * gpus) % samples
                r++
            }
            END { exit bad || r != gpus }' out || bad="$bad $samples/$gpus"
    done
done
[ -z "$bad" ]
report $? "rows show both ends of a list$bad"

refused() { # WORDS --- a text of the one line
    text=$1
    shift
    run "$@"
    [ $? -eq 2 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -qF -e "$text" err
    report $? "refused: $*"
}
refused "--total-batch 65: no multiple of 2 GPUs" --total-batch 65 --gpus 2
refused "give one of them" --batch 4 --total-batch 8
refused "--dataset: '100000001' lies outside 0..100000000" --dataset 100000001
refused "--dataset" --dataset ten
refused "--gpus: '0' lies outside" --gpus 0
refused "--batch: '0' lies outside" --batch 0
refused "--epochs: '65' lies outside 1..64" --epochs 65
refused "--epoch" --epoch=-1
refused "--algo is no option of sampler" --algo ring
refused "takes options only" cats
exit $failed
