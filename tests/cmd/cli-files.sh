#!/bin/sh
# cli-files.sh: what runs read and write: whole or not at all, and the same bytes every time.
top=$PWD
. tests/tools/command-test

$ringsim --gpus 5 --count 7 --json --trace a.json --save a.sched --output a.bin >a.out
report $? "a run writes its trace, its schedule and its results"
$ringsim --gpus 5 --count 7 --json --trace b.json --save b.sched --output b.bin >b.out
cmp -s a.out b.out && cmp -s a.json b.json && cmp -s a.sched b.sched && cmp -s a.bin b.bin
report $? "the same run writes the same bytes"
[ "$(wc -c <a.bin)" -eq 140 ]
report $? "the results are N x K elements"

# digits: every rank holds (chunk + 1) x 11111 in the end; chunks of 7 elements in 5: 2 2 1 1 1
od -An -v -t d4 a.bin | tr -s ' ' '\n' | grep -v '^$' >values
for r in 1 2 3 4 5; do printf '11111\n11111\n22222\n22222\n33333\n44444\n55555\n'; done >wanted
cmp -s values wanted
report $? "the results are the sums, little-endian, rank after rank"

$ringsim --algo a.sched --count 7 --json | grep -q '"sound":true'
report $? "a saved schedule is sound when it is read again"
$ringsim --algo a.sched --count 7 --view none --save c.sched && cmp -s a.sched c.sched
report $? "saving it again gives the same text"
$ringsim --algo - --count 7 --json <a.sched | grep -q '"gpus":5'
report $? "a schedule comes from standard input"
$ringsim check - <a.sched >/dev/null
report $? "so it does for check"

$ringsim --gpus 5 --count 7 --input a.bin --output d.bin --json >d.out &&
    od -An -v -t d4 -N 4 d.bin | grep -q 55555
report $? "results can be put in again"
$ringsim --gpus 5 --input a.bin --json | grep -q '"count":7'
report $? "without a count the input says how much there is"
$ringsim --gpus 5 --count 7 --input - --output - <a.bin | cmp -s - d.bin
report $? "input and output through pipes"
head -c 139 a.bin >short.bin
$ringsim --gpus 5 --count 7 --input short.bin --output e.bin --json >e.out 2>e.err
[ $? -eq 2 ] && [ ! -s e.out ] && [ ! -e e.bin ] && grep -q '139 bytes' e.err
report $? "an input one byte short is refused and nothing is written"

echo before >kept
$ringsim --gpus 5 --count 7 --json --save kept --trace /nonexistent/x >e.out 2>e.err
[ $? -eq 2 ] && [ "$(cat kept)" = before ] && [ ! -s e.out ] && [ "$(wc -l <e.err)" -eq 1 ]
report $? "when one file cannot be written no other is touched"
$ringsim --json --algo a.sched --gpus 4 --save kept >e.out 2>e.err
[ $? -eq 2 ] && [ "$(cat kept)" = before ]
report $? "a refused run leaves what was there"
mkdir -p folder
$ringsim --json --save folder >e.out 2>e.err
[ $? -eq 2 ] && grep -q 'directory' e.err && [ ! -s e.out ]
report $? "a directory is no place for a file"
$ringsim --count 5 --kill 3@2 --json --trace f.json >f.out
[ $? -eq 1 ] && grep -q '"completed":false' f.out && tail -n 1 f.json | grep -q '^]}$'
report $? "a stalled run's JSON and trace are whole"

ln -s kept link && $ringsim --count 5 --view none --save link && [ -L link ] && head -n 1 kept | grep -q ringsim
report $? "what a link points to is written, the link stays"
chmod 640 kept && $ringsim --count 5 --view none --save kept && ls -l kept | grep -q '^-rw-r-----'
report $? "a file keeps its rights"
$ringsim --count 5 --view none --save /dev/null && [ -c /dev/null ]
report $? "/dev/null stays what it is"
$ringsim --count 5 --save - | head -n 1 | grep -q '^ringsim-schedule 1$'
report $? "- is standard output, and no view gets in its way"

