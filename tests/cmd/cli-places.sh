#!/bin/sh
# cli-places.sh: where files are written, under odd names and when a signal comes; what odd names look
# like in messages.
. tests/tools/command-test
refused() { # TEXT: the last run wrote one line with that text and nothing else
    [ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] && grep -q -e "$1" err
}
escape=$(printf '\033')
mkdir folder

$ringsim --count 5 --json --trace trace.json --save '' >out 2>err
[ $? -eq 2 ] && refused 'save' && [ ! -e trace.json ]
report $? "an empty name is refused before any file is written"
ln -s folder/target dangling
$ringsim --count 5 --view none --save dangling && [ -L dangling ] && [ -s folder/target ]
report $? "a link to what is not there yet stays a link"
ln -s loop loop
$ringsim --count 5 --json --save loop >out 2>err
[ $? -eq 2 ] && refused loop && [ -L loop ]
report $? "links in a circle are refused"
long=$(printf '%0250d' 7)
$ringsim --count 5 --view none --save "$long" && [ -s "$long" ]
report $? "a name may be as long as names can be"
for other in ./same folder/../same "$SCRATCH/same"; do
    $ringsim --count 5 --json --save same --trace "$other" >out 2>err
    [ $? -eq 2 ] && refused 'cannot be both' && [ ! -e same ]
    report $? "one place for two files is refused: $(basename "$(dirname "$other")")/same"
done
$ringsim --count 5 --json --save shared >shared 2>err
[ $? -eq 2 ] && [ ! -s shared ] && grep -q 'standard output goes there' err
report $? "standard output's own file is no place for another"

# Signals: nothing is left, and the status says which signal it was.
waiting() { # wait until the trace grows
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        sleep 0.2
        [ -z "$(find . -name '.ringsim-tmp-*' -size +100k)" ] || return 0
    done
}
$ringsim --gpus 1000 --count 5000 --view none --check never --values none --trace big.json &
child=$!
waiting
kill -TERM $child
wait $child
[ $? -eq 143 ] && [ ! -e big.json ] && ! ls -a | grep -q tmp-
report $? "a signal while a large file is written leaves nothing behind"
$ringsim --gpus 64 --count 100000 --values all --output - --save half.sched 2>err | head -c 10 >/dev/null
[ ! -e half.sched ] && ! ls -a | grep -q tmp- && [ ! -s err ]
report $? "so does a reader who leaves early"
(ulimit -f 8 && $ringsim --gpus 300 --count 5000 --json --values none --trace big.json >out 2>err)
[ $? -eq 2 ] && refused 'big.json' && ! ls -a | grep -q tmp-
report $? "a file that may not grow is an error like any other"

# What a terminal would obey does not reach it.
printf 'ringsim-schedule 1\nranks 2\nchunks 1\nstep\n0 -> 1 chunk 0 reduce\nstep\n1 -> 0 chunk 0 copy\n' >good.sched
odd="$(printf 'a\033[31mb\nc\302\233d\377')"
cp good.sched "$odd"
$ringsim check "$odd" >out && head -n 1 out | grep -q '^a?\[31mb?c?d?: GPUs 2' && ! grep -q "$escape" out
report $? "check names a file without its control characters"
$ringsim check --json "$odd" >out && grep -q '"file":"a\\u001b\[31mb\\nc.*d?"' out && ! grep -q "$escape" out
report $? "in JSON they are escaped, and the text is UTF-8"
printf 'ringsim-schedule 1\nranks \033[31m\302\233\377\n' >colour.sched
$ringsim check colour.sched >out 2>err
[ $? -eq 2 ] && refused 'colour.sched: line 2' && ! grep -q -e "$escape" err
report $? "nor do those inside a file"

for language in de zh; do
    $ringsim --lan $language --count 5 --json >out 2>err
    [ $? -eq 2 ] && refused 'choose one of en, zh_CN'
    report $? "an abbreviated --lang is judged like --lang: $language"
done
# A course that is not there, or of which a lab cannot be read, has no labs to list; the rest is as it was.
"$ringsim" list >whole && "$ringsim" list --json >whole.json && cp -R "$OLDPWD/lessons" course && echo nonsense >course/05-scatter-reduce/lab
for course in course nowhere; do
    RINGSIM_LESSONS=$course "$ringsim" list >out 2>err && RINGSIM_LESSONS=$course "$ringsim" list --json >out.json && [ ! -s err ] &&
        sed '/^labs (/,/^$/d' whole | cmp -s - out && sed 's/"labs":[^]]*/"labs":[/' whole.json | cmp -s - out.json
    report $? "list without labs: $course"
done
exit $failed