if [ -w /dev/full ]; then
    $ringsim --count 5 --json >/dev/full 2>e.err
    [ $? -eq 2 ] && grep -q 'standard output' e.err
    report $? "a full disk under standard output is an error"
    $ringsim list >/dev/full 2>e.err
    [ $? -eq 2 ] && grep -q 'standard output' e.err
    report $? "for list too"
    $ringsim --count 5 --json --save /dev/full >e.out 2>e.err
    [ $? -eq 2 ] && [ ! -s e.out ]
    report $? "a full disk under a file is an error, and nothing is printed"
else
    echo "ok full disks # skip: no /dev/full here"
fi
$ringsim --count 5 --json --save closed.sched >&- 2>e.err
[ $? -eq 2 ] && head -n 1 closed.sched | grep -q '^ringsim-schedule 1$'
report $? "a closed standard output is an error, and gets into no file"
$ringsim --gpus 300 --count 600 --json --transfers 2>e.err | head -c 100 >/dev/null
[ ! -s e.err ]
report $? "a reader who leaves early is no news"

wants 2 'write FILE.json for Perfetto, or FILE.trace' --view none --trace x.foo
[ ! -e x.foo ]
report $? "what no name says is not written"
RINGSIM_LESSONS=/nonexistent
export RINGSIM_LESSONS
wants 2 'RINGSIM_LESSONS names /nonexistent, where no lessons are' lesson
mkdir long-header && cp -r "$top/lessons/05-scatter-reduce" long-header/ && head -c 300000 /dev/zero | tr '\0' ' ' >long-header/ring.h
printf 'int send_chunk(int step, int rank, int n) { return ((rank - step) %% n + n) %% n; }\n' >learner.c
RINGSIM_LESSONS=$PWD/long-header
for words in '--algo learner.c' 'check learner.c' 'grade 05 learner.c'; do
    # shellcheck disable=SC2086
    wants 2 'ring.h is longer than 262144 bytes' $words --interpret
done
unset RINGSIM_LESSONS

ls -a | grep -q 'tmp-'
report $(($? == 0)) "no scratch file is left"
# A name that is only an ending, or has no point before it, names no kind of picture.
for ending in svg png pdf mp4 gif; do
    for name in ".$ending" "$ending" "a-$ending"; do
        wants 2 'write FILE.svg, png, pdf, mp4 or gif' --view none --gpus 2 --export "$name"
    done
done
# A transfer's part of the array begins where the chunks before it end, also where nothing is left for it.
for count in 1 3 4 5 6 11; do
    $ringsim --gpus 5 --count $count --json --transfers | tr '{' '\n' |
        sed -n 's/.*"chunk":\([0-9]*\),.*"offset":\([0-9]*\),"count":\([0-9]*\),.*/\1 \2 \3/p' | sort -u | awk -v of=$count '
            $1 != n++ || $2 != next_one + 0 { bad = 1 }
            { next_one = $2 + $3 }
            END { exit bad || n != 5 || next_one != of }'
    report $? "five chunks of $count elements lie one behind the other"
done
# Who waited for nothing has nothing to wipe off.
if script -qec true /dev/null </dev/null >out 2>&1; then
    TERM=xterm script -qec "'$ringsim' verify --on cpu --count 9 --iters 1; '$ringsim' --gpus 3 --view none" /dev/null </dev/null >out 2>&1
    grep -q 'right' out && ! grep -q "$(printf '\r\033')" out
    report $? "a short run on a terminal shows no progress, and wipes nothing"
fi
# Whatever can be seen can be a page: it begins with the words that were typed, and does not run them here.
$ringsim --gpus 3 --export page.html >out 2>err
case $? in
3) grep -q 'make page' err && echo "ok pages # skip: no page was built" || report 1 "pages" ;;
*)
    for words in 'run --gpus 4 --algo tree' 'compare --gpus 2..4 --bytes 1MB' 'train --gpus 3' 'sampler --gpus 3' \
        'mapreduce --gpus 2' 'launch' 'gil --iters 0' 'lesson 5'; do
        rm -f page.html
        # shellcheck disable=SC2086
        "$ringsim" $words --export page.html >out 2>err </dev/null && [ ! -s out ] &&
            grep -qF "id=\"words\">$words</script>" page.html
        report $? "a page of $words"
    done
    ;;
esac
exit $failed
